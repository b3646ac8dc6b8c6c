// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction: TTFT, TPOT and throughput against requests at once, from the step-time model.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitwall {

struct Deployment;
struct GpuProfile;
struct ModelOutline;

/// Steady state with so many requests at once, each `prompt_tokens` in and `output_tokens` out: a closed
/// loop, where the next request comes when one has ended. Means.
struct OperatingPoint {
  int requests = 0;
  double ttft_ms = 0;  ///< of a request that is admitted at once: its prompt computed while others decode
  double tpot_ms = 0;  ///< mean step between a request's tokens, steps with others' prompts included
  double tokens_per_s = 0;  ///< output of all replicas
  double memory_share = 0;  ///< of a decode step: reading weights and KV
  double compute_share = 0, communication_share = 0, overhead_share = 0;
};

struct Prediction {
  OperatingPoint asked;               ///< at the demand, or at the most that fits
  std::vector<OperatingPoint> curve;  ///< from 1 request on, in steps that double finely
  int knee = 0;  ///< requests from which doubling gains under 1.25 ×; 0 = not reached on the curve
  std::optional<int> most_under_limits;  ///< largest count that keeps TTFT and TPOT limits; none = no limit
                                         ///< is set, 0 = not even 1
  double decode_floor_ms = 0;            ///< (weights + KV read) / vendor bandwidth, at the demand
  double prefill_floor_ms = 0;           ///< FLOPs / vendor rate, of the typical prompt
  std::int64_t prompt_tokens = 0, output_tokens = 0;  ///< of the typical request, whose times they are
  std::string rates;       ///< engine whose kernels' rates they are; empty = none known
  double error_share = 0;  ///< expected: how well the profile's efficiencies are known
};

/// Engine whose rates the profile has for this deployment: its own where they are known, else this engine's;
/// empty where the profile has none.
std::string rates_of(const Deployment& deployment, const GpuProfile& gpu);

/// `model` has the weight format of the deployment already. `most`: requests that fit into memory (of one
/// replica); the curve ends there, or at max_num_seqs if that is less. A profile without rates predicts
/// nothing. Takes some 30 µs.
Prediction predict(const Deployment& deployment, const ModelOutline& model, const GpuProfile& gpu,
                   std::int64_t most);

}  // namespace pitwall
