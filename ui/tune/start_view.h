// SPDX-License-Identifier: GPL-3.0-or-later
// The page before there is a checklist: the templates, each with what it is for, and an empty one.
#pragma once
#include "ui/widgets/card.h"

class QPushButton;

namespace pitwall::ui {

class TuneStartView : public QWidget {
  Q_OBJECT

 public:
  explicit TuneStartView(QWidget* parent = nullptr);
  void focus_first();  ///< on the first template

 Q_SIGNALS:
  void chosen(const std::string& origin);

 private:
  QPushButton* first_ = nullptr;
};

}  // namespace pitwall::ui
