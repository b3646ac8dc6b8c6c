// SPDX-License-Identifier: GPL-3.0-or-later
// The memory card: the device as a bar with its limit, categories planned beside booked, and one sentence on
// what happens next.
#pragma once
#include <array>
#include <optional>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class MemoryBar;
class MemoryTable;
class TextLine;

class MemoryCard : public Card {
  Q_OBJECT

 public:
  explicit MemoryCard(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot);
  /// By category; none until it is known, and where nothing was planned.
  void show_planned(const std::optional<std::array<Bytes, kCategoryCount>>& planned);
  void show_ended(const QString& text);  ///< "Stopped at 14:33:40"; empty while serving

 private:
  Label *note_, *ended_;
  TextLine* total_;
  Nanos noted_ = 0;  ///< newest second that the note is about
  MemoryBar* bar_;
  MemoryTable* table_;
  std::optional<std::array<Bytes, kCategoryCount>> planned_;
};

/// One sentence on what the memory figures mean for the next minutes.
QString memory_note(const Snapshot& snapshot);

}  // namespace pitwall::ui
