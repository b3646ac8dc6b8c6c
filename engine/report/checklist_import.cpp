// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/checklist_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/bench/checklist_template.h"
#include "engine/report/import_text.h"
#include "engine/report/run_document.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

Error bad_file(const std::string& name, std::string why) {
  return Error{Error::Kind::invalid_input, fmt::format("{} is no checklist that Pitwall can read", name),
               std::move(why), "Give a checklist that the Tune page has exported as JSON", "file"};
}

/// What an export has beside the checklist's own keys. Results and flags are worked out anew.
struct Beside {
  std::int64_t version = kChecklistFormatVersion;
  Json runs = Json::array();
};

Beside take_beside(Json& document) {
  Beside beside;
  if (const auto format = document.find("format"); format != document.end()) {
    if (*format != kChecklistFormat)
      throw JsonFieldError("format", "it is not " + std::string(kChecklistFormat));
    const auto version = document.find("version");
    if (version == document.end() || !version->is_number_integer())
      throw JsonFieldError("version", "a whole number is expected");
    beside.version = version->get<std::int64_t>();
  }
  if (const auto runs = document.find("runs"); runs != document.end()) {
    if (!runs->is_array()) throw JsonFieldError("runs", "a list is expected");
    beside.runs = std::move(*runs);
  }
  for (const char* key :
       {"format", "version", "runs", "results", "recommended", "recommended_notes", "to_measure_again"})
    document.erase(key);
  return beside;
}

bool names(const Run& run, const Checklist& checklist) {
  return std::any_of(run.header.config.begin(), run.header.config.end(), [&](const ConfigEntry& entry) {
    return entry.name == "checklist.id" && entry.value == checklist.uuid;
  });
}

std::vector<Run> read_runs(const Json& list, const Checklist& checklist) {
  std::vector<Run> runs;
  std::set<std::string> uuids;
  for (const Json& one : list) {
    const std::string where = fmt::format("runs[{}]", runs.size());
    auto run = run_of_document(one);
    if (!run) throw JsonFieldError(where, run.error().what);
    if (run->header.uuid.empty() || !uuids.insert(run->header.uuid).second)
      throw JsonFieldError(where + ".header.uuid", "each run needs one of its own");
    if (!names(*run, checklist)) throw JsonFieldError(where, "it belongs to another checklist");
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace

bool looks_like_checklist(std::string_view text) {
  for (const std::string& part : {std::string("{"), std::string("\"format\""), std::string(":"),
                                  "\"" + std::string(kChecklistFormat) + "\""}) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || !text.substr(start).starts_with(part)) return false;
    text.remove_prefix(start + part.size());
  }
  return true;
}

Result<ImportedChecklist> parse_checklist_file(const std::string& text, const std::string& name) {
  try {
    Json document = Json::parse(text);
    if (!document.is_object()) return bad_file(name, "It is JSON, but no object");
    const Beside beside = take_beside(document);
    if (beside.version < 1 || beside.version > kChecklistFormatVersion)
      return Error{Error::Kind::unsupported,
                   fmt::format("{} has format version {}; this program knows version {}", name,
                               beside.version, kChecklistFormatVersion),
                   beside.version > kChecklistFormatVersion ? "A newer Pitwall has written it" : "",
                   "Update Pitwall", "version"};
    auto checklist = parse_checklist(document.dump());
    if (!checklist) return bad_file(name, checklist.error().cause);
    if (checklist->uuid.empty()) checklist->uuid = sum_of(text);
    auto runs = read_runs(beside.runs, *checklist);
    return ImportedChecklist{std::move(*checklist), std::move(runs)};
  } catch (const Json::parse_error& error) {
    return bad_file(name, "It is not JSON at " + line_and_column(text, error.byte));
  } catch (const JsonFieldError& error) {
    return bad_file(name, "\"" + error.key + "\": " + error.what());
  } catch (const Json::exception& error) {
    return bad_file(name, error.what());
  }
}

}  // namespace pitwall
