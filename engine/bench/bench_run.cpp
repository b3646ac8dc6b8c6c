// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_run.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>

#include "engine/base/threads.h"
#include "engine/serve/build_info.h"
#include "engine/serve/random_id.h"
#include "engine/telemetry/step_table.h"

namespace pitwall {

namespace {

FinishReason finish_of(const StreamRecord& record) {
  if (record.end == StreamEnd::cancelled) return FinishReason::cancelled;
  if (!record.ended_well()) return FinishReason::error;
  return record.finish_reason == "length" ? FinishReason::length : FinishReason::stop;
}

RequestRecord seen_by_client(const StreamRecord& record, Nanos utc_of_steady) {
  RequestRecord request;
  request.id = RequestId{record.index + 1};
  request.label = record.id;
  request.arrival = record.sent;
  request.arrival_utc = record.sent + utc_of_steady;
  request.finished = record.closed;
  request.prompt_tokens = record.input_tokens();
  request.output_tokens = record.output_tokens();
  request.cached_tokens = std::max(record.cached_tokens, 0);
  request.finish = finish_of(record);
  if (!record.ended_well()) request.error = std::string(stream_end_name(record.end)) + ": " + record.reason;
  for (const ChunkTime& chunk : record.chunks) {
    if (!chunk.output) continue;
    if (request.first_token == 0) {
      request.first_token = chunk.at;
    } else {
      request.max_itl =
          std::max(request.max_itl, (chunk.at - request.last_token) / std::max(chunk.tokens, 1));
    }
    request.last_token = chunk.at;
  }
  return request;
}

/// Of the gaps between its tokens: k tokens at once share the gap before them.
void add_gaps(const StreamRecord& record, QuantileSketch& itl) {
  Nanos last = 0;
  for (const ChunkTime& chunk : record.chunks) {
    if (!chunk.output) continue;
    const int tokens = std::max(chunk.tokens, 1);
    if (last > 0)
      itl.add(static_cast<double>(chunk.at - last) / static_cast<double>(kNanosPerMs) / tokens, tokens);
    last = chunk.at;
  }
}

EngineTotals operator-(EngineTotals after, const EngineTotals& before) {
  after.preemptions -= before.preemptions;
  after.steps -= before.steps;
  after.prefix_query_tokens -= before.prefix_query_tokens;
  after.prefix_hit_tokens -= before.prefix_hit_tokens;
  after.recomputed_tokens -= before.recomputed_tokens;
  after.swapped_tokens -= before.swapped_tokens;
  after.evicted_blocks -= before.evicted_blocks;
  for (std::size_t i = 0; i < after.misses.size(); ++i) after.misses[i] -= before.misses[i];
  return after;
}

}  // namespace

RunHeader client_run_header(const std::string& model_name) {
  RunHeader header;
  header.uuid = random_uuid();
  header.engine_version = build_info().version;
  header.git_commit = build_info().git_commit;
  header.build_flags = build_info().flags;
  if (utsname system{}; uname(&system) == 0) header.os = std::string(system.sysname) + " " + system.release;
  header.cores = static_cast<int>(std::thread::hardware_concurrency());
  header.device = "server";
  header.model_name = model_name;
  return header;
}

Result<std::unique_ptr<BenchRun>> BenchRun::begin(RunSink& sink, RunHeader header, Engine* engine) {
  header.kind = "bench";
  header.uuid = random_uuid();
  header.start_utc = RealClock().utc_now();
  const auto id = sink.begin(header);
  if (!id) return id.error();
  return std::unique_ptr<BenchRun>(new BenchRun(sink, *id, header.start_utc, engine));
}

BenchRun::BenchRun(RunSink& sink, RunId id, Nanos start_utc, Engine* engine)
    : sink_(sink), id_(id), start_utc_(start_utc), engine_(engine), seen_(clock_) {
  if (engine_ != nullptr) {
    totals_before_ = engine_->recorder().totals();
    for (const StepRecord& step : engine_->recorder().last_steps(1)) last_step_ = step.launched;
  }
  last_second_ = start_utc_ - start_utc_ % kNanosPerSecond - kNanosPerSecond;
  thread_ = std::thread([this] { loop(); });
}

BenchRun::~BenchRun() {
  if (thread_.joinable()) (void)end(RunStatus::failed, "The load was given up");
}

void BenchRun::sent(const StreamRecord& record) {
  if (engine_ == nullptr) seen_.arrived(seen_by_client(record, clock_.utc_now() - clock_.now()));
}

void BenchRun::output(const StreamRecord& record, const ChunkTime& chunk) {
  if (engine_ == nullptr) seen_.token(RequestId{record.index + 1}, chunk.at, std::max(chunk.tokens, 1));
}

void BenchRun::ended(const StreamRecord& record) {
  RequestRecord request =
      record.engine ? *record.engine : seen_by_client(record, clock_.utc_now() - clock_.now());
  if (engine_ == nullptr) seen_.finished(request.id, record.closed, request.finish, request.error);
  const std::lock_guard lock(mutex_);
  fresh_.push_back(std::move(request));
  add_gaps(record, fresh_itl_);
}

void BenchRun::loop() {
  set_thread_name("pw-bench-run");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; })) {
    lock.unlock();
    write(false);
    lock.lock();
  }
}

