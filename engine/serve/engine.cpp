// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/engine.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "engine/base/units.h"
#include "engine/serve/engine_loader.h"
#include "engine/serve/engine_loop.h"
#include "engine/serve/guide_store.h"
#include "engine/serve/run_recorder.h"
#include "engine/serve/scheduler_settings.h"

namespace pitwall {

namespace {

constexpr Nanos kSnapshotAge = 50 * kNanosPerMs;

Error prompt_too_long(std::size_t prompt, int max_model_len) {
  return {.kind = Error::Kind::invalid_input,
          .what = "The prompt has " + format_count(static_cast<std::int64_t>(prompt)) +
                  " tokens; the context length is " + format_count(max_model_len) +
                  " tokens, prompt and reply together",
          .cause = {},
          .action = "Shorten the prompt, or start the engine with a larger max-model-len",
          .param = "context_length"};
}

Result<void> check_tokens(const std::vector<TokenId>& tokens, int vocabulary) {
  const auto bad =
      std::find_if(tokens.begin(), tokens.end(), [&](TokenId id) { return id < 0 || id >= vocabulary; });
  if (bad == tokens.end()) return {};
  return Error{.kind = Error::Kind::invalid_input,
               .what = "Token " + std::to_string(*bad) + " at position " +
                       std::to_string(bad - tokens.begin()) + " is outside the vocabulary of " +
                       std::to_string(vocabulary),
               .cause = {},
               .action = {},
               .param = "prompt"};
}

Result<void> check_bias(const std::vector<std::pair<TokenId, float>>& biases, int vocabulary) {
  for (const auto& [token, bias] : biases) {
    if (token >= 0 && token < vocabulary) continue;
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "logit_bias names token " + std::to_string(token) + "; the vocabulary has " +
                         std::to_string(vocabulary),
                 .cause = {},
                 .action = "Send token ids of this model's tokenizer",
                 .param = "logit_bias"};
  }
  return {};
}

}  // namespace

struct Engine::State {
  EngineOptions options;  // settings: guarded by settings_mutex once it serves
  mutable std::mutex settings_mutex;
  std::shared_ptr<const Clock> clock;
  Nanos started_utc = 0;
  LoadedEngine loaded;
  std::optional<GuideStore> guides;
  std::optional<Recorder> recorder;
  std::optional<RunRecorder> run;
  OutputListeners listeners;
  std::optional<EngineLoop> loop;
  std::atomic<EngineState> phase{EngineState::serving};
  std::atomic<std::uint64_t> next_request{1};

  std::mutex stopping;  // one stop() at a time
  std::mutex snapshot_mutex;
  std::shared_ptr<const Snapshot> snapshot;

  EngineState now() const { return loop->failure() ? EngineState::failed : phase.load(); }
  Ledger& ledger() { return loaded.executor->backend().ledger(); }

  Result<void> check(const GenerationRequest& request) const {
    if (request.prompt.empty()) {
      return Error{.kind = Error::Kind::invalid_input,
                   .what = "The prompt has no tokens",
                   .cause = {},
                   .action = "Send at least one token",
                   .param = "prompt"};
    }
    if (request.prompt.size() >= static_cast<std::size_t>(loaded.scheduler.max_model_len)) {
      return prompt_too_long(request.prompt.size(), loaded.scheduler.max_model_len);
    }
    if (request.sampling.prompt_logits && !options.prompt_logits) {
      return Error{.kind = Error::Kind::unsupported,
                   .what = "This engine was not started to return prompt logits",
                   .cause = {},
                   .action = {},
                   .param = "prompt_logits"};
    }
    const int vocabulary = loaded.model->spec().vocabulary;
    if (auto ok = check_tokens(request.prompt, vocabulary); !ok) return ok;
    if (auto ok = check_bias(request.sampling.logit_bias, vocabulary); !ok) return ok;
    return request.sampling.check();
  }

  /// The model's own end tokens join those that the client named; what the model cannot choose is left out.
  void add_end_tokens(GenerationRequest& request) const {
    std::vector<TokenId>& ends = request.sampling.end_tokens;
    if (!request.ignore_eos && loaded.tokenizer) {
      const std::vector<TokenId>& own = loaded.tokenizer->end_tokens();
      ends.insert(ends.end(), own.begin(), own.end());
    }
    const int vocabulary = loaded.model->spec().vocabulary;
    std::erase_if(ends, [&](TokenId token) { return token < 0 || token >= vocabulary; });
  }

