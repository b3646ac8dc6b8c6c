// SPDX-License-Identifier: GPL-3.0-or-later
// The real scheduler and KV cache on a virtual clock: hand-computed times, determinism, prefix hits of a real
// trace, and what long prompts do to the token gaps of short chats.
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/bench/bench_result.h"
#include "engine/bench/replicas.h"
#include "engine/bench/simulated_machine.h"
#include "engine/bench/simulation.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/roofline.h"
#include "engine/telemetry/record_json.h"
#include "tests/support/llama_on_h200.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

/// 10 ms a step, 5 ms a prompt row, 1 ms a decode row.
class RowModel : public StepTimeModel {
 public:
  Nanos predict(const StepShape& shape) const override {
    return kNanosPerMs * (10 + 5 * shape.prefill_tokens + shape.decode_tokens);
  }
};

SimulationConfig small_config() {
  SimulationConfig config;
  config.scheduler.max_num_seqs = 4;
  config.scheduler.max_num_batched_tokens = 64;
  config.scheduler.max_model_len = 256;
  config.cache.blocks = 64;
  config.cache.block_size = 16;
  config.strict_checks = true;
  return config;
}

struct Llama : test::LlamaOnH200 {
  /// A step of `batch` decodes, each attending to `context` positions.
  double decode_ms(int batch, double context) const {
    StepShape shape;
    shape.sequences = shape.decode_tokens = shape.logit_rows = batch;
    shape.decode_context = std::llround(batch * context);
    return static_cast<double>(model.predict(shape)) / static_cast<double>(kNanosPerMs);
  }
};

Simulation run(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model) {
  auto simulation = simulate(trace, config, model);
  if (!simulation.ok()) qFatal("%s", simulation.error().text().c_str());
  return std::move(*simulation);
}

BenchResult result_of(const Simulation& simulation) {
  return summarize_bench(simulation.requests, simulation.itl_ms);
}

Trace azure(std::size_t requests) {
  Trace trace = read_trace(test::data("traces/azure-llm-2023-code.csv")).value();
  trace.requests.resize(std::min(trace.requests.size(), requests));
  return trace;
}

std::string all_of(const Simulation& simulation) {
  std::string text;
  for (const RequestRecord& record : simulation.requests) text += to_json_value(record).dump() + '\n';
  for (const StepRecord& record : simulation.steps) text += to_json_value(record).dump() + '\n';
  return text;
}

}  // namespace

class SimulateTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void times_match_hand_computed_ones();
  void clients_wait_for_a_place();
  void a_refused_request_leaves_the_others_alone();
  void wrong_configurations_are_refused();
  void it_ends_at_the_next_step_when_cancelled();
  void the_same_trace_twice_is_the_same();
  void times_of_a_request_add_up();
  void a_small_pool_preempts_and_all_end();
  void prefix_hits_are_what_the_trace_allows();
  void later_turns_wait_for_the_reply_and_find_it_cached();
  void long_prompts_and_token_gaps();
  void replicas_share_requests_and_keep_conversations();
};

void SimulateTest::times_match_hand_computed_ones() {
  // Request 1 (4 tokens in, 3 out) at 0: prefill 0–30, decodes 30–41 and 41–52; its steps are launched one
  // ahead. Request 2 (2 in, 1 out) at 35 is seen when step 2 ends (41) and runs after step 3: 52–72. Request
  // 3 (1 in, 2 out) at 200 finds the machine idle: 200–215, 215–226.
  const Trace trace{"", {{0, 4, 3, {}}, {35 * kNanosPerMs, 2, 1, {}}, {200 * kNanosPerMs, 1, 2, {}}}};
  const Simulation simulation = run(trace, small_config(), RowModel());
  const auto& [first, second, third] =
      std::tie(simulation.requests[0], simulation.requests[1], simulation.requests[2]);
  QCOMPARE(first.queue_ms(), 0.0);
  QCOMPARE(first.ttft_ms(), 30.0);
  QCOMPARE(first.tpot_ms(), 11.0);
  QCOMPARE(first.e2e_ms(), 52.0);
  QCOMPARE(first.finish, FinishReason::length);
  QCOMPARE(second.queue_ms(), 6.0);
  QCOMPARE(second.ttft_ms(), 37.0);
  QCOMPARE(third.ttft_ms(), 15.0);
  QCOMPARE(third.e2e_ms(), 26.0);
  QCOMPARE(simulation.itl_ms, (std::vector<double>{11, 11, 11}));
  QCOMPARE(simulation.steps.size(), std::size_t{6});
  for (const StepRecord& step : simulation.steps) {
    const Nanos expected = kNanosPerMs * (10 + 5 * step.prefill_tokens + step.decode_tokens);
    QCOMPARE(step.finished - step.started, expected);
    QCOMPARE(step.gap_ns, 0);
  }
  QCOMPARE(simulation.cache.used, 0);
  QCOMPARE(simulation.peak_live, 2);
  QCOMPARE(simulation.peak_used_blocks >= 1, true);
}

