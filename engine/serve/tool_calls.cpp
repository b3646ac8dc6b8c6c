// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/tool_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kNone = std::string_view::npos;

constexpr std::array<ToolMarks, 9> kMarks = {{
    {"<tool_call>", "</tool_call>"},            // Hermes, Qwen, Granite 4
    {"<seed:tool_call>", "</seed:tool_call>"},  // Seed-OSS
    {"<minimax:tool_call>", "</minimax:tool_call>"},
    {"[TOOL_CALLS]", ""},                                // Mistral
    {"<|tool_call|>", ""},                               // Granite 3
    {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},  // DeepSeek
    {"functools", ""},                                   // FireFunction, Phi-4-mini
    {"<|python_tag|>", ""},                              // Llama 3
    {"<function=", "</function>"},                       // Functionary
}};

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

/// Where the JSON value that `text` begins with ends; kNone when it does not.
std::size_t json_end(std::string_view text) {
  JsonEnd end;
  const std::size_t size = end.take(text);
  return end.ended() ? size : kNone;
}

/// {"name": …, "arguments": {…}}; arguments may be JSON text, or missing.
std::optional<ToolCall> call_of(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  if (object.contains("function") && object["function"].is_object()) return call_of(object["function"]);
  ToolCall call;
  for (const char* key : {"name", "tool_name"}) {
    if (call.name.empty() && object.contains(key) && object[key].is_string()) call.name = object[key];
  }
  if (call.name.empty()) return std::nullopt;
  Json arguments = Json::object();
  for (const char* key : {"arguments", "parameters"}) {
    if (object.contains(key)) arguments = object[key];
  }
  if (arguments.is_string()) arguments = Json::parse(arguments.get_ref<const std::string&>(), nullptr, false);
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) return std::nullopt;
  call.arguments = arguments.dump();
  return call;
}

/// Objects and lists of them, one after another; commas and semicolons between them are passed over.
std::optional<std::vector<ToolCall>> json_calls(std::string_view text) {
  std::vector<ToolCall> calls;
  while (!text.empty()) {
    const std::size_t end = json_end(text);
    if (end == kNone) return std::nullopt;
    const Json value = Json::parse(text.substr(0, end), nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    for (const Json& each : value.is_array() ? value : Json::array({value})) {
      auto call = call_of(each);
      if (!call) return std::nullopt;
      calls.push_back(*std::move(call));
    }
    text = trimmed(text.substr(end));
    while (!text.empty() && (text.front() == ',' || text.front() == ';')) text = trimmed(text.substr(1));
  }
  return calls.empty() ? std::nullopt : std::optional(std::move(calls));
}

/// What the request's list says of a tool's parameter; null when it says nothing.
Json parameter_schema(const Json& tools, const std::string& tool, const std::string& parameter) {
  if (!tools.is_array()) return {};
  for (const Json& each : tools) {
    const Json function = each.is_object() ? each.value("function", Json::object()) : Json();
    if (!function.is_object() || function.value("name", Json()) != tool) continue;
    const Json schema = function.value("parameters", Json::object());
    const Json properties = schema.is_object() ? schema.value("properties", Json::object()) : Json();
    return properties.is_object() ? properties.value(parameter, Json()) : Json();
  }
  return {};
}

/// A parameter in a tag: text where the tool wants a string, JSON where it is JSON.
Json tag_value(std::string_view text, const Json& schema) {
  if (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const bool wants_text = schema.is_object() && schema.value("type", Json()) == "string";
  if (!wants_text) {
    Json value = Json::parse(text, nullptr, false);
    if (!value.is_discarded()) return value;
  }
  return std::string(text);
}

/// Text up to `end`, which is passed over; nothing where `end` does not come.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == kNone) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

struct TagStyle {
  std::string_view call, call_end, parameter, name_end, parameter_end;
};
constexpr TagStyle kTagStyles[] = {
    {"<function=", "</function>", "<parameter=", ">", "</parameter>"},
    {"<invoke name=\"", "</invoke>", "<parameter name=\"", "\">", "</parameter>"},
};

std::optional<Json> tag_arguments(std::string_view body, const TagStyle& style, const std::string& tool,
                                  const Json& tools) {
  body = trimmed(body);
  if (body.starts_with('{')) {
    Json object = Json::parse(body, nullptr, false);
    return object.is_object() ? std::optional(std::move(object)) : std::nullopt;
  }
  Json arguments = Json::object();
  while (!body.empty()) {
    if (!body.starts_with(style.parameter)) return std::nullopt;
    body.remove_prefix(style.parameter.size());
    const auto name = take_until(body, style.name_end);
    const auto value = name ? take_until(body, style.parameter_end) : std::nullopt;
    if (!value) return std::nullopt;
    const std::string key(*name);
    arguments[key] = tag_value(*value, parameter_schema(tools, tool, key));
    body = trimmed(body);
  }
  return arguments;
}

std::optional<std::vector<ToolCall>> tag_calls(std::string_view text, const TagStyle& style,
                                               const Json& tools) {
  std::vector<ToolCall> calls;
  while (!text.empty()) {
    if (!text.starts_with(style.call)) return std::nullopt;
    text.remove_prefix(style.call.size());
    const auto name = take_until(text, style.name_end);
    auto body = name ? take_until(text, style.call_end) : std::nullopt;
    if (name && !body) body = std::exchange(text, {});  // the mark around it has been cut off with its end
    if (!body) return std::nullopt;
    const std::string tool(trimmed(*name));
    const auto arguments = tag_arguments(*body, style, tool, tools);
    if (!arguments) return std::nullopt;
    calls.push_back({tool, arguments->dump()});
    text = trimmed(text);
  }
  return calls;
}

constexpr std::size_t kLongestName = 128;

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), in_name);
}

