// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/engine_loader.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>

#include "engine/plan/memory_plan.h"
#include "engine/serve/kv_choice.h"
#include "engine/serve/scheduler_settings.h"

namespace pitwall {

namespace {

/// Rows of prompt logits that one step returns, where they are asked for.
constexpr int kPromptLogitRows = 512;
/// Rows that a step has in any case, so that a prompt's logprobs come in chunks where few sequences run.
constexpr int kPromptLogprobRows = 32;

KvDtype kv_dtype(const Settings& settings) {
  if (const auto asked = find_kv_dtype(settings.text("kv-cache-dtype"))) return *asked;
  const std::string& dtype = settings.text("dtype");
  return dtype == "float32" ? KvDtype::float32 : dtype == "float16" ? KvDtype::float16 : KvDtype::bfloat16;
}

/// The reference values for safetensors checkpoints come from modules cast to the checkpoint's bfloat16,
/// rotary table included; float32, the mode for comparison, follows them. Serving uses exact frequencies.
RopeSpec::Frequencies effective_frequencies(const ModelSpec& spec, const Settings& settings) {
  const std::string& asked = settings.text("rope-frequencies");
  if (asked == "bfloat16") return RopeSpec::Frequencies::bfloat16;
  const bool compares = settings.text("dtype") == "float32" && spec.bfloat16_reference;
  return asked == "auto" && compares ? RopeSpec::Frequencies::bfloat16 : RopeSpec::Frequencies::exact;
}

std::optional<std::int64_t> asked(const Settings& settings, std::string_view name) {
  if (settings.is_auto(name)) return std::nullopt;
  return settings.integer(name);
}

Result<KvWish> kv_wish(const ModelSpec& spec, KvLayout layout, const Settings& settings) {
  KvWish wish;
  wish.layout = std::move(layout);
  wish.context_length = spec.context_length;
  wish.max_num_seqs = static_cast<int>(settings.integer("max-num-seqs"));
  wish.bytes = asked(settings, "kv-cache-memory-bytes");
  if (const auto length = asked(settings, "max-model-len")) {
    if (*length > spec.context_length) {
      return Error{.kind = Error::Kind::invalid_input,
                   .what = "max-model-len is " + format_count(*length) +
                           " tokens; the model was trained on " + format_count(spec.context_length),
                   .cause = {},
                   .action = "Lower max-model-len to the model's context length, or leave it at auto",
                   .param = "max-model-len"};
    }
    wish.max_model_len = static_cast<int>(*length);
  }
  return wish;
}

/// What clients call a model that was not given a name: its file without ".gguf", or its folder.
std::string file_name(const std::filesystem::path& model) {
  const std::filesystem::path whole = std::filesystem::absolute(model).lexically_normal();
  const std::filesystem::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return name.extension() == ".gguf" ? name.stem().string() : name.string();
}

/// Bytes that may still be booked: under the limit, and free on the device but for `margin`.
Bytes room(const Ledger& ledger, Bytes margin = 0) {
  const LedgerSnapshot now = ledger.snapshot();
  Bytes free = now.device_total - now.other_processes - now.accounted() - margin;
  if (now.limit > 0) free = std::min(free, now.limit - now.accounted());
  return std::max<Bytes>(free, 0);
}

/// Whole blocks of swap space; 0 = none is asked for. On the CPU it shares `room` with everything else.
Result<int> swap_blocks(const KvLayout& layout, Bytes asked, Bytes room, bool shares_room) {
  const Bytes block = layout.bytes_per_block();
  if (asked > 0 && asked < block) {
    return Error{
        .kind = Error::Kind::invalid_input,
        .what = "swap-space is " + format_bytes(asked) + "; one KV block takes " + format_bytes(block),
        .cause = {},
        .action = "Raise swap-space, or leave it at auto",
        .param = "swap-space"};
  }
  if (shares_room && asked > room) {
    return Error{.kind = Error::Kind::out_of_memory,
                 .what = "swap-space is " + format_bytes(asked) + "; " + format_bytes(room) + " are free",
                 .cause = {},
                 .action = "Lower swap-space, or raise memory-limit",
                 .param = "swap-space"};
  }
  return static_cast<int>(std::min<Bytes>(asked / block, std::numeric_limits<int>::max()));
}

Error cancelled() {
  return {.kind = Error::Kind::cancelled,
          .what = "Loading was cancelled",
          .cause = {},
          .action = {},
          .param = {}};
}

/// None, with the error noted, when the template does not compile.
std::optional<ChatFormat> open_chat_format(const std::string& source, LoadedEngine& loaded) {
  auto compiled = ChatTemplate::compile(source);
  if (!compiled) {
    loaded.chat_template_error = compiled.error();
    return std::nullopt;
  }
  ChatFormat format{*std::move(compiled), {}, source.find("<think>") != std::string::npos};
  format.traits = probe_template(format.chat_template);
  if (!format.traits.opens_reply) {
    loaded.warnings.emplace_back(
        "The chat template has no generation prompt: add_generation_prompt changes nothing, so the model may "
        "go "
        "on with the user's message");
  }
  return format;
}

Result<void> open_text(LoadedEngine& loaded) {
  const Model& model = *loaded.model;
  if (model.vocabulary().source != VocabularyData::Source::none) {
    auto tokenizer = make_tokenizer(model.vocabulary());
    if (!tokenizer) return tokenizer.error();
    loaded.tokenizer = *std::move(tokenizer);
  }
  if (!model.chat_template().empty()) loaded.chat_format = open_chat_format(model.chat_template(), loaded);
  const std::string& for_tools = model.chat_template(true);
  if (for_tools != model.chat_template()) loaded.tool_chat_format = open_chat_format(for_tools, loaded);
  return {};
}

/// One load, step by step; each step reports and may be cancelled.
class Loader {
 public:
  Loader(const EngineOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  Result<LoadedEngine> run() {
    if (!go_on({"Opening the model", 0, 0})) return cancelled();
    if (auto ok = open(); !ok) return ok.error();
    if (auto ok = load_weights(); !ok) return ok.error();
    if (!go_on({"Allocating the KV cache", 0, 0})) return cancelled();
    if (auto ok = allocate_kv(); !ok) return ok.error();
    loaded_.executor = std::make_unique<DeviceExecutor>(std::move(backend_), std::move(transformer_),
                                                        loaded_.scheduler.max_num_seqs, clock_);
    return std::move(loaded_);
  }

 private:
  bool go_on(const LoadProgress& progress) const {
    if (options_.on_progress) options_.on_progress(progress);
    return options_.cancel == nullptr || !options_.cancel->load();
  }

  Result<void> open() {
    loaded_.model = options_.opened;
    if (!loaded_.model) {
      auto model = Model::open(options_.model);
      if (!model) return model.error();
      loaded_.model = *std::move(model);
    }
    if (auto ok = open_text(loaded_); !ok) return ok;
    auto scheduler = scheduler_config(options_.settings);
    if (!scheduler) return scheduler.error();
    loaded_.scheduler = *scheduler;
    KvChoice kv = choose_kv(*loaded_.model, kv_dtype(options_.settings),
                            static_cast<int>(options_.settings.integer("block-size")));
    auto wish = kv_wish(loaded_.model->spec(), std::move(kv.layout), options_.settings);
    if (!wish) return wish.error();
    wish_ = *std::move(wish);
    loaded_.warnings.insert(loaded_.warnings.end(), kv.warnings.begin(), kv.warnings.end());
    auto backend = options_.make_backend(options_.settings);
    if (!backend) return backend.error();
    backend_ = *std::move(backend);
    const bool host = backend_->device().kind == "cpu";
    wish_.own_device = !host;
    const auto swap =
        swap_blocks(wish_.layout, options_.settings.integer("swap-space"), room(backend_->ledger()), host);
    if (!swap) return swap.error();
    loaded_.swap_blocks = *swap;
    swap_share_ = host ? *swap * wish_.layout.bytes_per_block() : 0;
    return check_room(wish_, loaded_.model->weight_bytes(), room(backend_->ledger()) - swap_share_);
  }

  Result<void> load_weights() {
    SchedulerConfig& scheduler = loaded_.scheduler;
    const int prompt_rows = options_.prompt_logits ? kPromptLogitRows : kPromptLogprobRows;
    scheduler.max_logit_rows =
        std::max(scheduler.max_num_seqs, std::min(scheduler.max_num_batched_tokens, prompt_rows));
    const int longest = wish_.max_model_len.value_or(wish_.context_length);
    StepLimits limits;
    limits.max_tokens = scheduler.max_num_batched_tokens;
    limits.max_logit_rows = scheduler.max_logit_rows;
    limits.max_slots = scheduler.max_num_seqs;
    limits.max_blocks_per_sequence = (longest + wish_.layout.block_size - 1) / wish_.layout.block_size;
    limits.vocabulary = loaded_.model->spec().vocabulary;
    scheduler.rope_switch = loaded_.model->spec().rope_switch(longest);
    auto transformer = Transformer::load(*loaded_.model, *backend_, limits, longest,
                                         effective_frequencies(loaded_.model->spec(), options_.settings),
                                         [this](const LoadProgress& progress) { return go_on(progress); });
    if (!transformer) return transformer.error();
    transformer_ = *std::move(transformer);
    return warm_up();
  }

  Result<void> warm_up() {
    if (!go_on({"Preparing the device", 0, 0})) return cancelled();
    int heads = 0;
    for (const LayerSpec& layer : loaded_.model->spec().layers)
      heads = std::max(heads, layer.attention.heads);
    if (auto ok = backend_->prepare_attention(wish_.layout, heads); !ok) return ok;
    const std::vector<int> buckets = decode_buckets(loaded_.scheduler.max_num_seqs);
    return backend_->warm_up([this] { transformer_->forward(); }, buckets);
  }

  Result<void> allocate_kv() {
    const Bytes margin = wish_.own_device ? device_margin(backend_->device().memory) : 0;
    const KvFootprint footprint = backend_->kv_footprint(wish_.layout);
    wish_.rank_block_bytes = footprint.block;
    wish_.pool_rounding = footprint.rounding;
    const auto plan = plan_kv(wish_, std::max<Bytes>(room(backend_->ledger(), margin) - swap_share_, 0));
    if (!plan) return plan.error();
    if (auto ok = backend_->allocate_kv(wish_.layout, plan->blocks); !ok) return ok;
    if (loaded_.swap_blocks > 0) {
      if (auto ok = backend_->allocate_swap(loaded_.swap_blocks); !ok) return ok;
    }
    loaded_.bytes_per_block = footprint.block;
    KvCacheConfig cache;
    cache.blocks = plan->blocks;
    cache.block_size = wish_.layout.block_size;
    cache.swap_blocks = loaded_.swap_blocks;
    cache.prefix_caching = options_.settings.flag("enable-prefix-caching");
    cache.model_identity = options_.model.string();
    loaded_.cache = std::make_unique<KvCache>(cache);
    loaded_.scheduler.max_model_len = plan->max_model_len;
    if (auto ok = loaded_.scheduler.check(); !ok) return ok;
    state_effective(*plan);
    return {};
  }

  void state_effective(const KvPlan& plan) {
    if (plan.max_model_len < smallest_model_len(wish_)) {
      loaded_.warnings.push_back("The KV cache holds sequences of " + std::to_string(plan.max_model_len) +
                                 " tokens, prompt and reply together, of the model's " +
                                 std::to_string(wish_.context_length) +
                                 "; raise kv-cache-memory-bytes for longer ones");
    }
    for (const std::string& warning : loaded_.warnings) spdlog::warn("{}", warning);
    loaded_.device = backend_->device();
    const std::string& asked_name = options_.settings.text("served-model-name");
    loaded_.served_name = asked_name.empty() ? file_name(options_.model) : asked_name;
    const LedgerSnapshot ledger = backend_->ledger().snapshot();
    auto& effective = loaded_.effective;
    effective["model"] = options_.model.string();
    effective["served-model-name"] = loaded_.served_name;
    effective["max-model-len"] = std::to_string(plan.max_model_len);
    effective["kv-cache-dtype"] = kv_dtype_name(wish_.layout.dtype);
    effective["kv-cache-memory-bytes"] = exact_size(plan.blocks * loaded_.bytes_per_block);
    effective["swap-space"] = exact_size(loaded_.swap_blocks * loaded_.bytes_per_block);
    effective["memory-limit"] = exact_size(ledger.limit > 0 ? ledger.limit : ledger.device_total);
    effective["rope-frequencies"] =
        effective_frequencies(loaded_.model->spec(), options_.settings) == RopeSpec::Frequencies::exact
            ? "exact"
            : "bfloat16";
    effective["threads"] = std::to_string(loaded_.device.threads);
  }

  const EngineOptions& options_;
  const Clock& clock_;
  KvWish wish_;
  Bytes swap_share_ = 0;  // of the device's memory
  LoadedEngine loaded_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Transformer> transformer_;
};

}  // namespace

Result<LoadedEngine> load_engine(const EngineOptions& options, const Clock& clock) {
  // The CPU's automatic mode has no name of its own.
  if (options.settings.text("device") != "cuda" || options.settings.text("dtype") != "auto")
    return Loader(options, clock).run();
  EngineOptions named = options;
  const auto run_with = [&](const char* dtype) -> Result<LoadedEngine> {
    if (auto ok = named.settings.set("dtype", dtype, SettingOrigin::preset); !ok) return ok.error();
    auto loaded = Loader(named, clock).run();
    if (loaded) loaded->effective["dtype"] = dtype;
    return loaded;
  };
  auto finer = run_with("float16");
  if (finer || finer.error().param != "dtype") return finer;
  const std::string why = finer.error().what + "; so dtype auto is bfloat16";
  spdlog::warn("{}", why);
  auto coarser = run_with("bfloat16");
  if (coarser) coarser->warnings.push_back(why);
  return coarser;
}

}  // namespace pitwall
