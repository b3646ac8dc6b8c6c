// SPDX-License-Identifier: GPL-3.0-or-later
// What a mixture of experts needs between routing and its sum. Rows are taken kMoeRows at a time, which
// bounds the memory whatever the step's size.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model_spec.h"
#include "kernels/cpu/booked_memory.h"
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

inline constexpr int kMoeRows = 256;

/// A layer's router and experts. All gates and ups have the same columns, and so have all downs.
struct ExpertGroup {
  PackedMatrix router;
  std::vector<PackedMatrix> gate, up, down;  ///< by expert
  MoeSpec spec;
  Activation activation = Activation::silu;
  int hidden() const { return router.inputs; }
};

/// A visit is one row at one expert. Visits lie sorted by expert, those of one expert by row.
struct MoeWorkspace {
  struct Choice {
    std::int32_t expert, visit;
    float weight;
  };
  BookedMemory router_logits;               ///< [rows][experts]
  BookedMemory inputs, input_blocks;        ///< [visits][columns], as the product at hand wants them
  BookedMemory gated;                       ///< [visits][intermediate]
  BookedMemory results;                     ///< [visits][hidden]
  std::vector<Choice> choices;              ///< [rows][top_k]
  std::vector<std::int32_t> visit_rows;     ///< [visits]
  std::vector<std::int32_t> visit_experts;  ///< [visits]
  std::vector<std::int32_t> first_visit;    ///< [experts + 1]
  std::vector<std::int32_t> visited;        ///< experts with visits

  /// Chooses top_k experts for each of `rows` rows from router_logits and sorts the visits.
  void route(const MoeSpec& spec, int rows);
};

}  // namespace pitwall
