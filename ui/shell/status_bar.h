// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the foot: state and model, tok/s, memory, address, run. A click on the address copies it.
#pragma once
#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace pitwall::ui {

class EngineController;
class Label;

class StatusBar : public QWidget {
  Q_OBJECT

 public:
  explicit StatusBar(EngineController& engine, QWidget* parent = nullptr);
  void refresh();

 Q_SIGNALS:
  void commands_requested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Label* add_cell(QHBoxLayout* row);
  EngineController& engine_;
  QList<QWidget*> cells_;
  Label *state_, *rate_, *memory_, *run_;
  QPushButton* url_;
};

}  // namespace pitwall::ui
