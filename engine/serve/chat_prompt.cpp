// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/chat_prompt.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/engine.h"
#include "engine/serve/prompt_parts.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kRoles = {"system",    "developer", "user",
                                                    "assistant", "tool",      "function"};

Error bad_messages(std::string what, std::string action = {}) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action = std::move(action),
          .param = "messages"};
}

std::string place(std::size_t index) {
  return "messages[" + std::to_string(index) + "]";
}

/// A string as it is, text parts joined, nothing as "".
Result<std::string> content_text(const Json& message, std::size_t index) {
  const auto found = message.find("content");
  if (found == message.end() || found->is_null()) return std::string();
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) {
    return bad_messages(place(index) + ".content is neither a string nor a list of text parts");
  }
  std::string text;
  for (const Json& part : *found) {
    const auto type = part.is_object() ? part.find("type") : part.end();
    if (!part.is_object() || type == part.end() || !type->is_string()) {
      return bad_messages(place(index) + ".content has a part without a type");
    }
    if (*type != "text") {
      return bad_messages(place(index) + ".content has a part of type " +
                              quote_for_message(type->get_ref<const std::string&>()) +
                              "; this model reads text only",
                          "Send parts of type \"text\"");
    }
    const auto piece = part.find("text");
    if (piece == part.end() || !piece->is_string()) {
      return bad_messages(place(index) + ".content has a text part whose text is not a string");
    }
    text += piece->get_ref<const std::string&>();
  }
  return text;
}

/// Clients send arguments as JSON text; templates print them as objects. Text that is no JSON stays text.
void open_tool_arguments(Json& message) {
  const auto calls = message.find("tool_calls");
  if (calls == message.end() || !calls->is_array()) return;
  for (Json& call : *calls) {
    if (!call.is_object() || !call.contains("function") || !call["function"].is_object()) continue;
    const auto arguments = call["function"].find("arguments");
    if (arguments == call["function"].end() || !arguments->is_string()) continue;
    Json parsed = Json::parse(arguments->get_ref<const std::string&>(), nullptr, false);
    if (parsed.is_object()) *arguments = std::move(parsed);
  }
}

Result<Json> template_messages(const Json& messages) {
  if (!messages.is_array() || messages.empty()) {
    return bad_messages("messages is not a list with at least one message",
                        "Send messages as [{\"role\": \"user\", \"content\": \"…\"}]");
  }
  Json result = Json::array();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_object()) return bad_messages(place(i) + " is not an object with role and content");
    const auto role = messages[i].find("role");
    if (role == messages[i].end() || !role->is_string())
      return bad_messages(place(i) + ".role is not a string");
    const std::string& name = role->get_ref<const std::string&>();
    if (std::find(kRoles.begin(), kRoles.end(), name) == kRoles.end()) {
      return bad_messages(place(i) + ".role is " + quote_for_message(name),
                          "Use system, developer, user, assistant, tool or function");
    }
    auto content = content_text(messages[i], i);
    if (!content) return content.error();
    Json message = messages[i];
    message["content"] = *std::move(content);
    open_tool_arguments(message);
    result.push_back(std::move(message));
  }
  return result;
}

Error no_template(const Engine& engine) {
  const Error* error = engine.chat_template_error();
  return bad_messages(error != nullptr ? "The model's chat template does not compile: " + error->what
                                       : "The model has no chat template",
                      "Send a prompt to /v1/completions instead, or serve an instruction-tuned model");
}

/// Stands where the last message's text ends, so that the place is found whatever the text is.
constexpr std::string_view kContinueMark = "\uE000continue here\uE000";

