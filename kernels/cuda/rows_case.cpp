// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/model/tensor_type.h"

namespace pitwall::cuda {

namespace {

constexpr std::byte kPoison{0xFF};
constexpr double kBeyondL2 = 180e6;
constexpr int kMostSets = 64;
constexpr int kComparedRows = 64;

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// The bytes of a tensor: rows at their stride, poison elsewhere.
std::vector<std::byte> laid_out(const HostRows& rows, Lying lying, std::size_t bytes, bool narrow,
                                bool half) {
  std::vector<std::byte> out(bytes, kPoison);
  const std::size_t width = narrow ? 2 : 4;
  for (int r = 0; r < rows.rows; ++r) {
    std::byte* place = out.data() + (size(lying.first) + size(r) * size(lying.stride)) * width;
    for (int c = 0; c < rows.columns; ++c) {
      const float number = rows.row(r)[c];
      const std::uint16_t short_number = half ? float_to_half(number) : float_to_bfloat(number);
      std::memcpy(place + size(c) * width, narrow ? static_cast<const void*>(&short_number) : &number, width);
    }
  }
  return out;
}

}  // namespace

HostRows random_rows(std::uint64_t seed, int rows, int columns, float scale) {
  constexpr std::size_t kPeriod = 1'000'003;  // a large tensor repeats itself, never from row to row
  HostRows result{rows, columns, {}};
  const std::size_t count = size(rows) * size(columns);
  const std::vector<float> numbers = random_numbers(seed, std::min(count, kPeriod), scale);
  result.numbers.resize(count);
  for (std::size_t i = 0; i < count; i += numbers.size())
    std::copy_n(numbers.begin(), std::min(numbers.size(), count - i),
                result.numbers.begin() + static_cast<std::ptrdiff_t>(i));
  return result;
}

HostRows RowsCase::rounded(HostRows rows) const {
  const bool half = cut_ != nullptr;
  rows.numbers = to_float(to_16(rows.numbers, half), half);
  return rows;
}

std::vector<int> compared_rows(int rows) {
  std::vector<int> result;
  for (int row = 0; row < rows; ++row) {
    if (row < kComparedRows / 2 || row >= rows - kComparedRows / 2) result.push_back(row);
  }
  return result;
}

int sets_for(double bytes) {
  return static_cast<int>(std::clamp(std::ceil(kBeyondL2 / bytes), 1.0, double{kMostSets}));
}

std::byte* RowsCase::add(Number number, int rows, int columns, Lying lying, const HostRows* content,
                         bool output) {
  const std::size_t used = (size(lying.first) + size(rows) * size(lying.stride)) * width(number);
  Tensor tensor{nullptr, number, rows, columns, lying, (used + 255) / 256 * 256, {}};
  tensor.place = static_cast<std::byte*>(memory.take(tensor.bytes * size(sets_)));
  std::vector<std::byte> bytes(tensor.bytes, kPoison);
  if (content != nullptr)
    bytes = laid_out(*content, lying, tensor.bytes, is_narrow(number), number == Number::float16);
  for (int set = 0; set < sets_ && memory.state(); ++set)
    cudaMemcpy(tensor.place + size(set) * tensor.bytes, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  if (output) tensor.before = std::move(bytes);
  tensors_.push_back(std::move(tensor));
  return tensors_.back().place;
}

Rows32 RowsCase::put32(const HostRows& rows, Lying lying) {
  auto* place = reinterpret_cast<float*>(add(Number::float32, rows.rows, rows.columns, lying, &rows, false));
  return {place + lying.first, lying.stride, rows.columns};
}

Rows16 RowsCase::put16(const HostRows& rows, Lying lying) {
  auto* place = reinterpret_cast<bf16*>(add(narrow(), rows.rows, rows.columns, lying, &rows, false));
  return {place + lying.first, lying.stride, rows.columns, cut_};
}

Rows32 RowsCase::output32(int rows, int columns, Lying lying, const HostRows* before) {
  auto* place = reinterpret_cast<float*>(add(Number::float32, rows, columns, lying, before, true));
  return {place + lying.first, lying.stride, columns};
}

Rows16 RowsCase::output16(int rows, int columns, Lying lying) {
  auto* place = reinterpret_cast<bf16*>(add(narrow(), rows, columns, lying, nullptr, true));
  return {place + lying.first, lying.stride, columns, cut_};
}

std::int32_t* RowsCase::output_ints(int count) {
  return reinterpret_cast<std::int32_t*>(add(Number::int32, 1, count, {count, 0}, nullptr, true));
}

float* RowsCase::output_floats(int count) {
  return reinterpret_cast<float*>(add(Number::float32, 1, count, {count, 0}, nullptr, true));
}

std::ptrdiff_t RowsCase::shift(const void* first_row, int turn) const {
  const auto* place = static_cast<const std::byte*>(first_row);
  for (const Tensor& tensor : tensors_) {
    if (place >= tensor.place && place < tensor.place + tensor.bytes)
      return static_cast<std::ptrdiff_t>(tensor.bytes / width(tensor.number)) * (turn % sets_);
  }
  return 0;
}

std::vector<std::byte> RowsCase::results(cudaStream_t stream) {
  for (const Tensor& tensor : tensors_) {
    if (!tensor.before.empty() && memory.state())
      cudaMemcpy(tensor.place, tensor.before.data(), tensor.bytes, cudaMemcpyHostToDevice);
  }
  cudaDeviceSynchronize();
  run(0, stream);
  std::vector<std::byte> all;
  for (const Tensor& tensor : tensors_) {
    if (tensor.before.empty()) continue;
    const std::vector<std::byte> bytes = memory.download(tensor.place, tensor.bytes);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

void RowsCase::read(const Tensor& tensor, const std::byte* bytes, std::vector<float>& numbers) const {
  const std::size_t wide = width(tensor.number);
  std::vector<std::byte> around(bytes, bytes + tensor.bytes);
  const auto place_of = [&](int row) {
    return (size(tensor.lying.first) + size(row) * size(tensor.lying.stride)) * wide;
  };
  for (int row = 0; row < tensor.rows; ++row)
    std::copy_n(tensor.before.begin() + static_cast<std::ptrdiff_t>(place_of(row)),
                size(tensor.columns) * wide, around.begin() + static_cast<std::ptrdiff_t>(place_of(row)));
  const bool spilled = around != tensor.before;
  for (const int row : compared_rows(tensor.rows)) {
    for (int column = 0; column < tensor.columns; ++column) {
      const std::byte* place = bytes + place_of(row) + size(column) * wide;
      float number = 0;
      if (tensor.number == Number::float32) {
        std::memcpy(&number, place, 4);
      } else if (is_narrow(tensor.number)) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, place, 2);
        number = tensor.number == Number::float16 ? half_to_float(bits) : bfloat_to_float(bits);
      } else {
        std::int32_t whole = 0;
        std::memcpy(&whole, place, 4);
        number = static_cast<float>(whole);
      }
      numbers.push_back(spilled ? std::numeric_limits<float>::quiet_NaN() : number);
    }
  }
}

Result<CaseCheck> RowsCase::check(cudaStream_t stream) {
  const std::vector<std::byte> first = results(stream), second = results(stream);
  if (!memory.state()) return memory.state().error();
  if (const auto code = cudaGetLastError(); code != cudaSuccess)
    return Error{Error::Kind::internal, "a kernel could not be launched", cudaGetErrorString(code), "",
                 "device"};
  std::vector<float> numbers;
  std::size_t place = 0;
  for (const Tensor& tensor : tensors_) {
    if (tensor.before.empty()) continue;
    read(tensor, first.data() + place, numbers);
    place += tensor.bytes;
  }
  return CaseCheck{relative_l2(numbers, expected()), first == second};
}

KernelCase rows_case(const RowsCaseWords& words, std::function<void(RowsCase&)> build) {
  KernelCase result;
  result.name = words.name;
  result.shape = words.shape;
  result.bytes = words.bytes;
  result.tolerance = words.tolerance;
  result.timed = words.timed;
  result.prepare = [build = std::move(build), sets = words.sets]() -> Result<std::unique_ptr<PreparedCase>> {
    auto made = std::make_unique<RowsCase>(sets);
    build(*made);
    if (!made->memory.state()) return made->memory.state().error();
    return std::unique_ptr<PreparedCase>(std::move(made));
  };
  return result;
}

std::vector<KernelCase> row_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const auto part : {row_op_cases, routing_cases, block_move_cases, step_ring_cases}) {
    for (KernelCase& made : part(scale)) cases.push_back(std::move(made));
  }
  return cases;
}

}  // namespace pitwall::cuda
