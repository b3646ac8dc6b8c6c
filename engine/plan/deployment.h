// SPDX-License-Identifier: GPL-3.0-or-later
// Deployment: a model on GPUs under settings, and the demand it has to serve. What the plan is asked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct EngineProfile;

/// What a memory fraction is a fraction of: engines differ, and a flag carried over means other bytes.
struct MemoryBudget {
  enum class Meaning {
    automatic,       ///< the engine's own: ours all but 2 % (1 GiB at least), others' by profiles/engines
    bytes,           ///< `bytes` for everything this process holds (memory-limit)
    share_of_total,  ///< vLLM's gpu-memory-utilization: of the card, weights and all included
    share_static,    ///< SGLang's mem-fraction-static: of the card, for weights and KV alone
    share_of_free,   ///< TensorRT-LLM: KV gets this share of what is free after load
    share_after_weights,  ///< LMDeploy: KV gets this share of what the weights leave
    kv_bytes,             ///< `bytes` for KV alone (kv-cache-memory-bytes)
    margin                ///< llama.cpp's fit: all but `bytes`
  };
  Meaning meaning = Meaning::automatic;
  double share = 0;
  Bytes bytes = 0;            ///< beside a share: a limit for everything too, the smaller wins; 0 = none
  Bytes other_processes = 0;  ///< held on each GPU by others
  bool takes_share() const;   ///< `share` counts, not `bytes` alone
};

/// Tokens of one request, prompt and reply together.
struct LengthMix {
  std::int64_t p50 = 0, p95 = 0, max = 0;  ///< 0 = of the next larger that is stated; max 0 = max_model_len
  std::vector<std::int64_t> trace;         ///< lengths of real requests; the three are theirs then
};

/// How an engine lays out KV for layers that need only a part of it.
enum class KvLaw {
  pitwall,     ///< one pool: every cached layer at full length
  needed,      ///< what the model's layers need, rounded up to blocks
  vllm,        ///< windows hold window − 1 + step tokens and a block more
  llama_cpp,   ///< windows hold 2·window a sequence, in one allocation for all slots
  full,        ///< every cached layer at full length, as lmdeploy and tgi have it
  window_pool  ///< windows in a pool of their own, which has a share of the other layers' tokens
};
/// "pitwall", "needed", "vllm", "llama.cpp", "full", "window pool"
std::string_view kv_law_name(KvLaw law);

/// Whose deployment it is.
struct EngineChoice {
  std::string name;          ///< canonical: "auto", "needed", "full", or of an engine profile
  std::optional<KvLaw> law;  ///< none for "auto": pitwall where this engine runs the model, else needed
  const EngineProfile* engine = nullptr;  ///< nullptr for "auto" and for a law without an engine
};
/// By name or alias. The error lists what there is.
Result<EngineChoice> find_engine_choice(std::string_view name);

struct Deployment {
  std::string id;  ///< short name of a shipped one, that of its file; empty for others
  std::string name;
  std::string model;         ///< as read_outline takes it
  std::string told_model;    ///< what a command called it; counts while that still is `model`
  std::string gpu = "H200";  ///< of gpu_profile.h, or "this-machine"
  int gpus = 1;
  int tensor_parallel = 1, pipeline_parallel = 1;  ///< the rest of `gpus` are replicas
  bool expert_parallel = false;  ///< replicas share the experts of a layer, and each has the rest of it
  int max_num_seqs = 32, max_num_batched_tokens = 2048, block_size = 32;
  int threads = 0;                            ///< of a CPU; 0 = the cores that this process may use
  Bytes swap_space = 0;                       ///< of host memory, for KV of preempted requests
  std::optional<std::int64_t> max_model_len;  ///< none = the model's context length
  std::string kv_cache_dtype = "auto";        ///< name in kv_format.h
  std::string quantization;  ///< of weights, by name in weight_format.h; empty = the checkpoint's
  bool prefix_caching = true, graphs = true, prompt_logprobs = false, draft_layers = false;
  bool shared_context = false;  ///< llama.cpp: max_model_len tokens of KV are those of all sequences together
  std::vector<int> graph_sizes;  ///< batch sizes captured; empty = the engine's own
  std::string engine = "auto";   ///< of find_engine_choice
  MemoryBudget budget;
  // Demand
  int requests = 0;  ///< at once; 0 = max_num_seqs
  LengthMix lengths;
  std::int64_t prompt_tokens = 0,
               output_tokens = 0;               ///< of a typical request; 0 = three quarters and one of p50
  std::int64_t shared_prefix = 0;               ///< tokens at the front that all requests share
  double ttft_limit_ms = 0, tpot_limit_ms = 0;  ///< compared with predicted means; 0 = none
};

/// GPUs that share the experts of a layer: those of one stage in all replicas, or in one.
int expert_ranks(const Deployment& deployment);

/// Ranges and consistency of what was asked alone. Error::param is the setting's name.
Result<void> check(const Deployment& deployment);

/// As stored in profiles/deployments and by "Save as deployment"; unknown keys are refused by name.
std::string deployment_json(const Deployment& deployment);
Result<Deployment> parse_deployment(std::string_view json);

/// Those that travel inside the binary.
const std::vector<Deployment>& shipped_deployments();

}  // namespace pitwall
