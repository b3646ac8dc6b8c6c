// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_chat_template.h"

#include "engine/model/chat_template_set.h"

namespace pitwall {

Result<std::vector<NamedTemplate>> read_gguf_chat_templates(const GgufMetadata& metadata) {
  constexpr std::string_view kKey = "tokenizer.chat_template";
  constexpr std::string_view kNamed = "tokenizer.chat_template.";
  ChatTemplateSet templates;
  for (const std::string_view key : metadata.keys_from(kKey)) {
    if (key != kKey && !key.starts_with(kNamed)) continue;
    auto source = metadata.text(key);
    if (!source.ok()) return source.error();
    if (source->empty()) continue;
    const bool named = key.size() > kNamed.size();
    templates.add(named ? std::string(key.substr(kNamed.size())) : "default", *std::move(source));
  }
  return templates.take();
}

}  // namespace pitwall
