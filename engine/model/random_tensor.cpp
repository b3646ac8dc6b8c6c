// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/random_tensor.h"

#include <cstring>

#include "engine/model/quantized_linear.h"

namespace pitwall {

namespace {

template <class T>
void put(std::vector<std::byte>& bytes, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

/// Random bytes, with d (and m) in the size that gives weights of about 0.5.
void put_random_block(std::vector<std::byte>& bytes, TensorType type, std::mt19937& random) {
  const std::size_t start = bytes.size();
  for (int i = 0; i < tensor_type_info(type).block_bytes; ++i)
    bytes.push_back(static_cast<std::byte>(random()));
  std::uniform_real_distribution<float> size(0.5f, 1);
  const auto put_half = [&](std::size_t at, float value) {
    const std::uint16_t half = float_to_half(value * size(random));
    std::memcpy(bytes.data() + start + at, &half, sizeof half);
  };
  switch (type) {
    case TensorType::q4_0:
    case TensorType::q5_0:
      return put_half(0, 0.1f);
    case TensorType::q4_1:
    case TensorType::q5_1:
      return put_half(0, 0.1f), put_half(2, -0.75f);
    case TensorType::q8_0:
    case TensorType::iq4_nl:
      return put_half(0, 0.01f);
    case TensorType::q2_k:
      return put_half(80, 0.05f), put_half(82, 0.05f);
    case TensorType::q3_k:
      return put_half(108, 0.01f);
    case TensorType::q4_k:
    case TensorType::q5_k:
      return put_half(0, 0.002f), put_half(2, 0.015f);
    case TensorType::q6_k:
      return put_half(208, 0.0003f);
    case TensorType::iq4_xs:
      return put_half(0, 0.0005f);
    default:  // MXFP4: a power of two
      bytes[start] = static_cast<std::byte>(120 + random() % 5);
  }
}

}  // namespace

std::vector<float> OwnedTensor::values() const {
  std::vector<float> floats(static_cast<std::size_t>(view.rows * view.columns));
  dequantize_rows(view, 0, view.rows, floats.data());
  return floats;
}

OwnedTensor random_tensor(TensorType type, int rows, int columns, std::mt19937& random) {
  OwnedTensor tensor;
  std::normal_distribution<float> normal(0, 0.5f);
  const std::int64_t blocks = std::int64_t{rows} * columns / tensor_type_info(type).block_elements;
  for (std::int64_t i = 0; i < blocks; ++i) {
    switch (type) {
      case TensorType::f32:
        put(tensor.bytes, normal(random));
        break;
      case TensorType::f16:
        put(tensor.bytes, float_to_half(normal(random)));
        break;
      case TensorType::bf16:
        put(tensor.bytes, float_to_bfloat(normal(random)));
        break;
      case TensorType::f8_e4m3:
        put(tensor.bytes, static_cast<std::uint8_t>(random() % 0x50 + (random() % 2) * 0x80));
        break;
      default:
        put_random_block(tensor.bytes, type, random);
    }
  }
  tensor.view = {"random", type, rows, columns, tensor.bytes.data(), std::ssize(tensor.bytes)};
  return tensor;
}

}  // namespace pitwall
