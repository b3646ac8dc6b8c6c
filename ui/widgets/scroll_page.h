// SPDX-License-Identifier: GPL-3.0-or-later
// ScrollPage: cards one below the other, as wide as there is room and scrolled up and down.
#pragma once
#include <QScrollArea>

namespace pitwall::ui {

class ScrollPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit ScrollPage(const QString& accessible_name, QWidget* parent = nullptr);

 protected:
  void showEvent(QShowEvent* event) override;
};

}  // namespace pitwall::ui
