// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/threads.h"
#include "engine/plan/amounts.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/machine_profile.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

namespace {

using Meaning = MemoryBudget::Meaning;

constexpr std::string_view kUnnamedEngine = "vllm";
constexpr int kVocabularyUnit = 64;  // vLLM pads the vocabulary to this for each rank

Bytes divided(Bytes bytes, std::int64_t by) {
  return divided_up(bytes, by);
}

/// K and V weights follow their heads: no rank holds less than one.
Bytes kv_share(Bytes bytes, std::int64_t heads, std::int64_t ranks) {
  if (heads <= 0) return divided(bytes, ranks);
  return static_cast<Bytes>(std::ceil(static_cast<double>(bytes) / static_cast<double>(heads) *
                                      static_cast<double>(divided_up(heads, ranks))));
}

std::vector<int> divisors(int number) {
  std::vector<int> sizes;
  for (int size = 1; size <= std::max(number, 1); ++size) {
    if (std::max(number, 1) % size == 0) sizes.push_back(size);
  }
  return sizes;
}

Error illegal_tensor_parallel(std::string what, std::string cause, const std::vector<int>& legal) {
  return {Error::Kind::invalid_input, std::move(what), std::move(cause),
          fmt::format("Take one of these: {}; or pipeline-parallel-size for further GPUs",
                      fmt::join(legal, ", ")),
          "tensor-parallel-size"};
}

/// Sizes that divide the heads, and which of them stand beside all else that ranks share.
Error undivided_heads(const ModelOutline& model, int ranks, const std::vector<int>& legal) {
  const std::vector<int> sizes = divisors(model.heads);
  Error error = illegal_tensor_parallel(
      fmt::format("{} attention heads cannot be split over {} ranks (tensor-parallel-size)", model.heads,
                  ranks),
      "Each rank takes whole heads", legal);
  if (legal != sizes) {
    error.cause =
        fmt::format("Each rank takes whole heads, which {} divide; KV heads and the MLP allow {} of these",
                    fmt::join(sizes, ", "), fmt::join(legal, ", "));
  }
  return error;
}

/// What of ranks that divide the heads no engine cuts.
std::optional<std::pair<std::string, std::string>> uneven(const ModelOutline& model, int ranks,
                                                          bool whole_experts) {
  for (const LayerState& layer : model.layers) {
    if (layer.kv_heads > 0 && layer.kv_heads % ranks != 0 && ranks % layer.kv_heads != 0)
      return std::pair(fmt::format("{} KV heads cannot be shared out to {} ranks (tensor-parallel-size)",
                                   layer.kv_heads, ranks),
                       std::string("Each rank takes whole KV heads, or some ranks hold the same one"));
  }
  const std::int64_t group = std::max(model.weight_group, 1);
  const auto cut = [&](std::int64_t width) { return width % (group * ranks) == 0; };
  const std::string parts =
      group > 1 ? fmt::format("Ranks take equal parts of whole quantisation groups of {}", group)
                : std::string("Ranks take equal parts");
  const bool dense = std::any_of(model.layer_parameters.begin(), model.layer_parameters.end(),
                                 [](const LayerWeightCounts& counts) { return counts.mlp > 0; });
  if (dense && !cut(model.intermediate))
    return std::pair(fmt::format("The MLP's width {} cannot be cut for {} ranks (tensor-parallel-size)",
                                 format_count(model.intermediate), ranks),
                     parts);
  if (!whole_experts && !cut(model.expert_intermediate))
    return std::pair(fmt::format("The experts' width {} cannot be cut for {} ranks (tensor-parallel-size)",
                                 format_count(model.expert_intermediate), ranks),
                     parts + "; with expert-parallel they take whole experts");
  return std::nullopt;
}

Error beyond_the_card(const char* setting, Bytes asked, Bytes memory, fmt::format_string<std::string> what) {
  return {
      Error::Kind::invalid_input,
      fmt::format("{} of a device that has {}", fmt::format(what, format_bytes(asked)), format_bytes(memory)),
      "Nothing is left for the model", fmt::format("Lower {}, or take a larger GPU", setting), setting};
}

}  // namespace

