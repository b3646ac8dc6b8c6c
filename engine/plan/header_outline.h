// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines of checkpoints that this engine does not run: layers from their description, bytes from their
// tensors' headers.
#pragma once
#include <filesystem>

#include "engine/plan/model_outline.h"

namespace pitwall {

/// `refusal`: why Model::open did not take it. Returned, as "Cannot estimate" where it is about the
/// architecture, when the layers are not known here either.
Result<ModelOutline> outline_of_headers(const std::filesystem::path& path, const Error& refusal);

/// Of a GGUF file; `refusal` itself where its architecture is not known here.
Result<ModelOutline> outline_of_gguf(const std::filesystem::path& path, const Error& refusal);

}  // namespace pitwall
