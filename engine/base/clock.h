// SPDX-License-Identifier: GPL-3.0-or-later
// One Clock for the house: steady nanoseconds, real or virtual.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace pitwall {

using Nanos = std::int64_t;  ///< durations and steady times; steady time has no defined origin

inline constexpr Nanos kNanosPerMs = 1'000'000;
inline constexpr Nanos kNanosPerSecond = 1'000'000'000;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanos now() const = 0;      ///< steady, never goes back
  virtual Nanos utc_now() const = 0;  ///< nanoseconds since 1970-01-01T00:00:00Z
};

class RealClock final : public Clock {
 public:
  Nanos now() const override;
  Nanos utc_now() const override;
};

/// Time moves only by advance(); utc = steady + a fixed origin.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Nanos utc_origin = 0) : utc_origin_(utc_origin) {}
  Nanos now() const override { return now_.load(std::memory_order_relaxed); }
  Nanos utc_now() const override { return utc_origin_ + now(); }
  void advance(Nanos by) { now_.fetch_add(by, std::memory_order_relaxed); }
  void advance_to(Nanos at) {  ///< no effect when `at` is past
    if (at > now()) now_.store(at, std::memory_order_relaxed);
  }

 private:
  std::atomic<Nanos> now_{0};
  Nanos utc_origin_;
};

/// "2026-07-26T12:00:00Z"
std::string format_utc(Nanos utc);

}  // namespace pitwall
