// SPDX-License-Identifier: GPL-3.0-or-later
// One item: before and after, what it came to, and the decision.
#pragma once
#include <string>

#include "ui/widgets/card.h"

class QPushButton;

namespace pitwall::ui {

class EffectBars;
class TuneSession;

class ItemDetail : public Card {
  Q_OBJECT

 public:
  explicit ItemDetail(QWidget* parent = nullptr);
  void show_item(const TuneSession& session, int item);  ///< −1: none is chosen
  QString sentence() const { return sentence_->text(); }

 Q_SIGNALS:
  void keep_requested();
  void revert_requested();
  void repeat_requested();
  void decide_requested();  ///< with the runs that did not fail
  void run_requested();
  void edit_requested();
  void value_requested(const std::string& value);  ///< of those that were tried

 private:
  EffectBars* bars_;
  Label *verdict_, *by_, *sentence_;
  QPushButton *run_, *keep_, *revert_, *repeat_, *decide_, *take_, *edit_;
  std::string best_;  ///< that take_ takes
};

}  // namespace pitwall::ui
