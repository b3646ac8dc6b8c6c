// SPDX-License-Identifier: GPL-3.0-or-later
// The engine as its callers see it: replies, cancelling, refusals, stop strings, records, starting and
// stopping.
#include <QTest>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

const test::SettingList kFloat32 = {{"dtype", "float32"}, {"kv-cache-memory-bytes", "8MiB"}};

GenerationRequest request(const std::string& prompt, int max_tokens) {
  return test::greedy_request(test::tiny_tokens(prompt), max_tokens);
}

EngineOptions options_for(const std::filesystem::path& model, const test::SettingList& settings) {
  EngineOptions options;
  options.strict_checks = true;
  options.model = model;
  options.make_backend = backend_factory();
  for (const auto& [name, value] : settings) {
    if (!options.settings.set(name, value)) qFatal("setting %s", name.c_str());
  }
  return options;
}

/// Requests that go on to the context's end.
class OpenRequests {
 public:
  void start(Engine& engine, int count) {
    std::unique_lock lock(mutex_);
    has_token_.resize(static_cast<std::size_t>(count));
    lock.unlock();
    for (int i = 0; i < count; ++i) {
      const auto id = engine.submit(
          request("request " + std::to_string(i), 0),
          [this, i](OutputEvent&& event) { take(static_cast<std::size_t>(i), std::move(event)); });
      if (id) ids.push_back(*id);
    }
  }
  void wait_for_tokens() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return std::find(has_token_.begin(), has_token_.end(), false) == has_token_.end(); });
  }
  std::vector<OutputEvent> wait_for_ends() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_.size() == has_token_.size(); });
    return ends_;
  }
  std::vector<RequestId> ids;

 private:
  void take(std::size_t index, OutputEvent&& event) {
    const std::lock_guard lock(mutex_);
    has_token_[index] = true;
    if (event.finished) ends_.push_back(std::move(event));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> has_token_;
  std::vector<OutputEvent> ends_;
};

/// Keeps what a run is told; may fail at any of its calls.
class SinkInMemory : public RunSink {
 public:
  bool fails_to_begin = false, fails_to_append = false;
  RunHeader header;
  std::vector<RequestRecord> requests;
  std::vector<SettingChange> changes;
  std::optional<RunSummary> summary;
  int calls = 0;

  Result<RunId> begin(const RunHeader& given) override {
    ++calls;
    if (fails_to_begin) return full();
    header = given;
    return RunId{7};
  }
  Result<void> append(RunId, const RunRows& rows) override {
    ++calls;
    if (fails_to_append) return full();
    requests.insert(requests.end(), rows.requests.begin(), rows.requests.end());
    changes.insert(changes.end(), rows.changes.begin(), rows.changes.end());
    return {};
  }
  Result<void> end(RunId, const RunSummary& given) override {
    ++calls;
    summary = given;
    return {};
  }

 private:
  static Error full() {
    return {.kind = Error::Kind::io, .what = "The disk is full", .cause = {}, .action = {}, .param = {}};
  }
};

}  // namespace

class EngineTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { tiny_ = test::write_tiny_model(folder_.path()); }

  void golden_tokens_of_all_prompts_at_once() {
    const auto folder = test::data("golden/llama-gqa");
    const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
    const auto engine = test::start_engine(folder, {{"dtype", "float32"}});
    std::vector<GenerationRequest> requests;
    for (const auto& prompt : expected["tokens"]) {
      requests.push_back(test::greedy_request(prompt.get<std::vector<TokenId>>(), 24));
    }
    const auto replies = test::run_requests(*engine, std::move(requests));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      QCOMPARE(replies[i].tokens, expected["greedy"][i].get<std::vector<TokenId>>());
      QCOMPARE(replies[i].last.reason, FinishReason::length);
      QCOMPARE(replies[i].last.record.output_tokens, 24);
      QCOMPARE(replies[i].text, "");  // the checkpoint has no tokenizer
    }
    QVERIFY(engine->tokenizer() == nullptr && engine->chat_format() == nullptr);
  }

  void cancelling_frees_all_blocks_and_keeps_the_reason() {
    const auto engine = test::start_engine(tiny_, kFloat32);
    OpenRequests open;
    open.start(*engine, 8);
    open.wait_for_tokens();
    QVERIFY(engine->snapshot()->max_num_seqs == 32);
    for (const RequestId id : open.ids) engine->cancel(id, "The reader left");
    for (const OutputEvent& end : open.wait_for_ends()) {
      QCOMPARE(end.reason, FinishReason::cancelled);
      QCOMPARE(end.record.error, "The reader left");
    }
    QTRY_COMPARE(engine->snapshot()->kv_blocks_used, 0);
    QTRY_COMPARE(engine->snapshot()->ledger.kv_quarantined, 0);
    QCOMPARE(engine->recorder().totals().requests_cancelled, 8);
    engine->cancel(RequestId{999});  // unknown: ignored
    QCOMPARE(test::run_request(*engine, request("again", 5)).tokens.size(), std::size_t{5});
  }

  void settings_that_do_not_go_together_are_refused_at_the_start() {
    const auto refused = [&](const test::SettingList& settings) {
      const auto engine = Engine::start(options_for(tiny_, settings));
      return engine ? std::string() : engine.error().param;
    };
    QCOMPARE(refused({{"max-num-batched-tokens", "1"}}), std::string("max-num-batched-tokens"));
    QCOMPARE(refused({{"max-model-len", "1"}}), std::string("max-model-len"));
    QCOMPARE(refused({{"preemption", "swap"}}), std::string("swap-space"));
  }

  void refusals_carry_the_numbers() {
    const auto engine = test::start_engine(tiny_, {{"max-model-len", "100"}});
    QCOMPARE(engine->max_model_len(), 100);
    const auto refusal = [&](GenerationRequest asked) {
      const auto id = engine->submit(std::move(asked), [](OutputEvent&&) {});
      return id ? Error{} : id.error();
    };
    const Error too_long = refusal(request(std::string(101, 'a'), 5));
    QCOMPARE(too_long.param, "context_length");
    QVERIFY(too_long.what.find("101") != std::string::npos && too_long.what.find("100") != std::string::npos);
    QCOMPARE(refusal(request(std::string(100, 'a'), 5)).param, "context_length");  // no room for one token
    QCOMPARE(refusal(request("", 5)).param, "prompt");
    GenerationRequest foreign = request("a", 5);
    foreign.prompt.push_back(test::kTinyVocabulary);
    QVERIFY(refusal(foreign).what.find("259") != std::string::npos);
    foreign.prompt.back() = -1;
    QCOMPARE(refusal(foreign).param, "prompt");
    GenerationRequest hot = request("a", 5);
    hot.sampling.choice.temperature = -1;
    QCOMPARE(refusal(hot).param, "temperature");
    GenerationRequest logits = request("a", 5);
    logits.sampling.prompt_logits = true;
    QCOMPARE(refusal(logits).kind, Error::Kind::unsupported);
    const auto capped = test::run_request(*engine, request(std::string(60, 'a'), 50));
    QCOMPARE(capped.last.reason, FinishReason::length);
    QCOMPARE(capped.last.record.output_tokens, 40);
  }

  void stop_strings_cut_text_and_counts() {
    const auto engine = test::start_engine(tiny_, kFloat32);
    const std::string whole = test::run_request(*engine, request("once upon a time", 60)).text;
    QCOMPARE(whole.size(), std::size_t{60});
    for (const std::size_t at : {std::size_t{0}, std::size_t{7}, std::size_t{31}, std::size_t{58}}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{2}}) {
        const std::string stop = whole.substr(at, length);
        const std::size_t first = whole.find(stop);
        GenerationRequest stopped = request("once upon a time", 60);
        stopped.sampling.stop = {"", "never said \x01", stop};
        const auto reply = test::run_request(*engine, std::move(stopped));
        QCOMPARE(reply.text, whole.substr(0, first));
        QCOMPARE(reply.last.reason, FinishReason::stop);
        QCOMPARE(reply.last.record.output_tokens, static_cast<int>(first + length));  // one token a byte
      }
    }
    QTRY_COMPARE(engine->snapshot()->kv_blocks_used, 0);
  }

  void end_tokens_end_the_reply_unseen_but_counted() {
    const auto engine = test::start_engine(tiny_, kFloat32);
    const auto whole = test::run_request(*engine, request("the end", 20));
    GenerationRequest ends = request("the end", 20);
    ends.sampling.end_tokens = {whole.tokens[6]};
    const auto first =
        std::find(whole.tokens.begin(), whole.tokens.end(), whole.tokens[6]) - whole.tokens.begin();
    const auto reply = test::run_request(*engine, std::move(ends));
    QCOMPARE(reply.last.reason, FinishReason::stop);
    QCOMPARE(static_cast<std::ptrdiff_t>(reply.tokens.size()), first);
    QCOMPARE(reply.last.record.output_tokens, static_cast<int>(first) + 1);
    QCOMPARE(reply.text, whole.text.substr(0, static_cast<std::size_t>(first)));
  }

  void a_small_pool_preempts_and_replies_stay_the_same() {
    const auto roomy = test::start_engine(tiny_, kFloat32);
    const auto tight = test::start_engine(tiny_, {{"dtype", "float32"},
                                                  {"kv-cache-memory-bytes", "1MiB"},
                                                  {"max-model-len", "1024"},
                                                  {"block-size", "16"}});
    std::vector<GenerationRequest> requests;
    for (int i = 0; i < 8; ++i) requests.push_back(request("story " + std::to_string(i) + " goes", 400));
    const auto expected = test::run_requests(*roomy, requests);
    const auto replies = test::run_requests(*tight, requests);
    for (std::size_t i = 0; i < replies.size(); ++i) QCOMPARE(replies[i].text, expected[i].text);
    QVERIFY(tight->recorder().totals().preemptions > 0);
    QTRY_COMPARE(tight->snapshot()->kv_blocks_used, 0);
  }

  void two_engines_start_and_stop_again_and_again() {
    for (int round = 0; round < 5; ++round) {
      const auto first = test::start_engine(tiny_, kFloat32);
      const auto second = test::start_engine(tiny_, kFloat32);
      OpenRequests open, also_open;
      open.start(*first, 4);
      also_open.start(*second, 4);
      open.wait_for_tokens();
      first->stop();
      second->stop();  // perhaps before its first token
      for (auto* requests : {&open, &also_open}) {
        for (const OutputEvent& end : requests->wait_for_ends())
          QCOMPARE(end.reason, FinishReason::cancelled);
      }
      first->stop();
      QCOMPARE(first->snapshot()->ledger.kv_used, 0);
      const auto late = first->submit(request("late", 1), [](OutputEvent&&) {});
      QVERIFY(!late);
      QCOMPARE(late.error().kind, Error::Kind::busy);
      first->cancel(open.ids.front());
    }
  }

  void an_abandoned_engine_cancels_who_waits() {
    for (int round = 0; round < 5; ++round) {
      const auto engine = test::start_engine(tiny_, kFloat32);
      OpenRequests open;
      open.start(*engine, 4);
      if (round % 2 == 0) open.wait_for_tokens();
      engine->abandon();  // in the middle of a step, or before the first
      for (const OutputEvent& end : open.wait_for_ends()) {
        QCOMPARE(end.reason, FinishReason::cancelled);
        QCOMPARE(end.record.error, std::string("The engine was stopped"));
      }
      QCOMPARE(engine->submit(request("late", 1), [](OutputEvent&&) {}).error().kind, Error::Kind::busy);
      QCOMPARE(engine->change("max-num-seqs", "2", ChangedBy::user).error().kind, Error::Kind::busy);
      engine->abandon();
      engine->stop(600 * kNanosPerSecond);
      engine->abandon();
      QCOMPARE(engine->snapshot()->ledger.kv_used, 0);
    }
  }

  void a_stop_with_grace_lets_requests_end() {
    const auto engine = test::start_engine(tiny_, kFloat32);
    OpenRequests open;
    open.start(*engine, 1);
    engine->stop(600 * kNanosPerSecond);
    QCOMPARE(open.wait_for_ends().front().reason, FinishReason::length);
  }

  void a_model_that_does_not_fit_is_refused_before_loading() {
    auto options = options_for(tiny_, {{"memory-limit", "1MiB"}, {"kv-cache-memory-bytes", "1MiB"}});
    std::vector<std::string> phases;
    options.on_progress = [&](const LoadProgress& progress) { phases.push_back(progress.phase); };
    const auto engine = Engine::start(std::move(options));
    QVERIFY(!engine);
    QCOMPARE(engine.error().kind, Error::Kind::out_of_memory);
    QCOMPARE(engine.error().param, "memory-limit");
    QVERIFY2(engine.error().what.find(format_bytes(kMiB) + " are free") != std::string::npos,
             engine.error().what.c_str());
    QVERIFY(std::find(phases.begin(), phases.end(), "Reading weights") == phases.end());
  }

  /// The device is the CPU, which knows no range of float16.
  void dtype_auto_on_a_gpu_is_float16_where_its_range_holds_the_weights() {
    for (const bool holds : {true, false}) {
      EngineOptions options = options_for(tiny_, {{"device", "cuda"}, {"kv-cache-memory-bytes", "8MiB"}});
      std::vector<std::string> tried;
      options.make_backend = [&](const Settings& settings) -> Result<std::unique_ptr<Backend>> {
        tried.push_back(settings.text("dtype"));
        if (!holds && tried.size() == 1) {
          return Error{.kind = Error::Kind::unsupported,
                       .what = "a weight is too large",
                       .cause = {},
                       .action = {},
                       .param = "dtype"};
        }
        Settings cpu = settings;
        if (auto ok = cpu.set("device", "cpu"); !ok) return ok.error();
        return backend_factory()(cpu);
      };
      const auto engine = Engine::start(std::move(options));
      PW_VERIFY(engine);
      const std::string expected = holds ? "float16" : "bfloat16";
      QCOMPARE(tried.back(), expected);
      QCOMPARE(tried.size(), holds ? std::size_t{1} : std::size_t{2});
      QCOMPARE((*engine)->effective("dtype"), expected);
      QCOMPARE((*engine)->effective("kv-cache-dtype"), expected);
    }
  }

  void loading_can_be_cancelled() {
    std::atomic<bool> cancel = false;
    auto options = options_for(tiny_, kFloat32);
    options.cancel = &cancel;
    options.on_progress = [&](const LoadProgress& progress) { cancel = cancel || progress.done > 0; };
    const auto engine = Engine::start(std::move(options));
    QVERIFY(!engine);
    QCOMPARE(engine.error().kind, Error::Kind::cancelled);
  }

  void a_length_beyond_the_models_is_refused() {
    const auto engine = Engine::start(options_for(tiny_, {{"max-model-len", "2049"}}));
    QVERIFY(!engine);
    QCOMPARE(engine.error().param, "max-model-len");
    QVERIFY(engine.error().what.find("2,048") != std::string::npos);
  }

  void effective_values_say_what_is_in_force() {
    const auto engine = test::start_engine(tiny_, {{"kv-cache-memory-bytes", "8MiB"}, {"max-num-seqs", "3"}});
    QCOMPARE(engine->effective("max-model-len"), "2048");
    QCOMPARE(engine->effective("max-num-seqs"), "3");
    QCOMPARE(engine->effective("kv-cache-dtype"), "bfloat16");
    const auto half = test::start_engine(tiny_, {{"dtype", "float16"}, {"kv-cache-memory-bytes", "8MiB"}});
    QCOMPARE(half->effective("kv-cache-dtype"), "float16");
    QCOMPARE(engine->effective("served-model-name"), "tiny");
    QCOMPARE(engine->effective("kv-cache-memory-bytes"), "8 MiB");
    QVERIFY(engine->snapshot()->kv_blocks * engine->snapshot()->block_size >= 2048);
    QCOMPARE(engine->snapshot()->state, EngineState::serving);
  }

  void a_run_is_recorded_from_begin_to_end() {
    SinkInMemory sink;
    auto options = options_for(tiny_, kFloat32);
    options.runs = &sink;
    options.run_name = "a test";
    options.run_kind = "check";
    {
      const auto engine = Engine::start(std::move(options));
      PW_VERIFY(engine);
      QCOMPARE((*engine)->run(), RunId{7});
      QCOMPARE((*engine)->snapshot()->run, RunId{7});
      test::run_request(**engine, request("record this", 9));
      PW_VERIFY((*engine)->change("max-num-seqs", "4", ChangedBy::sweep));
      PW_VERIFY((*engine)->change("max-num-seqs", "4", ChangedBy::sweep));  // the same: no change
    }
    QCOMPARE(sink.changes.size(), std::size_t{1});
    QCOMPARE(sink.changes[0].name + " " + sink.changes[0].from + " " + sink.changes[0].to,
             std::string("max-num-seqs 32 4"));
    QCOMPARE(sink.changes[0].by, ChangedBy::sweep);
    QCOMPARE(sink.header.name, "a test");
    QCOMPARE(sink.header.kind, "check");
    QCOMPARE(sink.header.uuid.size(), std::size_t{36});
    QCOMPARE(sink.header.model_name, "tiny");
    QCOMPARE(sink.header.model_sha256.size(), std::size_t{64});
    const auto length = std::find_if(sink.header.config.begin(), sink.header.config.end(),
                                     [](const ConfigEntry& entry) { return entry.name == "max-model-len"; });
    QVERIFY(length != sink.header.config.end());
    QCOMPARE(length->value, "2048");
    QCOMPARE(length->default_value, "auto");
    QCOMPARE(sink.requests.size(), std::size_t{1});
    QCOMPARE(sink.requests.front().output_tokens, 9);
    QVERIFY(sink.summary.has_value());
    QCOMPARE(sink.summary->status, RunStatus::finished);
    QCOMPARE(sink.summary->totals.output_tokens, 9);
  }

  void a_sink_that_fails_never_hurts_serving() {
    for (const bool at_begin : {true, false}) {
      SinkInMemory sink;
      sink.fails_to_begin = at_begin;
      sink.fails_to_append = true;
      auto options = options_for(tiny_, kFloat32);
      options.runs = &sink;
      {
        const auto engine = Engine::start(std::move(options));
        PW_VERIFY(engine);
        QCOMPARE(test::run_request(**engine, request("serve on", 9)).tokens.size(), std::size_t{9});
      }
      QVERIFY(sink.calls >= 2);  // tried again up to the end
      QCOMPARE(sink.summary.has_value(), !at_begin);
      if (at_begin) continue;
      QCOMPARE(sink.summary->status, RunStatus::cut_off);
      QVERIFY2(sink.summary->error.starts_with("Its last ") &&
                   sink.summary->error.ends_with(" s could not be written: The disk is full"),
               sink.summary->error.c_str());
      QCOMPARE(sink.summary->totals.output_tokens, 9);
    }
  }

  void step_records_add_up() {
    const auto engine = test::start_engine(tiny_, kFloat32);
    test::run_request(*engine, request("count the steps", 10));
    const auto steps = engine->recorder().last_steps(100);
    int prefill = 0, decode = 0;
    for (const StepRecord& step : steps) {
      prefill += step.prefill_tokens;
      decode += step.decode_tokens;
      QVERIFY(step.launched <= step.started && step.started <= step.finished && step.gap_ns >= 0);
    }
    QCOMPARE(prefill, 15);
    QCOMPARE(decode, 9);  // the first token comes with the prompt's step
    QCOMPARE(steps.front().joined, 1);
    QCOMPARE(steps.back().left, 1);
  }

  void stop_strings_with_the_starter_model() {
    const auto model = test::starter_model();
    if (!model) QSKIP("The starter model has not been fetched");
    const auto engine = test::start_engine(*model, {{"max-model-len", "512"}, {"max-num-seqs", "4"}});
    GenerationRequest counting;
    counting.prompt =
        engine->tokenizer()->encode("one, two, three, four, five, six, seven, one, two,", true, false);
    counting.sampling.choice.temperature = 0;
    counting.sampling.max_tokens = 24;
    const std::string whole = test::run_request(*engine, counting).text;
    const std::string stop = "five";
    QVERIFY2(whole.find(stop) != std::string::npos, whole.c_str());
    counting.sampling.stop = {stop};
    const auto reply = test::run_request(*engine, counting);
    QCOMPARE(reply.text, whole.substr(0, whole.find(stop)));
    QCOMPARE(reply.last.reason, FinishReason::stop);
  }

 private:
  test::TemporaryFolder folder_;
  std::filesystem::path tiny_;
};

QTEST_GUILESS_MAIN(EngineTest)
#include "engine_test.moc"
