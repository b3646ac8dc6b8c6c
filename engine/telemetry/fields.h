// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of each record's fields and their names. JSON, SQL columns and their readers all walk it, so
// that a new field is added once: for_each_field(record, [](const char* name, auto& value) { … }). Values are
// integers, double, bool, std::string, enumerations with words, or Percentiles.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

#include "engine/telemetry/checklist.h"
#include "engine/telemetry/run.h"

namespace pitwall {

template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

const char* miss_field(MissReason reason);  ///< "miss_diverged"

void for_each_field(Is<Percentiles> auto& r, auto&& visit) {
  visit("n", r.n);
  visit("mean", r.mean);
  visit("p50", r.p50);
  visit("p90", r.p90);
  visit("p99", r.p99);
  visit("max", r.max);
}

void for_each_field(Is<Summary> auto& r, auto&& visit) {
  visit("n", r.n);
  visit("mean", r.mean);
  visit("std", r.std);
  visit("min", r.min);
  visit("max", r.max);
  visit("p1", r.p1);
  visit("p5", r.p5);
  visit("p10", r.p10);
  visit("p25", r.p25);
  visit("p50", r.p50);
  visit("p75", r.p75);
  visit("p90", r.p90);
  visit("p95", r.p95);
  visit("p99", r.p99);
}

void for_each_field(Is<StepRecord> auto& r, auto&& visit) {
  visit("step", r.step);
  visit("launched", r.launched);
  visit("started", r.started);
  visit("finished", r.finished);
  visit("plan_ns", r.plan_ns);
  visit("commit_ns", r.commit_ns);
  visit("gap_ns", r.gap_ns);
  visit("prefill_tokens", r.prefill_tokens);
  visit("decode_tokens", r.decode_tokens);
  visit("sequences", r.sequences);
  visit("waiting", r.waiting);
  visit("kv_used_blocks", r.kv_used_blocks);
  visit("joined", r.joined);
  visit("left", r.left);
  visit("preempted", r.preempted);
  visit("evicted", r.evicted);
  visit("copied", r.copied);
  visit("graph_hit", r.graph_hit);
  visit("swapped_out", r.swapped_out);
  visit("swapped_in", r.swapped_in);
  visit("padding_tokens", r.padding_tokens);
  visit("kv_cached_blocks", r.kv_cached_blocks);
  visit("swap_ns", r.swap_ns);
  visit("predicted_ns", r.predicted_ns);
  visit("decode_context", r.decode_context);
  visit("prefill_pairs", r.prefill_pairs);
}

void for_each_field(Is<RequestRecord> auto& r, auto&& visit) {
  visit("id", r.id.value);
  visit("label", r.label);
  visit("arrival_utc", r.arrival_utc);
  visit("arrival", r.arrival);
  visit("scheduled", r.scheduled);
  visit("first_token", r.first_token);
  visit("last_token", r.last_token);
  visit("finished", r.finished);
  visit("prompt_tokens", r.prompt_tokens);
  visit("cached_tokens", r.cached_tokens);
  visit("output_tokens", r.output_tokens);
  visit("preemptions", r.preemptions);
  visit("max_itl", r.max_itl);
  visit("finish", r.finish);
  visit("error", r.error);
  visit("miss", r.miss);
  visit("miss_token", r.miss_token);
  visit("miss_part", r.miss_part);
  visit("recomputed_tokens", r.recomputed_tokens);
  visit("swapped_tokens", r.swapped_tokens);
  visit("preempted_ns", r.preempted_ns);
  visit("preempted_before_first_ns", r.preempted_before_first_ns);
  visit("priority", r.priority);
  visit("tenant", r.tenant);
}

void for_each_field(Is<SecondRecord> auto& r, auto&& visit) {
  visit("utc", r.utc);
  visit("ttft", r.ttft);
  visit("tpot", r.tpot);
  visit("itl", r.itl);
  visit("queue", r.queue);
  visit("output_tokens_per_s", r.output_tokens_per_s);
  visit("prompt_tokens_per_s", r.prompt_tokens_per_s);
  visit("running", r.running);
  visit("waiting", r.waiting);
  visit("preemptions", r.preemptions);
  visit("finished", r.finished);
  visit("kv_used", r.kv_used);
  visit("kv_cached", r.kv_cached);
  visit("kv_quarantined", r.kv_quarantined);
  visit("kv_free", r.kv_free);
  visit("accounted", r.accounted);
  visit("measured", r.measured);
  visit("prefix_query_tokens", r.prefix_query_tokens);
  visit("prefix_hit_tokens", r.prefix_hit_tokens);
}

void for_each_field(Is<EngineTotals> auto& r, auto&& visit) {
  visit("requests_finished", r.requests_finished);
  visit("requests_stop", r.requests_stop);
  visit("requests_length", r.requests_length);
  visit("requests_cancelled", r.requests_cancelled);
  visit("requests_error", r.requests_error);
  visit("prompt_tokens", r.prompt_tokens);
  visit("output_tokens", r.output_tokens);
  visit("preemptions", r.preemptions);
  visit("steps", r.steps);
  visit("prefix_query_tokens", r.prefix_query_tokens);
  visit("prefix_hit_tokens", r.prefix_hit_tokens);
  visit("recomputed_tokens", r.recomputed_tokens);
  visit("swapped_tokens", r.swapped_tokens);
  visit("evicted_blocks", r.evicted_blocks);
  for (std::size_t i = 0; i < r.misses.size(); ++i) {
    visit(miss_field(static_cast<MissReason>(i)), r.misses[i]);
  }
}

void for_each_field(Is<LedgerSnapshot> auto& r, auto&& visit) {
  for (std::size_t i = 0; i < r.bytes.size(); ++i) {
    visit(category_name(static_cast<Category>(i)).data(), r.bytes[i]);
  }
  visit("kv_used", r.kv_used);
  visit("kv_cached", r.kv_cached);
  visit("kv_quarantined", r.kv_quarantined);
  visit("kv_free", r.kv_free);
  visit("limit", r.limit);
  visit("device_total", r.device_total);
  visit("measured", r.measured);
  visit("other_processes", r.other_processes);
}

void for_each_field(Is<ConfigEntry> auto& r, auto&& visit) {
  visit("name", r.name);
  visit("value", r.value);
  visit("default_value", r.default_value);
  visit("origin", r.origin);
  visit("changed", r.changed);
}

void for_each_field(Is<SettingChange> auto& r, auto&& visit) {
  visit("utc", r.utc);
  visit("name", r.name);
  visit("from", r.from);
  visit("to", r.to);
  visit("by", r.by);
}

/// Without `config`, which is a list.
void for_each_field(Is<RunHeader> auto& r, auto&& visit) {
  visit("uuid", r.uuid);
  visit("name", r.name);
  visit("kind", r.kind);
  visit("start_utc", r.start_utc);
  visit("engine_version", r.engine_version);
  visit("git_commit", r.git_commit);
  visit("build_flags", r.build_flags);
  visit("cpu", r.cpu);
  visit("os", r.os);
  visit("cores", r.cores);
  visit("ram", r.ram);
  visit("device", r.device);
  visit("model_path", r.model_path);
  visit("model_name", r.model_name);
  visit("architecture", r.architecture);
  visit("quantization", r.quantization);
  visit("model_sha256", r.model_sha256);
}

/// Without `totals`, `ledger` and `metrics`, which are records of their own.
void for_each_field(Is<RunSummary> auto& r, auto&& visit) {
  visit("status", r.status);
  visit("error", r.error);
  visit("end_utc", r.end_utc);
  visit("output_tokens_per_s", r.output_tokens_per_s);
}

void for_each_field(Is<ItemChange> auto& r, auto&& visit) {
  visit("setting", r.setting);
  visit("from", r.from);
  visit("to", r.to);
}

/// Without `changes`, which is a list.
void for_each_field(Is<Item> auto& r, auto&& visit) {
  visit("id", r.id);
  visit("name", r.name);
  visit("hypothesis", r.hypothesis);
  visit("expected", r.expected);
  visit("measure", r.measure);
  visit("also", r.also);
  visit("repeats", r.repeats);
  visit("verdict", r.verdict);
  visit("by_user", r.by_user);
  visit("effect", r.effect);
  visit("effect_low", r.effect_low);
  visit("effect_high", r.effect_high);
  visit("percent", r.percent);
  visit("error", r.error);
}

/// Without `id`, which the store gives, and `items`, which is a list.
void for_each_field(Is<Checklist> auto& r, auto&& visit) {
  visit("uuid", r.uuid);
  visit("imported_utc", r.imported_utc);
  visit("name", r.name);
  visit("goal", r.goal);
  visit("origin", r.origin);
  visit("source", r.source);
  visit("note", r.note);
  visit("created_utc", r.created_utc);
  visit("updated_utc", r.updated_utc);
  visit("target", r.target);
  visit("model", r.model);
  visit("gpus", r.gpus);
  visit("engine", r.engine);
  visit("workload", r.workload);
  visit("num_prompts", r.num_prompts);
  visit("max_concurrency", r.max_concurrency);
  visit("repeats", r.repeats);
  visit("seed", r.seed);
  visit("settings", r.settings);
  visit("measure", r.measure);
  visit("latency", r.latency);
  visit("limits", r.limits);
}

// Enumerators as the words that JSON and SQL hold.
std::string_view word_of(FinishReason value);
std::string_view word_of(RunStatus value);
std::string_view word_of(MissReason value);
std::string_view word_of(ItemVerdict value);
std::string_view word_of(TuneTarget value);
std::string_view word_of(ChangedBy value);
bool set_word(FinishReason& value,
              std::string_view word);  ///< false, and no change, when nobody knows the word
bool set_word(RunStatus& value, std::string_view word);
bool set_word(MissReason& value, std::string_view word);
bool set_word(ItemVerdict& value, std::string_view word);
bool set_word(TuneTarget& value, std::string_view word);
bool set_word(ChangedBy& value, std::string_view word);

}  // namespace pitwall
