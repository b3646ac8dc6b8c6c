// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/run_import.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/report/foreign_run.h"
#include "engine/report/import_text.h"
#include "engine/report/run_document.h"
#include "engine/report/run_kind.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

Error unknown_file(const std::string& name, const std::string& why) {
  return Error{
      Error::Kind::invalid_input, fmt::format("{} is no run that Pitwall can read", name), why,
      "Give a run exported as JSON, a result of `vllm bench serve`, or AIPerf's profile_export.jsonl",
      "file"};
}

/// The first line is a whole object, which has what each of AIPerf's has.
bool looks_like_aiperf(const std::string& text) {
  const Json first = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
  return first.is_object() && first.contains("metadata") && first.contains("metrics");
}

Result<Run> foreign(Result<Run> run, const std::string& name) {
  if (!run) return run;
  run->header.kind = kImportedKind;
  if (run->header.name.empty()) run->header.name = name;
  return run;
}

Result<Run> read(const std::string& text, const std::string& name) {
  if (looks_like_aiperf(text)) return foreign(run_of_aiperf(text), name);
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return unknown_file(name, "It is not JSON at " + line_and_column(text, error.byte));
  }
  if (!document.is_object()) return unknown_file(name, "It is JSON, but no object");
  if (document.contains("format")) return run_of_document(document);
  if (!document.contains("total_output_tokens"))
    return unknown_file(name,
                        "It has neither \"format\" (ours), nor \"total_output_tokens\" (vLLM), nor "
                        "\"metadata\" and \"metrics\" (AIPerf)");
  try {
    return foreign(run_of_vllm(document), name);
  } catch (const JsonFieldError& error) {
    return unknown_file(name, "\"" + error.key + "\": " + error.what());
  } catch (const nlohmann::json::exception& error) {
    return unknown_file(name, error.what());
  }
}

constexpr double kLongestRun = 10 * 365.25 * 86'400 * kNanosPerSecond;  // ns
constexpr std::size_t kLongestName = 20'000, kLongestNote = 1'000'000;  // bytes

/// What no clock and no person has written; null = nothing.
std::optional<std::string> implausible(const Run& run) {
  const auto apart = [&run](const char* what, Nanos utc) -> std::optional<std::string> {
    const double after = static_cast<double>(utc) - static_cast<double>(run.header.start_utc);
    if (std::abs(after) <= kLongestRun) return std::nullopt;
    return fmt::format("\"{}\" is {}, more than ten years from the run's start, {}", what, utc,
                       run.header.start_utc);
  };
  if (run.summary.end_utc != 0)
    if (auto wrong = apart("end_utc", run.summary.end_utc)) return wrong;
  for (const SecondRecord& second : run.seconds)
    if (auto wrong = apart("seconds.utc", second.utc)) return wrong;
  const auto too_long = [](const char* what, std::size_t has, std::size_t most) {
    return fmt::format("\"{}\" has {} bytes, of at most {}", what, has, most);
  };
  if (run.header.name.size() > kLongestName) return too_long("name", run.header.name.size(), kLongestName);
  if (run.note.size() > kLongestNote) return too_long("note", run.note.size(), kLongestNote);
  return std::nullopt;
}

}  // namespace

Result<Run> parse_run_file(const std::string& text, const std::string& name) {
  auto run = read(text, name);
  if (run)
    if (const auto wrong = implausible(*run)) return unknown_file(name, *wrong);
  if (run && run->header.uuid.empty()) run->header.uuid = sum_of(text);
  return run;
}

}  // namespace pitwall
