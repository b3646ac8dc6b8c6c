// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines of checkpoints that this engine does not run: layers from their description, bytes from their
// tensors' headers.
#pragma once
#include <filesystem>

#include "engine/plan/model_outline.h"

namespace pitwall {

/// config.json's text: of a regular file, and no more than any model's.
Result<std::string> read_config_text(const std::filesystem::path& path);

/// Of config.json in a folder, and of hf_quant_config.json beside it, where ModelOpt says what it quantised.
Result<ModelOutline> outline_of_config_folder(const std::filesystem::path& folder);

/// `refusal`: why Model::open did not take it. Returned, as "Cannot estimate" where it is about the
/// architecture, when the layers are not known here either.
Result<ModelOutline> outline_of_headers(const std::filesystem::path& path, const Error& refusal);

/// Of a GGUF file; `refusal` itself where its architecture is not known here.
Result<ModelOutline> outline_of_gguf(const std::filesystem::path& path, const Error& refusal);

}  // namespace pitwall
