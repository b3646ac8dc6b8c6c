// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_export.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <nlohmann/json.hpp>

#include "engine/report/html_parts.h"
#include "engine/telemetry/record_json.h"
#include "ui/chat/markdown_html.h"
#include "ui/chat/message_state.h"
#include "ui/chat/reply_timings.h"
#include "ui/chat/timings_strip.h"
#include "ui/chat/turn.h"

namespace pitwall::ui {

namespace {

constexpr std::string_view kChatStyle = R"css(
main { max-width: 56rem; }
ul, ol { columns: auto; padding-left: 1.4rem; }
pre { margin: 0.35rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
code.word { display: inline; padding: 0 0.25em; }
blockquote { margin: 0.35rem 0 0; padding-left: 0.8rem; border-left: 2px solid var(--border); color: var(--muted); }
.scroll table { width: auto; }
)css";

std::string author_of(const ChatMessage& message) {
  if (message.role == "user") return "You";
  return message.model.empty() ? "Reply" : message.model;
}

/// "Incomplete: cut off"; empty when the reply is whole.
std::string trouble_of(const ChatMessage& message) {
  if (message.role == "user" || message.state == kComplete) return {};
  return "Incomplete: " + (message.state == kStreaming ? std::string("cut off") : message.state);
}

/// "queue 0.40 ms · TTFT 48.0 ms · …"; empty for prompts.
std::string timings_line(const ChatMessage& message) {
  const auto timings = timings_from_json(message.timings_json);
  if (!timings) return {};
  QStringList words;
  for (const TimingCell& cell : timing_cells(*timings)) words << cell.name + QLatin1Char(' ') + cell.value;
  return words.join(QStringLiteral(" · ")).toStdString();
}

std::string version_of(const ShownMessage& message) {
  if (message.versions <= 1) return {};
  return QStringLiteral(" (%1 of %2)").arg(message.version).arg(message.versions).toStdString();
}

std::string paragraph(const char* classes, const std::string& text) {
  return text.empty() ? std::string()
                      : std::string("<p class=\"") + classes + "\">" + html_text(text) + "</p>\n";
}

std::string message_html(const ShownMessage& message) {
  std::string body;
  if (message.role == "user") {
    body += "<pre class=\"prompt\">" + html_text(message.content) + "</pre>\n";
  } else {
    body += markdown_html(message.content);
  }
  for (const Attachment& file : message.attachments) {
    body += "<details><summary>" + html_text(file.name) + "</summary>\n<pre><code>" +
            html_text(file.content) + "</code></pre></details>\n";
  }
  body += paragraph("trouble", trouble_of(message)) + paragraph("note", timings_line(message));
  return html_section((author_of(message) + version_of(message)).c_str(), "", body);
}

Json version_json(const ChatMessage& message) {
  Json json{{"id", message.id},        {"parent", message.parent == 0 ? Json() : Json(message.parent)},
            {"role", message.role},    {"content", message.content},
            {"state", message.state},  {"created_utc", message.created_utc},
            {"chosen", message.chosen}};
  if (!message.model.empty()) json["model"] = message.model;
  for (const Attachment& file : message.attachments)
    json["attachments"].push_back({{"name", file.name}, {"tokens", file.tokens}, {"content", file.content}});
  if (!message.timings_json.empty()) json["timings"] = Json::parse(message.timings_json, nullptr, false);
  if (json.contains("timings") && json["timings"].is_discarded()) json.erase("timings");
  return json;
}

}  // namespace

std::optional<ChatFileFormat> chat_file_format(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == QLatin1String("md")) return ChatFileFormat::markdown;
  if (suffix == QLatin1String("json")) return ChatFileFormat::json;
  if (suffix == QLatin1String("html") || suffix == QLatin1String("htm")) return ChatFileFormat::html;
  return std::nullopt;
}

std::string chat_markdown(const ChatDocument& chat) {
  std::string text = "# " + chat.title + "\n";
  if (!chat.system_prompt.empty()) text += "\n## System prompt\n\n" + chat.system_prompt + "\n";
  for (const ShownMessage& message : chat.shown) {
    text += "\n## " + author_of(message) + version_of(message) + "\n\n" + text_for_model(message) + "\n";
    if (const std::string trouble = trouble_of(message); !trouble.empty()) text += "\n*" + trouble + "*\n";
    if (const std::string line = timings_line(message); !line.empty()) text += "\n*" + line + "*\n";
  }
  return text;
}

std::string chat_json(const ChatDocument& chat) {
  Json json{{"format", "pitwall-chat"}, {"version", 1},
            {"title", chat.title},      {"system_prompt", chat.system_prompt},
            {"shown", Json::array()},   {"messages", Json::array()}};
  for (const ShownMessage& message : chat.shown) json["shown"].push_back(message.id);
  for (const ChatMessage& message : chat.versions) json["messages"].push_back(version_json(message));
  return dump_json(json, 2) + "\n";
}

std::string chat_html(const ChatDocument& chat) {
  std::string body = "<header><h1>" + html_text(chat.title) + "</h1></header>\n";
  if (!chat.system_prompt.empty())
    body += html_section("System prompt", "",
                         "<pre class=\"prompt\">" + html_text(chat.system_prompt) + "</pre>\n");
  for (const ShownMessage& message : chat.shown) body += message_html(message);
  return html_document(chat.title, body, "Chat exported from Pitwall", kChatStyle);
}

std::string chat_text(const ChatDocument& chat, ChatFileFormat format) {
  switch (format) {
    case ChatFileFormat::json:
      return chat_json(chat);
    case ChatFileFormat::html:
      return chat_html(chat);
    case ChatFileFormat::markdown:
      break;
  }
  return chat_markdown(chat);
}

QString file_name_of(const QString& title) {
  static const QRegularExpression unsafe(QStringLiteral("[^\\p{L}\\p{N} ._-]+"));
  QString name = title;
  name.remove(unsafe);
  name = name.simplified().left(60);
  while (name.startsWith(QLatin1Char('.'))) name.remove(0, 1);
  return name.isEmpty() ? QStringLiteral("chat") : name;
}

}  // namespace pitwall::ui
