// SPDX-License-Identifier: GPL-3.0-or-later
// Folders with config.json + safetensors as Models.
#pragma once
#include <filesystem>
#include <memory>

#include "engine/model/model.h"

namespace pitwall {

/// The architectures of hf_families.h. What config.json says and the forward would not honour is refused by
/// its key.
Result<std::shared_ptr<const Model>> open_hf_folder(const std::filesystem::path& folder);

}  // namespace pitwall