std::vector<int> legal_tensor_parallel(const ModelOutline& model, bool whole_experts) {
  std::vector<int> sizes = divisors(model.heads);
  std::erase_if(sizes, [&](int size) { return size > 1 && uneven(model, size, whole_experts); });
  return sizes;
}

Result<Planner> Planner::make(const Deployment& asked, const ModelOutline& model, const GpuProfile& gpu) {
  if (auto sound = check(asked); !sound) return std::move(sound).error();
  if (auto sound = check(model); !sound) return std::move(sound).error();
  Planner planner(asked, model, gpu);
  if (auto ready = planner.prepare(); !ready) return std::move(ready).error();
  return planner;
}

bool Planner::on_host() const {
  return gpu_->name == kThisMachine;
}

bool Planner::own() const {
  return law_ == KvLaw::pitwall && model_->runs_here();
}

Result<void> Planner::prepare() {
  choice_ = find_engine_choice(asked_.engine).value();  // check() has seen it
  if (auto taken = take_weights(); !taken) return taken;
  if (auto shared = check_ranks(); !shared) return shared;
  const auto layers = std::count_if(model_->layers.begin(), model_->layers.end(),
                                    [](const LayerState& layer) { return !layer.draft; });
  if (asked_.pipeline_parallel > layers) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} layers cannot be split over {} stages", layers, asked_.pipeline_parallel),
                 "", "Lower pipeline-parallel-size", "pipeline-parallel-size"};
  }
  const MemoryBudget& budget = asked_.budget;
  if (budget.other_processes >= gpu_->memory && gpu_->memory > 0)
    return beyond_the_card("other-processes", budget.other_processes, gpu_->memory,
                           "Other processes hold {}");
  if (budget.meaning == Meaning::margin && budget.bytes >= gpu_->memory)
    return beyond_the_card("memory-margin", budget.bytes, gpu_->memory, "A margin of {} is to stay free");
  if (wanted_length() == 0) {
    return Error{Error::Kind::invalid_input, "The model does not say how long its sequences may be", "",
                 "Give max-model-len", "max-model-len"};
  }
  if (auto chosen = choose_format(); !chosen) return chosen;
  choose_budget();
  cut_stages();
  return {};
}

Result<void> Planner::take_weights() {
  if (asked_.quantization.empty()) return {};
  auto format = find_weight_format(asked_.quantization);
  if (!format) return std::move(format).error();
  if (format->title != model_->weight_format) reformatted_ = with_weight_format(*model_, *format);
  return {};
}

Result<void> Planner::check_ranks() const {
  const ModelOutline& served = reformatted_ ? *reformatted_ : *model_;
  const int ranks = asked_.tensor_parallel;
  const bool any_rows = choice_.law == KvLaw::llama_cpp;  // it cuts rows where it likes
  if (served.heads > 0 && served.heads % ranks != 0)
    return undivided_heads(
        served, ranks,
        any_rows ? divisors(served.heads) : legal_tensor_parallel(served, asked_.expert_parallel));
  if (ranks == 1 || any_rows) return {};
  if (const auto fault = uneven(served, ranks, asked_.expert_parallel))
    return illegal_tensor_parallel(fault->first, fault->second,
                                   legal_tensor_parallel(served, asked_.expert_parallel));
  return {};
}

const EngineProfile& Planner::budget_engine() const {
  return choice_.engine != nullptr ? *choice_.engine : **find_engine(kUnnamedEngine);
}

/// Where nothing is asked, what the engine takes by its profile; a law without an engine takes vLLM's share.
void Planner::choose_budget() {
  budget_ = asked_.budget;
  if (budget_.meaning != Meaning::automatic || law_ == KvLaw::pitwall || on_host()) return;
  budget_ = default_budget(budget_engine(), asked_, place_of(asked_, *gpu_));
  budget_.other_processes = asked_.budget.other_processes;
}

