// SPDX-License-Identifier: GPL-3.0-or-later
// Where a GGUF file keeps its chat templates.
#pragma once
#include <vector>

#include "engine/base/result.h"
#include "engine/model/gguf_metadata.h"
#include "engine/model/model.h"

namespace pitwall {

/// tokenizer.chat_template is the default; tokenizer.chat_template.NAME are others, whether or not
/// tokenizer.chat_templates lists the name. Sorted by name, "default" first.
Result<std::vector<NamedTemplate>> read_gguf_chat_templates(const GgufMetadata& metadata);

}  // namespace pitwall
