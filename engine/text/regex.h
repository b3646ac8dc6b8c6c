// SPDX-License-Identifier: GPL-3.0-or-later
// Regular expressions with Unicode properties: PCRE2, compiled to machine code where the library can.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

/// A compiled pattern; immutable, shared between threads.
class Regex {
 public:
  /// Perl syntax over UTF-8 with Unicode classes; \s is Unicode's White_Space, \w is what is Alphabetic,
  /// marks, decimal digits and connectors, and [a&&b] what is in both classes. Error::unsupported names the
  /// pattern and the place in it.
  static Result<Regex> compile(std::string_view pattern);
  /// The pattern that matches `text` and nothing else.
  static std::string quote(std::string_view text);

 private:
  friend class RegexSearch;
  struct Code;
  explicit Regex(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

/// What one search needs beside the pattern; one per thread, reused between subjects.
class RegexSearch {
 public:
  RegexSearch();
  ~RegexSearch();
  RegexSearch(const RegexSearch&) = delete;
  RegexSearch& operator=(const RegexSearch&) = delete;

  struct Match {
    std::size_t begin = 0, end = 0;
  };
  /// The first match that is not empty at or after `from`; with `empty_too` also an empty one. `subject` must
  /// be valid UTF-8 and `from` at a character. A search that would pass the library's limits counts as no
  /// match.
  std::optional<Match> find(const Regex& regex, std::string_view subject, std::size_t from,
                            bool empty_too = false);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
