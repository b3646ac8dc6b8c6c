// SPDX-License-Identifier: GPL-3.0-or-later
// The KV blocks of the CUDA back end, a range of addresses for each layer, and the swap space in pinned host
// memory. Addresses are fixed before there is memory behind them.
#pragma once
#include <vector>

#include "engine/execute/backend.h"
#include "kernels/cuda/block_moves.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/kv_view.h"

namespace pitwall::cuda {

class CudaKvPool {
 public:
  CudaKvPool() = default;
  CudaKvPool(const CudaKvPool&) = delete;
  CudaKvPool& operator=(const CudaKvPool&) = delete;
  /// Refuses dtypes and scales that the kernels lack, by name.
  Result<void> prepare(DeviceMemory& memory, const KvLayout& layout);
  KvFootprint footprint() const;  ///< once prepared: an array for each layer ends with a page of its own
  Result<void> allocate(int blocks);
  Result<void> allocate_swap(Ledger& ledger, int host_blocks);
  ~CudaKvPool();

  const std::vector<KvView>& layers() const { return views_; }
  int blocks() const { return blocks_; }

  /// The plan has passed StepState::check_moves.
  void move(const StepPlan& plan, cudaStream_t stream) const;

  /// By layer; empty unless fp8_e4m3. Any thread.
  std::vector<KvSaturation> saturation() const;

 private:
  KvLayout layout_;
  std::vector<KvView> views_;
  std::vector<DeviceArena> numbers_, scales_;  ///< by layer; scales of int8 alone
  PinnedMemory swap_;
  Ledger* swap_ledger_ = nullptr;
  unsigned long long* counters_ = nullptr;  ///< [layers][2], on the device
  cudaStream_t copies_ = nullptr;           ///< on which counters come to the host
  int blocks_ = 0;
};

}  // namespace pitwall::cuda
