// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/engine_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <vector>

#include "ui/widgets/engine_texts.h"

namespace pitwall::ui {

namespace {

struct Pattern {
  const char* text;
  QRegularExpression filled;
};

/// The texts that are filled in.
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    static const QRegularExpression place(QStringLiteral("%[1-9]"));
    std::vector<Pattern> found;
    for (const char* text : note_texts()) {
      const QStringList fixed = QString::fromUtf8(text).split(place);
      if (fixed.size() == 1) continue;
      QStringList escaped;
      for (const QString& part : fixed) escaped << QRegularExpression::escape(part);
      found.push_back({text, QRegularExpression(QRegularExpression::anchoredPattern(
                                 escaped.join(QStringLiteral("(.+?)"))))});
    }
    return found;
  }();
  return all;
}

QString translated(const char* text) {
  return QCoreApplication::translate("engine", text);
}

bool is_english() {
  const char* const any = profile_texts().front();
  return translated(any) == QLatin1String(any);
}

}  // namespace

QString engine_words(std::string_view english) {
  const QByteArray bytes(english.data(), static_cast<qsizetype>(english.size()));
  const QString same = QString::fromUtf8(bytes), exact = translated(bytes.constData());
  if (exact != same || is_english()) return exact;
  for (const Pattern& pattern : patterns()) {
    const QRegularExpressionMatch match = pattern.filled.match(same);
    if (!match.hasMatch()) continue;
    QString text = translated(pattern.text);
    for (int i = match.lastCapturedIndex(); i > 0; --i)
      text.replace(QStringLiteral("%%1").arg(i), engine_words(match.captured(i).toStdString()));
    return text;
  }
  return same;
}

}  // namespace pitwall::ui
