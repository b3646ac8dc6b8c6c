// SPDX-License-Identifier: GPL-3.0-or-later
// GgufFile: a mapped GGUF file (versions 2 and 3), its header read and checked. Knows nothing of
// architectures.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/model/gguf_metadata.h"
#include "engine/model/model.h"

namespace pitwall {

struct GgufTensor {
  std::string name;
  std::vector<std::uint64_t> shape;  ///< as in the file: the fastest dimension first
  std::uint32_t type = 0;            ///< number as in the file
  std::uint64_t offset = 0;          ///< from the start of the tensor data
};

/// A tensor as rows × columns; rows are the product of all dimensions but the fastest.
struct GgufExtent {
  const GgufTensor* tensor = nullptr;
  std::int64_t rows = 0, columns = 0;
  Bytes bytes = 0;
  const std::byte* data = nullptr;
};

/// Move-only; metadata and views point into the map and live as long as the file.
class GgufFile {
 public:
  /// Every count, length and string is checked against the file's size before it is used. Errors name the
  /// file, the offset and what was expected there.
  static Result<GgufFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return map_.path(); }
  std::uint32_t version() const { return version_; }
  const GgufMetadata& metadata() const { return metadata_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  std::span<const std::byte> header() const {
    return map_.bytes().first(header_bytes_);
  }  ///< all before the padding

  /// Where all tensors lie, in file order. Refused: types that the format does not have, rows that are no
  /// whole blocks, data that is not aligned or lies outside the file.
  Result<std::vector<GgufExtent>> extents() const;
  /// All tensors as rows × columns, in file order. Refused beside that: types that are not read here.
  Result<std::vector<TensorView>> tensor_views() const;

 private:
  explicit GgufFile(MappedFile map) : map_(std::move(map)) {}
  MappedFile map_;
  std::uint32_t version_ = 0;
  GgufMetadata metadata_;
  std::vector<GgufTensor> tensors_;
  std::size_t header_bytes_ = 0;
  std::uint64_t alignment_ = 32;
};

}  // namespace pitwall
