// SPDX-License-Identifier: GPL-3.0-or-later
// Where the files beside config.json keep the chat templates.
#pragma once
#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/model.h"

namespace pitwall {

/// The default from chat_template.jinja, else chat_template.json, else tokenizer_config.json; the others from
/// additional_chat_templates/NAME.jinja and from lists of {"name", "template"}. A file of its own wins over
/// an entry of the same name. Sorted by name, "default" first; empty when there are none.
Result<std::vector<NamedTemplate>> read_hf_chat_templates(const std::filesystem::path& folder);

}  // namespace pitwall
