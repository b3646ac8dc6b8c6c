// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/clock.h"

#include <chrono>
#include <ctime>

namespace pitwall {

Nanos RealClock::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Nanos RealClock::utc_now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string format_utc(Nanos utc) {
  const std::time_t seconds = static_cast<std::time_t>(utc / kNanosPerSecond);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer;
}

}  // namespace pitwall
