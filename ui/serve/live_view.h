// SPDX-License-Identifier: GPL-3.0-or-later
// The serving engine at a glance: figures, memory, charts, steps, requests, log. Draws one Snapshot, part
// after part, and keeps of earlier ones the steps alone.
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
class MemoryCard;
class Stagger;
class StepsView;

class LiveView : public QWidget {
  Q_OBJECT

 public:
  explicit LiveView(QWidget* parent = nullptr);
  /// Remembers its steps; to be called also while nothing is drawn. Null: the engine has stopped.
  void take(const Snapshot& snapshot, const Recorder* recorder);
  void show_snapshot(std::shared_ptr<const Snapshot> snapshot, int window_seconds,
                     const Objectives& objectives);
  void finish_drawing();               ///< of the parts that have not had their turn yet
  void show_step(std::uint64_t step);  ///< on the Steps tab
  void show_time(double at);           ///< on the Charts tab, by the crosshair
  void show_log();
  /// The first step between two times, UTC seconds; false when none of them is held.
  bool show_step_between(double from, double to);
  const std::vector<StepSpan>& steps() const { return history_.steps(); }
  ServeCharts* charts() const { return charts_; }
  void add_strip(QWidget* strip);  ///< over the memory card
  MemoryCard* memory() const { return memory_; }
  void show_ended(const QString& text);  ///< "Stopped at 14:33:40"; empty while serving
  QWidget* figures() const;              ///< spans the page; the caller places it
  /// Who was in a step, on the Steps tab; null: the engine has stopped.
  void tell_step(std::uint64_t step, const Recorder* recorder);

 Q_SIGNALS:
  void step_chosen(quint64 step);
  void redraw_asked();  ///< of the last snapshot

 private:
  void build_tabs();
  std::vector<std::function<void()>> drawings();
  void draw_steps();
  void draw_requests();
  FigureStrip* figures_;
  MemoryCard* memory_;
  QTabWidget* tabs_;
  QWidget *requests_page_, *log_;
  StepHistory history_;
  StepsView* steps_;
  QVBoxLayout* column_;
  ServeCharts* charts_;
  DataTable *recent_, *requests_;
  Stagger* stagger_;
  std::shared_ptr<const Snapshot> snapshot_;
  Objectives objectives_;
};

}  // namespace pitwall::ui
