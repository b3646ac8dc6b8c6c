// SPDX-License-Identifier: GPL-3.0-or-later
// Planned beside measured memory: two bars on one scale, and a table of the categories with their difference.
#pragma once
#include <array>
#include <optional>

#include "engine/telemetry/run.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class DataTable;
class MemoryBar;

/// What the planner says that a run's engine should have booked, from the run's own settings. On the CPU
/// alone, and where the model's file is still there; the error says why not. Reads the file's header: any
/// thread.
using PlannedBytes = std::array<Bytes, kCategoryCount>;
Result<PlannedBytes> planned_bytes(const Run& run);

class PlannedCard : public Card {
  Q_OBJECT

 public:
  explicit PlannedCard(const QString& id, QWidget* parent = nullptr);
  void show_run(const Run& run, const Result<PlannedBytes>& planned);  ///< its ledger, measured or simulated

 private:
  MemoryBar *planned_bar_, *measured_bar_;
  Label *planned_title_, *measured_title_, *note_;
  DataTable* table_;
};

}  // namespace pitwall::ui
