// SPDX-License-Identifier: GPL-3.0-or-later
// The KV cache that a checkpoint gets: its layout with the scales in force, and what the user should know of
// it.
#pragma once
#include <string>
#include <vector>

#include "engine/cache/kv_layout.h"
#include "engine/model/model.h"

namespace pitwall {

struct KvChoice {
  KvLayout layout;
  std::vector<std::string> warnings;  ///< sentences: layers without scales, scales without a use
};

KvChoice choose_kv(const Model& model, KvDtype dtype, int block_size);

}  // namespace pitwall