std::string Planner::unasked_format() const {
  if (law_ != KvLaw::pitwall && !model_->kv_format.empty()) return model_->kv_format;
  return law_ == KvLaw::llama_cpp ? "float16" : "bfloat16";
}

double Planner::window_share() const {
  return law_ == KvLaw::window_pool ? choice_.engine->window_pool->share : 1;
}

void Planner::choose_law() {
  law_ = choice_.law.value_or(model_->runs_here() ? KvLaw::pitwall : KvLaw::needed);
  const EngineProfile* engine = choice_.engine;
  const auto windowed = [](const LayerState& layer) {
    return layer.kind == LayerState::Kind::sliding || layer.kind == LayerState::Kind::chunked;
  };
  if (engine != nullptr && engine->window_pool && engine->window_pool->holds(model_->architecture) &&
      std::any_of(model_->layers.begin(), model_->layers.end(), windowed))
    law_ = KvLaw::window_pool;
}

Result<void> Planner::choose_format() {
  const bool automatic = !choice_.law;
  choose_law();
  const std::string& name = asked_.kv_cache_dtype;
  auto format = find_kv_format(name == "auto" || name.empty() ? unasked_format() : name);
  if (!format) return std::move(format).error();
  format_ = *format;
  if (auto told = check_words(); !told) return told;
  if (format_.here || !own()) return {};
  if (automatic) {
    law_ = KvLaw::needed;
    return {};
  }
  return Error{Error::Kind::unsupported, fmt::format("This engine does not store KV as {}", format_.name), "",
               "Take float32, bfloat16, float16, fp8_e4m3 or int8, or plan for another engine",
               "kv-cache-dtype"};
}

/// What was asked, the engine can be told; a format of KV that its name does not say is that of a law alone.
Result<void> Planner::check_words() const {
  const bool latent = std::any_of(model_->layers.begin(), model_->layers.end(), [](const LayerState& layer) {
    return layer.kind == LayerState::Kind::latent;
  });
  if (format_.latent_bytes > 0 && !latent) {
    return Error{
        Error::Kind::invalid_input,
        fmt::format("{} stores latent rows (MLA), and {} keeps K and V of heads", format_.name, model_->name),
        "", "Take another format, such as fp8_e4m3", "kv-cache-dtype"};
  }
  const bool here = own() && format_.here.has_value();
  const EngineProfile* engine = choice_.engine != nullptr ? choice_.engine
                                : here                    ? *find_engine("pitwall")
                                                          : nullptr;
  if (engine == nullptr) return {};
  return ::pitwall::check_words(question(*engine));
}

EngineQuestion Planner::question(const EngineProfile& engine) const {
  const bool unasked = asked_.kv_cache_dtype == "auto" || asked_.kv_cache_dtype.empty();
  const bool theirs = unasked || format_.name == unasked_format() || own();
  return {engine, asked_, *model_, theirs ? "" : std::string(format_.name)};
}

void Planner::cut_stages() {
  const bool drafts = asked_.draft_layers;
  const std::int64_t layers = std::count_if(model_->layers.begin(), model_->layers.end(),
                                            [&](const LayerState& layer) { return drafts || !layer.draft; });
  const std::int64_t count = asked_.pipeline_parallel;
  const KvDemandOptions options{law_,
                                format_,
                                asked_.tensor_parallel,
                                asked_.block_size,
                                asked_.max_num_batched_tokens,
                                asked_.draft_layers,
                                window_share()};
  for (std::int64_t stage = 0; stage < count; ++stage) {
    const auto first = static_cast<std::size_t>(layers * stage / count),
               last = stage + 1 == count ? model_->layers.size()
                                         : static_cast<std::size_t>(layers * (stage + 1) / count);
    stages_.push_back({first, last, stage_weights(first, last, stage == 0, stage + 1 == count),
                       KvDemand(*model_, options, first, last)});
  }
}

