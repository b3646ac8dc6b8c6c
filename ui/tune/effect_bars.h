// SPDX-License-Identifier: GPL-3.0-or-later
// Before and after as two bars a figure, each figure from 0 on its own scale, and the effect in words.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/shell/theme.h"

namespace pitwall::ui {

struct EffectBar {
  QString title, before_text, after_text, effect;
  double before = 0, after = 0;
  Colour colour = Colour::muted;  ///< of the effect
};

class EffectBars : public QWidget {
  Q_OBJECT

 public:
  explicit EffectBars(QWidget* parent = nullptr);
  void set_bars(std::vector<EffectBar> bars);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int row_height() const;
  std::vector<EffectBar> bars_;
};

}  // namespace pitwall::ui
