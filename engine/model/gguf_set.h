// SPDX-License-Identifier: GPL-3.0-or-later
// GgufSet: one GGUF file, or all parts of a split one. Parts are called NAME-00001-of-0000N.gguf; inside they
// count from 0 (split.no), and the first carries the metadata.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/model/gguf_reader.h"

namespace pitwall {

/// Move-only; metadata and views point into the maps and live as long as the set.
class GgufSet {
 public:
  /// `path` is any part. Refused by name: a part that is missing, renamed, or belongs to another set; tensors
  /// that appear twice, and totals other than split.tensors.count.
  static Result<GgufSet> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }  ///< as given
  std::string name() const;                                    ///< the file's, without part and ending
  std::uint32_t version() const { return parts_.front().version(); }
  const GgufMetadata& metadata() const { return parts_.front().metadata(); }
  std::size_t tensor_count() const;
  std::vector<std::span<const std::byte>> headers() const;
  Result<std::vector<GgufExtent>> extents() const;  ///< of all parts; see GgufFile
  Result<std::vector<TensorView>> tensor_views() const;

 private:
  std::filesystem::path path_;
  std::vector<GgufFile> parts_;
};

}  // namespace pitwall
