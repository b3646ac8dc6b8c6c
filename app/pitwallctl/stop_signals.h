// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM as something to wait for.
#pragma once
#include <chrono>
#include <csignal>

namespace pitwall::ctl {

/// Make one before any thread starts: threads inherit that these signals are blocked, so that only wait()
/// gets them.
class StopSignals {
 public:
  StopSignals();
  bool wait(std::chrono::milliseconds timeout) const;  ///< true when one came

 private:
  sigset_t set_;
};

}  // namespace pitwall::ctl
