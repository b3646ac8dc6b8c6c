// SPDX-License-Identifier: GPL-3.0-or-later
// Ledger: every byte of a device has an owner. Category sums + a signed `unaccounted` = what the driver (on
// the CPU: the process's resident memory) says.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

enum class Category : std::uint8_t {
  weights,
  kv,
  activations,
  attention_workspace,
  logits,
  library_workspace,
  graphs,
  communicator,
  context,
  swap  ///< host copies of preempted sequences' blocks
};
inline constexpr int kCategoryCount = 10;
std::string_view category_name(
    Category category);  ///< "attention_workspace": as in JSON; words for people are the front end's

/// What the driver says about a device's memory.
struct DeviceReading {
  Bytes total = 0;
  Bytes held = 0;    ///< by this process
  Bytes others = 0;  ///< by other processes
};

struct LedgerSnapshot {
  std::array<Bytes, kCategoryCount> bytes{};                          ///< by Category; kv = the whole pool
  Bytes kv_used = 0, kv_cached = 0, kv_quarantined = 0, kv_free = 0;  ///< sum to kv
  Bytes limit = 0;                                                    ///< 0 = none
  Bytes device_total = 0;                                             ///< memory of the device
  Bytes measured = 0;  ///< what the driver says this process holds
  Bytes other_processes = 0;
  bool swap_apart = false;  ///< swap lies in host memory, which is not this device's
  Bytes accounted() const;  ///< sum over categories that lie on the device
  Bytes unaccounted() const { return measured - accounted(); }
  Bytes of(Category category) const { return bytes[static_cast<std::size_t>(category)]; }
};

/// Thread-safe.
class Ledger {
 public:
  explicit Ledger(Bytes limit = 0) : limit_(limit) {}  ///< of host memory
  /// Of another device: `read` is called by snapshot() from any thread. Swap space is host memory then:
  /// booked, and beyond the limit and the sum.
  Ledger(Bytes limit, std::function<DeviceReading()> read) : limit_(limit), read_(std::move(read)) {}

  /// Books bytes, or refuses with Error::out_of_memory that states asked, booked and limit, and what to
  /// change.
  Result<void> take(Category category, Bytes bytes, std::string_view purpose);
  void give_back(Category category, Bytes bytes);
  void set_kv_split(Bytes used, Bytes cached, Bytes quarantined);  ///< from the engine thread, each step

  Bytes limit() const { return limit_; }
  Bytes booked() const;
  LedgerSnapshot snapshot() const;  ///< asks the driver (the CPU: /proc) for what is measured

 private:
  Bytes on_device() const;
  mutable std::mutex mutex_;
  Bytes limit_;
  std::function<DeviceReading()> read_;  ///< empty: host memory
  std::array<Bytes, kCategoryCount> bytes_{};
  Bytes kv_used_ = 0, kv_cached_ = 0, kv_quarantined_ = 0;
};

}  // namespace pitwall
