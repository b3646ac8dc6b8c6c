// SPDX-License-Identifier: GPL-3.0-or-later
// One change of FixList: the change, then what it does and costs, in as many lines as they need.
#pragma once
#include <QAbstractButton>

namespace pitwall::ui {

class FixButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit FixButton(QWidget* parent = nullptr);
  void show_change(const QString& change, const QString& effect,
                   bool enough);  ///< enough: it makes the plan fit
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int change_height(int width) const;
  QString effect_;
  bool enough_ = false;
};

}  // namespace pitwall::ui
