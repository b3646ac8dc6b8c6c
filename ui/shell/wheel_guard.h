// SPDX-License-Identifier: GPL-3.0-or-later
// WheelGuard: the wheel changes a value or a tab only where the focus is. Over any other the page goes on
// scrolling, and the field does not take the focus.
#pragma once
#include <QObject>

class QWidget;

namespace pitwall::ui {

class WheelGuard : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  void watch(QWidget& widget);  ///< combo boxes, spin boxes, sliders and tab bars; others are left alone

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace pitwall::ui
