// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_json.h"

#include <time.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/bench/bench_keys.h"
#include "engine/bench/report_figures.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// vLLM's form, in UTC.
std::string date_text(Nanos utc) {
  const std::time_t seconds = utc / kNanosPerSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return text.data();
}

Json number(double value) {
  return std::isnan(value) ? Json() : Json(value);
}

template <class T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// What a member is in JSON, and back: NaN is null, infinity "inf", what is absent null.

Json written(double value) {
  return std::isinf(value) ? Json("inf") : number(value);
}
template <class T>
Json written(const std::optional<T>& value) {
  return known(value);
}
template <class T>
Json written(const T& value) {
  return value;
}

Json setup_json(const LoadSetup& setup) {
  Json out = {{"date", date_text(setup.date_utc)},
              {"endpoint_type", setup.backend},
              {"label", setup.label.empty() ? Json() : Json(setup.label)}};
  for_each_vllm_setup(setup, [&](const char* key, const auto& value) { out[key] = written(value); });
  return out;
}

Json misses_json(const ServerSide& server) {
  if (!server.misses) return {};
  Json misses = Json::object();
  for (int reason = 1; reason < kMissReasonCount; ++reason) {  // 0 is none
    misses[std::string(miss_reason_name(static_cast<MissReason>(reason)))] =
        (*server.misses)[static_cast<std::size_t>(reason)];
  }
  return misses;
}

Json objectives_json(const LoadSetup& setup) {
  const Objectives& wanted = setup.objectives;
  if (!wanted.any()) return {};
  Json out;
  for_each_objective(wanted, [&](const char* key, const auto& value) { out[key] = written(value); });
  out["undefined_is"] = setup.undefined_is_bad ? "bad" : "ignored";
  return out;
}

void put_info(Json& figure, const FigureInfo& info) {
  figure["definition"] = info.definition;
  if (!info.alias.empty()) figure["alias"] = info.alias;
  figure["unit"] = info.unit;
}

