// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_chat_template.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/json_text.h"

namespace pitwall {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxTemplateBytes = std::size_t{4} << 20;

}  // namespace

Result<std::string> read_hf_chat_template(const fs::path& folder) {
  std::error_code ignored;
  if (const fs::path file = folder / "chat_template.jinja"; fs::exists(file, ignored))
    return read_file(file, kMaxTemplateBytes);
  const fs::path file = folder / "tokenizer_config.json";
  if (!fs::exists(file, ignored)) return std::string();
  const auto config = read_json_object(file);
  if (!config.ok()) return config.error();
  const auto found = config->find("chat_template");
  if (found == config->end() || found->is_null()) return std::string();
  if (found->is_string()) return found->get<std::string>();
  if (found->is_array()) {  // several named templates
    for (const json& entry : *found) {
      if (!entry.is_object() || entry.value("name", json()) != "default") continue;
      if (const auto source = entry.find("template"); source != entry.end() && source->is_string()) {
        return source->get<std::string>();
      }
    }
  }
  return Error{Error::Kind::invalid_input,
               fmt::format("{}: \"chat_template\" is neither a string nor a list with one named \"default\"",
                           file.string()),
               "", "Check the model's tokenizer_config.json", "chat_template"};
}

}  // namespace pitwall
