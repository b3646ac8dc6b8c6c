// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_traits.h"

#include <nlohmann/json.hpp>

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kProbe = "pitwall probes this";
constexpr const char* kProbeTool = "pitwall_probe";

std::optional<std::string> rendered(const ChatTemplate& chat_template, const Json& content, bool open,
                                    const Json& tools = {}) {
  Json variables;
  variables["tools"] = tools;
  variables["messages"] = Json::array({{{"role", "user"}, {"content", content}}});
  variables["add_generation_prompt"] = open;
  variables["bos_token"] = "";
  variables["eos_token"] = "";
  const auto text = chat_template.render(variables);
  return text.ok() ? std::optional(*text) : std::nullopt;
}

/// Whether the probe stands in the prompt by itself, not in a list as Python or JSON prints it.
bool holds_probe(const std::optional<std::string>& text) {
  if (!text || text->find(kProbe) == std::string::npos) return false;
  return text->find("'type'") == std::string::npos && text->find("\"type\"") == std::string::npos;
}

}  // namespace

TemplateTraits probe_template(const ChatTemplate& chat_template) {
  TemplateTraits traits;
  const auto text = rendered(chat_template, kProbe, true);
  const Json parts = Json::array({{{"type", "text"}, {"text", kProbe}}});
  traits.reads_parts = holds_probe(rendered(chat_template, parts, true));
  traits.reads_text = holds_probe(text) || !traits.reads_parts;
  const Json function = {{"name", kProbeTool},
                         {"description", "none"},
                         {"parameters", {{"type", "object"}, {"properties", Json::object()}}}};
  const auto with_tool =
      rendered(chat_template, kProbe, true, Json::array({{{"type", "function"}, {"function", function}}}));
  traits.reads_tools = !with_tool || with_tool->find(kProbeTool) != std::string::npos;
  if (const auto closed = rendered(chat_template, kProbe, false); text && closed)
    traits.opens_reply = *text != *closed;
  return traits;
}

}  // namespace pitwall
