// SPDX-License-Identifier: GPL-3.0-or-later
// Engine: the façade over text, scheduler and executor. One engine thread owns all scheduling state; an
// output thread turns tokens into text. Everything here may be called from any thread.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/execute/backend.h"
#include "engine/execute/transformer.h"
#include "engine/model/model.h"
#include "engine/schedule/scheduler.h"
#include "engine/settings/settings.h"
#include "engine/telemetry/recorder.h"
#include "engine/text/chat_template.h"
#include "engine/text/template_traits.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

class GuideStore;

using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(const Settings& settings)>;

struct EngineOptions {
  Settings settings;
  std::filesystem::path model;          ///< as Model::open takes it
  std::shared_ptr<const Model> opened;  ///< used instead where set; `model` names it then
  BackendFactory make_backend;
  RunSink* runs = nullptr;  ///< not owned, outlives the engine; null = nothing is recorded
  std::string run_kind = "serve", run_name;
  std::shared_ptr<const Clock> clock;                    ///< null = real
  std::function<void(const LoadProgress&)> on_progress;  ///< on the calling thread
  const std::atomic<bool>* cancel = nullptr;             ///< checked between tensors
  bool prompt_logits = false;  ///< requests may ask for prompt logits: more logit rows a step
  /// The scheduler's invariants are checked after each commit; builds with PITWALL_CHECKS always do.
  bool strict_checks = false;
};

/// A request as clients make it. Text in or tokens in.
struct GenerationRequest {
  std::vector<TokenId> prompt;
  SamplingParams sampling;  ///< end_tokens: the engine adds the model's own unless ignore_eos
  bool ignore_eos = false;
  std::string label;              ///< API id; shown in tables
  std::vector<PromptPart> parts;  ///< names for where a prefix miss lies; may be empty
  int priority = 0;               ///< lower first, under scheduling-policy priority
  std::string tenant;             ///< for whom, under scheduling-policy fair
  std::string cache_salt;         ///< requests with different salts share no cached prefix
  int choices = 1;                ///< of the call, counted once: 0 for all its other ones
  int max_waiting = 0;            ///< refused (Error::param "max-waiting") where so many wait; 0 = never
};

/// What the client hears. The last event has `finished`; exactly one of those comes, whatever happens.
struct OutputEvent {
  std::string text;                        ///< whole characters, stop strings cut
  std::vector<TokenId> tokens;             ///< tokens behind this event, end token left out
  std::vector<PositionLogprobs> logprobs;  ///< of `tokens`, one each, where the request asked
  bool finished = false;
  FinishReason reason = FinishReason::none;
  Error error;                      ///< with reason error
  RequestRecord record;             ///< with finished: all timings
  std::vector<SliceLogits> logits;  ///< with finished, when prompt_logits was asked
  /// With finished, where the request asked: of the prompt's tokens from the second on. A request that ends
  /// early may have fewer.
  std::vector<PositionLogprobs> prompt_logprobs;
};
/// Called on the output thread, in order; must not block and must not call back into the engine other than
/// cancel().
using OutputSink = std::function<void(OutputEvent&&)>;

class Engine {
 public:
  /// Opens, checks the memory limit, loads, allocates KV, starts the threads. Blocking; seconds for large
  /// models.
  static Result<std::unique_ptr<Engine>> start(EngineOptions options);
  ~Engine();  ///< stop()

  /// Refuses with the numbers what can never run (context_length: Error::param "messages"/"prompt" is the
  /// caller's to set).
  Result<RequestId> submit(GenerationRequest request, OutputSink sink);
  /// `told` is called on the output thread after a few events at most, and after the last of each step:
  /// whoever passes them on to another thread wakes it once for all of them. It must not block.
  int add_output_listener(std::function<void()> told);
  void remove_output_listener(int listener);  ///< no call is under way once this has returned
  /// Its blocks are free within one step. `reason` goes into its record.
  void cancel(RequestId id, std::string reason = {});
  std::shared_ptr<const Snapshot> snapshot() const;  ///< at most 100 ms old; never blocks the engine
  Recorder& recorder();

  /// Changes a setting marked `live` while requests run; in force from the next step. Blocks for at most a
  /// step: not to be called from an OutputSink. Errors name the setting; nothing changes then. `by` goes into
  /// the record.
  Result<void> change(std::string_view setting, std::string_view value, ChangedBy by);
  /// Forgets all cached prefixes. Error::busy while requests wait or hold KV blocks. Blocks for at
  /// most a step.
  Result<void> reset_prefix_cache();

  /// No new requests; running ones get `grace` to end, then are cancelled. Ends the run record. Idempotent.
  void stop(Nanos grace = 0);
  /// Running requests are cancelled at once, and what their step has not computed yet is left out. For who
  /// cannot wait for a long step; any thread, does not block. stop() still has to come.
  void abandon();

  const Model& model() const;
  const std::string& served_name() const;
  const std::string& device_name() const;  ///< the processor or GPU, with what of it is used
  const std::shared_ptr<const Tokenizer>& tokenizer() const;  ///< null when the checkpoint has none
  /// For requests with or without tools; null when the model has no template that compiles.
  const ChatFormat* chat_format(bool with_tools = false) const;
  GuideStore& guides() const;                ///< of what replies must be
  const Error* chat_template_error() const;  ///< why the template does not compile, or null
  Settings settings() const;                 ///< requested, changes while serving included
  int max_model_len() const;                 ///< effective
  /// In which those that run and wait now will have ended, by how many ended lately: 1 to 60.
  int queue_seconds() const;
  std::string effective(
      std::string_view setting) const;  ///< what is in force; equals the request where not "auto"
  const std::vector<std::string>& warnings() const;  ///< what to know of this model with these settings
  RunId run() const;
  Nanos started_utc() const;
  EngineState state() const;             ///< at this moment
  std::optional<Error> failure() const;  ///< why the engine no longer serves (state failed)

 private:
  Engine();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
