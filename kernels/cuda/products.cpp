// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/products.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/row_ops.h"

namespace pitwall::cuda {

namespace {

constexpr Bytes kLibraryWorkspace = Bytes{32} << 20;  // what cuBLAS asks for on Hopper
constexpr int kMostParts = 4;                         // of rows, for which a packed weight is read anew
constexpr int kExactRows = 256;                       // more rows are rounded up, so that shapes repeat

int library_rows(int rows) {
  if (rows <= kExactRows) return rows;
  return static_cast<int>(padded_rows(rows));
}

SkinnyOutput own_output(const ProductOutput& output) {
  SkinnyOutput own;
  own.weight = output.weight;
  own.out16 = output.out16;
  own.out32 = output.out32;
  if (output.add) own.residual = output.out32;
  own.scale = output.alpha;
  own.norm = output.norm;
  return own;
}

Product library_product(Rows16 x, const ProductOutput& output, int rows) {
  const DeviceMatrix& weight = output.weight;
  const bool wide = output.out32.data != nullptr;
  Product product;
  product.rows = library_rows(rows);
  product.outputs = weight.rows;
  product.inner = std::min(weight.stride, x.stride);
  product.x = x.data;
  product.x_stride = x.stride;
  product.w = reinterpret_cast<const bf16*>(weight.values);
  product.w_stride = weight.stride;
  product.y = wide ? static_cast<void*>(output.out32.data) : output.out16.data;
  product.y_stride = wide ? output.out32.stride : output.out16.stride;
  product.half = x.is_half();
  product.y_wide = wide;
  product.add = output.add;
  product.alpha = output.alpha;
  return product;
}

}  // namespace

Result<void> Products::prepare(DeviceMemory& memory, cudaStream_t stream,
                               const std::filesystem::path& cache) {
  memory_ = &memory;
  stream_ = stream;
  auto workspace = memory.take(Category::library_workspace, kLibraryWorkspace, "cuBLASLt");
  if (!workspace) return std::move(workspace).error();
  auto cublas = CublasLt::open(*workspace, kLibraryWorkspace);
  if (cublas) cublas_ = *std::move(cublas);
  if (cublas_ && !cache.empty()) cublas_->load_choices(cache, memory.device().name);
  if (!cublas) notice_ = cublas.error().text();
  return {};
}

Result<void> Products::begin_tuning() {
  flush_bytes_ = static_cast<std::size_t>(2 * memory_->device().l2_bytes);
  return check(cudaMalloc(&flush_, flush_bytes_), "Taking memory to measure products");
}

Result<void> Products::end_tuning() {
  cudaFree(std::exchange(flush_, nullptr));
  return cublas_ ? cublas_->save_choices() : Result<void>{};
}

Result<void> Products::expect(const DeviceMatrix& weight) {
  const std::int64_t numbers = std::int64_t{weight.rows} * stride_of(weight.columns);
  if (weight.is_plain() || !cublas_ || numbers <= unpacked_numbers_) return {};
  if (auto ok = memory_->take(unpacked_, Category::library_workspace, numbers, "a weight put into 16 bits");
      !ok) {
    return ok;
  }
  unpacked_numbers_ = numbers;
  return {};
}

bool Products::folds_norm(const DeviceMatrix& weight, int rows) const {
  return rows <= skinny_rows(weight.type);
}

void Products::multiply(Rows16 x, std::span<const ProductOutput> outputs, int rows,
                        const NormBehind& behind) {
  const bool few = std::all_of(outputs.begin(), outputs.end(), [rows](const ProductOutput& output) {
    return rows <= skinny_rows(output.weight.type);
  });
  if (few) return multiply_few(x, outputs, rows, behind);
  if (const auto whole = side_by_side(outputs)) return multiply_one(x, *whole, rows);
  for (const ProductOutput& output : outputs) multiply_one(x, output, rows);
}

void Products::multiply_few(Rows16 x, std::span<const ProductOutput> outputs, int rows,
                            const NormBehind& behind) {
  std::vector<SkinnyOutput> skinny;
  for (const ProductOutput& output : outputs) skinny.push_back(own_output(output));
  skinny_linear(x, skinny.data(), static_cast<int>(skinny.size()), rows, behind,
                memory_->device().multiprocessors, stream_);
}

void Products::multiply_gated(Rows16 x, const GatedOutput& output, int rows, const NormBehind& behind) {
  const DeviceMatrix &gate = output.gate, &up = output.up;
  const bool joins = gate.type == up.type && output.gate_bias == nullptr && output.up_bias == nullptr;
  if (joins && rows <= skinny_rows(gate.type)) {
    return skinny_gated(x, gate, up, output.activation, output.out, rows, behind,
                        memory_->device().multiprocessors, stream_);
  }
  const auto stream = [&] { streamed_gated(x, gate, up, output.activation, output.out, rows, stream_); };
  if (joins && streams_gate(x, output, rows, stream)) return stream();
  const ProductOutput products[] = {{gate, output.gates, {}}, {up, output.ups, {}}};
  multiply(x, products, rows);
  gate_rows(output.gates, output.ups, output.gate_bias, output.up_bias, output.activation, output.out, rows,
            stream_);
}

/// Whether `stream` can do it and is faster than the library and what follows.
bool Products::streams_gate(Rows16 x, const GatedOutput& output, int rows,
                            const std::function<void()>& stream) {
  if (!streams_gated(x, output.gate, output.up, output.out, rows)) return false;
  const ProductOutput apart[] = {{output.gate, output.gates, {}}, {output.up, output.ups, {}}};
  const auto whole = side_by_side(apart);
  if (!cublas_ || !whole) return true;
  Product product = library_product(x, *whole, rows);
  product.gated = true;
  if (flush_ != nullptr) {
    const auto rest = [&] {
      gate_rows(output.gates, output.ups, nullptr, nullptr, output.activation, output.out, rows, stream_);
    };
    cublas_->tune(product, stream, rest, flush_, flush_bytes_, stream_);
  }
  return cublas_->is_beaten(product);
}

void Products::multiply_one(Rows16 x, const ProductOutput& output, int rows) {
  const DeviceMatrix& weight = output.weight;
  if (weight.is_plain() || !cublas_) return multiply_plain(x, output, rows);
  ProductOutput plain = output;
  plain.weight = {};
  plain.weight.rows = weight.rows;
  plain.weight.columns = weight.columns;
  plain.weight.stride = stride_of(weight.columns);
  plain.weight.values = reinterpret_cast<const std::byte*>(unpacked_);
  if (x.is_half()) plain.weight.type = TensorType::f16;
  const auto unpack = [&] {
    dequantize(weight, 0, weight.rows, {unpacked_, plain.weight.stride, weight.columns, x.cut}, stream_);
  };
  if (rows <= kMostParts * skinny_rows(weight.type)) {
    const auto in_parts = [&] {
      skinny_in_parts(x, own_output(output), rows, memory_->device().multiprocessors, stream_);
    };
    Product product = library_product(x, plain, rows);
    product.packed = static_cast<int>(weight.type);
    if (flush_ != nullptr) cublas_->tune(product, in_parts, unpack, flush_, flush_bytes_, stream_);
    if (cublas_->is_beaten(product)) return in_parts();
  }
  unpack();
  multiply_plain(x, plain, rows);
}

void Products::multiply_plain(Rows16 x, const ProductOutput& output, int rows) {
  const SkinnyOutput own = own_output(output);
  const auto stream = [&] { streamed_linear(x, own, rows, stream_); };
  const bool can_stream = streams(x, own, rows);
  if (cublas_ && output.weight.is_plain()) {
    const Product product = library_product(x, output, rows);
    if (flush_ != nullptr)
      cublas_->tune(product, can_stream ? stream : std::function<void()>{}, {}, flush_, flush_bytes_,
                    stream_);
    const bool is_beaten = can_stream && cublas_->is_beaten(product);
    if (!is_beaten && cublas_->multiply(product, stream_)) return;
  }
  if (can_stream) {
    stream();
  } else {
    tiled_linear(x, own, rows, stream_);
  }
}

std::optional<ProductOutput> side_by_side(std::span<const ProductOutput> outputs) {
  if (outputs.size() < 2) return std::nullopt;
  ProductOutput whole = outputs.front();
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    const ProductOutput& next = outputs[i];
    const DeviceMatrix& weight = whole.weight;
    const std::byte* end =
        weight.values + std::int64_t{weight.rows} * weight.stride * std::int64_t{sizeof(bf16)};
    const bool joins = weight.is_plain() && next.weight.is_plain() && next.weight.values == end &&
                       next.weight.stride == weight.stride && whole.out16.data != nullptr &&
                       next.out16.data == whole.out16.data + weight.rows &&
                       next.out16.stride == whole.out16.stride && next.alpha == whole.alpha;
    if (!joins) return std::nullopt;
    whole.weight.rows += next.weight.rows;
    whole.out16.columns += next.out16.columns;
  }
  return whole;
}

}  // namespace pitwall::cuda
