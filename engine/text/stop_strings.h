// SPDX-License-Identifier: GPL-3.0-or-later
// Stop strings over streamed text: holds back what could be the start of a stop, cuts at the earliest match.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pitwall {

/// The result does not depend on how the text is cut into pushes: it ends before the match that starts first
/// in the whole text. A match is reported once no earlier one can still complete. Time is linear in the text
/// for each stop.
class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);  ///< empty strings are ignored
  struct Output {
    std::string text;      ///< safe to emit now
    bool stopped = false;  ///< a stop matched; text is all before it; nothing follows
  };
  Output push(std::string_view text);
  std::string flush();  ///< held-back text at a natural end; empty after a stop

 private:
  /// Knuth-Morris-Pratt over one stop.
  struct Stop {
    std::string text;
    std::vector<std::size_t> fallback;  ///< of each matched length: the longest shorter one that also fits
    std::size_t matched = 0;            ///< bytes of the stop that the text so far ends with
  };
  void advance(char byte);
  std::size_t open_start() const;

  std::vector<Stop> stops_;
  std::string held_;
  std::size_t match_ = std::string::npos;  ///< start in held_ of the earliest whole match so far
  std::size_t scanned_ = 0;                ///< bytes of held_ that the stops have seen
  bool stopped_ = false;
};

}  // namespace pitwall
