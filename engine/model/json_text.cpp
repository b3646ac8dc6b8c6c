// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace pitwall {

namespace {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;

/// By brackets outside of strings. A callback of the parser would do, but after each child it looks through
/// all of the parent's: the time of a header would grow with the square of its tensors.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (quoted && letter == '\\') {
      ++at;
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (!quoted && (letter == '{' || letter == '[')) {
      if (++depth > kMaxDepth) return true;
    } else if (!quoted && (letter == '}' || letter == ']')) {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<nlohmann::json> parse_json_object(std::string_view text, const std::filesystem::path& file) {
  const bool too_deep = is_too_deep(text);
  nlohmann::json json;
  try {
    if (!too_deep) json = nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::out_of_range&) {  // JSON allows 1e400, which no number of this machine holds
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} holds a number that is too large", file.string()), "",
                 "Correct the number, or fetch the file again", ""};
  } catch (const nlohmann::json::exception&) {
  }
  if (json.is_object()) return json;
  return Error{Error::Kind::invalid_input,
               fmt::format("{} is not a JSON object{}", file.string(),
                           too_deep ? fmt::format(" of at most {} levels", kMaxDepth) : std::string()),
               "The file is damaged or was cut off", "Fetch the file again", ""};
}

Result<nlohmann::json> read_json_object(const std::filesystem::path& file) {
  const auto text = read_file(file, kMaxFileBytes);
  if (!text.ok()) return text.error();
  return parse_json_object(*text, file);
}

std::string without_python_numbers(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (quoted && letter == '\\' && at + 1 < text.size()) {
      plain += letter;
      plain += text[++at];
      continue;
    }
    if (letter == '"') quoted = !quoted;
    std::size_t word = 0;
    for (const std::string_view each : {"-Infinity", "Infinity", "NaN"}) {
      if (!quoted && word == 0 && text.substr(at).starts_with(each)) word = each.size();
    }
    if (word == 0) {
      plain += letter;
    } else {
      plain += '"';
      plain += text.substr(at, word);
      plain += '"';
      at += word - 1;
    }
  }
  return plain;
}

}  // namespace pitwall
