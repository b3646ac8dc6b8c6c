// SPDX-License-Identifier: GPL-3.0-or-later
// plan: what a model takes on GPUs, byte by byte, how many requests fit, and what would make more fit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/common/this_machine.h"
#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/plan_text.h"
#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/bench/trace.h"
#include "engine/plan/deployment_files.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_defaults.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/kv_format.h"
#include "engine/plan/machine_profile.h"
#include "engine/plan/weight_format.h"
#include "engine/telemetry/host_memory.h"

namespace pitwall::ctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostDeploymentBytes = 8u << 20;
constexpr double kExactNumbers = 9007199254740992.0;  // 2^53

struct Options {
  Deployment deployment;
  std::string stored, gpu, max_model_len, lengths, engine;
  std::string memory_limit, kv_bytes, swap_space, other_processes, margin;
  std::int64_t max_num_seqs = 0, step_tokens = 0, block_size = 0, tensor_parallel = 0, pipeline_parallel = 0,
               requests = 0, threads = 0;
  double share_of_total = 0, share_static = 0, share_of_free = 0, share_after_weights = 0;
  std::string graphs, experts;  // words, where given
  bool eager = false, no_prefix_caching = false, json = false, exit_code = false;
  CLI::App* command = nullptr;
  bool given(const char* flag) const { return command->count(flag) > 0; }
};

/// A budget by a share, under the name that changes of a plan have for it and that of its engine.
struct ShareFlag {
  const char *name, *names;
  MemoryBudget::Meaning meaning;
  double Options::*share;
  const char* help;
};
constexpr ShareFlag kShareFlags[] = {
    {"--gpu-memory-utilization", "--gpu-memory-utilization,--memory-share-of-total",
     MemoryBudget::Meaning::share_of_total, &Options::share_of_total,
     "Share of the total for everything (vLLM's)"},
    {"--memory-share-static", "--memory-share-static,--mem-fraction-static",
     MemoryBudget::Meaning::share_static, &Options::share_static,
     "Share of the total for weights and KV alone (SGLang's)"},
    {"--free-gpu-memory-fraction", "--free-gpu-memory-fraction,--memory-share-of-free",
     MemoryBudget::Meaning::share_of_free, &Options::share_of_free,
     "Share for KV of what is free after load (TensorRT-LLM's)"},
    {"--memory-share-after-weights", "--memory-share-after-weights,--cache-max-entry-count",
     MemoryBudget::Meaning::share_after_weights, &Options::share_after_weights,
     "Share for KV of what the weights leave (LMDeploy's)"}};

Error wrong(std::string what, std::string action, std::string param) {
  return {Error::Kind::invalid_input, std::move(what), "", std::move(action), std::move(param)};
}

Result<std::int64_t> count_of(const std::string& text, const char* setting) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size()) return value;
  return wrong(fmt::format("{} is {}, which is no number of tokens", setting, quote_for_message(text)),
               "Give a whole number", setting);
}

