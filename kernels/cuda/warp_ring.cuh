// SPDX-License-Identifier: GPL-3.0-or-later
// Stages of one warp in shared memory, filled in turn ahead of their use: bytes on their way cost no
// registers, and no other warp is waited for.
#pragma once
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

/// All lanes call everything together. `kStages` fills are ahead of uses; where there is nothing to fill,
/// sent() alone keeps the count.
template <int kStages, int kStageBytes>
class WarpRing {
 public:
  static_assert(kStageBytes % 16 == 0);
  explicit __device__ WarpRing(unsigned char* stages) : stages_(stages) {}

  /// Shared address of the stage that copy_async_16() is to fill next.
  __device__ std::uint32_t next_fill() const { return shared_address(stages_ + filled_ * kStageBytes); }
  __device__ void sent() {
    copy_async_commit();
    filled_ = filled_ + 1 < kStages ? filled_ + 1 : 0;
  }

  /// The oldest stage, once it is full; done() gives it back.
  __device__ const unsigned char* wait() const {
    copy_async_wait<kStages - 1>();
    __syncwarp();
    return stages_ + used_ * kStageBytes;
  }
  __device__ void done() {
    __syncwarp();
    used_ = used_ + 1 < kStages ? used_ + 1 : 0;
  }

 private:
  unsigned char* stages_;
  int filled_ = 0, used_ = 0;
};

}  // namespace pitwall::cuda
