// SPDX-License-Identifier: GPL-3.0-or-later
// RequestFields: typed reading of a JSON object's members. null counts as absent; the first wrong one is
// kept.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace pitwall {

class RequestFields {
 public:
  explicit RequestFields(const nlohmann::ordered_json& object) : object_(object) {}

  const nlohmann::ordered_json* any(const char* name) const;  ///< null when absent or null
  std::optional<bool> flag(const char* name);
  std::optional<double> number(const char* name);  ///< finite
  std::optional<std::int64_t> integer(const char* name, std::int64_t minimum, std::int64_t maximum);
  std::optional<std::string> text(const char* name);

  void refuse(const char* name, std::string what, Error::Kind kind = Error::Kind::invalid_input);
  const std::optional<Error>& error() const { return error_; }

 private:
  const nlohmann::ordered_json& object_;
  std::optional<Error> error_;
};

}  // namespace pitwall
