// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF files as Models: metadata keys → ModelSpec and VocabularyData, tensor names → ModelWeights.
#pragma once
#include <filesystem>
#include <memory>

#include "engine/model/model.h"

namespace pitwall {

/// The architecture "llama". Anything in the file that the forward would not honour is refused by its name.
Result<std::shared_ptr<const Model>> open_gguf(const std::filesystem::path& path);

}  // namespace pitwall