void SimulateTest::clients_wait_for_a_place() {
  const Trace trace{"", {{0, 4, 3, {}}, {5 * kNanosPerMs, 2, 1, {}}, {300 * kNanosPerMs, 2, 1, {}}}};
  SimulationConfig config = small_config();
  config.max_concurrency = 1;
  const Simulation simulation = run(trace, config, RowModel());
  QCOMPARE(simulation.peak_live, 1);
  // Sent when request 1 ended, and timed from then.
  QCOMPARE(simulation.requests[1].arrival - simulation.requests[0].arrival, 52 * kNanosPerMs);
  QCOMPARE(simulation.requests[1].ttft_ms(), 20.0);
  QCOMPARE(simulation.requests[2].arrival - simulation.requests[0].arrival, 300 * kNanosPerMs);
}

void SimulateTest::a_refused_request_leaves_the_others_alone() {
  const Trace trace{"", {{0, 4, 3, {}}, {0, 5000, 1, {}}, {0, 4, 3, {}}}};
  const Simulation simulation = run(trace, small_config(), RowModel());
  QCOMPARE(simulation.requests[1].finish, FinishReason::error);
  QVERIFY2(simulation.requests[1].error.find("5000") != std::string::npos ||
               simulation.requests[1].error.find("5,000") != std::string::npos,
           simulation.requests[1].error.c_str());
  QVERIFY(simulation.requests[0].ended_well());
  QVERIFY(simulation.requests[2].ended_well());
  const BenchResult result = result_of(simulation);
  QCOMPARE(result.completed, std::int64_t{2});
  QCOMPARE(result.failed, std::int64_t{1});
}

void SimulateTest::wrong_configurations_are_refused() {
  const Trace trace{"", {{0, 4, 3, {}}}};
  SimulationConfig config = small_config();
  config.scheduler.max_num_seqs = 0;
  const auto none = simulate(trace, config, RowModel());
  QVERIFY(!none.ok());
  QVERIFY2(none.error().text().find("max-num-seqs") != std::string::npos, none.error().text().c_str());
}

void SimulateTest::it_ends_at_the_next_step_when_cancelled() {
  std::atomic<bool> cancel = false;
  struct Cancelling : RowModel {
    explicit Cancelling(std::atomic<bool>& flag) : cancel(flag) {}
    Nanos predict(const StepShape& step) const override {
      if (++steps == 3) cancel = true;
      return RowModel::predict(step);
    }
    std::atomic<bool>& cancel;
    mutable int steps = 0;
  } const model(cancel);
  const Trace trace{"", {{0, 4, 200, {}}}};
  SimulationConfig config = small_config();
  config.cancel = &cancel;
  const auto ended = simulate(trace, config, model);
  QVERIFY(!ended.ok());
  QCOMPARE(ended.error().kind, Error::Kind::cancelled);
  QVERIFY(model.steps <= 4);
}

