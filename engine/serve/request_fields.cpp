// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/request_fields.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace pitwall {

using Json = nlohmann::ordered_json;

const Json* RequestFields::any(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> RequestFields::flag(const char* name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  refuse(name, std::string("is a ") + value->type_name() + "; it must be true or false");
  return std::nullopt;
}

std::optional<double> RequestFields::number(const char* name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  refuse(name, value->is_number() ? "is not finite"
                                  : std::string("is a ") + value->type_name() + "; it must be a number");
  return std::nullopt;
}

std::optional<std::int64_t> RequestFields::integer(const char* name, std::int64_t minimum,
                                                   std::int64_t maximum) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  const std::string bounds =
      "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum);
  if (!value->is_number_integer()) {
    refuse(name,
           std::string("is a ") + value->type_name() + " that is not a whole number; it must be " + bounds);
    return std::nullopt;
  }
  const bool fits = !value->is_number_unsigned() || std::in_range<std::int64_t>(value->get<std::uint64_t>());
  const std::int64_t whole = fits ? value->get<std::int64_t>() : 0;
  if (fits && whole >= minimum && whole <= maximum) return whole;
  refuse(name, "is " + value->dump() + "; it must be " + bounds);
  return std::nullopt;
}

std::optional<std::string> RequestFields::text(const char* name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  refuse(name, std::string("is a ") + value->type_name() + "; it must be a string");
  return std::nullopt;
}

void RequestFields::refuse(const char* name, std::string what, Error::Kind kind) {
  if (error_) return;
  error_ = Error{.kind = kind,
                 .what = std::string(name) + " " + std::move(what),
                 .cause = {},
                 .action = {},
                 .param = name};
}

}  // namespace pitwall