  std::shared_ptr<const Snapshot> take_snapshot() {
    auto taken = std::make_shared<Snapshot>(recorder->snapshot(ledger().snapshot()));
    taken->state = now();
    taken->model = loaded.served_name;
    taken->run = run->run();
    taken->started_utc = started_utc;
    taken->max_num_seqs = loop->max_num_seqs();
    const KvCacheConfig& cache = loaded.cache->config();
    taken->kv_blocks = cache.blocks;
    taken->kv_blocks_used = static_cast<std::int32_t>(taken->ledger.kv_used / loaded.bytes_per_block);
    taken->kv_blocks_cached = static_cast<std::int32_t>(taken->ledger.kv_cached / loaded.bytes_per_block);
    taken->block_size = cache.block_size;
    return taken;
  }
};

Engine::Engine() : state_(std::make_unique<State>()) {}

Engine::~Engine() {
  stop();
}

Result<std::unique_ptr<Engine>> Engine::start(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine);
  State& state = *engine->state_;
  state.options = std::move(options);
  state.clock = state.options.clock ? state.options.clock : std::make_shared<RealClock>();
  auto loaded = load_engine(state.options, *state.clock);
  if (!loaded) return loaded.error();
  state.loaded = *std::move(loaded);
  if (state.loaded.chat_template_error) {
    spdlog::warn("the chat template does not compile: {}", state.loaded.chat_template_error->text());
  }
  state.guides.emplace(state.loaded.tokenizer, state.loaded.model->spec().vocabulary);
  state.started_utc = state.clock->utc_now();
  state.recorder.emplace(*state.clock);
  state.run.emplace(*state.recorder, state.ledger(), state.options.runs,
                    run_header(state.options, state.loaded, state.ledger(), state.started_utc));
  state.loop.emplace(EngineParts{.config = state.loaded.scheduler,
                                 .cache = *state.loaded.cache,
                                 .executor = *state.loaded.executor,
                                 .ledger = state.ledger(),
                                 .bytes_per_block = state.loaded.bytes_per_block,
                                 .recorder = *state.recorder,
                                 .clock = *state.clock,
                                 .listeners = state.listeners,
                                 .strict_checks = state.options.strict_checks},
                     state.loaded.tokenizer);
  const KvCacheConfig& cache = state.loaded.cache->config();
  spdlog::debug("{} is loaded: {} KV blocks of {} tokens, {} sequences at once, {} tokens in a step",
                state.loaded.served_name, cache.blocks, cache.block_size, state.loop->max_num_seqs(),
                state.loaded.scheduler.max_num_batched_tokens);
  return engine;
}

Result<RequestId> Engine::submit(GenerationRequest request, OutputSink sink) {
  State& state = *state_;
  if (auto ok = state.check(request); !ok) return ok.error();
  state.add_end_tokens(request);
  const RequestId id{state.next_request.fetch_add(1)};
  const std::int64_t room = state.loaded.scheduler.max_model_len - std::ssize(request.prompt);
  const std::int64_t asked_tokens =
      request.sampling.max_tokens > 0 ? std::min<std::int64_t>(request.sampling.max_tokens, room) : room;
  RequestRecord record;
  record.id = id;
  record.label = request.label;
  record.arrival = state.clock->now();
  record.arrival_utc = state.clock->utc_now();
  record.prompt_tokens = static_cast<std::int32_t>(request.prompt.size());
  record.priority = request.priority;
  record.tenant = request.tenant;
  Request queued;
  queued.id = id;
  queued.label = std::move(request.label);
  queued.prompt = std::move(request.prompt);
  queued.sampling = std::move(request.sampling);
  queued.arrival = record.arrival;
  queued.priority = request.priority;
  queued.tenant = std::move(request.tenant);
  queued.cache_key.salt = std::move(request.cache_salt);
  if (auto ok = state.loop->submit(std::move(queued), record, std::move(request.parts), std::move(sink),
                                   request.max_waiting);
      !ok) {
    return ok.error();
  }
  state.recorder->asked(request.choices, asked_tokens);
  return id;
}

int Engine::add_output_listener(std::function<void()> told) {
  return state_->listeners.add(std::move(told));
}

void Engine::remove_output_listener(int listener) {
  state_->listeners.remove(listener);
}

void Engine::cancel(RequestId id, std::string reason) {
  state_->loop->cancel(id, std::move(reason));
}