Json counts_json(const std::map<std::string, std::int64_t>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json client_json(const LoadReport& report) {
  return {{"cpu_s", report.lag.cpu_s},
          {"loop_delay_ms", to_json_value(report.lag.loop_delay_ms)},
          {"send_slip_ms", to_json_value(report.lag.slip_ms)}};
}

Json repeats_json(const LoadReport& report) {
  Json figures = Json::object();
  for (const auto& [name, figure] : report.repeated) {
    Json values = Json::array();
    for (const double value : figure.values) values.push_back(number(value));
    figures[name] = {{"mean", number(figure.interval.mean)},
                     {"ci95_low", number(figure.interval.low)},
                     {"ci95_high", number(figure.interval.high)},
                     {"values", values}};
  }
  return figures;
}

Json pitwall_json(const LoadReport& report) {
  const LoadSetup& setup = report.setup;
  Json out = {{"utc", format_utc(setup.date_utc)}};
  for_each_own_setup(setup, [&](const char* key, const auto& value) { out[key] = written(value); });
  out["percentile_method"] = "type 7, linear";
  for_each_number(report, [&](const FigureInfo& info, double value) {
    Json figure = {{"value", number(value)}};
    put_info(figure, info);
    out[std::string(info.name)] = figure;
  });
  for_each_distribution(report, [&](const FigureInfo& info, const Summary& summary) {
    Json figure = to_json_value(summary);
    put_info(figure, info);
    out[std::string(info.name)] = figure;
  });
  for_each_count(report, [&](const char* name, std::int64_t count) { out[name] = count; });
  out["objectives"] = objectives_json(setup);
  out["failures"] = counts_json(report.failures);
  out["failure_reasons"] = counts_json(report.failure_reasons);
  out["server"] = {{"peak_kv_usage", known(report.server.peak_kv_usage)},
                   {"reads", report.server.reads},
                   {"gaps", report.server.gaps}};
  out["client"] = client_json(report);
  out["warnings"] = report.warnings;
  out["repeated"] = repeats_json(report);
  out["run_ids"] = report.run_ids;
  return out;
}

// Reading. Keys at fault are named by JsonFieldError and by json::exception's text.

double read_number(const Json& value) {
  if (value.is_null()) return kNaN;
  if (value == "inf") return std::numeric_limits<double>::infinity();
  return value.get<double>();
}

template <class T>
std::optional<T> read_known(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

void read(const Json& value, double& member) {
  member = read_number(value);
}
template <class T>
void read(const Json& value, std::optional<T>& member) {
  member = read_known<T>(value);
}
template <class T>
void read(const Json& value, T& member) {
  value.get_to(member);
}
/// Reads each key that it is called with.
auto reader_of(const Json& object) {
  return [&object](const char* key, auto& member) { read(object.at(key), member); };
}

Nanos read_date(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%Y%m%d-%H%M%S", &parts) == nullptr)
    throw JsonFieldError("date", "it is no date");
  return Nanos{timegm(&parts)} * kNanosPerSecond;
}

void read_setup(const Json& document, LoadSetup& setup) {
  setup.date_utc = read_date(document.at("date").get<std::string>());
  for_each_vllm_setup(setup, reader_of(document));
  if (!document.at("label").is_null()) document.at("label").get_to(setup.label);
  const Json& ours = document.at("pitwall");
  for_each_own_setup(setup, reader_of(ours));
  const Json& wanted = ours.at("objectives");
  if (wanted.is_null()) return;
  for_each_objective(setup.objectives, reader_of(wanted));
  setup.undefined_is_bad = wanted.at("undefined_is") == "bad";
}

void read_vllm(const Json& document, LoadReport& report) {
  for_each_vllm_number(report.vllm, reader_of(document));
  report.vllm_goodput = read_number(document.at("request_goodput"));
  for_each_vllm_latency(report.vllm, [&](const std::string& name, Summary& summary) {
    summary = summarize({});
    for_each_vllm_statistic(summary, [&](const std::string& statistic, double& value) {
      value = read_number(document.at(statistic + "_" + name + "_ms"));
    });
  });
}

void read_server(const Json& document, ServerSide& server) {
  const Json& cache = document.at("prefix_cache");
  server.query_tokens = read_known<std::int64_t>(cache.at("query_tokens"));
  server.hit_tokens = read_known<std::int64_t>(cache.at("hit_tokens"));
  server.preemptions = read_known<std::int64_t>(document.at("preemptions"));
  server.peak_kv_bytes = read_known<Bytes>(document.at("peak_kv_bytes"));
  if (const Json& misses = cache.at("misses_by_reason"); !misses.is_null()) {
    server.misses.emplace();
    for (int reason = 1; reason < kMissReasonCount; ++reason) {
      misses.at(std::string(miss_reason_name(static_cast<MissReason>(reason))))
          .get_to((*server.misses)[static_cast<std::size_t>(reason)]);
    }
  }
  const Json& ours = document.at("pitwall").at("server");
  server.peak_kv_usage = read_known<double>(ours.at("peak_kv_usage"));
  ours.at("reads").get_to(server.reads);
  ours.at("gaps").get_to(server.gaps);
}

void read_pitwall(const Json& ours, LoadReport& report) {
  for_each_number(report, [&](const FigureInfo& info, double& value) {
    value = read_number(ours.at(std::string(info.name)).at("value"));
  });
  for_each_distribution(report, [&](const FigureInfo& info, Summary& summary) {
    summary = summarize({});
    read_json(ours.at(std::string(info.name)), summary);
  });
  for_each_count(report, [&](const char* name, std::int64_t& count) { ours.at(name).get_to(count); });
  for (const auto& [name, count] : ours.at("failures").items()) report.failures[name] = count;
  for (const auto& [name, count] : ours.at("failure_reasons").items()) report.failure_reasons[name] = count;
  const Json& client = ours.at("client");
  client.at("cpu_s").get_to(report.lag.cpu_s);
  report.lag.loop_delay_ms = report.lag.slip_ms = summarize({});
  read_json(client.at("loop_delay_ms"), report.lag.loop_delay_ms);
  read_json(client.at("send_slip_ms"), report.lag.slip_ms);
  ours.at("warnings").get_to(report.warnings);
  for (const auto& [name, figure] : ours.at("repeated").items()) {
    Repeated& repeated = report.repeated[name];
    for (const Json& value : figure.at("values")) repeated.values.push_back(read_number(value));
    repeated.interval = {read_number(figure.at("mean")), read_number(figure.at("ci95_low")),
                         read_number(figure.at("ci95_high"))};
  }
  ours.at("run_ids").get_to(report.run_ids);
}

Error unreadable(const std::string& why) {
  return {Error::Kind::invalid_input, "This is no result of `pitwallctl bench`", why,
          "Take the file that --output wrote", "output"};
}

}  // namespace

Json vllm_keys(const LoadReport& report) {
  Json document = setup_json(report.setup);
  document.update(to_json_value(report.vllm));
  return document;
}

Json bench_json(const LoadReport& report) {
  Json document = vllm_keys(report);
  document["request_goodput"] = number(report.vllm_goodput);
  document["run_id"] = report.run_ids.empty() ? Json() : Json(report.run_ids.front());
  const ServerSide& server = report.server;
  document["prefix_cache"] = {{"query_tokens", known(server.query_tokens)},
                              {"hit_tokens", known(server.hit_tokens)},
                              {"misses_by_reason", misses_json(server)}};
  document["preemptions"] = known(server.preemptions);
  document["peak_kv_bytes"] = known(server.peak_kv_bytes);
  document["pitwall"] = pitwall_json(report);
  return document;
}

void add_details(Json& document, std::span<const PlayedLoad> plays) {
  constexpr double kMsPerSecond = 1000;
  Json input = Json::array(), output = Json::array(), ttfts = Json::array(), itls = Json::array(),
       starts = Json::array(), errors = Json::array(), texts = Json::array();
  bool kept = false;
  for (const PlayedLoad& play : plays) {
    for (const StreamRecord& record : play.records) {
      const VllmTimes times = vllm_times(record);
      Json gaps = Json::array();
      for (const double gap : times.itl) gaps.push_back(gap / kMsPerSecond);
      input.push_back(record.input_tokens());
      output.push_back(record.ended_well() ? record.output_tokens() : 0);
      ttfts.push_back(number(times.ttft / kMsPerSecond));
      itls.push_back(gaps);
      starts.push_back(record.sent > 0
                           ? Json(static_cast<double>(record.sent) / static_cast<double>(kNanosPerSecond))
                           : Json());
      errors.push_back(record.ended_well() ? ""
                                           : std::string(stream_end_name(record.end)) + ": " + record.reason);
      texts.push_back(record.text);
      kept |= !record.text.empty();
    }
  }
  document["input_lens"] = std::move(input);
  document["output_lens"] = std::move(output);
  document["ttfts"] = std::move(ttfts);
  document["itls"] = std::move(itls);
  document["start_times"] = std::move(starts);
  document["errors"] = std::move(errors);
  if (kept) document["generated_texts"] = std::move(texts);
}

Result<LoadReport> parse_bench_json(const std::string& text) {
  try {
    const Json document = Json::parse(text);
    LoadReport report;
    read_setup(document, report.setup);
    read_vllm(document, report);
    read_server(document, report.server);
    read_pitwall(document.at("pitwall"), report);
    return report;
  } catch (const JsonFieldError& fault) {
    return unreadable(fault.key + ": " + fault.what());
  } catch (const nlohmann::json::exception& fault) {
    return unreadable(fault.what());
  }
}

}  // namespace pitwall
