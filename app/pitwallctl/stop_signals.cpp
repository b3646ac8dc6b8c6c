// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/stop_signals.h"

#include <ctime>

namespace pitwall::ctl {

StopSignals::StopSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

bool StopSignals::wait(std::chrono::milliseconds timeout) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec span{static_cast<time_t>(seconds.count()),
                      static_cast<long>(std::chrono::nanoseconds(timeout - seconds).count())};
  return sigtimedwait(&set_, nullptr, &span) > 0;
}

}  // namespace pitwall::ctl
