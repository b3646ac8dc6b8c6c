// SPDX-License-Identifier: GPL-3.0-or-later
// The application style: Fusion's behaviour, drawn flat from the theme's tokens. Hairlines, one accent,
// radius of 1 u, a focus frame inside the widget. Dynamic properties: "primary" (true) fills a push button
// with the accent, "compact" (true) makes buttons and fields 6 u high, "bare" (true) takes the frame from an
// item view, text field or scroll area, "wrong" (true) marks a field whose value makes no sense. A label
// shows its text as it is: one with HTML in it says so (Qt::RichText).
#pragma once
#include <QProxyStyle>

namespace pitwall::ui {

class WheelGuard;

class Style : public QProxyStyle {
  Q_OBJECT

 public:
  Style();
  void polish(QWidget* widget) override;
  using QProxyStyle::polish;
  QPalette standardPalette() const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;

 private:
  WheelGuard* wheel_guard_;
};

}  // namespace pitwall::ui
