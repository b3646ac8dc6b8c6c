// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/json_schema_check.h"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/text/regex.h"
#include "engine/text/utf8.h"

namespace pitwall::test {

namespace {

using Json = nlohmann::ordered_json;

bool is_of(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  return value.is_number_integer() ||
         (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
}

bool matches(const std::string& text, const std::string& pattern) {
  const auto regex = Regex::compile(pattern);
  return regex.ok() && RegexSearch().find(*regex, text, 0, true).has_value();
}

/// A number as a sign and 140 + 40 decimal digits.
struct Digits {
  bool negative = false;
  std::string text;
};
Digits digits(const Json& number) {
  std::string text = number.dump();
  Digits out{.negative = text.starts_with('-'), .text = {}};
  if (out.negative) text.erase(0, 1);
  int exponent = 0;
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    exponent = std::stoi(text.substr(e + 1));
    text.resize(e);
  }
  std::size_t point = std::min(text.find('.'), text.size());
  if (point < text.size()) text.erase(point, 1);
  text = std::string(140, '0') + text + std::string(140, '0');
  point = static_cast<std::size_t>(140 + static_cast<int>(point) + exponent);
  out.text = text.substr(point - 140, 180);
  out.text.resize(180, '0');
  if (out.text.find_first_not_of('0') == std::string::npos) out.negative = false;
  return out;
}

int compared(const Json& a, const Json& b) {
  const Digits x = digits(a), y = digits(b);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  return x.negative ? y.text.compare(x.text) : x.text.compare(y.text);
}

/// The divisor has at most 9 digits and 6 decimal places.
bool is_multiple(const Json& number, const Json& divisor) {
  const std::int64_t step = std::stoll(digits(divisor).text.substr(125, 21));
  const std::string text = digits(number).text;
  std::int64_t rest = 0;
  for (const char c : text.substr(0, 146)) rest = (rest * 10 + (c - '0')) % step;
  return rest == 0 && text.find_first_not_of('0', 146) == std::string::npos;
}

class Check {
 public:
  Check(const Json& value, const Json& schema, const Json& root)
      : value_(value), schema_(schema), root_(root) {}

  std::string run() const {
    if (schema_.is_boolean()) return schema_.get<bool>() ? "" : "false";
    for (const auto& part :
         {&Check::general, &Check::combined, &Check::number, &Check::string, &Check::array, &Check::object}) {
      if (std::string broken = (this->*part)(); !broken.empty()) return broken;
    }
    return "";
  }

 private:
  bool has(const char* keyword) const { return schema_.contains(keyword); }
  std::string inner(const Json& value, const Json& schema) const { return Check(value, schema, root_).run(); }

  std::string general() const {
    if (has("type")) {
      const Json types = schema_["type"].is_array() ? schema_["type"] : Json::array({schema_["type"]});
      bool fits = value_.is_null() && schema_.value("nullable", false);
      for (const Json& type : types) fits = fits || is_of(value_, type.get<std::string>());
      if (!fits) return "type";
    }
    if (has("const") && value_ != schema_["const"]) return "const";
    if (has("enum")) {
      bool found = false;
      for (const Json& one : schema_["enum"]) found = found || one == value_;
      if (!found) return "enum";
    }
    return "";
  }

  std::string combined() const {
    if (has("$ref")) {
      const Json::json_pointer at(schema_["$ref"].get<std::string>().substr(1));
      if (std::string broken = inner(value_, root_.at(at)); !broken.empty()) return "$ref, " + broken;
    }
    if (has("allOf")) {
      for (const Json& one : schema_["allOf"]) {
        if (std::string broken = inner(value_, one); !broken.empty()) return "allOf, " + broken;
      }
    }
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (!has(keyword)) continue;
      bool found = false;
      for (const Json& one : schema_[keyword]) found = found || inner(value_, one).empty();
      if (!found) return keyword;
    }
    return "";
  }

  std::string number() const {
    if (!value_.is_number()) return "";
    if (has("minimum") && compared(value_, schema_["minimum"]) < 0) return "minimum";
    if (has("maximum") && compared(value_, schema_["maximum"]) > 0) return "maximum";
    if (has("exclusiveMinimum") && compared(value_, schema_["exclusiveMinimum"]) <= 0)
      return "exclusiveMinimum";
    if (has("exclusiveMaximum") && compared(value_, schema_["exclusiveMaximum"]) >= 0)
      return "exclusiveMaximum";
    if (has("multipleOf") && !is_multiple(value_, schema_["multipleOf"])) return "multipleOf";
    return "";
  }

  std::string string() const {
    if (!value_.is_string()) return "";
    const auto text = value_.get<std::string>();
    if (has("minLength") && utf8_length(text) < schema_["minLength"].get<std::size_t>()) return "minLength";
    if (has("maxLength") && utf8_length(text) > schema_["maxLength"].get<std::size_t>()) return "maxLength";
    if (has("pattern") && !matches(text, schema_["pattern"].get<std::string>())) return "pattern";
    return "";
  }

  std::string array() const {
    if (!value_.is_array()) return "";
    if (has("minItems") && value_.size() < schema_["minItems"].get<std::size_t>()) return "minItems";
    if (has("maxItems") && value_.size() > schema_["maxItems"].get<std::size_t>()) return "maxItems";
    const std::size_t first = has("prefixItems") ? schema_["prefixItems"].size() : 0;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      std::string broken;
      if (i < first) {
        broken = inner(value_[i], schema_["prefixItems"][i]);
      } else if (has("items")) {
        broken = inner(value_[i], schema_["items"]);
      }
      if (!broken.empty()) return "item " + std::to_string(i) + ", " + broken;
    }
    return "";
  }

  std::string object() const {
    if (!value_.is_object()) return "";
    if (has("required")) {
      for (const Json& name : schema_["required"]) {
        if (!value_.contains(name.get<std::string>())) return "required " + name.dump();
      }
    }
    for (const auto& [name, member] : value_.items()) {
      if (has("propertyNames") && !inner(Json(name), schema_["propertyNames"]).empty())
        return "propertyNames";
      bool described = false;
      std::string broken;
      if (has("properties") && schema_["properties"].contains(name)) {
        described = true;
        broken = inner(member, schema_["properties"][name]);
      }
      if (has("patternProperties")) {
        for (const auto& [pattern, schema] : schema_["patternProperties"].items()) {
          if (!matches(name, pattern)) continue;
          described = true;
          if (broken.empty()) broken = inner(member, schema);
        }
      }
      if (!described && has("additionalProperties")) broken = inner(member, schema_["additionalProperties"]);
      if (!broken.empty()) return "member " + name + ", " + broken;
    }
    return "";
  }

  const Json& value_;
  const Json& schema_;
  const Json& root_;
};

}  // namespace

std::string broken_keyword(const Json& value, const Json& schema, const Json& root) {
  return Check(value, schema, root).run();
}

}  // namespace pitwall::test
