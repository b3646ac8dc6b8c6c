// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of a GGUF file as ModelSpec.
#pragma once
#include <string>

#include "engine/model/gguf_families.h"

namespace pitwall {

/// The family of `general.architecture`; the error lists those that are known.
Result<const GgufFamily*> find_gguf_family_of(const GgufMetadata& metadata);

/// Keys that would change the arithmetic and are not honoured are refused by name. `name` is for files
/// without general.name. Tensors tell what the keys leave open: rows of the embedding, biases, norms of q and
/// k, rope factors; the latter are taken from the binder.
Result<ModelSpec> read_gguf_spec(const GgufMetadata& metadata, const GgufFamily& family,
                                 const std::string& name, WeightBinder& binder);

}  // namespace pitwall