void SimulateTest::the_same_trace_twice_is_the_same() {
  const Llama llama;
  const Trace trace = azure(500);
  const std::string once = all_of(run(trace, llama.config(), llama.model));
  const std::string again = all_of(run(trace, llama.config(), llama.model));
  QVERIFY(once == again);
  QVERIFY(once.size() > 100'000);
}

void SimulateTest::times_of_a_request_add_up() {
  const Llama llama;
  SimulationConfig config = llama.config();
  config.cache.blocks = 600;
  config.scheduler.max_model_len = 16384;
  const Simulation simulation = run(azure(1000), config, llama.model);
  for (const RequestRecord& request : simulation.requests) {
    QVERIFY(request.ended_well());
    const double parts =
        request.queue_ms() + request.prefill_ms() + request.decode_ms() + request.preempted_ms();
    QVERIFY(std::abs(parts - request.e2e_ms()) < 1e-6);
  }
}

void SimulateTest::a_small_pool_preempts_and_all_end() {
  const Llama llama;
  SimulationConfig config = llama.config();
  config.cache.blocks = 40;  // 1,280 tokens
  config.scheduler.max_model_len = 1200;
  config.strict_checks = true;
  Trace trace{"", {}};
  for (int i = 0; i < 60; ++i) trace.requests.push_back({0, 100, 300, {}});
  const Simulation simulation = run(trace, config, llama.model);
  const BenchResult result = result_of(simulation);
  QCOMPARE(result.completed, std::int64_t{60});
  QCOMPARE(result.output_tokens, std::int64_t{60 * 300});
  QVERIFY(result.preemptions > 0);
  QVERIFY(simulation.peak_used_blocks <= 40);
  QCOMPARE(simulation.cache.used, 0);
}

void SimulateTest::prefix_hits_are_what_the_trace_allows() {
  // Independently of the reader: leading hash ids that some earlier request had, 512 tokens each.
  std::ifstream file(test::data("traces/mooncake-conversation-3000.jsonl"));
  std::set<std::int64_t> seen;
  std::int64_t expected_hits = 0, expected_tokens = 0;
  for (std::string line; std::getline(file, line);) {
    const auto object = nlohmann::json::parse(line);
    const auto tokens = object.at("input_length").get<std::int64_t>();
    const auto ids = object.at("hash_ids").get<std::vector<std::int64_t>>();
    std::int64_t leading = 0;
    for (const std::int64_t id : ids) {
      if (!seen.contains(id)) break;
      ++leading;
    }
    seen.insert(ids.begin(), ids.end());
    expected_hits += std::min(tokens - 1, 512 * leading);
    expected_tokens += tokens;
  }
  QCOMPARE(expected_hits, std::int64_t{12'964'840});
  QCOMPARE(expected_tokens, std::int64_t{40'550'180});

  const Llama llama;
  SimulationConfig config = llama.config();
  config.scheduler.max_num_seqs = 1;
  config.cache.blocks = 25'600'000;  // 100,000 GiB
  const Trace trace = read_trace(test::data("traces/mooncake-conversation-3000.jsonl")).value();
  const Simulation simulation = run(trace, config, llama.model);
  const BenchResult result = result_of(simulation);
  QCOMPARE(result.completed, std::int64_t{3000});
  QCOMPARE(result.query_tokens, expected_tokens);
  QCOMPARE(result.hit_tokens, expected_hits);
}

void SimulateTest::later_turns_wait_for_the_reply_and_find_it_cached() {
  const Trace trace = make_trace(find_workload("conversations").value(), 300, 1);
  const Llama llama;
  const Simulation simulation = run(trace, llama.config(), llama.model);
  std::int64_t repeated = 0, found = 0;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const TraceRequest& request = trace.requests[i];
    if (request.after < 0) continue;
    const RequestRecord& before = simulation.requests[static_cast<std::size_t>(request.after)];
    QVERIFY(simulation.requests[i].arrival == before.finished + request.think);
    repeated += before.prompt_tokens;
    found += simulation.requests[i].cached_tokens;
  }
  QVERIFY(repeated > 0);
  // All of the prompt before, but the tail of its last block; the made-up reply was never computed.
  QVERIFY2(static_cast<double>(found) > 0.8 * static_cast<double>(repeated), std::to_string(found).c_str());
  QVERIFY(found <= repeated);
}

