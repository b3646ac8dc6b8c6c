// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/openai_fields.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostChoiceTexts = 10'000;
constexpr std::size_t kMostTools = 256;
constexpr std::size_t kLongestName = 64;  // bytes, as OpenAI has it

/// A schema as an object, or as its JSON text.
std::string schema_text(RequestFields& fields, const char* name, const Json& schema) {
  if (schema.is_object() || schema.is_boolean()) return schema.dump();
  if (schema.is_string() && !Json::parse(schema.get_ref<const std::string&>(), nullptr, false).is_discarded())
    return schema.get<std::string>();
  fields.refuse(name, "has a schema that is no JSON object");
  return {};
}

std::vector<std::string> choice_texts(RequestFields& fields, const char* name, const Json& list) {
  std::vector<std::string> texts;
  bool sound = list.is_array() && !list.empty() && list.size() <= kMostChoiceTexts;
  for (std::size_t i = 0; sound && i < list.size(); ++i) {
    sound = list[i].is_string();
    if (sound) texts.push_back(list[i].get<std::string>());
  }
  if (!sound)
    fields.refuse(name,
                  "is not a list of 1 to " + std::to_string(kMostChoiceTexts) + " choices, each a string");
  return texts;
}

ReplyRule rule_of(RequestFields& fields, const char* name, ReplyRule::Kind kind, const Json& value) {
  ReplyRule rule{kind, {}, {}};
  if (kind == ReplyRule::Kind::json_schema) {
    rule.text = schema_text(fields, name, value);
  } else if (kind == ReplyRule::Kind::choice) {
    rule.choices = choice_texts(fields, name, value);
  } else if (kind == ReplyRule::Kind::regex) {
    if (!value.is_string()) fields.refuse(name, "has a pattern that is not a string");
    if (value.is_string()) rule.text = value.get<std::string>();
  }
  return rule;
}

ReplyRule response_format(RequestFields& fields, const Json& format) {
  const Json type = format.is_object() ? format.value("type", Json()) : Json();
  if (type == "text") return {};
  if (type == "json_object") return {ReplyRule::Kind::json_object, {}, {}};
  if (type == "json_schema") {
    const Json outer = format.value("json_schema", Json());
    if (outer.is_object() && outer.contains("schema"))
      return rule_of(fields, "response_format", ReplyRule::Kind::json_schema, outer["schema"]);
    fields.refuse("response_format", "is a json_schema without json_schema.schema");
    return {};
  }
  fields.refuse("response_format", "has no type text, json_object or json_schema");
  return {};
}

/// vLLM's words; the first that is there.
ReplyRule structured_outputs(RequestFields& fields, const Json& wanted) {
  constexpr const char* kName = "structured_outputs";
  if (!wanted.is_object()) {
    fields.refuse(kName, "is not an object");
    return {};
  }
  const auto has = [&wanted](const char* key) { return wanted.contains(key) && !wanted[key].is_null(); };
  if (has("json")) return rule_of(fields, kName, ReplyRule::Kind::json_schema, wanted["json"]);
  if (has("regex")) return rule_of(fields, kName, ReplyRule::Kind::regex, wanted["regex"]);
  if (has("choice")) return rule_of(fields, kName, ReplyRule::Kind::choice, wanted["choice"]);
  if (has("json_object") && wanted["json_object"] == true) return {ReplyRule::Kind::json_object, {}, {}};
  for (const char* key : {"grammar", "structural_tag"}) {
    if (has(key))
      fields.refuse(kName, std::string("asks for ") + key + ", which this server does not provide",
                    Error::Kind::unsupported);
  }
  return {};
}

bool is_tool_name(const std::string& name) {
  if (name.empty() || name.size() > kLongestName) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '-' && c != '.') return false;
  }
  return true;
}

/// Names of the tools, or nothing when the list is wrong.
std::vector<std::string> tool_names(RequestFields& fields, const Json& tools) {
  std::vector<std::string> names;
  if (!tools.is_array() || tools.size() > kMostTools) {
    fields.refuse("tools", "is not a list of at most " + std::to_string(kMostTools) + " tools");
    return names;
  }
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string place = "[" + std::to_string(i) + "] ";
    const Json function = tools[i].is_object() ? tools[i].value("function", Json()) : Json();
    const Json name = function.is_object() ? function.value("name", Json()) : Json();
    if (!tools[i].is_object() || tools[i].value("type", Json()) != "function" || !name.is_string()) {
      fields.refuse("tools", place + "is no function with a name");
      return {};
    }
    if (!is_tool_name(name)) {
      fields.refuse("tools", place + "has a name that is not 1 to 64 letters, digits, dots, _ or -");
      return {};
    }
    const Json parameters = function.value("parameters", Json());
    if (!parameters.is_null() && !parameters.is_object()) {
      fields.refuse("tools", place + "has parameters that are no JSON schema");
      return {};
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

ReplyRule read_reply_rule(RequestFields& fields) {
  if (const Json* format = fields.any("response_format")) {
    ReplyRule rule = response_format(fields, *format);
    if (rule.kind != ReplyRule::Kind::free) return rule;
  }
  if (const Json* wanted = fields.any("structured_outputs")) return structured_outputs(fields, *wanted);
  const std::pair<const char*, ReplyRule::Kind> older[] = {{"guided_json", ReplyRule::Kind::json_schema},
                                                           {"guided_regex", ReplyRule::Kind::regex},
                                                           {"guided_choice", ReplyRule::Kind::choice}};
  for (const auto& [name, kind] : older) {
    if (const Json* value = fields.any(name)) return rule_of(fields, name, kind, *value);
  }
  return {};
}

ToolUse read_tool_use(RequestFields& fields) {
  ToolUse use;
  use.parallel = fields.flag("parallel_tool_calls").value_or(true);
  const Json* tools = fields.any("tools");
  const Json* wanted = fields.any("tool_choice");
  if (tools == nullptr || (tools->is_array() && tools->empty())) {
    if (wanted != nullptr && *wanted != "none" && *wanted != "auto")
      fields.refuse("tool_choice", "asks for a tool, and tools is missing");
    return use;
  }
  const std::vector<std::string> names = tool_names(fields, *tools);
  use.tools = tools->dump();
  use.choice = ToolUse::Choice::automatic;
  if (wanted == nullptr || *wanted == "auto") return use;
  if (*wanted == "none") {
    use.choice = ToolUse::Choice::none;
  } else if (*wanted == "required") {
    use.choice = ToolUse::Choice::required;
  } else {
    const Json function = wanted->is_object() ? wanted->value("function", Json()) : Json();
    const Json name = function.is_object() ? function.value("name", Json()) : Json();
    if (!name.is_string()) {
      fields.refuse(
          "tool_choice",
          "is none of none, auto, required and {\"type\": \"function\", \"function\": {\"name\": …}}");
      return use;
    }
    use.choice = ToolUse::Choice::named;
    use.only = name;
    if (std::find(names.begin(), names.end(), use.only) == names.end())
      fields.refuse("tool_choice", "names " + quote_for_message(use.only) + ", which is not among tools");
  }
  return use;
}

}  // namespace pitwall
