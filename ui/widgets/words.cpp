// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString joined(const QStringList& parts, const QString& pattern) {
  QString text = parts.value(0);
  for (qsizetype i = 1; i < parts.size(); ++i) text = pattern.arg(text, parts[i]);
  return text;
}

}  // namespace

QString listed(const QStringList& parts) {
  return joined(parts, tr("%1, %2", "parts of a list"));
}

QString told(const QStringList& sentences) {
  return joined(sentences, tr("%1 %2", "two sentences, one after the other"));
}

}  // namespace pitwall::ui
