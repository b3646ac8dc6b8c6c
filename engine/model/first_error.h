// SPDX-License-Identifier: GPL-3.0-or-later
// FirstError: lets a mapping of many fallible reads be written as a list. Values after an error are defaults
// and must not be used; ask error() at the end of the list.
#pragma once
#include <optional>
#include <utility>

#include "engine/base/result.h"

namespace pitwall {

class FirstError {
 public:
  template <class T>
  T take(Result<T> result) {
    if (result.ok()) return std::move(result).value();
    keep(std::move(result).error());
    return T{};
  }
  void check(Result<void> result) {
    if (!result.ok()) keep(std::move(result).error());
  }
  void keep(Error error) {
    if (!error_) error_ = std::move(error);
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace pitwall
