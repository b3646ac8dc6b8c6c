// SPDX-License-Identifier: GPL-3.0-or-later
// EngineLog: the memory terms that an engine prints when it starts, to lay a plan beside them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

/// Of one rank or device, as printed: mostly GiB with two digits, so within 5 MiB of the truth.
struct DeviceMemoryLog {
  std::string device;                                ///< "rank 1", "CUDA0", "Host"
  std::optional<Bytes> total, free_at_start, limit;  ///< of the device; limit = what the engine may take
  std::optional<Bytes> weights;
  std::optional<Bytes> runtime;  ///< outside the framework's allocator: context, NCCL, libraries
  std::optional<Bytes> activations, graphs;
  std::optional<Bytes> kv;           ///< all pools of the device together, recurrent state included
  std::optional<Bytes> unaccounted;  ///< signed
};

/// The engine's reason not to start, in numbers.
struct KvShortage {
  Bytes needed = 0, available = 0;                        ///< for one sequence of max_model_len
  std::int64_t max_model_len = 0, longest_that_fits = 0;  ///< tokens; 0 = not said
};

struct EngineLog {
  std::string engine;  ///< name in engine_profile.h
  std::vector<DeviceMemoryLog> devices;
  std::optional<std::int64_t> kv_tokens, gpu_blocks, cpu_blocks;
  std::optional<std::int64_t> max_model_len, max_num_seqs, max_num_batched_tokens;  ///< tokens, requests
  std::optional<double> concurrency;  ///< sequences of max_model_len at once
  std::optional<KvShortage> shortage;
  std::vector<std::string> notes;  ///< what was mended, such as an underflow
};

/// Start-up logs of vLLM (v0 and v1), SGLang, TensorRT-LLM and llama.cpp; lines of other programs between are
/// passed over, later lines win over earlier ones, and pools of the same device add up. Error::not_found when
/// no line says anything about memory.
Result<EngineLog> read_engine_log(std::string_view text);

}  // namespace pitwall
