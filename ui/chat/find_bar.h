// SPDX-License-Identifier: GPL-3.0-or-later
// FindBar: what is looked for in the open chat, which hit is shown of how many, and the way to the others.
#pragma once
#include <QWidget>

class QLineEdit;
class QToolButton;

namespace pitwall::ui {

class Label;

class FindBar : public QWidget {
  Q_OBJECT

 public:
  explicit FindBar(QWidget* parent = nullptr);
  void open();                             ///< takes the focus
  void close();                            ///< forgets what was looked for
  void show_hits(int current, int count);  ///< current from 1

 Q_SIGNALS:
  void text_changed(const QString& text);  ///< empty: nothing is looked for
  void step_requested(bool backward);
  void closed();

 private:
  QLineEdit* field_;
  Label* count_;
  QToolButton *previous_, *next_;
};

}  // namespace pitwall::ui
