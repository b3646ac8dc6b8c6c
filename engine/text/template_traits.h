// SPDX-License-Identifier: GPL-3.0-or-later
// What a chat template makes of messages, found by rendering short ones.
#pragma once
#include "engine/text/chat_template.h"

namespace pitwall {

struct TemplateTraits {
  bool reads_text = true;    ///< content that is a string reaches the prompt
  bool reads_parts = false;  ///< so do the texts of content that is a list of parts
  bool reads_tools = true;   ///< names of tools reach the prompt
  bool opens_reply = true;   ///< add_generation_prompt changes the prompt
};
/// A template that renders nothing of the probes (it raises, or wants other variables) has the traits above.
TemplateTraits probe_template(const ChatTemplate& chat_template);

/// A template with what is known of it.
struct ChatFormat {
  ChatTemplate chat_template;
  TemplateTraits traits;
  bool knows_reasoning = false;  ///< its text has the mark <think>
};

}  // namespace pitwall
