// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that would make a deployment fit, each with its bytes and its cost: single ones, and two
// together where no single one is enough. A click applies them.
#pragma once
#include <vector>

#include "engine/plan/deployment_plan.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

class FixGrid;

class FixList : public Card {
  Q_OBJECT

 public:
  explicit FixList(QWidget* parent = nullptr);
  /// `pair`: two that are enough together; empty = none, or one is enough.
  void show_fixes(qint64 alternative, const QString& title, const std::vector<Fix>& fixes,
                  const std::vector<Fix>& pair);
  void show_none(const QString& sentence);

 Q_SIGNALS:
  void chosen(qint64 alternative, const std::vector<pitwall::Fix>& changes);

 private:
  static constexpr std::size_t kMostShown = 5;
  void show_cards(std::vector<std::vector<Fix>> cards);
  qint64 alternative_ = 0;
  std::vector<std::vector<Fix>> shown_;  ///< the changes of each card
  FixGrid* grid_;
  Label* sentence_;
};

}  // namespace pitwall::ui
