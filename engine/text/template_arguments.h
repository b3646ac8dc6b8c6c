// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a built-in: by position or by name, with defaults.
#pragma once
#include <array>
#include <initializer_list>
#include <string_view>

#include "engine/text/template_context.h"

namespace pitwall::jinja {

class ArgumentReader {
 public:
  /// `names` in order of position; the first `required` must be given. Fails on what is left over or missing.
  ArgumentReader(std::string_view callee, const Arguments& arguments,
                 std::initializer_list<std::string_view> names, std::size_t required = 0);

  bool has(std::size_t index) const { return values_[index] != nullptr; }
  bool has_value(std::size_t index) const { return has(index) && !values_[index]->is_none(); }
  const Value& operator[](std::size_t index) const { return *values_[index]; }
  bool flag(std::size_t index, bool otherwise) const;
  std::int64_t integer(std::size_t index, std::int64_t otherwise) const;
  /// str() is not called: anything but text fails.
  std::string_view text(std::size_t index, std::string_view otherwise) const;

 private:
  static constexpr std::size_t kMost = 6;
  std::string_view callee_;
  std::array<std::string_view, kMost> names_{};
  std::array<const Value*, kMost> values_{};
};

}  // namespace pitwall::jinja