/// The fullest rank's: whole experts, or slices of each that fill up a quantisation group.
Bytes Planner::expert_share(const ModelOutline& model, std::size_t layer, std::int64_t ranks) const {
  const Bytes bytes = model.layer_bytes[layer].experts;
  const auto share = [&](std::int64_t part, std::int64_t whole) {
    return static_cast<Bytes>(
        std::ceil(static_cast<double>(bytes) * static_cast<double>(part) / static_cast<double>(whole)));
  };
  if (asked_.expert_parallel && model.experts > 0)
    return share(divided_up(model.experts, ranks), model.experts);
  const std::int64_t width = model.expert_intermediate;
  if (ranks == 1 || model.expert_group == 0 || width == 0) return divided(bytes, ranks);
  return share(rounded_up(divided_up(width, ranks), model.expert_group), width);
}

Bytes Planner::stage_weights(std::size_t first, std::size_t last, bool first_stage, bool last_stage) const {
  const ModelOutline& model = reformatted_ ? *reformatted_ : *model_;
  const std::int64_t ranks = asked_.tensor_parallel, sharing = this->sharing();
  if (on_host() && own() && model.packed.bytes > 0 && ranks == 1 && first_stage && last_stage)
    return model.packed.bytes;
  Bytes total = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (model.layers[i].draft && !asked_.draft_layers) continue;
    const LayerWeightCounts& bytes = model.layer_bytes[i];
    for (const Bytes part :
         {divided(bytes.attention, ranks), kv_share(bytes.kv, model.layers[i].kv_heads, ranks),
          divided(bytes.mlp, ranks), expert_share(model, i, sharing), bytes.replicated})
      total = capped_sum(total, part);
  }
  const auto vocabulary = [&](Bytes bytes) {
    if (ranks == 1 || model.vocabulary == 0) return bytes;
    const std::int64_t rows = rounded_up(model.vocabulary, kVocabularyUnit * ranks) / ranks;
    return static_cast<Bytes>(
        std::ceil(static_cast<double>(bytes) / model.vocabulary * static_cast<double>(rows)));
  };
  if (first_stage) total = capped_sum(total, vocabulary(model.embedding_bytes));
  if (last_stage) total = capped_sum(total, vocabulary(model.output_bytes));
  if (last_stage && !first_stage && model.output_parameters == 0)
    total = capped_sum(total, vocabulary(model.embedding_bytes));  // tied: the last stage needs it too
  return first_stage ? capped_sum(total, model.other_bytes) : total;
}

std::int64_t Planner::wanted_length() const {
  if (asked_.max_model_len) return *asked_.max_model_len;
  if (model_->context_length > 0) {
    const bool divided = law_ == KvLaw::llama_cpp && !asked_.shared_context;
    return divided ? std::max<std::int64_t>(model_->context_length / asked_.max_num_seqs, 1)
                   : model_->context_length;
  }
  const std::int64_t stated = std::max(asked_.lengths.max, asked_.lengths.p95);
  return stated > 0 ? stated : model_->usual_length();
}

/// Batch sizes that are captured.
int Planner::graphs(int sequences) const {
  if (!asked_.graphs) return 0;
  if (!asked_.graph_sizes.empty()) return static_cast<int>(asked_.graph_sizes.size());
  const std::string sizes = choice_.engine != nullptr ? choice_.engine->default_of("graph-sizes", {}) : "";
  if (!sizes.empty()) return static_cast<int>(std::count(sizes.begin(), sizes.end(), ',')) + 1;
  return captured_sizes(own(), sequences);
}

WorkingShape Planner::shape(int sequences) const {
  WorkingShape shape;
  shape.step_tokens = asked_.max_num_batched_tokens;
  shape.sequences = sequences;
  shape.tensor_parallel = asked_.tensor_parallel;
  shape.communicating = sharing();
  shape.positions = wanted_length();
  shape.block_size = asked_.block_size;
  shape.graphs = graphs(sequences);
  shape.prompt_logprobs = asked_.prompt_logprobs;
  shape.threads = asked_.threads > 0 ? asked_.threads : usable_cores();
  shape.with_kv = false;
  return shape;
}

CategoryBytes Planner::working(const WorkingShape& shape) const {
  const ModelOutline& model = reformatted_ ? *reformatted_ : *model_;
  if (own() && on_host()) return cpu_working_memory(model, shape);
  return own() ? cuda_working_memory(model, *gpu_, shape) : other_working_memory(model, *gpu_, shape);
}