bool is_grouped(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && (text.size() - i) % 4 == 0;
    if (between ? text[i] != ',' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return text.size() > 4;
}

/// "32k" → "32000", "32K" → "32768", "1e6" → "1000000", as engines read them, and "8,192" → "8192", as plans
/// print them; what is no number stays.
std::string thousands(std::string text) {
  if (is_grouped(text)) std::erase(text, ',');
  const auto number = human_number(text);
  const bool whole = number && *number == std::floor(*number) && std::abs(*number) < kExactNumbers;
  return whole ? fmt::format("{}", static_cast<std::int64_t>(*number)) : text;
}

/// Flags whose value goes into an int of the deployment; check() has the ranges.
Result<void> take_count(const Options& options, const char* flag, std::int64_t value, int& target) {
  if (!options.given(flag)) return {};
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    return wrong(fmt::format("{} is {}", flag, format_count(value)), "Give a smaller number", flag + 2);
  target = static_cast<int>(value);
  return {};
}

Result<void> take_size(const std::string& text, const char* param, Bytes& target) {
  if (text.empty() || text == "auto") return {};
  auto size = parse_size(text);
  if (!size) {
    Error error = size.error();
    error.param = param;
    return error;
  }
  target = *size;
  return {};
}

/// "H200", "H200x8".
Result<void> take_gpu(const Options& options, Deployment& deployment) {
  if (options.gpu.empty()) return {};
  const auto gpus = parse_known_gpus(options.gpu);
  if (!gpus) return gpus.error();
  deployment.gpu = gpus->name;
  deployment.gpus = gpus->count;
  return {};
}

bool is_file(const std::string& text) {
  std::error_code ignored;
  return !text.empty() && fs::exists(text, ignored);
}

Result<void> take_lengths(const Options& options, Deployment& deployment) {
  if (options.lengths.empty() || is_file(options.lengths)) return {};
  auto tokens = count_of(options.lengths, "lengths");
  if (!tokens) {
    return wrong(fmt::format("--lengths is {}: neither a number of tokens nor a trace file",
                             quote_for_message(options.lengths)),
                 "Give tokens of one request, or a file of bench's traces", "lengths");
  }
  if (*tokens < 1)
    return wrong(fmt::format("--lengths is {}", format_count(*tokens)), "Give 1 token or more", "lengths");
  deployment.lengths.p50 = deployment.lengths.p95 = *tokens;
  return {};
}

Result<void> take_trace(const Options& options, Deployment& deployment) {
  if (!is_file(options.lengths)) return {};
  const auto trace = read_trace(options.lengths);
  if (!trace) return trace.error();
  std::int64_t prompts = 0, replies = 0;
  for (const TraceRequest& request : trace->requests) {
    deployment.lengths.trace.push_back(std::int64_t{request.prompt_tokens} + request.output_tokens);
    prompts += request.prompt_tokens, replies += request.output_tokens;
  }
  const auto mean = [&](std::int64_t sum) {
    return std::max<std::int64_t>(
        1, std::llround(static_cast<double>(sum) / static_cast<double>(trace->requests.size())));
  };
  if (!options.given("--prompt-tokens")) deployment.prompt_tokens = mean(prompts);
  if (!options.given("--output-tokens")) deployment.output_tokens = mean(replies);
  return {};
}

Result<void> take_budget(const Options& options, MemoryBudget& budget) {
  using Meaning = MemoryBudget::Meaning;
  Bytes limit = 0, kv = 0, margin = 0;
  for (const auto& [text, param, target] :
       {std::tuple{&options.memory_limit, "memory-limit", &limit},
        std::tuple{&options.kv_bytes, "kv-cache-memory-bytes", &kv},
        std::tuple{&options.margin, "memory-margin", &margin},
        std::tuple{&options.other_processes, "other-processes", &budget.other_processes}}) {
    if (auto taken = take_size(*text, param, *target); !taken) return taken;
    const bool nothing = !text->empty() && *text != "auto" && *target == 0;
    if (nothing && (target == &limit || target == &kv))
      return wrong(fmt::format("{} is 0 bytes, in which nothing fits", param),
                   "Give the bytes that may be taken, or leave the flag out", param);
  }
  if (kv > 0 && (limit > 0 || options.given("--gpu-memory-utilization")))
    return wrong("Both a KV size and a limit for everything are given", "Give one of them",
                 "kv-cache-memory-bytes");
  if (limit > 0) budget.meaning = Meaning::bytes, budget.bytes = limit;
  const ShareFlag* first = nullptr;
  for (const ShareFlag& flag : kShareFlags) {
    if (!options.given(flag.name)) continue;
    if (first != nullptr)
      return wrong(fmt::format("{} and {} are both given, and stand for shares of other things", first->name,
                               flag.name),
                   "Give one of them", std::string(flag.name + 2));
    first = &flag;
  }
  for (const ShareFlag& flag : kShareFlags) {
    if (options.given(flag.name))
      budget.meaning = flag.meaning, budget.share = options.*flag.share, budget.bytes = limit;
  }
  if (kv > 0) budget.meaning = Meaning::kv_bytes, budget.bytes = kv;
  if (options.given("--memory-margin")) budget.meaning = Meaning::margin, budget.bytes = margin;
  return {};
}

/// GPUs of one replica; check() has the range.
int ranks_of(const Deployment& deployment) {
  const std::int64_t ranks =
      std::int64_t{deployment.tensor_parallel} * std::max(deployment.pipeline_parallel, 1);
  return static_cast<int>(std::min<std::int64_t>(ranks, std::numeric_limits<int>::max()));
}

/// A stored one: what the user saved, one of profiles/deployments, or a file.
Result<Deployment> stored_deployment(const std::string& name) {
  const std::vector<Deployment> saved = saved_deployments();
  for (const auto* list : {&saved, &shipped_deployments()}) {
    for (const Deployment& stored : *list) {
      if (name == stored.name || (!stored.id.empty() && name == stored.id)) return stored;
    }
  }
  const auto text = read_file(name, kMostDeploymentBytes);
  if (text) return parse_deployment(*text);
  Error error = text.error();
  std::vector<std::string> names;
  for (const Deployment& shipped : shipped_deployments()) names.push_back(shipped.id);
  for (const Deployment& mine : saved) names.push_back(mine.name);
  error.action = fmt::format("Give a file, or one of these: {}", fmt::join(names, ", "));
  return error;
}

Result<void> take_engine(const Options& options, Deployment& deployment) {
  if (options.engine.empty()) return {};
  const auto engine = find_engine_choice(options.engine);
  if (!engine) return engine.error();
  deployment.engine = engine->name;
  return {};
}

/// What neither the flags nor the stored deployment state is the engine's own.
void take_defaults(const Options& options, Deployment before, Deployment& deployment) {
  const Deployment stated = deployment;
  for (const auto& [flag, member] :
       {std::pair{"--max-num-seqs", &Deployment::max_num_seqs},
        std::pair{"--max-num-batched-tokens", &Deployment::max_num_batched_tokens},
        std::pair{"--block-size", &Deployment::block_size}}) {
    if (options.given(flag)) before.*member = 0;  // then it is no default that could follow
  }
  follow_engine(before, deployment);
  if (options.given("--block-size")) deployment.block_size = stated.block_size;
  if (options.given("--max-num-seqs")) deployment.shared_context = false;
}

/// What was given, over `deployment`. Errors are those of the flags alone.
Result<Deployment> with_flags(const Options& options, Deployment deployment) {
  const auto take = [&](const char* flag, auto Deployment::*member) {
    if (options.given(flag)) deployment.*member = options.deployment.*member;
  };
  take("--model", &Deployment::model);
  take("--kv-cache-dtype", &Deployment::kv_cache_dtype);
  take("--quantization", &Deployment::quantization);
  take("--shared-prefix", &Deployment::shared_prefix);
  take("--prompt-tokens", &Deployment::prompt_tokens);
  take("--output-tokens", &Deployment::output_tokens);
  take("--ttft-limit-ms", &Deployment::ttft_limit_ms);
  take("--tpot-limit-ms", &Deployment::tpot_limit_ms);
  take("--prompt-logprobs", &Deployment::prompt_logprobs);
  take("--draft-layers", &Deployment::draft_layers);
  take("--enable-expert-parallel", &Deployment::expert_parallel);
  if (auto taken = take_gpu(options, deployment); !taken) return std::move(taken).error();
  if (!options.max_model_len.empty() && options.max_model_len != "auto" && options.max_model_len != "-1") {
    auto length = count_of(options.max_model_len, "max-model-len");
    if (!length) return std::move(length).error();
    deployment.max_model_len = *length;
  }
  struct Count {
    const char* flag;
    std::int64_t value;
    int& target;
  };
  for (const Count& count :
       {Count{"--max-num-seqs", options.max_num_seqs, deployment.max_num_seqs},
        Count{"--max-num-batched-tokens", options.step_tokens, deployment.max_num_batched_tokens},
        Count{"--block-size", options.block_size, deployment.block_size},
        Count{"--requests", options.requests, deployment.requests},
        Count{"--threads", options.threads, deployment.threads},
        Count{"--tensor-parallel-size", options.tensor_parallel, deployment.tensor_parallel},
        Count{"--pipeline-parallel-size", options.pipeline_parallel, deployment.pipeline_parallel}}) {
    if (auto taken = take_count(options, count.flag, count.value, count.target); !taken)
      return std::move(taken).error();
  }
  if (!options.experts.empty()) deployment.expert_parallel = options.experts == "on";
  if (auto taken = take_engine(options, deployment); !taken) return std::move(taken).error();
  if (auto taken = take_lengths(options, deployment); !taken) return std::move(taken).error();
  if (auto taken = take_budget(options, deployment.budget); !taken) return std::move(taken).error();
  if (auto taken = take_size(options.swap_space, "swap-space", deployment.swap_space); !taken)
    return std::move(taken).error();
  if (!options.graphs.empty()) deployment.graphs = options.graphs == "on";
  if (options.eager) deployment.graphs = false;
  if (options.no_prefix_caching) deployment.prefix_caching = false;
  return deployment;
}

/// Several GPUs serve one replica, as far as the heads can be split, unless it is said otherwise.
void share_out_gpus(const Options& options, const ModelOutline& model, Deployment& deployment) {
  const bool several = options.given("--gpu") && deployment.gpus > 1;
  if (!options.given("--tensor-parallel-size") && several) {
    deployment.tensor_parallel = 1;
    const std::int64_t stages = std::max(deployment.pipeline_parallel, 1);  // check() names what is below
    for (const int size : legal_tensor_parallel(model, deployment.expert_parallel)) {
      if (size * stages <= deployment.gpus && deployment.gpus % (size * stages) == 0)
        deployment.tensor_parallel = size;
    }
  }
  if (!several) deployment.gpus = std::max(deployment.gpus, ranks_of(deployment));
}

/// What no model and no GPU would make right.
Result<void> check_flags(const Options& options) {
  for (const CLI::Option* option : options.command->get_options()) {
    const auto& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end())
      return wrong(option->get_name() + " is empty", "Give its value, or leave the flag out",
                   option->get_name());
  }
  auto deployment = with_flags(options, {});
  if (!deployment) return std::move(deployment).error();
  deployment->gpus = std::max(deployment->gpus, ranks_of(*deployment));
  if (const auto format = find_kv_format(deployment->kv_cache_dtype);
      !format && deployment->kv_cache_dtype != "auto")
    return format.error();
  if (const auto format = find_weight_format(deployment->quantization);
      !format && !deployment->quantization.empty())
    return format.error();
  return check(*deployment);
}

