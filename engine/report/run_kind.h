// SPDX-License-Identifier: GPL-3.0-or-later
// Where the figures of a run come from: a real device, a simulator that computes them, or another tool.
#pragma once
#include "engine/telemetry/run.h"

namespace pitwall {

/// The kind of a run that another tool measured.
inline constexpr const char* kImportedKind = "imported";

/// What the gaps of a run's pooled ITL lie between. Ours: tokens; k that come together share their gap, gap /
/// k each. Other tools': chunks of the stream, as vLLM's ITL and AIPerf's ICL have it.
inline bool is_itl_by_chunk(const RunHeader& header) {
  return header.kind == kImportedKind;
}

/// Whether its gaps may be shares of a chunk's: tokens that a server sends together. An engine's own run has
/// each token at its time, which is a chunk of its own.
inline bool shares_chunks(const RunHeader& header) {
  return header.kind == "bench";
}

/// Nothing of it was measured: its times are virtual, its bytes the simulated device's.
inline bool is_simulated(const RunHeader& header) {
  return header.kind == "simulate";
}

}  // namespace pitwall
