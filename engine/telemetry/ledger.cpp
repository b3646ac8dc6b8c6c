// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/ledger.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/telemetry/host_memory.h"

namespace pitwall {
namespace {

Bytes sum(const std::array<Bytes, kCategoryCount>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

Error refused(Category category, Bytes bytes, std::string_view purpose, Bytes booked, Bytes limit) {
  Error error;
  error.kind = Error::Kind::out_of_memory;
  error.what = format_bytes(bytes) + " of " + std::string(category_name(category)) + " for " +
               std::string(purpose) + " do not fit: " + format_bytes(booked) + " of the limit of " +
               format_bytes(limit) + " are booked";
  error.cause = format_bytes(bytes - (limit - booked)) + " are missing";
  error.action = category == Category::kv ? "Lower kv-cache-memory-bytes, or raise memory-limit"
                                          : "Raise memory-limit, or lower max-num-batched-tokens or "
                                            "kv-cache-memory-bytes";
  error.param = "memory-limit";
  return error;
}

}  // namespace

std::string_view category_name(Category category) {
  switch (category) {
    case Category::weights:
      return "weights";
    case Category::kv:
      return "kv";
    case Category::activations:
      return "activations";
    case Category::attention_workspace:
      return "attention_workspace";
    case Category::logits:
      return "logits";
    case Category::library_workspace:
      return "library_workspace";
    case Category::graphs:
      return "graphs";
    case Category::communicator:
      return "communicator";
    case Category::context:
      return "context";
    case Category::swap:
      return "swap";
  }
  return "";
}

Bytes LedgerSnapshot::accounted() const {
  return sum(bytes) - (swap_apart ? of(Category::swap) : 0);
}

Bytes Ledger::on_device() const {
  return sum(bytes_) - (read_ ? bytes_[static_cast<std::size_t>(Category::swap)] : 0);
}

Result<void> Ledger::take(Category category, Bytes bytes, std::string_view purpose) {
  if (bytes < 0) {
    const std::string what = "A booking of " + std::to_string(bytes) + " bytes for " + std::string(purpose);
    return Error{Error::Kind::internal, what, "", "", ""};
  }
  const std::lock_guard lock(mutex_);
  const Bytes booked = on_device();
  const bool unlimited = limit_ == 0 || (read_ && category == Category::swap);
  const Bytes limit = unlimited ? std::numeric_limits<Bytes>::max() : limit_;
  if (bytes > limit - booked) return refused(category, bytes, purpose, booked, limit);
  bytes_[static_cast<std::size_t>(category)] += bytes;
  return {};
}

void Ledger::give_back(Category category, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  Bytes& held = bytes_[static_cast<std::size_t>(category)];
  held = std::max<Bytes>(held - bytes, 0);
}

void Ledger::set_kv_split(Bytes used, Bytes cached, Bytes quarantined) {
  const std::lock_guard lock(mutex_);
  kv_used_ = used;
  kv_cached_ = cached;
  kv_quarantined_ = quarantined;
}

Bytes Ledger::booked() const {
  const std::lock_guard lock(mutex_);
  return on_device();
}

LedgerSnapshot Ledger::snapshot() const {
  DeviceReading reading;
  if (read_) {
    reading = read_();
  } else {
    const HostMemory host = read_host_memory();
    reading = {host.total, host.resident, host.others};
  }
  LedgerSnapshot result;
  result.limit = limit_;
  result.device_total = reading.total;
  result.measured = reading.held;
  result.other_processes = reading.others;
  result.swap_apart = static_cast<bool>(read_);

  const std::lock_guard lock(mutex_);
  result.bytes = bytes_;
  // After the pool is given back the last split may still stand: the parts never exceed the pool.
  Bytes left = result.of(Category::kv);
  const auto part = [&left](Bytes wanted) {
    const Bytes taken = std::clamp<Bytes>(wanted, 0, left);
    left -= taken;
    return taken;
  };
  result.kv_used = part(kv_used_);
  result.kv_cached = part(kv_cached_);
  result.kv_quarantined = part(kv_quarantined_);
  result.kv_free = left;
  return result;
}

}  // namespace pitwall
