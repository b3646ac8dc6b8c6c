// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_arena.h"

#include <string>
#include <utility>

namespace pitwall::cuda {

namespace {

constexpr Bytes kAlignment = 256;

Bytes round_up(Bytes bytes, Bytes unit) {
  return (bytes + unit - 1) / unit * unit;
}

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

Error no_memory(Bytes bytes, std::string_view purpose, CUresult code) {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  const bool memory = code == CUDA_ERROR_OUT_OF_MEMORY;
  return {memory ? Error::Kind::out_of_memory : Error::Kind::internal,
          format_bytes(bytes) + " for " + std::string(purpose) + " could not be taken from the GPU; " +
              format_bytes(static_cast<Bytes>(free)) + " of " + format_bytes(static_cast<Bytes>(total)) +
              " are free",
          memory ? "another program may have taken memory since the engine was planned"
                 : "driver error " + std::to_string(static_cast<int>(code)),
          "Close other programs on the GPU, lower kv-cache-memory-bytes, or set memory-limit",
          "memory-limit"};
}

}  // namespace

DeviceArena::DeviceArena(DeviceArena&& other) noexcept {
  *this = std::move(other);
}

DeviceArena& DeviceArena::operator=(DeviceArena&& other) noexcept {
  if (this == &other) return *this;
  release();
  api_ = other.api_;
  device_ = other.device_;
  ledger_ = other.ledger_;
  category_ = other.category_;
  base_ = std::exchange(other.base_, 0);
  reserved_ = std::exchange(other.reserved_, 0);
  mapped_ = std::exchange(other.mapped_, 0);
  used_ = std::exchange(other.used_, 0);
  page_ = other.page_;
  pieces_ = std::exchange(other.pieces_, {});
  return *this;
}

DeviceArena::~DeviceArena() {
  release();
}

void DeviceArena::release() {
  if (base_ == 0) return;
  if (mapped_ > 0) api_->unmap(base_, static_cast<std::size_t>(mapped_));
  for (const Piece& piece : pieces_) api_->release(piece.handle);
  api_->free_address(base_, static_cast<std::size_t>(reserved_));
  ledger_->give_back(category_, mapped_);
  base_ = 0;
}

Result<DeviceArena> DeviceArena::reserve(const VirtualMemoryApi& api, const CudaDevice& device,
                                         Ledger& ledger, Category category, Bytes most) {
  DeviceArena arena;
  arena.api_ = &api;
  arena.device_ = device.index;
  arena.ledger_ = &ledger;
  arena.category_ = category;
  std::size_t page = 0;
  const CUmemAllocationProp properties = on_device(device.index);
  if (const auto code = api.granularity(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
      code != CUDA_SUCCESS) {
    return no_memory(most, category_name(category), code);
  }
  arena.page_ = static_cast<Bytes>(page);
  arena.reserved_ = round_up(most, arena.page_);
  if (const auto code = api.reserve(&arena.base_, static_cast<std::size_t>(arena.reserved_), page, 0, 0);
      code != CUDA_SUCCESS) {
    return no_memory(most, category_name(category), code);
  }
  return arena;
}

std::byte* DeviceArena::next() const {
  return reinterpret_cast<std::byte*>(base_) + round_up(used_, kAlignment);
}

Result<std::byte*> DeviceArena::take(Bytes bytes, std::string_view purpose) {
  const Bytes begin = round_up(used_, kAlignment), end = begin + bytes;
  if (end > reserved_) return no_memory(bytes, purpose, CUDA_ERROR_OUT_OF_MEMORY);
  if (end > mapped_) {
    if (auto ok = grow(round_up(end, page_) - mapped_, purpose); !ok) return std::move(ok).error();
  }
  used_ = end;
  return reinterpret_cast<std::byte*>(base_) + begin;
}

Result<void> DeviceArena::grow(Bytes bytes, std::string_view purpose) {
  if (auto ok = ledger_->take(category_, bytes, purpose); !ok) return ok;
  const CUmemAllocationProp properties = on_device(device_);
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const auto size = static_cast<std::size_t>(bytes);
  const CUdeviceptr place = base_ + static_cast<CUdeviceptr>(mapped_);
  Piece piece{0, bytes};
  CUresult code = api_->create(&piece.handle, size, &properties, 0);
  if (code == CUDA_SUCCESS) {
    code = api_->map(place, size, 0, piece.handle, 0);
    if (code == CUDA_SUCCESS) {
      code = api_->set_access(place, size, &access, 1);
      if (code != CUDA_SUCCESS) api_->unmap(place, size);
    }
    if (code != CUDA_SUCCESS) api_->release(piece.handle);
  }
  if (code != CUDA_SUCCESS) {
    ledger_->give_back(category_, bytes);
    return no_memory(bytes, purpose, code);
  }
  pieces_.push_back(piece);
  mapped_ += bytes;
  // Returns before the memory is clear, and streams that do not wait for it may write there: weights would be
  // cleared behind their upload.
  auto cleared = cudaMemset(reinterpret_cast<void*>(place), 0, size);
  if (cleared == cudaSuccess) cleared = cudaStreamSynchronize(cudaStreamLegacy);
  return check(cleared, "Clearing new memory");
}

}  // namespace pitwall::cuda
