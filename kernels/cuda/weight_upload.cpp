// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/weight_upload.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "engine/model/quantized_linear.h"

namespace pitwall::cuda {

namespace {

constexpr Bytes kBufferBytes = Bytes{64} << 20;

/// `work(i)` for i < count, over up to `threads` threads.
template <class Work>
void in_parallel(int threads, int count, const Work& work) {
  std::atomic<int> next{0};
  const auto run = [&] {
    for (int i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
}

Result<void> check_source(const TensorView& source) {
  if (source.valid() && source.rows > 0 && source.columns > 0) {
    if (source.quantized) return source.quantized->check_numbers();
    if (is_weight_type(source.type)) return {};
    return Error{Error::Kind::invalid_input,
                 "tensor " + source.name + " is stored as " +
                     std::string(tensor_type_info(source.type).name) + ", which is no format of weights",
                 "the checkpoint is of another kind", "Fetch the model again", source.name};
  }
  return Error{Error::Kind::invalid_input, "tensor " + source.name + " is empty", "the checkpoint is damaged",
               "Fetch the model again", source.name};
}

Error beyond_half(const TensorView& source, float largest) {
  return {Error::Kind::unsupported,
          "tensor " + source.name + " has a number of size " + std::to_string(largest) +
              ", and float16 ends at 65504",
          "the checkpoint was made for bfloat16 or float32", "Use --dtype bfloat16, or --device cpu",
          "dtype"};
}

}  // namespace

WeightUpload::~WeightUpload() {
  for (const Buffer& buffer : buffers_)
    if (buffer.sent != nullptr) cudaEventDestroy(buffer.sent);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Result<void> WeightUpload::prepare() {
  if (stream_ != nullptr) return {};
  if (auto ok = check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "Opening a stream"); !ok)
    return ok;
  for (Buffer& buffer : buffers_) {
    auto memory = PinnedMemory::take(kBufferBytes, "uploads of weights");
    if (!memory) return std::move(memory).error();
    buffer.memory = *std::move(memory);
    if (auto ok = check(cudaEventCreateWithFlags(&buffer.sent, cudaEventDisableTiming), "Making an event");
        !ok)
      return ok;
  }
  return {};
}

Result<DeviceMatrix> WeightUpload::matrix(const TensorView& source) {
  if (auto ok = check_source(source); !ok) return std::move(ok).error();
  if (auto ok = prepare(); !ok) return std::move(ok).error();
  const MatrixLayout layout = matrix_layout(source, plain_);
  const std::string purpose = "weight " + source.name;
  auto values = memory_.take(Category::weights, layout.value_bytes, purpose);
  if (!values) return std::move(values).error();
  DeviceMatrix matrix = layout.matrix;
  matrix.values = *values;
  std::byte* scales = nullptr;
  if (layout.scale_bytes > 0) {
    auto taken = memory_.take(Category::weights, layout.scale_bytes, purpose);
    if (!taken) return std::move(taken).error();
    matrix.scales = scales = *taken;
  }
  if (!layout.order.empty()) {
    auto order = items(layout.order, purpose);
    if (!order) return std::move(order).error();
    matrix.order = *order;
  }
  if (auto ok = send(source, layout, *values, scales); !ok) return std::move(ok).error();
  return matrix;
}

Result<void> WeightUpload::send(const TensorView& source, const MatrixLayout& layout, std::byte* values,
                                std::byte* scales) {
  const int rows = layout.matrix.rows;
  const PackPlace one = pack_place(layout, kPackRows);
  const auto tiles_at_once = static_cast<int>(std::max<Bytes>(kBufferBytes / (one.values + one.scales), 1));
  if (one.values + one.scales > kBufferBytes) {
    return Error{Error::Kind::unsupported, "tensor " + source.name + " has rows too long to be uploaded",
                 std::to_string(source.columns) + " columns", "Use --device cpu", source.name};
  }
  std::vector<float> beyond(static_cast<std::size_t>(tiles_at_once));
  int turn = 0;
  for (int first = 0; first < rows; first += tiles_at_once * kPackRows, turn ^= 1) {
    Buffer& buffer = buffers_[turn];
    if (auto ok = check(cudaEventSynchronize(buffer.sent), "Uploading weights"); !ok) return ok;
    const int count = std::min(rows - first, tiles_at_once * kPackRows);
    const PackPlace begin = pack_place(layout, first);
    const PackPlace end = first + count < rows ? pack_place(layout, first + count)
                                               : PackPlace{layout.value_bytes, layout.scale_bytes};
    std::byte* packed = buffer.memory.host();
    std::byte* packed_scales = packed + (end.values - begin.values + 15) / 16 * 16;
    in_parallel(threads_, (count + kPackRows - 1) / kPackRows, [&](int tile) {
      const int row = first + tile * kPackRows;
      const PackPlace place = pack_place(layout, row);
      beyond[static_cast<std::size_t>(tile)] =
          pack_rows(source, layout, row, std::min(kPackRows, rows - row),
                    packed + (place.values - begin.values), packed_scales + (place.scales - begin.scales));
    });
    const float largest = *std::max_element(beyond.begin(), beyond.end());
    if (largest > 0) return beyond_half(source, largest);
    const auto copy = [this](std::byte* to, const std::byte* from, Bytes bytes) {
      return bytes == 0 ? cudaSuccess
                        : cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                                          stream_);
    };
    auto code = copy(values + begin.values, packed, end.values - begin.values);
    if (code == cudaSuccess && scales != nullptr)
      code = copy(scales + begin.scales, packed_scales, end.scales - begin.scales);
    if (code == cudaSuccess) code = cudaEventRecord(buffer.sent, stream_);
    if (auto ok = check(code, "Uploading tensor " + source.name); !ok) return ok;
  }
  return {};
}

Result<DeviceMatrix> WeightUpload::split_matrix(const TensorView& source) {
  if (auto ok = check_source(source); !ok) return std::move(ok).error();
  const auto count = static_cast<std::size_t>(source.rows * source.columns);
  std::vector<float> numbers(count);
  dequantize_rows(source, 0, source.rows, numbers.data());
  const bool half = plain_ == TensorType::f16;
  bool is_exact = true;
  for (std::size_t i = 0; i < count; ++i) {
    const float rounded =
        half ? half_to_float(float_to_half(numbers[i])) : bfloat_to_float(float_to_bfloat(numbers[i]));
    numbers.push_back(numbers[i] - rounded);
    is_exact = is_exact && numbers.back() == 0;
  }
  TensorView both = source;
  both.type = TensorType::f32;
  both.quantized = nullptr;
  both.first_row = 0;
  both.rows = is_exact ? source.rows : 2 * source.rows;
  both.data = reinterpret_cast<const std::byte*>(numbers.data());
  both.bytes = both.rows * both.columns * static_cast<Bytes>(sizeof(float));
  return matrix(both);
}

Result<const float*> WeightUpload::vector(const TensorView& source, float offset) {
  if (auto ok = check_source(source); !ok) return std::move(ok).error();
  std::vector<float> numbers(static_cast<std::size_t>(source.rows * source.columns));
  dequantize_rows(source, 0, source.rows, numbers.data());
  for (float& number : numbers) number += offset;
  return items(numbers, "weight " + source.name);
}

}  // namespace pitwall::cuda
