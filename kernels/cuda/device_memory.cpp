// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"

#include <cstring>
#include <string>
#include <utility>

namespace pitwall::cuda {

Result<std::byte*> DeviceMemory::take(Category category, Bytes bytes, std::string_view purpose) {
  auto found = arenas_.find(category);
  if (found == arenas_.end()) {
    auto arena = DeviceArena::reserve(api_, device_, ledger_, category, device_.memory);
    if (!arena) return std::move(arena).error();
    found = arenas_.emplace(category, *std::move(arena)).first;
  }
  return found->second.take(bytes, purpose);
}

Result<Rows16> DeviceMemory::take_rows(Category category, std::int64_t rows, int columns,
                                       std::string_view purpose) {
  Rows16 result{nullptr, stride_of(columns), columns, cut_};
  if (auto ok = take(result.data, category, rows * result.stride, purpose); !ok) return std::move(ok).error();
  return result;
}

Result<Rows32> DeviceMemory::take_wide_rows(Category category, std::int64_t rows, int columns,
                                            std::string_view purpose) {
  Rows32 result{nullptr, stride_of(columns), columns};
  if (auto ok = take(result.data, category, rows * result.stride, purpose); !ok) return std::move(ok).error();
  return result;
}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (host_ != nullptr) cudaFreeHost(host_);
}

Result<PinnedMemory> PinnedMemory::take(Bytes bytes, std::string_view purpose) {
  PinnedMemory memory;
  void* host = nullptr;
  const std::string what = format_bytes(bytes) + " of pinned host memory for " + std::string(purpose);
  if (const auto code = cudaHostAlloc(&host, static_cast<std::size_t>(bytes), cudaHostAllocMapped);
      code != cudaSuccess) {
    return Error{Error::Kind::out_of_memory, what + " could not be taken", cudaGetErrorString(code),
                 "Lower swap-space, or free memory of the machine", "swap-space"};
  }
  memory.host_ = static_cast<std::byte*>(host);
  memory.bytes_ = bytes;
  std::memset(host, 0, static_cast<std::size_t>(bytes));
  void* device = nullptr;
  if (auto ok = check(cudaHostGetDevicePointer(&device, host, 0), "Mapping " + what); !ok)
    return std::move(ok).error();
  memory.device_ = static_cast<std::byte*>(device);
  return memory;
}

}  // namespace pitwall::cuda
