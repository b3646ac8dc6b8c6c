// SPDX-License-Identifier: GPL-3.0-or-later
// Times launches on the GPU: many in one captured graph, so that the host's part stays out.
#pragma once
#include <functional>

#include "engine/base/result.h"
#include "kernels/cuda/driver.h"

namespace pitwall::cuda {

class Stopwatch {
 public:
  Stopwatch();
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  /// Microseconds of one launch: `launches` of them in a graph (turn 0, 1, …), the median of `repeats`
  /// replays after one that warms up. NaN where something failed.
  double median_us(int repeats, int launches, const std::function<void(int turn, cudaStream_t)>& launch);

  cudaStream_t stream() const { return stream_; }
  const Result<void>& state() const { return state_; }  ///< the first failure

 private:
  bool keep(cudaError_t code, const char* what);
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  Result<void> state_;
};

}  // namespace pitwall::cuda
