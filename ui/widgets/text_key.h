// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys begin a text that somebody types.
#pragma once
#include <QKeyEvent>

namespace pitwall::ui {

/// A letter, digit or sign. Space is none: it presses, marks and scrolls.
inline bool is_text(const QKeyEvent& key) {
  if (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  const QString text = key.text();
  return !text.isEmpty() && text[0].isPrint() && !text[0].isSpace();
}

}  // namespace pitwall::ui
