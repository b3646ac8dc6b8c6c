// SPDX-License-Identifier: GPL-3.0-or-later
// The serving engine at a glance: figures, memory, charts, requests. Draws one Snapshot; keeps no state of
// its own.
#pragma once
#include <QWidget>

#include "engine/telemetry/snapshot.h"

class QTabWidget;

namespace pitwall::ui {

class Card;
class DataTable;
class FigureStrip;
class Label;
class MemoryBar;
class MemoryTable;
class ServeCharts;

class LiveView : public QWidget {
  Q_OBJECT

 public:
  explicit LiveView(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot, int window_seconds);
  void show_ended(const QString& text);  ///< "Stopped at 14:33:40"; empty while serving
  QWidget* figures() const;              ///< spans the page; the caller places it

 private:
  QWidget* make_memory_card();
  FigureStrip* figures_;
  Card* memory_card_;
  Label *memory_total_, *memory_note_, *ended_;
  MemoryBar* memory_bar_;
  MemoryTable* memory_table_;
  QTabWidget* tabs_;
  ServeCharts* charts_;
  DataTable *recent_, *requests_;
};

/// One sentence on what the memory figures mean for the next minutes.
QString memory_note(const Snapshot& snapshot);

}  // namespace pitwall::ui
