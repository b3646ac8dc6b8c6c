// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that treat each number of a row by itself: a thread for eight neighbours.
#include "kernels/cuda/row_ops.h"

#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/row_vector.cuh"

namespace pitwall::cuda {

namespace {

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + __expf(-x));
}

template <bool kWide>
__global__ void __launch_bounds__(kRowThreads)
    embed_kernel(const std::int32_t* tokens, const bf16* table, bool half, std::int64_t table_stride,
                 float scale, Rows32 out) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (left <= 0) return;
  const std::int32_t token = tokens[row];
  Eight x{};
  if (token >= 0) x = load_eight<kWide>(table + token * table_stride + column, left, half);
#pragma unroll
  for (int i = 0; i < kEight; ++i) x.at[i] *= scale;
  store_eight<kWide>(out, row, column, x, left);
}

template <bool kWide>
__global__ void __launch_bounds__(kRowThreads)
    gate_kernel(Rows16 gate, Rows16 up, const float* gate_bias, const float* up_bias, Activation activation,
                Rows16 out) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  if (left <= 0) return;
  Eight of_gate{}, of_up{};
  if (gate_bias != nullptr) of_gate = load_eight_constant<kWide>(gate_bias + column, left);
  if (up_bias != nullptr) of_up = load_eight_constant<kWide>(up_bias + column, left);
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const Eight g = load_eight<kWide>(gate, row, column, left);
  Eight x = load_eight<kWide>(up, row, column, left);
#pragma unroll
  for (int i = 0; i < kEight; ++i)
    x.at[i] = activated(g.at[i] + of_gate.at[i], activation) * (x.at[i] + of_up.at[i]);
  store_eight<kWide>(out, row, column, x, left);
}

template <bool kWide, class Rows>
__global__ void __launch_bounds__(kRowThreads) finish_kernel(Rows y, Epilogue epilogue, Rows out) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  if (left <= 0) return;
  Eight bias{}, residual{};
  if (epilogue.bias != nullptr) bias = load_eight_constant<kWide>(epilogue.bias + column, left);
  wait_for_kernel_ahead();
  let_next_kernel_start();
  Eight x = load_eight<kWide>(y, row, column, left);
  if (epilogue.residual.data != nullptr) residual = load_eight<kWide>(epilogue.residual, row, column, left);
  float gate = 1;
  if (epilogue.gate.data != nullptr)
    gate = sigmoid(number_16(*row_at(epilogue.gate, row, 0), epilogue.gate.is_half()));
  const float cap = epilogue.softcap;
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    float number = epilogue.scale * (x.at[i] + bias.at[i]);
    if (cap != 0) number = cap * tanhf(number / cap);
    x.at[i] = number * gate + residual.at[i];
  }
  store_eight<kWide>(out, row, column, x, left);
}

template <bool kWide>
__global__ void __launch_bounds__(kRowThreads)
    gather_kernel(const StepCounts* counts, const std::int32_t* logit_rows, Rows32 in, Rows32 out) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (left <= 0) return;
  Eight x{};
  const int live = __ldcg(&counts->logit_rows), from = __ldcg(logit_rows + row);
  if (row < live) x = load_eight<kWide>(in, from, column, left);
  store_eight<kWide>(out, row, column, x, left);
}

template <class Rows>
void launch_finish(const Rows& y, const Epilogue& epilogue, const Rows& out, int rows, cudaStream_t stream) {
  const bool wide = is_wide(y) && is_wide(out) && is_wide(epilogue.bias) && is_wide(epilogue.residual);
  const auto kernel = wide ? finish_kernel<true, Rows> : finish_kernel<false, Rows>;
  launch_by_columns(kernel, rows, out.columns, stream, y, epilogue, out);
}

}  // namespace

void embed_rows(const StepView& step, const DeviceMatrix& table, float scale, Rows32 out, int rows,
                cudaStream_t stream) {
  if (!table.is_plain()) return gather_dequantized(table, step.tokens, rows, scale, out, stream);
  const auto* numbers = reinterpret_cast<const bf16*>(table.values);
  const bool wide = is_wide(out) && is_wide(numbers) && table.stride % kEight == 0;
  launch_by_columns(wide ? embed_kernel<true> : embed_kernel<false>, rows, out.columns, stream, step.tokens,
                    numbers, table.type == TensorType::f16, std::int64_t{table.stride}, scale, out);
}

void gate_rows(Rows16 gate, Rows16 up, const float* gate_bias, const float* up_bias, Activation activation,
               Rows16 out, int rows, cudaStream_t stream) {
  const bool wide = is_wide(gate) && is_wide(up) && is_wide(out) && is_wide(gate_bias) && is_wide(up_bias);
  launch_by_columns(wide ? gate_kernel<true> : gate_kernel<false>, rows, out.columns, stream, gate, up,
                    gate_bias, up_bias, activation, out);
}

void finish_rows(Rows32 y, const Epilogue& epilogue, Rows32 out, int rows, cudaStream_t stream) {
  launch_finish(y, epilogue, out, rows, stream);
}

void finish_rows(Rows16 y, const Epilogue& epilogue, Rows16 out, int rows, cudaStream_t stream) {
  launch_finish(y, epilogue, out, rows, stream);
}

void gather_rows(const StepView& step, Rows32 in, Rows32 out, int rows, cudaStream_t stream) {
  launch_by_columns(is_wide(in) && is_wide(out) ? gather_kernel<true> : gather_kernel<false>, rows,
                    out.columns, stream, step.counts, step.logit_rows, in, out);
}

}  // namespace pitwall::cuda
