// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the foot: state and model, tok/s, memory, address, run, jobs. A click on the address copies it.
#pragma once
#include <QWidget>

class QAction;
class QHBoxLayout;
class QPushButton;

namespace pitwall::ui {

class EngineController;
class JobList;
class JobStrip;
class TextLine;

class StatusBar : public QWidget {
  Q_OBJECT

 public:
  /// `commands` opens the palette.
  StatusBar(EngineController& engine, QAction* commands, QWidget* parent = nullptr);
  void refresh();
  void make_room();
  JobList& jobs();

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  TextLine* add_cell(QHBoxLayout* row);
  EngineController& engine_;
  QList<QWidget*> cells_;
  TextLine *state_, *rate_, *memory_, *run_, *lap_;
  QPushButton* url_;
  JobStrip* jobs_;
};

}  // namespace pitwall::ui
