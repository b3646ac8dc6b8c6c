// SPDX-License-Identifier: GPL-3.0-or-later
// Stop strings over streamed text: holds back what could be the start of a stop, cuts at the earliest match.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pitwall {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);   ///< empty strings are ignored
  struct Output {
    std::string text;      ///< safe to emit now
    bool stopped = false;  ///< a stop matched; text is all before it; nothing follows
  };
  Output push(std::string_view text);
  std::string flush();     ///< held-back text at a natural end; empty after a stop

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace pitwall
