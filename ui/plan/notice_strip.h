// SPDX-License-Identifier: GPL-3.0-or-later
// One line over the answer: what is being read, or why there is none, with a button that does the next thing.
#pragma once
#include <QPushButton>

#include "ui/widgets/card.h"

namespace pitwall::ui {

class NoticeStrip : public Card {
  Q_OBJECT

 public:
  explicit NoticeStrip(QWidget* parent = nullptr);
  void show_progress(const QString& sentence);
  void show_error(const QString& what, const QString& reason, const QString& verb);

 Q_SIGNALS:
  void verb_chosen();

 private:
  Label *what_, *reason_;
  QPushButton* verb_;
};

}  // namespace pitwall::ui
