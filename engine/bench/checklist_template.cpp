// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/checklist_template.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/bench/checklist.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

std::span<const std::string_view> embedded_checklists();  // written by CMake from profiles/checklists

namespace {

Error bad_checklist(std::string why) {
  return {Error::Kind::invalid_input, "A checklist cannot be read", std::move(why),
          "Compare it with the files of profiles/checklists", ""};
}

/// The first key of `object` that `like` does not have; empty when there is none.
std::string unknown_key(const Json& object, const Json& like) {
  for (const auto& [key, value] : object.items())
    if (!like.contains(key)) return key;
  return {};
}

std::string unknown_key(const Json& document) {
  Checklist full;
  full.items.emplace_back().changes.emplace_back();
  const Json like = to_json_value(full);
  if (const std::string key = unknown_key(document, like); !key.empty()) return key;
  const auto items = document.find("items");
  if (items == document.end() || !items->is_array()) return {};
  for (const Json& item : *items)
    if (const std::string key = unknown_key(item, like["items"][0]); !key.empty()) return "items." + key;
  return {};
}

}  // namespace

Result<Checklist> parse_checklist(std::string_view text) {
  try {
    Json document = Json::parse(text);
    if (!document.is_object()) return bad_checklist("It is no object");
    if (const std::string key = unknown_key(document); !key.empty())
      return bad_checklist(quote_for_message(key) + " is no key of a checklist");
    if (document.contains("settings") && document["settings"].is_object())
      document["settings"] = document["settings"].dump();
    Checklist checklist;
    read_json(document, checklist);
    std::int64_t last = 0;
    for (const Item& item : checklist.items) last = std::max(last, item.id);
    for (Item& item : checklist.items)
      if (item.id == 0) item.id = ++last;
    if (auto sound = check(checklist); !sound) return bad_checklist(sound.error().text());
    return checklist;
  } catch (const JsonFieldError& problem) {
    return bad_checklist(problem.key + ": " + problem.what());
  } catch (const Json::exception& problem) {
    return bad_checklist(problem.what());
  }
}

const std::vector<Checklist>& checklist_templates() {
  static const std::vector<Checklist> templates = [] {
    auto parsed = parse_profiles(embedded_checklists(), parse_checklist);
    std::sort(parsed.begin(), parsed.end(), [](const Checklist& a, const Checklist& b) {
      return std::pair(a.origin != "four-steps", a.name) < std::pair(b.origin != "four-steps", b.name);
    });
    return parsed;
  }();
  return templates;
}

Result<Checklist> find_checklist_template(std::string_view origin) {
  std::string names;
  for (const Checklist& one : checklist_templates()) {
    if (one.origin == origin) return one;
    names.append(names.empty() ? "" : ", ").append(one.origin);
  }
  return Error{Error::Kind::not_found, "There is no template " + quote_for_message(origin), "",
               "These exist: " + names, "template"};
}

}  // namespace pitwall
