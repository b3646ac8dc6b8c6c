// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/chat_template_set.h"
#include "engine/model/json_text.h"

namespace pitwall {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxTemplateBytes = std::size_t{4} << 20;

Result<void> add_file(ChatTemplateSet& templates, std::string name, const fs::path& file) {
  auto source = read_file(file, kMaxTemplateBytes);
  if (!source.ok()) return source.error();
  templates.add(std::move(name), *std::move(source));
  return {};
}

Result<void> add_files(ChatTemplateSet& templates, const fs::path& folder) {
  std::error_code ignored;
  if (const fs::path file = folder / "chat_template.jinja"; fs::exists(file, ignored)) {
    if (auto ok = add_file(templates, "default", file); !ok.ok()) return ok;
  }
  for (const auto& entry : fs::directory_iterator(folder / "additional_chat_templates", ignored)) {
    if (entry.path().extension() != ".jinja") continue;
    if (auto ok = add_file(templates, entry.path().stem().string(), entry.path()); !ok.ok()) return ok;
  }
  return {};
}

/// The "chat_template" of a JSON file: a string, or a list of {"name", "template"}.
Result<void> add_field(ChatTemplateSet& templates, const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto config = read_json_object(file);
  if (!config.ok()) return config.error();
  const auto found = config->find("chat_template");
  if (found == config->end() || found->is_null()) return {};
  if (found->is_string()) {
    templates.add("default", found->get<std::string>());
    return {};
  }
  const auto is_named = [](const json& entry) {
    return entry.is_object() && entry.value("name", json()).is_string() &&
           entry.value("template", json()).is_string();
  };
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_named)) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("{}: \"chat_template\" is neither a string nor a list of {{\"name\", \"template\"}}",
                    file.string()),
        "", "Check the file, or fetch the model again", "chat_template"};
  }
  for (const json& entry : *found) {
    templates.add(entry["name"].get<std::string>(), entry["template"].get<std::string>());
  }
  return {};
}

}  // namespace

Result<std::vector<NamedTemplate>> read_hf_chat_templates(const fs::path& folder) {
  ChatTemplateSet templates;
  if (auto ok = add_files(templates, folder); !ok.ok()) return ok.error();
  for (const char* name : {"chat_template.json", "tokenizer_config.json"}) {
    if (auto ok = add_field(templates, folder / name); !ok.ok()) return ok.error();
  }
  return templates.take();
}

}  // namespace pitwall
