// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/json_body.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

Error bad_body(std::string what) {
  return {
      .kind = Error::Kind::invalid_input, .what = std::move(what), .cause = {}, .action = {}, .param = {}};
}

/// One pass without recursion; on broken JSON it may miscount, which the parser then refuses.
Result<void> check_shape(std::string_view body, int deepest) {
  std::vector<int> members(static_cast<std::size_t>(deepest) + 1);
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) {
        return bad_body("The JSON body is nested deeper than " + std::to_string(deepest) + " levels");
      }
      members[static_cast<std::size_t>(depth)] = 0;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    } else if (c == ':' && ++members[static_cast<std::size_t>(depth)] > kMostMembers) {
      return bad_body("An object in the JSON body has more than " + std::to_string(kMostMembers) +
                      " members");
    }
  }
  return {};
}

}  // namespace

Result<Json> parse_json_object(std::string_view body, int deepest) {
  if (!is_valid_utf8(body)) return bad_body("The body is not valid UTF-8");
  if (auto ok = check_shape(body, deepest); !ok) return ok.error();
  try {
    Json parsed = Json::parse(body);
    if (!parsed.is_object()) return bad_body("The body is not a JSON object");
    return parsed;
  } catch (const Json::parse_error& error) {
    return bad_body("The body is not valid JSON: byte " + std::to_string(error.byte) + " of " +
                    std::to_string(body.size()));
  } catch (const Json::exception&) {
    return bad_body("The body holds a number that is out of range");
  }
}

}  // namespace pitwall