void SimulateTest::long_prompts_and_token_gaps() {
  // 64 clients that send their next request when the last one ended: the batch is always full.
  constexpr int kClients = 64;
  const Llama llama;
  Trace trace = make_trace(find_workload("long-prompts-mixed").value(), 2000, 1);
  pace(trace, {INFINITY}, 1);
  SimulationConfig config = llama.config();
  config.max_concurrency = kClients;
  const auto played = [&](const char* name) {
    const Simulation simulation = run(trace, config, llama.model);
    const BenchResult result = result_of(simulation);
    qInfo("%-28s ITL p50 %5.2f p99 %5.2f worst %6.2f ms, TTFT p50 %5.1f p99 %5.1f ms, %.0f tokens/s", name,
          result.itl.p50, result.itl.p99, result.itl.max, result.ttft.p50, result.ttft.p99,
          result.output_throughput);
    if (result.completed != 2000) qFatal("%lld of 2000 completed", static_cast<long long>(result.completed));
    return result;
  };
  const BenchResult plain = played("fcfs");

  config.scheduler.long_prefill_token_threshold = 512;
  config.scheduler.max_long_partial_prefills = 1;
  const BenchResult limited = played("fcfs, long-request limits");

  config.scheduler.long_prefill_token_threshold = config.scheduler.max_long_partial_prefills = 0;
  double context = 0, decodes = 0;
  for (const TraceRequest& request : trace.requests) {
    context += request.output_tokens * (request.prompt_tokens + request.output_tokens / 2.0);
    decodes += request.output_tokens;
  }
  const double target = 2 * llama.decode_ms(kClients, context / decodes);
  config.scheduler.target_itl = std::llround(target * static_cast<double>(kNanosPerMs));
  const BenchResult held = played("fcfs, ITL target");
  qInfo("ITL target %.2f ms; throughput paid for it: %.2f %%", target,
        100 * (1 - held.output_throughput / plain.output_throughput));

  QVERIFY(plain.itl.max > 100);  // whole prompts of 6K stand in one step
  QVERIFY(limited.itl.max < plain.itl.max / 2);
  QVERIFY(held.itl.p99 <= target);
  QVERIFY(held.itl.max <= 1.1 * target);
}

void SimulateTest::replicas_share_requests_and_keep_conversations() {
  // Requests 1 and 3 go to the first, 2 and 4 to the second; 5 follows 2.
  const Trace trace{
      "", {{0, 4, 3, {}}, {0, 4, 3, {}}, {0, 2, 1, {}}, {0, 2, 1, {}}, {0, 1, 2, {}, 1, kNanosPerMs}}};
  const auto both = simulate_replicas(trace, small_config(), RowModel(), 2);
  PW_VERIFY(both);
  const Trace first{"", {trace.requests[0], trace.requests[2]}};
  Trace second{"", {trace.requests[1], trace.requests[3], trace.requests[4]}};
  second.requests[2].after = 0;
  const Simulation one = run(first, small_config(), RowModel());
  const Simulation two = run(second, small_config(), RowModel());
  const Simulation* const owner[] = {&one, &two, &one, &two, &two};
  const std::size_t place[] = {0, 0, 1, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) {
    QCOMPARE(both->requests[i].id.value, i + 1);
    QCOMPARE(both->requests[i].e2e_ms(), owner[i]->requests[place[i]].e2e_ms());
  }
  QCOMPARE(both->requests[4].arrival, both->requests[1].finished + kNanosPerMs);
  QCOMPARE(both->steps.size(), one.steps.size() + two.steps.size());
  // Two H200 answer twice the clients of one in about the same time.
  const Llama llama;
  Trace load = make_trace(find_workload("prompt-1024-output-256").value(), 256, 1);
  pace(load, {INFINITY}, 1);
  SimulationConfig config = llama.config();
  config.max_concurrency = 32;
  const BenchResult single = result_of(run(load, config, llama.model));
  config.max_concurrency = 64;
  const BenchResult pair = result_of(simulate_replicas(load, config, llama.model, 2).value());
  const double gain = pair.output_throughput / single.output_throughput;
  QVERIFY2(gain > 1.6 && gain < 2.1, std::to_string(gain).c_str());
}

QTEST_APPLESS_MAIN(SimulateTest)
#include "simulate_test.moc"
