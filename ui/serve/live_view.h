// SPDX-License-Identifier: GPL-3.0-or-later
// The serving engine at a glance: figures, memory, charts, steps, requests. Draws one Snapshot, and keeps of
// earlier ones the steps alone.
#pragma once
#include <QWidget>

#include "engine/bench/goodput.h"
#include "ui/serve/serve_charts.h"
#include "ui/serve/step_history.h"

class QTabWidget;
class QVBoxLayout;

namespace pitwall::ui {

class DataTable;
class FigureStrip;
class Label;
class MemoryCard;

class LiveView : public QWidget {
  Q_OBJECT

 public:
  explicit LiveView(QWidget* parent = nullptr);
  /// Remembers its steps; to be called also while nothing is drawn. Null: the engine has stopped.
  void take(const Snapshot& snapshot, const Recorder* recorder);
  void show_snapshot(const Snapshot& snapshot, int window_seconds, const Objectives& objectives,
                     const Recorder* recorder);
  void show_step(std::uint64_t step);  ///< on the Steps tab
  void show_time(double at);           ///< on the Charts tab, by the crosshair
  /// The first step between two times, UTC seconds; false when none of them is held.
  bool show_step_between(double from, double to);
  const std::vector<StepSpan>& steps() const { return history_.steps(); }
  ServeCharts* charts() const { return charts_; }
  void add_strip(QWidget* strip);  ///< over the memory card
  MemoryCard* memory() const { return memory_; }
  QWidget* figures() const;                  ///< spans the page; the caller places it
  void show_step_text(const QString& text);  ///< what happened in the step that was chosen

 Q_SIGNALS:
  void step_chosen(quint64 step);
  void redraw_asked();  ///< of the last snapshot

 private:
  FigureStrip* figures_;
  MemoryCard* memory_;
  QWidget* make_steps();
  QTabWidget* tabs_;
  QWidget* steps_page_;
  StepHistory history_;
  StepChart* timeline_;
  Label* step_text_;
  QVBoxLayout* column_;
  ServeCharts* charts_;
  DataTable *recent_, *requests_;
};

}  // namespace pitwall::ui
