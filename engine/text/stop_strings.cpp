// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/stop_strings.h"

#include <algorithm>
#include <utility>

#include "engine/text/text_search.h"

namespace pitwall {

StopMatcher::StopMatcher(std::vector<std::string> stops) {
  for (std::string& stop : stops) {
    if (stop.empty()) continue;
    auto fallback = fallback_lengths(stop);
    stops_.push_back({std::move(stop), std::move(fallback), 0});
  }
}

/// Feeds one byte to every stop.
void StopMatcher::advance(char byte) {
  ++scanned_;
  for (Stop& stop : stops_) {
    if (stop.matched == stop.text.size()) stop.matched = stop.fallback[stop.matched];
    while (stop.matched > 0 && stop.text[stop.matched] != byte) stop.matched = stop.fallback[stop.matched];
    if (stop.text[stop.matched] == byte) ++stop.matched;
    if (stop.matched == stop.text.size()) match_ = std::min(match_, scanned_ - stop.matched);
  }
}

/// The earliest place where a stop has begun that may still complete; scanned_ when there is none.
std::size_t StopMatcher::open_start() const {
  std::size_t start = scanned_;
  for (const Stop& stop : stops_) {
    if (stop.matched < stop.text.size()) start = std::min(start, scanned_ - stop.matched);
  }
  return start;
}

StopMatcher::Output StopMatcher::push(std::string_view text) {
  if (stopped_) return {"", true};
  held_ += text;
  while (scanned_ < held_.size()) {
    advance(held_[scanned_]);
    if (match_ != std::string::npos && match_ <= open_start()) {
      stopped_ = true;
      return {held_.substr(0, match_), true};
    }
  }
  const std::size_t safe = std::min(match_, open_start());
  Output output{held_.substr(0, safe), false};
  held_.erase(0, safe);
  scanned_ -= safe;
  if (match_ != std::string::npos) match_ -= safe;
  return output;
}

std::string StopMatcher::flush() {
  if (stopped_) return {};
  stopped_ = match_ != std::string::npos;
  return std::exchange(held_, {}).substr(0, match_);
}

}  // namespace pitwall
