// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of figures over the serve page: each with its unit, changing in place.
#pragma once
#include <QFrame>
#include <vector>

#include "engine/bench/goodput.h"
#include "engine/telemetry/snapshot.h"

class QGridLayout;

namespace pitwall::ui {

class TextLine;

class FigureStrip : public QFrame {
  Q_OBJECT

 public:
  explicit FigureStrip(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot, const Objectives& objectives);
  void show_ended(bool ended);  ///< muted: they are the last ones of an engine that has stopped

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Cell {
    QWidget* box;
    TextLine* line;
  };
  std::size_t add(const QString& name, const QString& tip);
  void set(std::size_t cell, const QString& value, const QString& unit, const QString& alert = {});
  int needed_width() const;
  void arrange(int rows);
  std::vector<Cell> cells_;
  QGridLayout* grid_;
  int rows_ = 0;
  std::size_t running_, waiting_, output_, prompt_, ttft_, itl_, goodput_, prefix_, preemptions_;
};

}  // namespace pitwall::ui