Result<GpuProfile> gpu_of(Deployment& deployment) {
  const bool host = deployment.gpu == kThisMachine;
  if (host && deployment.budget.other_processes == 0)
    deployment.budget.other_processes = read_host_memory().others;
  return find_gpu_or_this_machine({deployment.gpu, host ? 1 : deployment.gpus});
}

Result<void> run_plan(const Options& options) {
  Deployment base;
  if (!options.stored.empty()) {
    auto stored = stored_deployment(options.stored);
    if (!stored) return std::move(stored).error();
    base = *std::move(stored);
  }
  auto deployment = with_flags(options, base);
  if (!deployment) return std::move(deployment).error();
  if (auto taken = take_trace(options, *deployment); !taken) return taken;
  const auto model = read_outline(deployment->model);
  if (!model) return model.error();
  share_out_gpus(options, *model, *deployment);
  take_defaults(options, base, *deployment);
  const auto gpu = gpu_of(*deployment);
  if (!gpu) return gpu.error();
  auto plan = plan_deployment(*deployment, *model, *gpu);
  if (!plan) return plan.error();
  if (is_file(options.lengths) && !(options.given("--prompt-tokens") && options.given("--output-tokens"))) {
    plan->notes.push_back(
        fmt::format("The typical request has the means of the trace: {} tokens of prompt and {} of reply",
                    format_count(deployment->prompt_tokens), format_count(deployment->output_tokens)));
  }
  const bool requests_stated = options.given("--requests") || base.requests > 0;
  options.json ? print_json(plan_json(*plan, requests_stated)) : print(plan_text(*plan, requests_stated));
  if (options.exit_code && plan->verdict != Verdict::fits) {
    return Error{
        Error::Kind::out_of_memory,
        fmt::format("The plan does not fit as asked: the verdict is {}", verdict_name(plan->verdict)), "",
        "Take one of the changes that the plan names", ""};
  }
  return {};
}

