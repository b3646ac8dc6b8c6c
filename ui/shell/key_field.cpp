// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/key_field.h"

#include <QKeyEvent>

namespace pitwall::ui {

namespace {

bool is_for_the_window(const QKeyEvent& event) {
  return event.key() == Qt::Key_Tab || event.key() == Qt::Key_Backtab || event.key() == Qt::Key_Escape;
}

bool is_modifier(int key) {
  return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta ||
         key == Qt::Key_AltGr || key == Qt::Key_unknown;
}

/// "Shift+?" is pressed as "?": Shift has done its work there.
Qt::KeyboardModifiers meant_modifiers(const QKeyEvent& event) {
  Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const QString text = event.text();
  const bool sign =
      text.size() == 1 && text.front().isPrint() && !text.front().isLetter() && !text.front().isSpace();
  if (sign && modifiers == Qt::ShiftModifier) modifiers = Qt::NoModifier;
  return modifiers;
}

}  // namespace

KeyField::KeyField(QWidget* parent) : QLineEdit(parent) {
  setReadOnly(true);
  setContextMenuPolicy(Qt::NoContextMenu);
  setPlaceholderText(tr("Press a key"));
}

void KeyField::set_key(const QKeySequence& key) {
  setText(key.toString(QKeySequence::NativeText));
}

bool KeyField::event(QEvent* event) {
  // The key is meant for the field, whatever it does elsewhere.
  if (event->type() == QEvent::ShortcutOverride && !is_for_the_window(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QLineEdit::event(event);
}

void KeyField::keyPressEvent(QKeyEvent* event) {
  if (is_for_the_window(*event)) return QWidget::keyPressEvent(event);
  if (is_modifier(event->key())) return;
  const QKeySequence key(QKeyCombination(meant_modifiers(*event), static_cast<Qt::Key>(event->key())));
  set_key(key);
  Q_EMIT pressed(key);
}

}  // namespace pitwall::ui
