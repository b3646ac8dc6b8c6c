// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that treat each number of a row by itself: a thread for eight neighbours.
#include "kernels/cuda/row_ops.h"

#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/row_vector.cuh"

namespace pitwall::cuda {

namespace {

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + __expf(-x));
}

/// x/2·(1 + tanh(u)) = x·sigmoid(2u)
__device__ float activated(float x, Activation activation) {
  constexpr float kTwoSqrt2OverPi = 1.5957691216057308f;
  if (activation == Activation::silu) return x * sigmoid(x);
  return x * sigmoid(kTwoSqrt2OverPi * (x + 0.044715f * x * x * x));
}

__global__ void __launch_bounds__(kRowThreads)
    embed_kernel(const std::int32_t* tokens, const bf16* table, std::int64_t table_stride, float scale,
                 Rows32 out, bool wide) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (left <= 0) return;
  const std::int32_t token = tokens[row];
  Eight x{};
  if (token >= 0) x = load_eight(table + token * table_stride + column, left, wide);
#pragma unroll
  for (int i = 0; i < kEight; ++i) x.at[i] *= scale;
  store_eight(row_at(out, row, column), x, left, wide);
}

__global__ void __launch_bounds__(kRowThreads)
    gate_kernel(Rows16 gate, Rows16 up, const float* gate_bias, const float* up_bias, Activation activation,
                Rows16 out, bool wide) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  if (left <= 0) return;
  Eight of_gate{}, of_up{};
  if (gate_bias != nullptr) of_gate = load_eight_constant(gate_bias + column, left, wide);
  if (up_bias != nullptr) of_up = load_eight_constant(up_bias + column, left, wide);
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const Eight g = load_eight(row_at(gate, row, column), left, wide);
  Eight x = load_eight(row_at(up, row, column), left, wide);
#pragma unroll
  for (int i = 0; i < kEight; ++i)
    x.at[i] = activated(g.at[i] + of_gate.at[i], activation) * (x.at[i] + of_up.at[i]);
  store_eight(row_at(out, row, column), x, left, wide);
}

template <class Rows>
__global__ void __launch_bounds__(kRowThreads) finish_kernel(Rows y, Epilogue epilogue, Rows out, bool wide) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  if (left <= 0) return;
  Eight bias{}, residual{};
  if (epilogue.bias != nullptr) bias = load_eight_constant(epilogue.bias + column, left, wide);
  wait_for_kernel_ahead();
  let_next_kernel_start();
  Eight x = load_eight(row_at(y, row, column), left, wide);
  if (epilogue.residual.data != nullptr)
    residual = load_eight(row_at(epilogue.residual, row, column), left, wide);
  float gate = 1;
  if (epilogue.gate.data != nullptr) gate = sigmoid(__bfloat162float(*row_at(epilogue.gate, row, 0)));
  const float cap = epilogue.softcap;
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    float number = epilogue.scale * (x.at[i] + bias.at[i]);
    if (cap != 0) number = cap * tanhf(number / cap);
    x.at[i] = number * gate + residual.at[i];
  }
  store_eight(row_at(out, row, column), x, left, wide);
}

__global__ void __launch_bounds__(kRowThreads)
    gather_kernel(const StepCounts* counts, const std::int32_t* logit_rows, Rows32 in, Rows32 out,
                  bool wide) {
  const int row = my_row(), column = my_column(), left = out.columns - column;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  if (left <= 0) return;
  Eight x{};
  if (row < counts->logit_rows) x = load_eight(row_at(in, logit_rows[row], column), left, wide);
  store_eight(row_at(out, row, column), x, left, wide);
}

template <class Rows>
void launch_finish(const Rows& y, const Epilogue& epilogue, const Rows& out, int rows, cudaStream_t stream) {
  const bool wide = is_wide(y) && is_wide(out) && is_wide(epilogue.bias) && is_wide(epilogue.residual);
  launch_by_columns(finish_kernel<Rows>, rows, out.columns, stream, y, epilogue, out, wide);
}

}  // namespace

void embed_rows(const StepView& step, const DeviceMatrix& table, float scale, Rows32 out, int rows,
                cudaStream_t stream) {
  if (!table.is_plain()) return gather_dequantized(table, step.tokens, rows, scale, out, stream);
  const auto* numbers = reinterpret_cast<const bf16*>(table.values);
  const bool wide = is_wide(out) && is_wide(numbers) && table.stride % kEight == 0;
  launch_by_columns(embed_kernel, rows, out.columns, stream, step.tokens, numbers, std::int64_t{table.stride},
                    scale, out, wide);
}

void gate_rows(Rows16 gate, Rows16 up, const float* gate_bias, const float* up_bias, Activation activation,
               Rows16 out, int rows, cudaStream_t stream) {
  const bool wide = is_wide(gate) && is_wide(up) && is_wide(out) && is_wide(gate_bias) && is_wide(up_bias);
  launch_by_columns(gate_kernel, rows, out.columns, stream, gate, up, gate_bias, up_bias, activation, out,
                    wide);
}

void finish_rows(Rows32 y, const Epilogue& epilogue, Rows32 out, int rows, cudaStream_t stream) {
  launch_finish(y, epilogue, out, rows, stream);
}

void finish_rows(Rows16 y, const Epilogue& epilogue, Rows16 out, int rows, cudaStream_t stream) {
  launch_finish(y, epilogue, out, rows, stream);
}

void gather_rows(const StepView& step, Rows32 in, Rows32 out, int rows, cudaStream_t stream) {
  launch_by_columns(gather_kernel, rows, out.columns, stream, step.counts, step.logit_rows, in, out,
                    is_wide(in) && is_wide(out));
}

}  // namespace pitwall::cuda
