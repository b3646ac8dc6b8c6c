// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/engine_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "engine/bench/dispatcher.h"

namespace pitwall {

namespace {

constexpr Nanos kLookEvery = 50 * kNanosPerMs;  // at the engine's pool, and whether the caller wants to stop

class EnginePlayer {
 public:
  EnginePlayer(const Load& load, const EngineLoadTarget& target) : load_(load), target_(target) {
    played_.records = planned_records(load.trace);
    ids_.resize(played_.records.size());
  }

  PlayedLoad play() {
    const Nanos cpu_before = thread_cpu_time();
    played_.start_utc = clock_.utc_now();
    played_.start = clock_.now();
    Dispatcher dispatcher(load_.trace, load_.max_concurrency, played_.start);
    bool cancelled = false;
    while (!dispatcher.done() && !(cancelled && dispatcher.live() == 0)) {
      while (!cancelled) {
        const auto sending = dispatcher.next(clock_.now());
        if (!sending) break;
        played_.peak_live = std::max(played_.peak_live, dispatcher.live());
        send(*sending);
      }
      wait(cancelled ? std::nullopt : dispatcher.next_due());
      for (const std::size_t index : take_ended()) {
        dispatcher.ended(index, played_.records[index].closed);
        ++progress_.ended;
        progress_.failed += played_.records[index].ended_well() ? 0 : 1;
        progress_.chunks += std::ssize(played_.records[index].chunks);
      }
      look();
      if (!cancelled && load_.cancel != nullptr && load_.cancel->load()) {
        cancelled = true;
        if (target_.owned) target_.engine.abandon();
        for (const RequestId id : ids_) {
          if (id.value != 0) target_.engine.cancel(id, "The load was cancelled");
        }
      }
    }
    played_.end = clock_.now();
    played_.lag.cpu_s =
        static_cast<double>(thread_cpu_time() - cpu_before) / static_cast<double>(kNanosPerSecond);
    played_.lag.loop_delay_ms = summarize({});
    sum_up();
    return std::move(played_);
  }

 private:
  void send(const Dispatcher::Sending& sending) {
    StreamRecord& record = played_.records[sending.index];
    GenerationRequest request;
    request.prompt = target_.prompt(sending.index);
    request.sampling.choice.temperature = static_cast<float>(target_.temperature);
    request.sampling.max_tokens = record.planned_output_tokens;
    request.ignore_eos = target_.ignore_eos;
    request.label = fmt::format("bench-{}", sending.index);
    record.id = request.label;
    record.due = sending.due;
    record.ready = sending.ready;
    record.sent = clock_.now();
    ++progress_.sent;
    if (load_.listener != nullptr) load_.listener->sent(record);
    const auto id = target_.engine.submit(
        std::move(request), [this, &record](OutputEvent&& event) { take(record, std::move(event)); });
    if (id) {
      ids_[sending.index] = *id;
    } else {
      end(record, StreamEnd::refused, id.error().text());
    }
  }

  /// On the engine's output thread.
  void take(StreamRecord& record, OutputEvent&& event) {
    const auto tokens = static_cast<std::int32_t>(event.tokens.size());
    const ChunkTime chunk{clock_.now(), tokens, true, tokens > 0, tokens > 0};
    record.chunks.push_back(chunk);
    if (target_.keep_text) record.text += event.text;
    if (chunk.output && load_.listener != nullptr) load_.listener->output(record, chunk);
    if (!event.finished) return;
    record.prompt_tokens = event.record.prompt_tokens;
    record.completion_tokens = event.record.output_tokens;
    record.cached_tokens = event.record.cached_tokens;
    record.finish_reason = finish_reason_name(event.reason);
    record.engine = event.record;
    const bool well = event.record.ended_well();
    const bool cancelled = event.reason == FinishReason::cancelled;
    end(record,
        well        ? StreamEnd::ended
        : cancelled ? StreamEnd::cancelled
                    : StreamEnd::stream_error,
        well ? "" : event.record.error);
  }

  void end(StreamRecord& record, StreamEnd end, std::string reason) {
    record.end = end;
    record.reason = std::move(reason);
    record.closed = clock_.now();
    if (load_.listener != nullptr) load_.listener->ended(record);
    // Told under the lock: this player may be gone as soon as it is free.
    const std::lock_guard lock(mutex_);
    ended_.push_back(record.index);
    changed_.notify_one();
  }

  void wait(std::optional<Nanos> due) {
    const Nanos latest = clock_.now() + kLookEvery;
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, steady_time(due ? std::min(*due, latest) : latest),
                        [this] { return !ended_.empty(); });
  }

  std::vector<std::size_t> take_ended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
  }

  void look() {
    const Nanos now = clock_.now();
    if (now < next_look_) return;
    next_look_ = now + kLookEvery;
    const auto snapshot = target_.engine.snapshot();
    ServerSide& server = played_.server;
    server.peak_kv_bytes = std::max(server.peak_kv_bytes.value_or(0), snapshot->ledger.kv_used);
    if (snapshot->kv_blocks > 0) {
      server.peak_kv_usage = std::max(server.peak_kv_usage.value_or(0),
                                      static_cast<double>(snapshot->kv_blocks_used) / snapshot->kv_blocks);
    }
    progress_.total = played_.records.size();
    if (load_.on_progress) load_.on_progress(progress_);
  }

  void sum_up() {
    next_look_ = 0;
    look();
    ServerSide& server = played_.server;
    std::int64_t query = 0, hit = 0, preemptions = 0;
    std::array<std::int64_t, kMissReasonCount> misses{};
    for (const StreamRecord& record : played_.records) {
      if (!record.engine || record.engine->scheduled == 0) continue;
      query += record.engine->prompt_tokens;
      hit += record.engine->cached_tokens;
      preemptions += record.engine->preemptions;
      ++misses[static_cast<std::size_t>(record.engine->miss)];
    }
    server.query_tokens = query;
    server.hit_tokens = hit;
    server.preemptions = preemptions;
    server.misses = misses;
  }

  const Load& load_;
  const EngineLoadTarget& target_;
  RealClock clock_;
  PlayedLoad played_;
  PlayProgress progress_;
  std::vector<RequestId> ids_;
  Nanos next_look_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> ended_;  // under the mutex
};

}  // namespace

PlayedLoad play_in_process(const Load& load, const EngineLoadTarget& target) {
  return EnginePlayer(load, target).play();
}

}  // namespace pitwall
