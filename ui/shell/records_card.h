// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs, chats, models and settings are kept, and how much room the records take.
#pragma once
#include "ui/widgets/card.h"

namespace pitwall::ui {

class RecordsCard : public Card {
  Q_OBJECT

 public:
  explicit RecordsCard(QWidget* parent = nullptr);
  void refresh();  ///< the size now

 private:
  Label* size_;
};

}  // namespace pitwall::ui
