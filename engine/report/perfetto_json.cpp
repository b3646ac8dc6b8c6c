// SPDX-License-Identifier: GPL-3.0-or-later
// The trace event format (ph, ts and dur in µs, pid, tid, name), which Perfetto and chrome://tracing read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/report/export_formats.h"
#include "engine/report/run_comparison.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

constexpr int kEngine = 1, kRequests = 2;  // processes
constexpr int kSteps = 1;                  // thread of the engine

class TraceEvents {
 public:
  explicit TraceEvents(const Run& run) : start_(run.header.start_utc) {}

  /// Of an event of `ph` at a wall time.
  Json& add(const char* ph, const std::string& name, int pid, int tid, Nanos utc) {
    events_.push_back({{"name", name}, {"ph", ph}, {"ts", micros(utc - start_)}, {"pid", pid}, {"tid", tid}});
    return events_.back();
  }
  void name(const char* what, int pid, int tid, const std::string& text) {
    events_.push_back({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", text}}}});
  }
  void count(const char* name, Nanos utc, Json values) {
    add("C", name, kEngine, 0, utc)["args"] = std::move(values);
  }
  /// A slice inside others of the same id: begins and ends as async events do.
  void slice(const std::string& name, const std::string& id, Nanos from, Nanos to, Json args,
             const auto& inside) {
    begin_or_end("b", name, id, from)["args"] = std::move(args);
    inside();
    begin_or_end("e", name, id, to);
  }
  static double micros(Nanos duration) { return static_cast<double>(duration) / 1000; }
  Json take() { return std::move(events_); }

 private:
  Json& begin_or_end(const char* ph, const std::string& name, const std::string& id, Nanos utc) {
    Json& event = add(ph, name, kRequests, 1, utc);
    event["cat"] = "request";
    event["id"] = id;
    return event;
  }

  Nanos start_;
  Json events_ = Json::array();
};

void add_request(TraceEvents& trace, const RequestRecord& request) {
  const auto utc = [&](Nanos at) { return request.arrival_utc + (at - request.arrival); };
  const std::string id = fmt::format("0x{:x}", request.id.value);
  const Nanos end = std::max({request.finished, request.last_token, request.arrival});
  const auto part = [&](const char* name, Nanos from, Nanos to) {
    if (from > 0 && to >= from) trace.slice(name, id, utc(from), utc(to), Json::object(), [] {});
  };
  const Json args{{"label", request.label},
                  {"prompt_tokens", request.prompt_tokens},
                  {"cached_tokens", request.cached_tokens},
                  {"output_tokens", request.output_tokens},
                  {"preemptions", request.preemptions},
                  {"max_itl_ms", request.max_itl_ms()},
                  {"finish", finish_reason_name(request.finish)},
                  {"error", request.error}};
  trace.slice(fmt::format("request {}", request.id.value), id, request.arrival_utc, utc(end), args, [&] {
    if (request.scheduled > 0) {
      part("queue", request.arrival, request.scheduled);
      part("prefill", request.scheduled, request.first_token);
    } else {
      part("first token", request.arrival, request.first_token);  // seen from outside the engine
    }
    part("decode", request.first_token, request.last_token);
  });
}

void add_step(TraceEvents& trace, const StepRecord& step, Nanos utc_of_steady) {
  const Nanos end = step.finished + utc_of_steady;
  Json& event = trace.add("X", fmt::format("prefill {} + decode {}", step.prefill_tokens, step.decode_tokens),
                          kEngine, kSteps, step.started + utc_of_steady);
  event["dur"] = TraceEvents::micros(step.finished - step.started);
  event["args"] = to_json_value(step);
  trace.count("KV blocks", end, {{"used", step.kv_used_blocks}, {"cached", step.kv_cached_blocks}});
  trace.count("requests in the step", end, {{"running", step.sequences}, {"waiting", step.waiting}});
}

void add_second(TraceEvents& trace, const SecondRecord& second, Nanos start) {
  const auto mib = [](Bytes bytes) { return static_cast<double>(bytes) / static_cast<double>(kMiB); };
  const Nanos at = std::max(second.utc, start);
  trace.count("requests", at, {{"running", second.running}, {"waiting", second.waiting}});
  trace.count("KV MiB", at,
              {{"used", mib(second.kv_used)},
               {"cached", mib(second.kv_cached)},
               {"quarantined", mib(second.kv_quarantined)},
               {"free", mib(second.kv_free)}});
  if (!std::isnan(second.output_tokens_per_s))
    trace.count("tokens per s", at,
                {{"output", second.output_tokens_per_s}, {"prompt", second.prompt_tokens_per_s}});
}

/// Steps know steady times alone; a request knows both.
Nanos utc_of_steady(const Run& run) {
  for (const RequestRecord& request : run.requests)
    if (request.arrival > 0) return request.arrival_utc - request.arrival;
  return run.steps.empty() ? 0 : run.header.start_utc - run.steps.front().launched;
}

}  // namespace

std::string perfetto_json(const Run& run) {
  TraceEvents trace(run);
  trace.name("process_name", kEngine, 0, fmt::format("{} {}", run_label(run.id), run.header.name));
  trace.name("thread_name", kEngine, kSteps, "Steps");
  trace.name("process_name", kRequests, 0, "Requests");
  trace.name("thread_name", kRequests, 1, "Requests");
  const Nanos offset = utc_of_steady(run);
  for (const StepRecord& step : run.steps) add_step(trace, step, offset);
  for (const SecondRecord& second : run.seconds) add_second(trace, second, run.header.start_utc);
  for (const RequestRecord& request : run.requests) add_request(trace, request);
  for (const SettingChange& change : run.changes) {
    Json& event = trace.add("i", fmt::format("{} {} → {}", change.name, change.from, change.to), kEngine,
                            kSteps, change.utc);
    event["s"] = "g";
    event["args"] = {{"by", word_of(change.by)}};
  }
  const Json document{{"displayTimeUnit", "ms"},
                      {"otherData",
                       {{"run", run_label(run.id)},
                        {"model", run.header.model_name},
                        {"steps", run.summary.totals.steps},
                        {"steps_in_trace", run.steps.size()}}},
                      {"traceEvents", trace.take()}};
  return dump_json(document) + "\n";
}

}  // namespace pitwall
