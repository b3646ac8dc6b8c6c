// SPDX-License-Identifier: GPL-3.0-or-later
// GpuProfile: what a GPU can do and takes for itself, as profiles/gpus says. Each figure has its source in
// the file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

inline constexpr std::string_view kOwnEngine = "pitwall";

/// What an engine's kernels reach, as shares of the vendor's figures, (0, 1].
struct EngineRates {
  std::string engine;        ///< "pitwall", "vllm"
  double weight_read = 0;    ///< of memory_bandwidth: weights of 16 bits
  double packed_read = 0;    ///< of memory_bandwidth: weights of fewer bits
  double kv_read = 0;        ///< of memory_bandwidth: decode attention, KV of 16 bits
  double byte_kv_read = 0;   ///< of memory_bandwidth: decode attention, KV of fewer bits
  double matrix = 0;         ///< of matrix_rate (fp8_rate): large products
  double packed_matrix = 0;  ///< of matrix_rate: products with weights of fewer bits than 16 as they are
  bool unpacks = false;      ///< such weights are written as 16 bits first where that is faster
  double attention = 0;      ///< of matrix_rate: attention of prompts
  Nanos step_overhead = 0;   ///< of each step, whatever is in it
  Nanos layer_overhead = 0;  ///< of each layer: launches, small kernels, fixed parts of products
  double error_share = 0;    ///< expected error of a step's time
};

struct GpuProfile {
  std::string name;  ///< "H200"
  std::string title;
  // The vendor's figures.
  Bytes memory = 0;             ///< as the driver reports it
  double memory_bandwidth = 0;  ///< bytes/s
  double matrix_rate = 0;       ///< FLOP/s of dense 16-bit matrices, summed in float32
  double fp8_rate = 0;          ///< of dense FP8 matrices; 0 = multiplies none
  double fp4_rate = 0;          ///< of dense FP4 matrices; 0 = multiplies none
  double int8_rate = 0;         ///< of dense INT8 matrices
  double link_bandwidth = 0;    ///< bytes/s between GPU and host, each way
  double peer_bandwidth = 0;    ///< bytes/s between GPUs of one host, each way
  std::string measured;         ///< when its figures were, where they are of this machine
  double busy = 0;              ///< share of its cores that others kept busy meanwhile
  // What copies and all-reduces reach.
  double link_efficiency = 0, peer_efficiency = 0;  ///< shares, (0, 1]
  Nanos all_reduce_latency = 0;
  // Memory that is neither weights, KV nor activations.
  double reserve_share = 0;                ///< of memory: for all of it, where nothing better is known
  Bytes context_memory = 0;                ///< driver context and loaded kernels of one process
  Bytes library_workspace = 0;             ///< matrix library: workspace and kernels
  Bytes graph_memory = 0;                  ///< of one captured batch size
  std::vector<Bytes> communicator_memory;  ///< of 1, 2, 4, 8 … ranks
  std::vector<EngineRates> engines;        ///< our own first

  Bytes reserve() const { return static_cast<Bytes>(static_cast<double>(memory) * reserve_share); }
  Bytes communicator(int ranks) const;  ///< of the next larger count that is known, else of the largest
  /// Our own where the profile has none of that name.
  const EngineRates& rates(std::string_view engine) const;
  /// Seconds in which `ranks` sum `bytes` that each of them has: latency + 2·(n − 1)/n·bytes over the peers'
  /// bandwidth, the law of a ring (Patarasuk, Yuan 2009). 0 for one rank.
  double all_reduce_s(double bytes, int ranks) const;
  double send_s(double bytes) const;  ///< seconds from one GPU to another
};

/// The error names the key that is missing, out of range, or without a source.
Result<GpuProfile> parse_gpu_profile(std::string_view json);

const std::vector<GpuProfile>& gpu_profiles();  ///< the embedded ones

/// The error lists the profiles that exist.
Result<GpuProfile> find_gpu(std::string_view name);

/// "A100-80Gx8": a profile's name and how many of them, 1 where no count is given.
struct GpuCount {
  std::string name;
  int count = 1;
};
/// Error::param is "gpu".
Result<GpuCount> parse_gpu_count(std::string_view text);

}  // namespace pitwall