void add_flags(CLI::App& command, Options& options) {
  Deployment& deployment = options.deployment;
  command.add_option("--model", deployment.model,
                     "A .gguf file, a folder, a config.json, or a profile's name");
  command.add_option("--gpu", options.gpu,
                     "GPU and how many: H200, A100-80Gx8; this-machine is the processor");
  command.add_option("--deployment", options.stored, "Start from a stored deployment: a name or a file");
  command.add_option(
      "--engine", options.engine,
      "Whose way of allocating KV: pitwall, needed, vllm, llama.cpp, sglang, trtllm, lmdeploy, tgi");
  command
      .add_option("--max-model-len", options.max_model_len,
                  "Longest sequence in tokens, such as 8192, 32k or 32K; auto or -1 = the model's")
      ->transform(thousands);
  command
      .add_option("--max-num-seqs", options.max_num_seqs,
                  "Sequences that run at once; unset: the engine's own, 32 of Pitwall")
      ->transform(thousands);
  command
      .add_option("--max-num-batched-tokens", options.step_tokens,
                  "Tokens computed in one step; unset: the engine's own, 2048 of Pitwall")
      ->transform(thousands);
  command.add_option("--block-size", options.block_size,
                     "Tokens in one KV block; unset: the engine's own, 32 of Pitwall");
  command.add_option("--kv-cache-dtype", deployment.kv_cache_dtype,
                     "auto, bfloat16, fp8_e4m3, int8, nvfp4, fp8_ds_mla …");
  command.add_option("--quantization", deployment.quantization,
                     "Weights in another format: fp8, awq, gptq, nvfp4, q4_k …");
  command.add_option("--tensor-parallel-size", options.tensor_parallel,
                     "Ranks that share each layer; -tp is short for it");
  command.add_option("--pipeline-parallel-size", options.pipeline_parallel,
                     "Stages that share out the layers");
  command.add_flag("--enable-expert-parallel", deployment.expert_parallel,
                   "Replicas share the experts of a layer, and each has a copy of the rest");
  command.add_option("--memory-limit", options.memory_limit, "Bytes for everything, such as 40GiB");
  for (const ShareFlag& flag : kShareFlags) command.add_option(flag.names, options.*flag.share, flag.help);
  command.add_option("--kv-cache-memory-bytes,--kv-cache-memory", options.kv_bytes, "Bytes for KV alone");
  command.add_option("--memory-margin", options.margin, "Bytes to leave free (llama.cpp's --fit-target)");
  command.add_option("--other-processes", options.other_processes, "Bytes that others hold on each GPU");
  command.add_option("--swap-space", options.swap_space, "Host memory for KV of preempted requests");
  command.add_option("--threads", options.threads, "Of a CPU; 0 = its cores");
  command.add_option("--lengths", options.lengths, "Tokens of a request, prompt and reply; or a trace file");
  command.add_option("--requests", options.requests, "Requests at once to plan for; 0 = max-num-seqs")
      ->transform(thousands);
  command.add_option("--shared-prefix", deployment.shared_prefix,
                     "Tokens at the front that all requests share");
  command.add_option("--prompt-tokens", deployment.prompt_tokens, "Of a typical request, for times");
  command.add_option("--output-tokens", deployment.output_tokens, "Of a typical request, for times");
  command.add_option("--ttft-limit-ms", deployment.ttft_limit_ms, "predicted mean at most; 0 = none");
  command.add_option("--tpot-limit-ms", deployment.tpot_limit_ms, "predicted mean at most; 0 = none");
  command.add_flag("--enforce-eager", options.eager, "Without captured graphs");
  command.add_option("--cuda-graphs", options.graphs, "on or off; off is --enforce-eager")
      ->check(CLI::IsMember({"on", "off"}));
  command.add_option("--expert-parallel", options.experts, "on or off; on is --enable-expert-parallel")
      ->check(CLI::IsMember({"on", "off"}));
  command.add_flag("--no-enable-prefix-caching", options.no_prefix_caching,
                   "Shared prefixes are held by each request");
  command.add_flag("--prompt-logprobs", deployment.prompt_logprobs,
                   "Requests may ask for logprobs of their prompts");
  command.add_flag("--draft-layers", deployment.draft_layers, "Layers that predict further tokens are used");
  command.add_flag("--json", options.json, "One JSON document on stdout");
  command.add_flag("--exit-code", options.exit_code, "Exit with 1 unless the verdict is fits");
  command.footer(
      "The exit code is 0 whatever the verdict is; --exit-code, or the key verdict of --json (fits, "
      "fits_with_less, fails), tells them apart.");
}

}  // namespace

void add_plan_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plan", "Say where every byte of a deployment goes, and what fits");
  options->command = command;
  add_flags(*command, *options);
  command->callback([&action, options] {
    if (options->stored.empty() && options->deployment.model.empty()) throw CLI::RequiredError("--model");
    if (options->stored.empty() && options->gpu.empty()) throw CLI::RequiredError("--gpu");
    if (const auto sound = check_flags(*options); !sound) throw CLI::ValidationError(sound.error().text());
    action = [options] { return run_plan(*options); };
  });
}

}  // namespace pitwall::ctl