/// What everything of this process takes on a device at most. Shares that know nothing of working memory can
/// come to more than there is.
Bytes Planner::device_limit(Bytes other, Bytes weights) const {
  const MemoryBudget& budget = budget_;
  const Bytes memory = gpu_->memory, free = std::max<Bytes>(memory - budget.other_processes, 0);
  const Bytes margin = law_ != KvLaw::pitwall || on_host() ? 0 : device_margin(memory);
  const auto share = [&](double part, Bytes of) {
    return static_cast<Bytes>(std::floor(part * static_cast<double>(of)));
  };
  Bytes limit = std::max<Bytes>(free - margin, 0);
  switch (budget.meaning) {
    case Meaning::automatic:
    case Meaning::kv_bytes:
      return limit;
    case Meaning::bytes:
      return std::min(limit, budget.bytes);
    case Meaning::share_of_total:
      limit = std::min(free, share(budget.share, memory));
      break;
    case Meaning::share_static:
      limit = capped_sum(other - weights, share(budget.share, memory));
      break;
    case Meaning::share_of_free:
      limit = std::min(free, capped_sum(other, share(budget.share, std::max<Bytes>(free - other, 0))));
      break;
    case Meaning::share_after_weights:
      limit = capped_sum(other, share(budget.share, std::max<Bytes>(free - weights, 0)));
      break;
    case Meaning::margin:
      return std::max<Bytes>(free - budget.bytes, 0);
  }
  return budget.bytes > 0 ? std::min(limit, budget.bytes) : limit;
}

Planner::Pool Planner::pool(const Stage& stage, int sequences) const {
  Pool pool;
  WorkingShape shape = this->shape(sequences);
  pool.categories = working(shape);
  pool.categories[static_cast<std::size_t>(Category::weights)] = stage.weights;
  if (on_host()) {
    const Bytes block = stage.demand.unit();
    shape.swap_blocks = block > 0 ? asked_.swap_space / block : 0;
    pool.categories[static_cast<std::size_t>(Category::swap)] = shape.swap_blocks * block;
  }
  for (const Bytes bytes : pool.categories) pool.other = capped_sum(pool.other, bytes);
  pool.limit = device_limit(pool.other, stage.weights);
  const Bytes free = std::max<Bytes>(gpu_->memory - budget_.other_processes, 0);
  if (pool.limit > free) {
    pool.problem = fmt::format(
        "Weights and KV of that share leave {} for activations, graphs and context, which "
        "need {}: it runs out of memory",
        format_bytes(std::max<Bytes>(free - (pool.limit - (pool.other - stage.weights)), 0)),
        format_bytes(pool.other - stage.weights));
    pool.limit = free;
  }
  if (own()) {
    decide_own_pool(stage, shape, pool);
  } else {
    decide_pool(stage, shape, pool);
  }
  pool.categories[static_cast<std::size_t>(Category::kv)] = pool.bytes;
  return pool;
}

/// As the engine's loader decides, with the same function.
void Planner::decide_own_pool(const Stage& stage, const WorkingShape& before, Pool& pool) const {
  WorkingShape shape = before;
  KvWish wish;
  wish.layout.block_size = asked_.block_size;
  wish.rank_block_bytes = stage.demand.unit();
  const auto most = std::numeric_limits<int>::max();
  wish.context_length = static_cast<int>(std::min<std::int64_t>(wanted_length(), most));
  wish.max_num_seqs = shape.sequences;
  if (asked_.max_model_len) wish.max_model_len = wish.context_length;
  if (budget_.meaning == Meaning::kv_bytes) wish.bytes = budget_.bytes;
  wish.own_device = !on_host();
  if (!on_host()) wish.pool_rounding = cuda_kv_rounding(stage.last - stage.first, format_.name == "int8");
  const Bytes room = std::max<Bytes>(pool.limit - pool.other, 0);
  const auto plan = plan_kv(wish, room);
  if (!plan) {
    pool.problem = plan.error().what;
    const std::int64_t blocks = std::min<std::int64_t>(room / std::max<Bytes>(stage.demand.unit(), 1), most);
    pool.bytes = wish.bytes ? std::min(*wish.bytes, room) / stage.demand.unit() * stage.demand.unit()
                            : blocks * stage.demand.unit();
    pool.max_model_len = wish.context_length;
  } else {
    pool.bytes = plan->blocks * stage.demand.unit();
    pool.max_model_len = plan->max_model_len;
  }
  shape.with_kv = true;
  shape.pool_blocks = pool.bytes / std::max<Bytes>(stage.demand.unit(), 1);
  CategoryBytes after = working(shape);
  after[static_cast<std::size_t>(Category::weights)] = stage.weights;
  after[static_cast<std::size_t>(Category::swap)] = pool.categories[static_cast<std::size_t>(Category::swap)];
  pool.categories = after;
}

