// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T> and Error: how every fallible function of the house answers. Bad input never aborts the process.
#pragma once
#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace pitwall {

/// What went wrong, for a person: what happened with its number, the likely cause, what to do next.
struct Error {
  enum class Kind {
    invalid_input,  ///< the caller's value is wrong (HTTP 400)
    not_found,      ///< a file, model, run or route does not exist (HTTP 404)
    unsupported,    ///< understood, but not provided here
    out_of_memory,  ///< a limit or the pool would be exceeded
    io,             ///< file or network trouble
    busy,           ///< port or lock is taken, queue is full
    cancelled,      ///< the caller asked to stop
    internal        ///< a fault of ours
  };
  Kind kind = Kind::internal;
  std::string what;    ///< one sentence, with the number
  std::string cause;   ///< likely cause; may be empty
  std::string action;  ///< what to do next; may be empty
  std::string param;   ///< the setting, field or header key at fault; may be empty

  /// "what. cause. action" with the empty parts left out.
  std::string text() const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace pitwall