/// Goes along a call's beginning, of which the end may be missing.
class HeadReader {
 public:
  explicit HeadReader(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool ended() const { return at_ == text_.size(); }
  char next() const { return ended() ? '\0' : text_[at_]; }
  void pass(std::string_view any) {
    while (!ended() && any.find(text_[at_]) != kNone) ++at_;
  }
  /// One of the words; "" where none is there, or not yet.
  std::string_view word(std::initializer_list<std::string_view> words) {
    pass(kBlanks);
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view each : words) {
      if (!rest.starts_with(each)) continue;
      at_ += each.size();
      return each;
    }
    for (const std::string_view each : words) unfinished_ |= each.starts_with(rest);
    return {};
  }
  std::string_view name() {
    const std::size_t from = at_;
    while (!ended() && in_name(text_[at_])) ++at_;
    unfinished_ |= ended() && at_ - from <= kLongestName;
    const std::string_view name = text_.substr(from, at_ - from);
    return ended() || !is_name(name) ? std::string_view() : name;
  }
  CallHead given_up() const {
    return {unfinished_ ? CallHead::Is::unfinished : CallHead::Is::no, {}, 0, false};
  }

  static constexpr std::string_view kBlanks = " \n\r\t";

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool unfinished_ = false;
};

/// <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME ```json {…}``` <｜tool▁call▁end｜>, or
/// NAME<｜tool▁sep｜>{…}
std::optional<std::vector<ToolCall>> separated_calls(std::string_view text) {
  constexpr std::string_view kBegin = "<｜tool▁call▁begin｜>", kSeparator = "<｜tool▁sep｜>",
                             kEnd = "<｜tool▁call▁end｜>";
  std::vector<ToolCall> calls;
  while (!text.empty()) {
    if (!text.starts_with(kBegin)) return std::nullopt;
    text.remove_prefix(kBegin.size());
    const auto before = take_until(text, kSeparator);
    const auto body = before ? take_until(text, kEnd) : std::nullopt;
    if (!body) return std::nullopt;
    const std::size_t brace = body->find('{');
    if (brace == kNone) return std::nullopt;
    const std::size_t length = json_end(body->substr(brace));
    if (length == kNone) return std::nullopt;
    const Json arguments = Json::parse(body->substr(brace, length), nullptr, false);
    std::string_view name = trimmed(body->substr(0, brace));
    if (name.ends_with("```json")) name = trimmed(name.substr(0, name.size() - 7));
    if (name.empty()) name = trimmed(*before);
    if (!arguments.is_object() || !is_name(name)) return std::nullopt;
    calls.push_back({std::string(name), arguments.dump()});
    text = trimmed(text);
  }
  return calls.empty() ? std::nullopt : std::optional(std::move(calls));
}

