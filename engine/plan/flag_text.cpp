// SPDX-License-Identifier: GPL-3.0-or-later
// Written flags as the command that is pasted.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/shell_words.h"

namespace pitwall {

Words command_words(const WrittenFlags& written) {
  const std::string model = written.model.empty() ? "MODEL" : written.model;
  Words words;
  for (const std::string& word : written.engine->command) words.push_back(word == "{model}" ? model : word);
  words.insert(words.end(), written.arguments.begin(), written.arguments.end());
  return words;
}

std::string command_text(const WrittenFlags& written) {
  const Words words = command_words(written);
  if (written.engine->keywords) {
    std::string call = fmt::format("{}({}", words.front(), nlohmann::json(words[1]).dump());
    for (std::size_t i = 2; i < words.size(); ++i) call += ", " + words[i];
    return call + ")";
  }
  std::string text;
  for (const auto& [name, value] : written.environment) text += name + "=" + shell_quote(value) + " ";
  return text + paste_text(words);
}

}  // namespace pitwall
