// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_statistics.h"

namespace pitwall {

void HttpStatistics::replied(int status, std::string_view code) {
  const std::lock_guard lock(mutex_);
  ++counts_.replies[{status, std::string(code)}];
}

void HttpStatistics::dropped(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  ++counts_.drops[std::string(reason)];
}

void HttpStatistics::accepted(const std::string& key) {
  const std::lock_guard lock(mutex_);
  ++counts_.completions[key];
}

HttpCounts HttpStatistics::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace pitwall
