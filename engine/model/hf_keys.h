// SPDX-License-Identifier: GPL-3.0-or-later
// HfKeys: a JSON object of a checkpoint folder, read by key. null counts as absent; the first error stays.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/first_error.h"

namespace pitwall {

class HfKeys {
 public:
  /// Both must live as long as the keys.
  HfKeys(const nlohmann::json& object, FirstError& first) : object_(object), first_(first) {}

  bool has(const char* key) const { return find(key) != nullptr; }
  /// A key that is there as null says that there is none, where a missing one means the default.
  bool names(const char* key) const;
  const nlohmann::json* find(const char* key) const;  ///< nullptr when absent
  const nlohmann::json* object(const char* key) const;

  int count(const char* key) const;  ///< 0 and above
  int count(const char* key, int fallback) const { return has(key) ? count(key) : fallback; }
  int size(const char* key) const;  ///< of what there has to be: above 0
  int size(const char* key, int fallback) const { return has(key) ? size(key) : fallback; }
  double real(const char* key, double fallback) const;
  bool flag(const char* key, bool fallback) const;
  std::string text(const char* key, std::string_view fallback) const;
  std::vector<double> reals(const char* key) const;       ///< empty when absent
  std::vector<int> counts(const char* key) const;         ///< empty when absent
  std::vector<std::string> texts(const char* key) const;  ///< empty when absent
  /// One for each of `layers`; empty when absent.
  std::vector<std::string> texts(const char* key, std::size_t layers) const;

  void wrong(std::string_view key, std::string_view expected) const;  ///< keeps an error that shows the value
  void missing(std::string_view key) const;
  void unsupported(std::string what, std::string_view key) const;
  FirstError& errors() const { return first_; }

 private:
  int number(const char* key, int least) const;
  template <class Element, class Accepts>
  std::vector<Element> list(const char* key, std::string_view expected, const Accepts& accepts) const;
  const nlohmann::json& object_;
  FirstError& first_;
};

}  // namespace pitwall
