// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/made_up_run.h"

namespace pitwall::test {

namespace {

constexpr Nanos kStart = 1'785'067'200 * kNanosPerSecond;
constexpr Nanos kSteady = 5'000'000'007;  // of the run's start

RequestRecord request(int i, double ttft_ms) {
  RequestRecord r;
  r.id = {static_cast<std::uint64_t>(i + 1)};
  r.label = "cmpl-" + std::to_string(i + 1);
  r.arrival_utc = kStart + i * kNanosPerMs * 100;
  r.arrival = kSteady + i * kNanosPerMs * 100;
  r.scheduled = r.arrival + kNanosPerMs;
  r.first_token =
      r.arrival + static_cast<Nanos>(ttft_ms * (1 + (i * 7919 % 101 + i / 97 % 5) * 0.002) * kNanosPerMs);
  r.output_tokens = i % 10 == 9 ? 1 : 21;
  r.last_token = r.output_tokens == 1 ? r.first_token : r.first_token + (200 + i % 13) * kNanosPerMs;
  r.finished = r.last_token + 3;
  r.max_itl = r.output_tokens == 1 ? 0 : (i == 77 ? 318 : 12 + i % 5) * kNanosPerMs;
  r.prompt_tokens = 100 + i % 3;
  r.cached_tokens = 32;
  r.finish = i == 5 ? FinishReason::error : i % 2 == 0 ? FinishReason::stop : FinishReason::length;
  if (i == 5) r.error = "out of KV, \"no\" blocks";
  return r;
}

SecondRecord second(int i, double rate) {
  SecondRecord s;
  s.utc = kStart + i * kNanosPerSecond;
  s.itl.n = i * 30;
  if (i > 0) s.itl.mean = s.itl.p50 = 10.0 / 3, s.itl.p90 = 5, s.itl.p99 = 9, s.itl.max = i == 7 ? 318 : 16;
  s.output_tokens_per_s = rate + i % 3;
  s.prompt_tokens_per_s = 900;
  s.running = 4;
  s.waiting = i % 2;
  s.kv_used = (100 + i) * kMiB;
  s.kv_free = 400 * kMiB - s.kv_used;
  s.accounted = 600 * kMiB;
  s.measured = 620 * kMiB;
  return s;
}

StepRecord step(int i) {
  StepRecord s;
  s.step = static_cast<std::uint64_t>(i + 1);
  s.launched = kSteady + i * 7 * kNanosPerMs;
  s.started = s.launched + 1000;
  s.finished = s.started + 5 * kNanosPerMs;
  s.prefill_tokens = i % 4 == 0 ? 64 : 0;
  s.decode_tokens = 4;
  s.sequences = 4;
  s.waiting = i % 2;
  s.kv_used_blocks = 10 + i;
  s.graph_hit = i % 2 == 0;
  return s;
}

}  // namespace

Run made_up_run(const MadeUp& wish) {
  Run run;
  run.id = {12};
  run.note = "a <note> & more | with\na second line";
  RunHeader& h = run.header;
  h.uuid = "uuid-" + std::to_string(wish.requests) + "-" + std::to_string(wish.ttft_ms);
  h.name = "Eight clients <script>alert(1)</script>";
  h.kind = "bench";
  h.start_utc = kStart;
  h.engine_version = "0.1.0";
  h.os = "Linux";
  h.cores = 2;
  h.ram = 16 * kGiB;
  h.device = "cpu";
  h.model_name = "SmolLM2";
  h.config = {
      {"max-num-seqs", "8", "32", "user", true},        {"block-size", "32", "32", "preset", false},
      {"load.workload", "chat", "", "user", false},     {"load.request-rate", "10", "", "user", false},
      {"load.max-concurrency", "8", "", "user", false}, {"load.seed", "7", "", "user", false}};
  for (int i = 0; i < wish.requests; ++i) run.requests.push_back(request(i, wish.ttft_ms));
  for (int i = 0; i < wish.requests / 10; ++i) run.seconds.push_back(second(i, wish.rate));
  for (int i = 0; i < wish.steps; ++i) run.steps.push_back(step(i));
  run.changes = {{kStart + 2 * kNanosPerSecond, "max-num-seqs", "8", "16"}};
  for (int i = 0; i < wish.requests; ++i) run.itl.add(9 + i % 3, 5);
  run.summary = summarize_requests(run.requests);
  run.summary.metrics["itl_ms"] = run.itl.summary();
  run.summary.totals.steps = wish.steps;
  run.summary.end_utc = kStart + wish.requests * kNanosPerMs * 100;
  LedgerSnapshot& l = run.summary.ledger;
  l.bytes[static_cast<std::size_t>(Category::weights)] = 100 * kMiB;
  l.bytes[static_cast<std::size_t>(Category::kv)] = 400 * kMiB;
  l.kv_used = 100 * kMiB;
  l.kv_free = 300 * kMiB;
  l.measured = 540 * kMiB;
  l.device_total = 16 * kGiB;
  return run;
}

}  // namespace pitwall::test
