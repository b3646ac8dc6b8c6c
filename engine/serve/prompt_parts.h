// SPDX-License-Identifier: GPL-3.0-or-later
// Names for the pieces of a rendered prompt, so that a prefix miss can say in which message it lies.
#pragma once
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/telemetry/records.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

struct MessageText {
  std::string_view role, content;
};

/// The contents are searched in `rendered` in order; what a template changed or left out counts to the part
/// before it. Parts in ascending order: "template", "messages[0] (system)", "template after messages[0]", …
std::vector<PromptPart> name_parts(std::string_view rendered, const std::vector<MessageText>& messages,
                                   const std::vector<TokenId>& tokens, const Tokenizer& tokenizer);

}  // namespace pitwall
