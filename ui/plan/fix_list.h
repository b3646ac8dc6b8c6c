// SPDX-License-Identifier: GPL-3.0-or-later
// The single changes that would make a deployment fit, each with its bytes and its cost; a click applies one.
#pragma once
#include <vector>

#include "engine/plan/deployment_plan.h"
#include "ui/widgets/card.h"

class QGridLayout;

namespace pitwall::ui {

class FixButton;

class FixList : public Card {
  Q_OBJECT

 public:
  explicit FixList(QWidget* parent = nullptr);
  void show_fixes(qint64 alternative, const QString& title, const std::vector<Fix>& fixes);
  void show_none(const QString& sentence);

 Q_SIGNALS:
  void chosen(qint64 alternative, const pitwall::Fix& fix);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  std::vector<FixButton*> buttons_;
  QGridLayout* grid_;
  Label* sentence_;
  int columns_ = 0;
};

/// The deployment with that one change; an error names a setting that is not known here.
Result<Deployment> with_fix(Deployment deployment, const Fix& fix);

}  // namespace pitwall::ui
