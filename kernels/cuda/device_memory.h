// SPDX-License-Identifier: GPL-3.0-or-later
// DeviceMemory: whatever a back end takes from its GPU, an arena for each category of the ledger; and memory
// of the host that the GPU reads and writes.
#pragma once
#include <map>

#include "kernels/cuda/device_arena.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

class DeviceMemory {
 public:
  DeviceMemory(const CudaDevice& device, const VirtualMemoryApi& api, Ledger& ledger)
      : device_(device), api_(api), ledger_(ledger) {}

  /// Zeroed, at a multiple of 256, for as long as this object lives.
  Result<std::byte*> take(Category category, Bytes bytes, std::string_view purpose);
  template <class Number>
  Result<void> take(Number*& place, Category category, std::int64_t count, std::string_view purpose) {
    auto taken = take(category, count * static_cast<Bytes>(sizeof(Number)), purpose);
    if (!taken) return std::move(taken).error();
    place = reinterpret_cast<Number*>(*taken);
    return {};
  }
  /// From here on take_rows() gives float16, whose held numbers count in `cut`.
  void use_half(unsigned long long* cut) { cut_ = cut; }
  bool is_half() const { return cut_ != nullptr; }
  /// `rows` rows of `columns` numbers, the stride a multiple of 8.
  Result<Rows16> take_rows(Category category, std::int64_t rows, int columns, std::string_view purpose);
  Result<Rows32> take_wide_rows(Category category, std::int64_t rows, int columns, std::string_view purpose);

  const CudaDevice& device() const { return device_; }
  const VirtualMemoryApi& api() const { return api_; }
  Ledger& ledger() { return ledger_; }

 private:
  const CudaDevice device_;
  const VirtualMemoryApi api_;
  Ledger& ledger_;
  unsigned long long* cut_ = nullptr;
  std::map<Category, DeviceArena> arenas_;
};

inline constexpr int kStrideUnit = 8;
inline std::int32_t stride_of(int columns) {
  return (columns + kStrideUnit - 1) / kStrideUnit * kStrideUnit;
}
/// Products are computed for whole tiles of rows: tensors have room for them.
inline constexpr int kRowUnit = 64;
inline std::int64_t padded_rows(std::int64_t rows) {
  return (rows + kRowUnit - 1) / kRowUnit * kRowUnit;
}

/// Pinned memory of the host, mapped into the GPU's addresses; zeroed.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory&& other) noexcept { *this = std::move(other); }
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();
  static Result<PinnedMemory> take(Bytes bytes, std::string_view purpose);

  std::byte* host() const { return host_; }
  std::byte* device() const { return device_; }
  Bytes bytes() const { return bytes_; }

 private:
  std::byte *host_ = nullptr, *device_ = nullptr;
  Bytes bytes_ = 0;
};

}  // namespace pitwall::cuda
