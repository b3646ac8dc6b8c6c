// SPDX-License-Identifier: GPL-3.0-or-later
// The page before there is a checklist: the templates, each with what it is for, and an empty one.
#pragma once
#include "ui/widgets/card.h"

namespace pitwall::ui {

class TuneStartView : public QWidget {
  Q_OBJECT

 public:
  explicit TuneStartView(QWidget* parent = nullptr);

 Q_SIGNALS:
  void chosen(const std::string& origin);
};

}  // namespace pitwall::ui
