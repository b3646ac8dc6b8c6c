// SPDX-License-Identifier: GPL-3.0-or-later
// safetensors files, alone or sharded with an index. Knows nothing of architectures.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/model/model.h"

namespace pitwall {

/// One mapped file; its views live as long as it does. Move-only.
class SafetensorsFile {
 public:
  /// Header length, dtypes, shapes and offsets are checked against the file's size: tensors must cover the
  /// data whole, each byte once. Rows of a view are the product of all dimensions but the last. All element
  /// types but complex and the very small ones are read; what is a weight the binder decides.
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return map_.path(); }
  const std::vector<TensorView>& tensors() const { return tensors_; }  ///< sorted by name
  const TensorView* find(std::string_view name) const;                 ///< nullptr when absent
  std::span<const std::byte> header() const { return map_.bytes().first(header_bytes_); }

 private:
  explicit SafetensorsFile(MappedFile map) : map_(std::move(map)) {}
  MappedFile map_;
  std::vector<TensorView> tensors_;
  std::size_t header_bytes_ = 0;
};

/// All weights of a checkpoint folder: model.safetensors, or the shards that model.safetensors.index.json
/// names.
struct SafetensorsSet {
  std::vector<SafetensorsFile> files;
  std::vector<TensorView> tensors;  ///< of all files, each once
};
Result<SafetensorsSet> open_safetensors_folder(const std::filesystem::path& folder);

}  // namespace pitwall
