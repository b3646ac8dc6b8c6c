// SPDX-License-Identifier: GPL-3.0-or-later
// What changed between the runs before and after an item, and what is recommended so far.
#pragma once
#include "ui/widgets/card.h"

class QPushButton;

namespace pitwall::ui {

class DataTable;
class TuneSession;

class DifferenceCard : public Card {
  Q_OBJECT

 public:
  explicit DifferenceCard(QWidget* parent = nullptr);
  void show_item(const TuneSession& session, int item);
  QString recommended() const { return recommended_->text(); }  ///< the command

 Q_SIGNALS:
  void flags_requested();

 private:
  void show_difference(const TuneSession& session, int item);
  DataTable* keys_;
  Label *environment_, *variables_, *recommended_, *outdated_;
  ElidedLabel* notes_;
  QPushButton *copy_, *flags_;
};

}  // namespace pitwall::ui
