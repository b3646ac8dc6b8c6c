// SPDX-License-Identifier: GPL-3.0-or-later
// The GPU's %globaltimer against the host's steady clock. The GPU never learns the host's time: of all
// moments at which the host saw something finished, the one soonest after it bounds the difference best.
// Bounds older than a while are dropped, since the two clocks drift.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/base/clock.h"

namespace pitwall::cuda {

class GpuClock {
 public:
  /// The host saw at `host` what the GPU finished at `gpu`.
  void seen(std::uint64_t gpu, Nanos host) {
    const Nanos difference = host - static_cast<Nanos>(gpu);
    if (host - window_began_ > kWindow) {
      last_ = current_;
      current_ = std::numeric_limits<Nanos>::max();
      window_began_ = host;
    }
    current_ = std::min(current_, difference);
  }
  /// The steady time of a GPU time.
  Nanos steady(std::uint64_t gpu) const { return static_cast<Nanos>(gpu) + std::min(current_, last_); }

 private:
  static constexpr Nanos kWindow = 1'000'000'000;
  Nanos window_began_ = 0;
  Nanos current_ = std::numeric_limits<Nanos>::max(), last_ = std::numeric_limits<Nanos>::max();
};

}  // namespace pitwall::cuda
