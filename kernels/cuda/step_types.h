// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a staged step that host and device share. No CUDA here.
#pragma once
#include <cstdint>

namespace pitwall::cuda {

/// What a step has of each kind. Lies in device memory and is rewritten by the ingest kernel.
struct StepCounts {
  std::int32_t rows;         ///< live rows of RowSet::tokens
  std::int32_t logit_rows;   ///< live rows of RowSet::logits
  std::int32_t samples;      ///< logit rows that yield a token
  std::int32_t decode_rows;  ///< rows that are the only one of their slice
  std::int32_t segments;     ///< slices of two rows and more
};

/// Neighbouring rows of one sequence: row first_row + i is at position first_position + i.
struct Segment {
  std::int32_t first_row, rows, first_position, slot;
};

/// A logit row that yields a token of its slot, at `position`.
struct SampleRow {
  std::int32_t logit_row, slot, position;
};

}  // namespace pitwall::cuda
