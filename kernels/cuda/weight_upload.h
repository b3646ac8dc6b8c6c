// SPDX-License-Identifier: GPL-3.0-or-later
// Weights on their way to the device: repacked on the host by several threads, a piece at a time through two
// buffers of pinned memory, so that packing overlaps the copy.
#pragma once
#include <vector>

#include "kernels/cuda/device_matrix.h"
#include "kernels/cuda/device_memory.h"

namespace pitwall::cuda {

class WeightUpload {
 public:
  /// Weights without scales become `plain`.
  WeightUpload(DeviceMemory& memory, int threads, TensorType plain)
      : memory_(memory), threads_(threads), plain_(plain) {}
  ~WeightUpload();

  /// A matrix at its packed size; what is uploaded one after another lies one after another. Numbers that
  /// float16 cannot hold are refused with their tensor's name.
  Result<DeviceMatrix> matrix(const TensorView& source);
  /// A matrix in two parts of the plain type, where it needs them: its numbers, and below them in as many
  /// rows what rounding left out.
  Result<DeviceMatrix> split_matrix(const TensorView& source);
  /// Numbers as float32, `offset` added.
  Result<const float*> vector(const TensorView& source, float offset);
  template <class Item>
  Result<const Item*> items(const std::vector<Item>& list, std::string_view purpose) {
    Item* place = nullptr;
    const auto count = static_cast<std::int64_t>(list.size());
    if (auto ok = memory_.take(place, Category::weights, count, purpose); !ok) return std::move(ok).error();
    auto ok = check(cudaMemcpy(place, list.data(), list.size() * sizeof(Item), cudaMemcpyHostToDevice),
                    "Uploading " + std::string(purpose));
    if (!ok) return std::move(ok).error();
    return static_cast<const Item*>(place);
  }

 private:
  struct Buffer {
    PinnedMemory memory;
    cudaEvent_t sent = nullptr;
  };
  Result<void> prepare();
  Result<void> send(const TensorView& source, const MatrixLayout& layout, std::byte* values,
                    std::byte* scales);

  DeviceMemory& memory_;
  const int threads_;
  const TensorType plain_;
  cudaStream_t stream_ = nullptr;
  Buffer buffers_[2];
};

}  // namespace pitwall::cuda
