// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/json_input.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/console.h"
#include "engine/base/file.h"

namespace pitwall::ctl {

using Json = nlohmann::ordered_json;

namespace {

Error wrong(std::string what, std::string_view param = {}) {
  return {Error::Kind::invalid_input, std::move(what), "", "", std::string(param)};
}

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<Json> answer_line(std::string_view line, const std::function<Result<Json>(const Json& line)>& answer) {
  const Json object = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!object.is_object()) return wrong("it is not a JSON object");
  return answer(object);
}

}  // namespace

Result<Json> read_json(const std::string& file) {
  const auto text = read_file(file);
  if (!text.ok()) return text.error();
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return wrong(fmt::format("{} is not valid JSON", file));
  return json;
}

Result<void> answer_lines(const std::string& file,
                          const std::function<Result<Json>(const Json& line)>& answer) {
  const auto text = read_file(file);
  if (!text.ok()) return text.error();
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto answered = answer_line(line, answer);
    if (!answered.ok()) {
      Error error = answered.error();
      error.what = fmt::format("{} line {}: {}", file, number, error.what);
      return error;
    }
    print_json(*answered);
  }
  return {};
}

Result<std::string> text_field(const Json& object, const char* key, std::string_view fallback) {
  const Json* value = find(object, key);
  if (value == nullptr) return std::string(fallback);
  if (!value->is_string()) return wrong(fmt::format("\"{}\" is not a string", key), key);
  return value->get<std::string>();
}

Result<bool> flag_field(const Json& object, const char* key, bool fallback) {
  const Json* value = find(object, key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return wrong(fmt::format("\"{}\" is neither true nor false", key), key);
  return value->get<bool>();
}

Result<std::vector<TokenId>> ids_field(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value == nullptr ? Result(std::vector<TokenId>()) : ids_of(*value, fmt::format("\"{}\"", key));
}

Result<std::vector<TokenId>> ids_of(const Json& value, std::string_view name) {
  if (!value.is_array()) return wrong(fmt::format("{} is not a list of token ids", name));
  std::vector<TokenId> ids;
  ids.reserve(value.size());
  for (const Json& id : value) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > std::numeric_limits<TokenId>::max()) {
      return wrong(fmt::format("{} holds {} at position {}, which is no token id", name,
                               id.dump(-1, ' ', true, Json::error_handler_t::replace), ids.size()));
    }
    ids.push_back(id.get<TokenId>());
  }
  return ids;
}

}  // namespace pitwall::ctl