std::vector<SecondRecord> BenchRun::new_seconds(bool last) {
  if (engine_ == nullptr) return seen_.roll({}, last).seconds;
  std::vector<SecondRecord> seconds;
  const auto snapshot = engine_->snapshot();
  for (const SecondRecord& second : snapshot->history) {
    if (second.utc <= last_second_) continue;
    seconds.push_back(second);
    last_second_ = second.utc;
  }
  return seconds;
}

std::vector<StepRecord> BenchRun::new_steps() {
  if (engine_ == nullptr || steps_kept_ >= kRunSteps) return {};
  std::vector<StepRecord> steps = engine_->recorder().last_steps(kRunSteps);
  std::erase_if(steps, [this](const StepRecord& step) { return step.launched <= last_step_; });
  if (steps.size() > kRunSteps - steps_kept_) steps.resize(kRunSteps - steps_kept_);
  if (!steps.empty()) last_step_ = steps.back().launched;
  steps_kept_ += steps.size();
  return steps;
}

void BenchRun::write(bool last) {
  RunRows rows;
  {
    const std::lock_guard lock(mutex_);
    rows.requests = std::exchange(fresh_, {});
    rows.itl = std::exchange(fresh_itl_, {});
  }
  rows.seconds = new_seconds(last);
  rows.steps = new_steps();
  if (rows.requests.empty() && rows.seconds.empty() && rows.steps.empty()) return;
  auto written = sink_.append(id_, rows);
  if (!written && written_) written_ = std::move(written);
  all_.insert(all_.end(), rows.requests.begin(), rows.requests.end());
  all_itl_.merge(rows.itl);
}

Result<void> BenchRun::end(RunStatus status, const std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
  write(true);
  RunSummary summary = summarize_requests(all_);
  summary.metrics["itl_ms"] = all_itl_.summary();
  summary.status = status;
  summary.error = error;
  summary.end_utc = clock_.utc_now();
  if (engine_ != nullptr) {
    const EngineTotals counted = summary.totals;
    summary.totals = engine_->recorder().totals() - totals_before_;
    summary.totals.requests_finished = counted.requests_finished;
    summary.totals.requests_stop = counted.requests_stop;
    summary.totals.requests_length = counted.requests_length;
    summary.totals.requests_cancelled = counted.requests_cancelled;
    summary.totals.requests_error = counted.requests_error;
    summary.totals.prompt_tokens = counted.prompt_tokens;
    summary.totals.output_tokens = counted.output_tokens;
    summary.ledger = engine_->snapshot()->ledger;
  }
  auto ended = sink_.end(id_, summary);
  return !written_ ? written_ : ended;
}

}  // namespace pitwall
