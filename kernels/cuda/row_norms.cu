// SPDX-License-Identifier: GPL-3.0-or-later
// Norms: a block for each row, which stays in registers between the sums and the result.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/row_ops.h"
#include "kernels/cuda/row_vector.cuh"

namespace pitwall::cuda {

namespace {

/// Where a normed row goes.
struct ToRows {
  Rows16 out;
  int rest_rows;  ///< above 0: so many rows down, what rounding left out
  bool is_wide() const { return cuda::is_wide(out); }
  template <bool kWide>
  __device__ Eight before(int, int, int) const {
    return {};
  }
  template <bool kWide>
  __device__ void take(int row, int column, const Eight& x, const Eight&, int left) const {
    store_eight<kWide>(out, row, column, x, left);
    if (rest_rows == 0) return;
    Eight rest;
#pragma unroll
    for (int i = 0; i < kEight; ++i) rest.at[i] = x.at[i] - rounded_16(x.at[i], out.is_half());
    store_eight<kWide>(out, row + rest_rows, column, rest, left);
  }
};
struct AddToRows {
  Rows32 residual;
  float scale;
  bool is_wide() const { return cuda::is_wide(residual); }
  template <bool kWide>
  __device__ Eight before(int row, int column, int left) const {
    return load_eight<kWide>(residual, row, column, left);
  }
  template <bool kWide>
  __device__ void take(int row, int column, const Eight& x, Eight sum, int left) const {
#pragma unroll
    for (int i = 0; i < kEight; ++i) sum.at[i] += scale * x.at[i];
    store_eight<kWide>(residual, row, column, sum, left);
  }
};

/// The same sum, in the same order, in every thread. `partials` may be used again after the next barrier.
template <int kThreads>
__device__ float block_sum(float value, float (&partials)[kThreads / 32]) {
  const float of_warp = warp_sum(value);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = of_warp;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += partials[warp];
  return sum;
}

__device__ float sum_of(const Eight& x) {
  return ((x.at[0] + x.at[1]) + (x.at[2] + x.at[3])) + ((x.at[4] + x.at[5]) + (x.at[6] + x.at[7]));
}

/// Σ (x − mean)² of the first `left` numbers.
__device__ float squares_of(const Eight& x, float mean, int left) {
  Eight squares;
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    const float d = x.at[i] - mean;
    squares.at[i] = i < left ? d * d : 0.0f;
  }
  return sum_of(squares);
}

__device__ Eight normed(const Eight& x, float mean, float factor, const Eight& weight) {
  Eight y;
#pragma unroll
  for (int i = 0; i < kEight; ++i) y.at[i] = (x.at[i] - mean) * factor * weight.at[i];
  return y;
}

/// Rows of up to kThreads·kGroups·8 columns.
template <class Rows, class Target, int kThreads, int kGroups, bool kWide>
__global__ void __launch_bounds__(kThreads) norm_kernel(Rows in, NormView norm, Target target) {
  __shared__ float totals[kThreads / 32], squares[kThreads / 32];
  const int row = static_cast<int>(blockIdx.x), columns = in.columns;
  const auto column_of = [](int group) {
    return (group * kThreads + static_cast<int>(threadIdx.x)) * kEight;
  };
  Eight weights[kGroups], x[kGroups], before[kGroups];
  if (norm.weight != nullptr) {
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
      weights[g] = load_eight_constant<kWide>(norm.weight + column_of(g), columns - column_of(g));
  }
  wait_for_kernel_ahead();
  let_next_kernel_start();
#pragma unroll
  for (int g = 0; g < kGroups; ++g) x[g] = load_eight<kWide>(in, row, column_of(g), columns - column_of(g));
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
    before[g] = target.template before<kWide>(row, column_of(g), columns - column_of(g));
  if (norm.weight != nullptr) {
    float mean = 0, sum = 0;
    if (norm.kind == NormSpec::Kind::layer) {
#pragma unroll
      for (int g = 0; g < kGroups; ++g) sum += sum_of(x[g]);
      mean = block_sum<kThreads>(sum, totals) / static_cast<float>(columns);
      sum = 0;
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) sum += squares_of(x[g], mean, columns - column_of(g));
    const float variance = block_sum<kThreads>(sum, squares) / static_cast<float>(columns);
    const float factor = 1.0f / sqrtf(variance + norm.epsilon);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) x[g] = normed(x[g], mean, factor, weights[g]);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
    target.template take<kWide>(row, column_of(g), x[g], before[g], columns - column_of(g));
}

/// Rows that no block's registers hold are read again for each sum and for the result.
template <class Rows, class Target, int kThreads, bool kWide>
__global__ void __launch_bounds__(kThreads) long_norm_kernel(Rows in, NormView norm, Target target) {
  __shared__ float totals[kThreads / 32], squares[kThreads / 32];
  const int row = static_cast<int>(blockIdx.x), columns = in.columns;
  const auto over_row = [&](const auto& body) {
    for (int column = static_cast<int>(threadIdx.x) * kEight; column < columns; column += kThreads * kEight)
      body(load_eight<kWide>(in, row, column, columns - column), column);
  };
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const auto take = [&](const Eight& x, int column) {
    const int left = columns - column;
    target.template take<kWide>(row, column, x, target.template before<kWide>(row, column, left), left);
  };
  if (norm.weight == nullptr) {
    over_row(take);
    return;
  }
  float mean = 0, sum = 0;
  if (norm.kind == NormSpec::Kind::layer) {
    over_row([&](const Eight& x, int) { sum += sum_of(x); });
    mean = block_sum<kThreads>(sum, totals) / static_cast<float>(columns);
    sum = 0;
  }
  over_row([&](const Eight& x, int column) { sum += squares_of(x, mean, columns - column); });
  const float variance = block_sum<kThreads>(sum, squares) / static_cast<float>(columns);
  const float factor = 1.0f / sqrtf(variance + norm.epsilon);
  over_row([&](const Eight& x, int column) {
    const Eight weight = load_eight_constant<kWide>(norm.weight + column, columns - column);
    take(normed(x, mean, factor, weight), column);
  });
}

template <bool kWide, class Rows, class Target>
void launch_norm(const Rows& in, const NormView& norm, const Target& target, int rows, cudaStream_t stream) {
  const auto start = [&](auto kernel, unsigned threads) {
    launch(kernel, dim3(static_cast<unsigned>(rows)), dim3(threads), 0, stream, in, norm, target);
  };
  if (in.columns <= 128 * kEight) {
    start(norm_kernel<Rows, Target, 128, 1, kWide>, 128);
  } else if (in.columns <= 256 * kEight) {
    start(norm_kernel<Rows, Target, 256, 1, kWide>, 256);
  } else if (in.columns <= 256 * kEight * 2) {
    start(norm_kernel<Rows, Target, 256, 2, kWide>, 256);
  } else if (in.columns <= 512 * kEight * 2) {
    start(norm_kernel<Rows, Target, 512, 2, kWide>, 512);
  } else if (in.columns <= 512 * kEight * 4) {
    start(norm_kernel<Rows, Target, 512, 4, kWide>, 512);
  } else {
    start(long_norm_kernel<Rows, Target, 512, kWide>, 512);
  }
}

template <class Rows, class Target>
void launch_any_norm(const Rows& in, const NormView& norm, const Target& target, int rows,
                     cudaStream_t stream) {
  if (is_wide(in) && target.is_wide() && is_wide(norm.weight)) {
    launch_norm<true>(in, norm, target, rows, stream);
  } else {
    launch_norm<false>(in, norm, target, rows, stream);
  }
}

}  // namespace

void norm_rows(Rows32 in, const NormView& norm, Rows16 out, int rows, cudaStream_t stream, bool with_rest) {
  launch_any_norm(in, norm, ToRows{out, with_rest ? rows : 0}, rows, stream);
}

void norm_add(Rows16 in, const NormView& norm, float scale, Rows32 residual, int rows, cudaStream_t stream) {
  launch_any_norm(in, norm, AddToRows{residual, scale}, rows, stream);
}

}  // namespace pitwall::cuda