bool flag(const Json& request, const char* name, bool otherwise) {
  const auto found = request.find(name);
  return found != request.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

bool asks_for_tools(const Json& request) {
  const auto tools = request.find("tools");
  return tools != request.end() && tools->is_array() && !tools->empty();
}

/// Content as the template reads it: text, or a list with one part of text.
void shape_contents(Json& messages, const TemplateTraits& traits) {
  if (traits.reads_text) return;
  for (Json& message : messages) {
    message["content"] = Json::array({{{"type", "text"}, {"text", message["content"]}}});
  }
}

Result<void> mark_end(Json& messages) {
  Json& last = messages.back();
  if (last["role"] != "assistant") {
    Error error = bad_messages("continue_final_message needs a last message of the assistant, not of " +
                                   quote_for_message(last["role"].get_ref<const std::string&>()),
                               "End messages with what the reply begins with");
    error.param = "continue_final_message";
    return error;
  }
  last["content"] = last["content"].get_ref<const std::string&>() + std::string(kContinueMark);
  return {};
}

Result<std::string> cut_at_mark(std::string text) {
  const std::size_t at = text.rfind(kContinueMark);
  if (at == std::string::npos) {
    Error error = bad_messages(
        "The chat template does not print the last message as it is, so that it cannot be continued",
        "Leave continue_final_message out");
    error.param = "continue_final_message";
    return error;
  }
  text.resize(at);
  return text;
}

Json template_variables(const Tokenizer& tokenizer, const Json& request) {
  Json variables = Json::object();
  if (const auto extra = request.find("chat_template_kwargs"); extra != request.end() && extra->is_object()) {
    variables.update(*extra);
  }
  for (const char* name : {"tools", "documents"}) {
    const auto found = request.find(name);
    const bool given = found != request.end() && found->is_array() && !found->empty();
    variables[name] = given ? *found : Json();
  }
  if (const auto bos = tokenizer.bos()) variables["bos_token"] = tokenizer.bytes_of(*bos);
  if (const auto eos = tokenizer.eos()) variables["eos_token"] = tokenizer.bytes_of(*eos);
  return variables;
}

std::vector<MessageText> texts_of(const Json& messages) {
  std::vector<MessageText> texts;
  for (const Json& message : messages) {
    texts.push_back(
        {message["role"].get_ref<const std::string&>(), message["content"].get_ref<const std::string&>()});
  }
  return texts;
}

bool ends_with_think(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text.ends_with("<think>");
}

/// The template's text for `messages`, which are readable.
Result<std::string> prompt_text(const ChatFormat& format, Json variables, Json messages, bool continues) {
  if (continues) {
    if (auto ok = mark_end(messages); !ok) return ok.error();
  }
  shape_contents(messages, format.traits);
  variables["messages"] = std::move(messages);
  auto text = format.chat_template.render(variables);
  if (!text) {
    Error error = text.error();
    error.param = "messages";
    return error;
  }
  return continues ? cut_at_mark(*std::move(text)) : text;
}

}  // namespace

Result<ChatPrompt> chat_prompt(const Engine& engine, const Json& request) {
  if (!engine.tokenizer())
    return bad_messages("The model has no tokenizer", "Send token ids to /v1/completions");
  const ChatFormat* format = engine.chat_format(asks_for_tools(request));
  if (format == nullptr) return no_template(engine);
  auto messages = template_messages(request.value("messages", Json()));
  if (!messages) return messages.error();
  const Tokenizer& tokenizer = *engine.tokenizer();
  const bool continues = flag(request, "continue_final_message", false);
  Json variables = template_variables(tokenizer, request);
  variables["add_generation_prompt"] = flag(request, "add_generation_prompt", !continues);
  const auto text = prompt_text(*format, std::move(variables), *messages, continues);
  if (!text) return text.error();
  ChatPrompt prompt;
  prompt.tokens = tokenizer.encode(*text, false, true);  // the template writes the special tokens itself
  prompt.opens_reasoning = ends_with_think(*text);
  prompt.parts = name_parts(*text, texts_of(*messages), prompt.tokens, tokenizer);
  return prompt;
}

Result<ChatPrompt> chat_prompt_json(const Engine& engine, const std::string& messages_json) {
  Json messages = Json::parse(messages_json, nullptr, false);
  if (messages.is_discarded()) return bad_messages("messages is not valid JSON");
  return chat_prompt(engine, Json{{"messages", std::move(messages)}});
}

}  // namespace pitwall
