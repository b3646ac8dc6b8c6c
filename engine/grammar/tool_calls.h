// SPDX-License-Identifier: GPL-3.0-or-later
// Replies that call tools: free text, then calls, each between fixed texts.
#pragma once
#include <string>

#include "engine/grammar/grammar.h"

namespace pitwall {

/// trigger call end (between trigger call end)*, e.g. "<tool_call>\n" … "\n</tool_call>". Nothing follows the
/// last call.
struct ToolCallForm {
  std::string trigger;  ///< not empty; free text in which it comes goes on as a call
  std::string end;
  std::string between = "\n";
  bool text_first = true;  ///< free text may stand in front of the first call
  bool required = false;   ///< without a call the reply is not whole; else it may be free text alone
  std::uint32_t most_calls = kUnlimited;
};

/// `call`: what stands between trigger and end; most often a choice of tools, each a sequence of text, its
/// arguments by schema, and text.
PartId add_tool_calls(GrammarBuilder& builder, const ToolCallForm& form, PartId call);

}  // namespace pitwall