/// What starts with the engine: one sequence of its pool, or llama.cpp's context of all slots.
Bytes Planner::context_bytes(const KvDemand& demand, std::int64_t slots, std::int64_t tokens) const {
  if (law_ != KvLaw::llama_cpp) return demand.sequence(tokens);
  return one_context() ? demand.shared_context(slots, tokens) : demand.of_requests(slots, tokens, 0);
}

/// What is wanted, or what fits where the engine starts with less.
std::int64_t Planner::served_length(const KvDemand& demand, std::int64_t slots, Bytes room) const {
  const std::int64_t wanted = std::min<std::int64_t>(wanted_length(), std::numeric_limits<int>::max());
  if (choice_.engine == nullptr || !choice_.engine->shortens) return wanted;
  const EngineShortening& shortens = *choice_.engine->shortens;
  if ((asked_.max_model_len && !shortens.stated) || context_bytes(demand, slots, wanted) <= room)
    return wanted;
  std::int64_t fits = 0, too_long = wanted;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (context_bytes(demand, slots, middle) <= room ? fits : too_long) = middle;
  }
  return fits < shortens.least ? wanted : fits;
}

/// Other engines give KV whatever is left.
void Planner::decide_pool(const Stage& stage, const WorkingShape& shape, Pool& pool) const {
  Bytes room = std::max<Bytes>(pool.limit - pool.other, 0);
  if (budget_.meaning == Meaning::kv_bytes) {
    if (budget_.bytes > room) {
      pool.problem = fmt::format("kv-cache-memory-bytes is {}; after everything else {} are free",
                                 format_bytes(budget_.bytes), format_bytes(room));
    }
    room = budget_.bytes;
  }
  const std::int64_t length = served_length(stage.demand, shape.sequences, room);
  // llama.cpp takes the whole context of its slots, and no more.
  if (law_ == KvLaw::llama_cpp) room = std::min(room, context_bytes(stage.demand, shape.sequences, length));
  const Bytes unit = stage.demand.unit();
  pool.bytes = unit > 0 ? room / unit * unit : room;
  pool.max_model_len = static_cast<int>(length);
}

std::int64_t Planner::most(std::int64_t tokens) const {
  const auto fits = [&](std::int64_t requests) {
    const int sequences = static_cast<int>(std::max<std::int64_t>(asked_.max_num_seqs, requests));
    return std::all_of(stages_.begin(), stages_.end(), [&](const Stage& stage) {
      const Pool pool = this->pool(stage, sequences);
      return pool.other <= pool.limit && stage.demand.most(pool.bytes, tokens, shared()) >= requests;
    });
  };
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t low = 0, high = kMost + 1;
  for (const Stage& stage : stages_) {
    const Pool pool = this->pool(stage, asked_.max_num_seqs);
    // Some pools grow with max-num-seqs up to their share of the room.
    const Bytes room =
        own() || law_ == KvLaw::llama_cpp ? std::max<Bytes>(pool.limit - pool.other, 0) : pool.bytes;
    high = std::min(high, stage.demand.most(std::max(room, pool.bytes), tokens, shared()) + 1);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace pitwall
