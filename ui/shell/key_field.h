// SPDX-License-Identifier: GPL-3.0-or-later
// A field that is filled by pressing the key itself.
#pragma once
#include <QKeySequence>
#include <QLineEdit>

namespace pitwall::ui {

/// Tab and Shift+Tab go on to the next field, and Esc is left to the window: neither can be a shortcut.
class KeyField : public QLineEdit {
  Q_OBJECT

 public:
  explicit KeyField(QWidget* parent = nullptr);
  void set_key(const QKeySequence& key);  ///< quiet

 Q_SIGNALS:
  void pressed(const QKeySequence& key);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace pitwall::ui