/// NAME{…}, as Mistral's newer models write.
std::optional<std::vector<ToolCall>> named_call(std::string_view text) {
  const std::size_t brace = text.find('{');
  if (brace == kNone || !is_name(trimmed(text.substr(0, brace)))) return std::nullopt;
  const Json arguments = Json::parse(text.substr(brace), nullptr, false);
  if (!arguments.is_object()) return std::nullopt;
  return std::vector<ToolCall>{{std::string(trimmed(text.substr(0, brace))), arguments.dump()}};
}

}  // namespace

std::vector<ToolMarks> tool_marks(std::string_view template_source) {
  std::vector<ToolMarks> marks;
  for (const ToolMarks& each : kMarks) {
    // Within another mark a function's tag is a part of what is marked.
    const bool inside_another =
        each.open == "<function=" && std::any_of(marks.begin(), marks.end(), [](const ToolMarks& outer) {
          return outer.close.ends_with("tool_call>");
        });
    if (!inside_another && template_source.find(each.open) != kNone) marks.push_back(each);
  }
  return marks;
}

std::size_t JsonEnd::take(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size() && !ended_; ++i) {
    const char c = piece[i];
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ <= 0) {
      ended_ = true;
      return i + 1;
    }
  }
  return ended_ ? 0 : piece.size();
}

CallHead read_call_head(std::string_view text) {
  HeadReader reader(text);
  reader.pass(kBetweenCalls);
  if (reader.ended()) return {CallHead::Is::unfinished, {}, 0, false};
  std::string_view name;
  const bool in_object = reader.next() == '{';
  if (in_object) {
    const bool named = !reader.word({"{"}).empty() && !reader.word({"\"name\"", "\"tool_name\""}).empty() &&
                       !reader.word({":"}).empty() && !reader.word({"\""}).empty();
    if (named) name = reader.name();
    if (name.empty() || reader.word({"\""}).empty() || reader.word({","}).empty() ||
        reader.word({"\"arguments\"", "\"parameters\""}).empty() || reader.word({":"}).empty())
      return reader.given_up();
  } else {
    name = reader.name();
    if (name.empty()) return reader.given_up();
  }
  if (in_object) reader.pass(HeadReader::kBlanks);
  const std::size_t size = reader.at();
  // Words may stand before a brace; a call is what an object follows at once.
  const bool opens = in_object || reader.next() == '{';
  if (!opens || reader.word({"{"}).empty() || (!in_object && reader.word({"\"", "}"}).empty()))
    return reader.given_up();
  return {CallHead::Is::yes, std::string(name), size, in_object};
}

std::optional<std::vector<ToolCall>> read_tool_calls(std::string_view text, const Json& tools) {
  text = trimmed(text);
  if (text.starts_with('{') || text.starts_with('[')) return json_calls(text);
  for (const TagStyle& style : kTagStyles) {
    if (text.starts_with(style.call)) return tag_calls(text, style, tools);
  }
  if (text.starts_with("<｜tool▁call▁begin｜>")) return separated_calls(text);
  return named_call(text);
}

}  // namespace pitwall
