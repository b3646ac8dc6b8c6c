// SPDX-License-Identifier: GPL-3.0-or-later
// Writes matrices as one safetensors file, whole or piece by piece.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/tensor_type.h"

namespace pitwall {

struct NamedMatrix {
  std::string name;
  std::int64_t rows = 0, columns = 0;
  std::span<const float> values;  ///< rows × columns, row-major
};

/// Replaces the file atomically; float32.
Result<void> write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices);

/// For matrices that memory does not hold together: their numbers come in order, each piece of one matrix.
/// The file appears under its name with finish(); without it nothing is left.
class SafetensorsStream {
 public:
  struct Shape {
    std::string name;
    std::int64_t rows = 0, columns = 0;
    TensorType type = TensorType::f32;  ///< or f16
  };
  static Result<SafetensorsStream> create(const std::filesystem::path& file, std::vector<Shape> shapes);
  SafetensorsStream(SafetensorsStream&&) = default;
  ~SafetensorsStream();

  Result<void> append(std::span<const float> numbers);
  Result<void> finish();  ///< an error when numbers are missing

 private:
  SafetensorsStream() = default;
  Result<void> write(const void* bytes, std::size_t count);
  std::filesystem::path file_, partial_;
  std::ofstream out_;
  std::vector<Shape> shapes_;
  std::size_t current_ = 0;   // matrix being written
  std::int64_t written_ = 0;  // numbers of it
};

}  // namespace pitwall
