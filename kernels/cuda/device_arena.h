// SPDX-License-Identifier: GPL-3.0-or-later
// DeviceArena: device memory of one category that grows at a fixed address. Addresses are reserved when it is
// made and can be captured before there is memory behind them; what is taken one after another lies one after
// another. The ledger is booked for whole pages as they are mapped.
#pragma once
#include <string_view>
#include <vector>

#include "engine/telemetry/ledger.h"
#include "kernels/cuda/driver.h"

namespace pitwall::cuda {

class DeviceArena {
 public:
  DeviceArena() = default;
  DeviceArena(DeviceArena&& other) noexcept;
  DeviceArena& operator=(DeviceArena&& other) noexcept;
  ~DeviceArena();

  /// Reserves addresses for up to `most` bytes; takes no memory.
  static Result<DeviceArena> reserve(const VirtualMemoryApi& api, const CudaDevice& device, Ledger& ledger,
                                     Category category, Bytes most);

  /// The next `bytes`, at a multiple of 256, zeroed. A refusal (limit, or no memory on the GPU) changes
  /// nothing.
  Result<std::byte*> take(Bytes bytes, std::string_view purpose);

  /// Where the next take() will lie.
  std::byte* next() const;

  Bytes page() const { return page_; }

 private:
  struct Piece {
    CUmemGenericAllocationHandle handle;
    Bytes bytes;
  };
  Result<void> grow(Bytes bytes, std::string_view purpose);
  void release();

  const VirtualMemoryApi* api_ = nullptr;
  int device_ = 0;
  Ledger* ledger_ = nullptr;
  Category category_ = Category::weights;
  CUdeviceptr base_ = 0;
  Bytes reserved_ = 0, mapped_ = 0, used_ = 0, page_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace pitwall::cuda
