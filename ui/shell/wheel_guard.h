// SPDX-License-Identifier: GPL-3.0-or-later
// WheelGuard: the wheel changes a value only in the field that has the focus. Over any other the page goes on
// scrolling, and the field does not take the focus.
#pragma once
#include <QObject>

class QWidget;

namespace pitwall::ui {

class WheelGuard : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  void watch(QWidget& widget);  ///< combo boxes, spin boxes and sliders; others are left alone

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace pitwall::ui