Result<void> Engine::change(std::string_view setting, std::string_view value, ChangedBy by) {
  State& state = *state_;
  const SettingInfo* info = find_setting(setting);
  if (info != nullptr && !info->live) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = std::string(info->name) + " cannot change while the engine serves",
                 .cause = {},
                 .action = "Start the engine again with the new value",
                 .param = std::string(info->name)};
  }
  const std::lock_guard lock(state.settings_mutex);
  Settings wanted = state.options.settings;
  if (auto ok = wanted.set(setting, value); !ok) return ok;
  auto config = scheduler_config(wanted);
  if (!config) return config.error();
  config->max_model_len = state.loaded.scheduler.max_model_len;
  config->max_logit_rows = state.loaded.scheduler.max_logit_rows;
  auto changed =
      state.loop->ask([&](Scheduler& scheduler, KvCache&) { return scheduler.reconfigure(*config); });
  if (!changed) return changed;
  const std::string from = state.options.settings.display(info->name), to = wanted.display(info->name);
  if (from != to) {
    state.recorder->setting_changed(std::string(info->name), from, to, by);
    spdlog::debug("{} is {} from the next step on; it was {}", info->name, to, from);
  }
  state.options.settings = std::move(wanted);
  return {};
}

Result<void> Engine::reset_prefix_cache() {
  return state_->loop->ask([](Scheduler& scheduler, KvCache& cache) -> Result<void> {
    if (const int waiting = scheduler.waiting(); waiting > 0) {
      return Error{Error::Kind::busy,
                   fmt::format("The prefix cache cannot be emptied: {} requests wait", waiting), "",
                   "Try again when no request runs", ""};
    }
    return cache.reset_prefixes();
  });
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  State& state = *state_;
  const std::lock_guard lock(state.snapshot_mutex);
  if (!state.snapshot || state.clock->now() - state.snapshot->steady > kSnapshotAge) {
    state.snapshot = state.take_snapshot();
  }
  return state.snapshot;
}

Recorder& Engine::recorder() {
  return *state_->recorder;
}

void Engine::stop(Nanos grace) {
  State& state = *state_;
  if (!state.loop) return;  // never started
  if (state.phase.exchange(EngineState::stopping) == EngineState::serving)
    spdlog::debug("{} stops: no more requests are taken", state.loaded.served_name);
  state.loop->stop(grace);
  const std::lock_guard lock(state.stopping);
  const auto failure = state.loop->failure();
  state.run->end(failure ? RunStatus::failed : RunStatus::finished,
                 failure ? failure->text() : std::string());
  state.phase = EngineState::stopped;
  const std::lock_guard fresh(state.snapshot_mutex);
  state.snapshot = nullptr;
}

void Engine::abandon() {
  if (state_->loop) state_->loop->abandon();
}

const Model& Engine::model() const {
  return *state_->loaded.model;
}

const std::string& Engine::served_name() const {
  return state_->loaded.served_name;
}

const std::string& Engine::device_name() const {
  return state_->loaded.device.name;
}

const std::shared_ptr<const Tokenizer>& Engine::tokenizer() const {
  return state_->loaded.tokenizer;
}

GuideStore& Engine::guides() const {
  return *state_->guides;
}

const ChatFormat* Engine::chat_format(bool with_tools) const {
  const LoadedEngine& loaded = state_->loaded;
  if (with_tools && loaded.tool_chat_format) return &*loaded.tool_chat_format;
  return loaded.chat_format ? &*loaded.chat_format : nullptr;
}

const Error* Engine::chat_template_error() const {
  const auto& error = state_->loaded.chat_template_error;
  return error ? &*error : nullptr;
}

Settings Engine::settings() const {
  const std::lock_guard lock(state_->settings_mutex);
  return state_->options.settings;
}

int Engine::max_model_len() const {
  return state_->loaded.scheduler.max_model_len;
}

int Engine::queue_seconds() const {
  constexpr std::size_t kLately = 10;
  const auto now = snapshot();
  const std::size_t seconds = std::min(kLately, now->history.size());
  double ended = 0;
  for (std::size_t i = 0; i < seconds; ++i) ended += now->history[now->history.size() - 1 - i].finished;
  if (ended == 0) return kLately;
  const double wait = (now->running + now->waiting) * static_cast<double>(seconds) / ended;
  return static_cast<int>(std::clamp(std::ceil(wait), 1.0, 60.0));
}

std::string Engine::effective(std::string_view setting) const {
  const auto& effective = state_->loaded.effective;
  const auto chosen = effective.find(setting);
  return chosen != effective.end() ? chosen->second : settings().display(setting);
}

const std::vector<std::string>& Engine::warnings() const {
  return state_->loaded.warnings;
}

RunId Engine::run() const {
  return state_->run->run();
}

Nanos Engine::started_utc() const {
  return state_->started_utc;
}

EngineState Engine::state() const {
  return state_->now();
}

std::optional<Error> Engine::failure() const {
  return state_->loop->failure();
}

}  // namespace pitwall
