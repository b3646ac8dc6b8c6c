// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_export.h"

#include <QRegularExpression>

#include "ui/chat/chat_session.h"
#include "ui/chat/reply_stream.h"
#include "ui/chat/timings_strip.h"

namespace pitwall::ui {

std::string chat_markdown(const QString& title, const std::string& system_prompt,
                          const std::vector<ChatMessage>& messages) {
  std::string text = "# " + title.toStdString() + "\n";
  if (!system_prompt.empty()) text += "\n## System prompt\n\n" + system_prompt + "\n";
  for (const ChatMessage& message : messages) {
    const bool own = message.role == "user";
    text += "\n## " +
            (own                     ? std::string("You")
             : message.model.empty() ? std::string("Reply")
                                     : message.model) +
            "\n\n";
    text += message.content + "\n";
    if (!own && message.state != kComplete)
      text +=
          "\n*Incomplete: " + (message.state == kStreaming ? std::string("cut off") : message.state) + "*\n";
    if (const auto record = record_from_json(message.timings_json)) {
      QStringList cells;
      for (const TimingCell& cell : timing_cells(*record)) cells << cell.name + QLatin1Char(' ') + cell.value;
      text += "\n*" + cells.join(QStringLiteral(" · ")).toStdString() + "*\n";
    }
  }
  return text;
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
