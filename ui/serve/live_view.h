// SPDX-License-Identifier: GPL-3.0-or-later
// The serving engine at a glance: figures, memory, charts, requests. Draws one Snapshot; keeps no state of
// its own.
#pragma once
#include <QWidget>

#include "engine/telemetry/snapshot.h"

class QTabWidget;

namespace pitwall::ui {

class DataTable;
class FigureStrip;
class MemoryCard;
class ServeCharts;

class LiveView : public QWidget {
  Q_OBJECT

 public:
  explicit LiveView(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot, int window_seconds);
  MemoryCard* memory() const { return memory_; }
  QWidget* figures() const;  ///< spans the page; the caller places it

 private:
  FigureStrip* figures_;
  MemoryCard* memory_;
  QTabWidget* tabs_;
  ServeCharts* charts_;
  DataTable *recent_, *requests_;
};

}  // namespace pitwall::ui
