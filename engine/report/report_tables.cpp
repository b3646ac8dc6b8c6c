// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/report/report_content.h"
#include "engine/report/report_text.h"
#include "engine/report/run_kind.h"
#include "engine/telemetry/fields.h"
#include "engine/telemetry/laps.h"

namespace pitwall {
namespace {

constexpr std::size_t kListedRequests = 200;

Cell muted_if_few(double value, std::int64_t n, std::int64_t needed) {
  return {ms_text(value), n > 0 && n < needed ? Tone::muted : Tone::plain};
}

std::vector<Cell> bytes_row(const std::string& name, Bytes bytes, Bytes whole, Tone tone = Tone::plain) {
  return {{name, tone}, {size_text(bytes), tone}, {share_text(bytes, whole), tone}};
}

/// Worst first: the largest gap between tokens, then the longest time to the first one; undefined last.
bool is_worse(const RequestRecord& a, const RequestRecord& b) {
  const auto key = [](const RequestRecord& r) {
    const auto or_last = [](double value) { return std::isnan(value) ? -1.0 : value; };
    return std::pair(or_last(r.max_itl_ms()), or_last(r.ttft_ms()));
  };
  if (key(a) != key(b)) return key(a) > key(b);
  return a.id < b.id;
}

Tone tone_of(FinishReason finish) {
  switch (finish) {
    case FinishReason::error:
      return Tone::bad;
    case FinishReason::cancelled:
      return Tone::warn;
    default:
      return Tone::plain;
  }
}

Cell maker_cell(ChangedBy by) {
  if (by == ChangedBy::unknown) return {"not known", Tone::muted};
  return {by == ChangedBy::client ? "HTTP client" : std::string(word_of(by))};
}

std::vector<Cell> request_row(const RequestRecord& request, Nanos start_utc) {
  const std::string finish = request.error.empty()
                                 ? std::string(finish_reason_name(request.finish))
                                 : fmt::format("{}: {}", finish_reason_name(request.finish), request.error);
  return {{std::to_string(request.id.value)},
          {request.label},
          {fmt::format("{:.1f}", static_cast<double>(request.arrival_utc - start_utc) / kNanosPerSecond)},
          {ms_text(request.queue_ms())},
          {ms_text(request.ttft_ms())},
          {ms_text(request.tpot_ms())},
          {ms_text(request.max_itl_ms()), Tone::strong},
          {ms_text(request.e2e_ms())},
          {format_count(request.prompt_tokens)},
          {format_count(request.cached_tokens)},
          {format_count(request.output_tokens)},
          {format_count(request.preemptions)},
          {finish, tone_of(request.finish)}};
}

}  // namespace

Table latency_table(const Run& run) {
  struct Row {
    const char* metric;
    const char* name;
  };
  const std::array<Row, 6> rows = {
      {{"ttft_ms", "TTFT: arrival to first token"},
       {"tpot_ms", "TPOT: (last − first token) / (tokens − 1)"},
       {"itl_ms", is_itl_by_chunk(run.header) ? "ITL: every gap between chunks, as vLLM has it"
                                              : "ITL: every gap between tokens"},
       {"max_itl_ms", "Longest ITL of each request"},
       {"queue_ms", "Queue: arrival to first scheduled"},
       {"e2e_ms", "E2E: arrival to last token"}}};
  Table table;
  table.columns = {{"Measure, ms"}, {"n", true},   {"mean", true}, {"std", true}, {"min", true},
                   {"p50", true},   {"p90", true}, {"p95", true},  {"p99", true}, {"max", true}};
  for (const Row& row : rows) {
    const Summary s = metric_of(run.summary, row.metric);
    table.rows.push_back({{row.name},
                          {format_count(s.n)},
                          {ms_text(s.mean)},
                          {ms_text(s.std)},
                          {ms_text(s.min)},
                          {ms_text(s.p50), Tone::strong},
                          muted_if_few(s.p90, s.n, 20),
                          muted_if_few(s.p95, s.n, 40),
                          muted_if_few(s.p99, s.n, 100),
                          {ms_text(s.max), Tone::strong}});
  }
  table.note =
      "One value for each request that ended well; ITL has one for each gap, within 1 %. Percentiles are "
      "type 7 (linear); in grey where values are "
      "too "
      "few: p90 under 20, p95 under 40, p99 under 100.";
  return table;
}

Table outcome_table(const Run& run) {
  const EngineTotals& totals = run.summary.totals;
  Table table;
  table.columns = {{"Total"}, {"Count", true}};
  const auto add = [&](const char* name, std::int64_t count, Tone tone = Tone::plain) {
    table.rows.push_back({{name, tone}, {format_count(count), tone}});
  };
  add("Requests ended", totals.requests_finished, Tone::strong);
  add("by a stop token or string", totals.requests_stop);
  add("at their length limit", totals.requests_length);
  add("cancelled", totals.requests_cancelled, totals.requests_cancelled > 0 ? Tone::warn : Tone::plain);
  add("failed", totals.requests_error, totals.requests_error > 0 ? Tone::bad : Tone::plain);
  add("Prompt tokens", totals.prompt_tokens);
  add("Output tokens", totals.output_tokens);
  add("Preemptions", totals.preemptions);
  add("KV positions computed again", totals.recomputed_tokens);
  add("KV positions swapped", totals.swapped_tokens);
  add("Prompt tokens looked up in the prefix cache", totals.prefix_query_tokens);
  add("found there", totals.prefix_hit_tokens);
  for (int i = 1; i < kMissReasonCount; ++i) {
    const std::int64_t count = totals.misses[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    std::string reason(miss_reason_name(static_cast<MissReason>(i)));
    std::replace(reason.begin(), reason.end(), '_', ' ');
    add(("requests not found further: " + reason).c_str(), count);
  }
  add("Steps", totals.steps);
  return table;
}

Table changes_table(const Run& run) {
  Table table;
  table.columns = {{"Lap", true}, {"Changed while it ran"}, {"From", true},
                   {"To", true},  {"After", true},          {"By"}};
  for (const Lap& lap : laps(run.changes)) {
    for (const SettingChange& change : lap.changes)
      table.rows.push_back({{std::to_string(lap.number)},
                            {change.name},
                            {change.from},
                            {change.to, Tone::strong},
                            {format_duration(std::max<Nanos>(change.utc - run.header.start_utc, 0))},
                            maker_cell(change.by)});
  }
  return table;
}

Table memory_table(const LedgerSnapshot& ledger, bool simulated) {
  Table table;
  if (ledger.accounted() == 0 && ledger.measured == 0) {
    table.note = "The ledger at the end of the run was not recorded.";
    return table;
  }
  table.columns = {{"Category"}, {"Bytes", true}, {"of the device", true}};
  const Bytes whole = ledger.device_total;
  const auto add = [&](const char* name, Bytes bytes, Tone tone = Tone::plain) {
    table.rows.push_back(bytes_row(name, bytes, whole, bytes == 0 ? Tone::muted : tone));
  };
  add("Weights", ledger.of(Category::weights));
  add("KV used", ledger.kv_used);
  add("KV cached", ledger.kv_cached);
  add("KV quarantined", ledger.kv_quarantined);
  add("KV free", ledger.kv_free);
  add("Activations", ledger.of(Category::activations));
  add("Attention workspace", ledger.of(Category::attention_workspace));
  add("Logits", ledger.of(Category::logits));
  add("Library workspace", ledger.of(Category::library_workspace));
  add("Graphs", ledger.of(Category::graphs));
  add("Communicator", ledger.of(Category::communicator));
  add("Context", ledger.of(Category::context));
  add("Swap space", ledger.of(Category::swap));
  add("Accounted", ledger.accounted(), Tone::strong);
  if (!simulated) {
    add("Unaccounted", ledger.unaccounted());
    add("Measured, this process", ledger.measured, Tone::strong);
  }
  add("Other processes", ledger.other_processes);
  if (ledger.limit > 0) add("Limit", ledger.limit);
  add("Device", whole, Tone::strong);
  if (simulated) {
    table.note = "At the end of the run, of each simulated GPU: computed, not measured.";
    return table;
  }
  table.note = ledger.unaccounted() < 0 ? "At the end of the run. Unaccounted is below zero: memory is "
                                          "booked that has not been touched yet."
                                        : "At the end of the run. Accounted + unaccounted = measured.";
  return table;
}

Table settings_table(const RunHeader& header, bool changed) {
  Table table;
  table.columns = {{"Setting"}, {"Value"}};
  if (changed) table.columns.insert(table.columns.end(), {{"Default"}, {"Set by"}});
  for (const ConfigEntry& entry : header.config) {
    if (entry.changed != changed) continue;
    table.rows.push_back({{entry.name}, {entry.value, changed ? Tone::strong : Tone::plain}});
    if (changed)
      table.rows.back().insert(table.rows.back().end(), {{entry.default_value, Tone::muted}, {entry.origin}});
  }
  return table;
}

Table environment_table(const Run& run) {
  const RunHeader& header = run.header;
  Table table;
  table.columns = {{"Key"}, {"Value"}};
  const auto add = [&](const char* name, const std::string& value) {
    table.rows.push_back({{name, Tone::muted}, value.empty() ? Cell{"not known", Tone::muted} : Cell{value}});
  };
  add("Model", header.model_name);
  add("Model file", header.model_path);
  add("Architecture", header.architecture);
  add("Quantization", header.quantization);
  add("Model header sha256", header.model_sha256);
  add("Device", header.device);
  add("CPU", header.cpu);
  add("Cores", header.cores > 0 ? std::to_string(header.cores) : "");
  add("Memory", header.ram > 0 ? size_text(header.ram) : "");
  add("System", header.os);
  add("Pitwall", header.engine_version);
  add("Commit", header.git_commit);
  add("Build flags", header.build_flags);
  add("Run uuid", header.uuid);
  if (run.imported_utc > 0) add("Imported", format_utc(run.imported_utc));
  return table;
}

Table request_table(const Run& run) {
  std::vector<const RequestRecord*> worst;
  for (const RequestRecord& request : run.requests) worst.push_back(&request);
  std::sort(worst.begin(), worst.end(), [](auto* a, auto* b) { return is_worse(*a, *b); });
  const std::size_t listed = std::min(worst.size(), kListedRequests);

  Table table;
  table.columns = {{"Id", true},       {"Label"},          {"Arrival, s", true},  {"Queue, ms", true},
                   {"TTFT, ms", true}, {"TPOT, ms", true}, {"Max ITL, ms", true}, {"E2E, ms", true},
                   {"Prompt", true},   {"Cached", true},   {"Output", true},      {"Preempted", true},
                   {"Finish"}};
  for (std::size_t i = 0; i < listed; ++i) table.rows.push_back(request_row(*worst[i], run.header.start_utc));
  table.note =
      listed == worst.size()
          ? "All " + count_of(static_cast<std::int64_t>(listed), "request") + ", the longest ITL first."
          : fmt::format("The {} with the longest ITL; {} more are in the CSV and JSON exports.", listed,
                        format_count(static_cast<std::int64_t>(worst.size() - listed)));
  if (worst.empty()) table.note = "No request ended in this run.";
  return table;
}

}  // namespace pitwall
