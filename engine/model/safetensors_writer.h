// SPDX-License-Identifier: GPL-3.0-or-later
// Writes float32 matrices as one safetensors file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct NamedMatrix {
  std::string name;
  std::int64_t rows = 0, columns = 0;
  std::span<const float> values;  ///< rows × columns, row-major
};

/// Replaces the file atomically.
Result<void> write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices);

}  // namespace pitwall
