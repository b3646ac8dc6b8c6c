// SPDX-License-Identifier: GPL-3.0-or-later
// Ledger: every byte of a device has an owner. Category sums + a signed `unaccounted` = what the driver (on
// the CPU: the process's resident memory) says.
#pragma once
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

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

struct LedgerSnapshot {
  std::array<Bytes, kCategoryCount> bytes{};                          ///< by Category; kv = the whole pool
  Bytes kv_used = 0, kv_cached = 0, kv_quarantined = 0, kv_free = 0;  ///< sum to kv
  Bytes limit = 0;                                                    ///< 0 = none
  Bytes device_total = 0;                                             ///< memory of the device
  Bytes measured = 0;  ///< what the driver says this process holds
  Bytes other_processes = 0;
  Bytes accounted() const;  ///< sum over categories
  Bytes unaccounted() const { return measured - accounted(); }
  Bytes of(Category category) const { return bytes[static_cast<std::size_t>(category)]; }
};

/// Thread-safe.
class Ledger {
 public:
  explicit Ledger(Bytes limit = 0) : limit_(limit) {}

  /// Books bytes, or refuses with Error::out_of_memory that states asked, booked and limit, and what to
  /// change.
  Result<void> take(Category category, Bytes bytes, std::string_view purpose);
  void give_back(Category category, Bytes bytes);
  void set_kv_split(Bytes used, Bytes cached, Bytes quarantined);  ///< from the engine thread, each step

  Bytes limit() const { return limit_; }
  Bytes booked() const;
  LedgerSnapshot snapshot() const;  ///< reads /proc for `measured`, `device_total`, `other_processes`

 private:
  mutable std::mutex mutex_;
  Bytes limit_;
  std::array<Bytes, kCategoryCount> bytes_{};
  Bytes kv_used_ = 0, kv_cached_ = 0, kv_quarantined_ = 0;
};

}  // namespace pitwall
