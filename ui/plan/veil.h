// SPDX-License-Identifier: GPL-3.0-or-later
// Veil: lies over its parent and mutes it, and lets clicks through: what is under it is of an older question.
#pragma once
#include <QWidget>

namespace pitwall::ui {

class Veil : public QWidget {
  Q_OBJECT

 public:
  explicit Veil(QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
};

}  // namespace pitwall::ui
