// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/style.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QStyleOption>
#include <QTableView>

#include "ui/shell/layout_guard.h"
#include "ui/shell/theme.h"
#include "ui/shell/wheel_guard.h"

namespace pitwall::ui {

namespace {

double radius() {
  return Theme::current().u();
}

bool has(const QWidget* widget, const char* property) {
  return widget != nullptr && widget->property(property).toBool();
}

/// The line edit inside a combo box or spin box has no frame of its own.
bool is_inner_edit(const QWidget* widget) {
  const QWidget* parent = widget ? widget->parentWidget() : nullptr;
  return qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent);
}

int control_height(const QWidget* widget) {
  return units(has(widget, "compact") ? 6 : 7);
}

/// A flat box with a frame of `width` inside `rect`.
void draw_box(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& frame,
              double width = 1) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(fill);
  painter->setPen(frame.alpha() == 0 ? QPen(Qt::NoPen) : QPen(frame, width));
  painter->drawRoundedRect(QRectF(rect).adjusted(width / 2, width / 2, -width / 2, -width / 2), radius(),
                           radius());
  painter->restore();
}

void draw_field(QPainter* painter, const QStyleOption* option, const QWidget* widget) {
  const bool enabled = option->state & QStyle::State_Enabled;
  const bool focus = option->state & QStyle::State_HasFocus;
  const bool wrong = has(widget, "wrong"), pending = has(widget, "pending");
  draw_box(painter, option->rect,
           ink(wrong     ? Colour::bad_fill
               : enabled ? Colour::panel
                         : Colour::alt),
           ink(focus     ? Colour::accent
               : wrong   ? Colour::bad
               : pending ? Colour::accent
               : enabled ? Colour::strong
                         : Colour::border),
           focus || wrong || pending ? 2 : 1);
}

void draw_chevron(QPainter* painter, const QRect& rect, const QColor& colour, bool up = false) {
  const double size = Theme::current().u();
  const QPointF centre = QRectF(rect).center();
  const double tip = (up ? -1 : 1) * size * 0.5;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF points[] = {centre + QPointF(-size, -tip), centre + QPointF(0, tip),
                            centre + QPointF(size, -tip)};
  painter->drawPolyline(points, 3);
  painter->restore();
}

void draw_push_button(QPainter* painter, const QStyleOptionButton* option, const QWidget* widget) {
  const bool enabled = option->state & QStyle::State_Enabled;
  const bool down = option->state & (QStyle::State_Sunken | QStyle::State_On);
  const bool hover = enabled && (option->state & QStyle::State_MouseOver);
  const bool focus = option->state & QStyle::State_HasFocus;
  if (has(widget, "primary") && enabled) {
    draw_box(painter, option->rect, ink(Colour::accent), ink(Colour::accent));
    if (focus)
      draw_box(painter, option->rect.adjusted(1, 1, -1, -1), Qt::transparent, ink(Colour::on_accent), 2);
    return;
  }
  const bool flat = option->features & QStyleOptionButton::Flat;
  const QColor fill = down    ? ink(Colour::selection)
                      : hover ? ink(Colour::alt)
                      : flat  ? QColor(Qt::transparent)
                              : ink(Colour::panel);
  QColor frame = flat ? QColor(Qt::transparent) : ink(enabled ? Colour::strong : Colour::border);
  if (focus) frame = ink(Colour::accent);
  draw_box(painter, option->rect, fill, frame, focus ? 2 : 1);
}

void draw_check(QPainter* painter, const QStyleOption* option, bool round) {
  const bool enabled = option->state & QStyle::State_Enabled;
  const bool on = option->state & QStyle::State_On;
  const bool focus = option->state & QStyle::State_HasFocus;
  const QRectF box = QRectF(option->rect).adjusted(1, 1, -1, -1);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(ink(on || focus ? Colour::accent
                           : enabled   ? Colour::strong
                                       : Colour::border),
                       focus ? 2 : 1.2));
  painter->setBrush(on && !round ? ink(enabled ? Colour::accent : Colour::muted) : ink(Colour::panel));
  if (round)
    painter->drawEllipse(box);
  else
    painter->drawRoundedRect(box, 2, 2);
  if (on && round) {
    painter->setBrush(ink(Colour::accent));
    painter->drawEllipse(box.center(), box.width() / 4, box.width() / 4);
  } else if (on || (option->state & QStyle::State_NoChange)) {
    painter->setPen(QPen(ink(Colour::on_accent), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const double w = box.width();
    const QPointF tick[] = {box.topLeft() + QPointF(0.22 * w, 0.52 * w),
                            box.topLeft() + QPointF(0.42 * w, 0.72 * w),
                            box.topLeft() + QPointF(0.78 * w, 0.30 * w)};
    painter->drawPolyline(tick, 3);
  }
  painter->restore();
}

void draw_tab(QPainter* painter, const QStyleOptionTab* tab) {
  const bool selected = tab->state & QStyle::State_Selected;
  const bool focus = selected && (tab->state & QStyle::State_HasFocus);
  painter->save();
  QFont font = Theme::current().font(selected ? FontRole::section : FontRole::body);
  painter->setFont(font);
  painter->setPen(ink(selected ? Colour::text : Colour::muted));
  painter->drawText(tab->rect, Qt::AlignCenter | Qt::TextShowMnemonic, tab->text);
  if (selected) painter->fillRect(tab->rect.adjusted(0, tab->rect.height() - 2, 0, 0), ink(Colour::accent));
  painter->restore();
  if (focus) draw_box(painter, tab->rect, Qt::transparent, ink(Colour::accent), 2);
}

void draw_header_section(QPainter* painter, const QStyleOptionHeader* header) {
  painter->fillRect(header->rect, ink(Colour::panel));
  painter->fillRect(header->rect.adjusted(0, header->rect.height() - 1, 0, 0), ink(Colour::border));
}

void draw_header_label(QPainter* painter, const QStyleOptionHeader* header) {
  painter->save();
  QFont font = Theme::current().font(FontRole::small);
  font.setWeight(QFont::DemiBold);
  painter->setFont(font);
  painter->setPen(ink(Colour::muted));
  const bool right = header->textAlignment & Qt::AlignRight;
  QRect rect = header->rect.adjusted(units(1.5), 0, -units(1.5), 0);
  if (header->sortIndicator != QStyleOptionHeader::None) {
    const int room = units(3);
    const QRect mark = right ? QRect(rect.left() - units(1), rect.top(), room, rect.height())
                             : QRect(rect.right() - room + units(1), rect.top(), room, rect.height());
    draw_chevron(painter, mark, ink(Colour::muted), header->sortIndicator == QStyleOptionHeader::SortUp);
    rect = right ? rect.adjusted(room - units(1), 0, 0, 0) : rect.adjusted(0, 0, -room + units(1), 0);
  }
  const QString text = QFontMetrics(font).elidedText(header->text, Qt::ElideRight, rect.width());
  painter->drawText(rect, static_cast<int>(header->textAlignment | Qt::AlignVCenter), text);
  painter->restore();
}

/// Without a total, a third in the middle: nothing moves that does not mean progress.
void draw_progress(QPainter* painter, const QStyleOptionProgressBar* bar) {
  const QRect room = bar->rect.adjusted(1, 1, -1, -1);
  const qint64 range = qint64{bar->maximum} - bar->minimum;
  if (range <= 0) {
    painter->fillRect(room.adjusted(room.width() / 3, 0, -room.width() / 3, 0), ink(Colour::selection));
    return;
  }
  const qint64 wide = room.width() * (qint64{bar->progress} - bar->minimum) / range;
  painter->fillRect(QRect(room.topLeft(), QSize(static_cast<int>(wide), room.height())), ink(Colour::accent));
}

void draw_scroll_bar(QPainter* painter, const QStyle* style, const QStyleOptionSlider* bar,
                     const QWidget* widget) {
  QRect handle = style->subControlRect(QStyle::CC_ScrollBar, bar, QStyle::SC_ScrollBarSlider, widget);
  if (bar->minimum == bar->maximum || !handle.isValid()) return;
  const int inset = std::max(1, units(0.75));
  handle.adjust(inset, inset, -inset, -inset);
  const bool active = bar->state & (QStyle::State_MouseOver | QStyle::State_Sunken);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(ink(active ? Colour::muted : Colour::pale_frame));
  const double round = std::min(handle.width(), handle.height()) / 2.0;
  painter->drawRoundedRect(handle, round, round);
  painter->restore();
}

void draw_slider(QPainter* painter, const QStyle* style, const QStyleOptionSlider* slider,
                 const QWidget* widget) {
  const QRectF handle = style->subControlRect(QStyle::CC_Slider, slider, QStyle::SC_SliderHandle, widget);
  const bool enabled = slider->state & QStyle::State_Enabled;
  const bool focus = slider->state & QStyle::State_HasFocus;
  const double middle = handle.center().y(), thick = std::max(2.0, units(0.75) + 0.0);
  const QRectF groove(slider->rect.left(), middle - thick / 2, slider->rect.width(), thick);
  const QColor colour = ink(enabled ? Colour::accent : Colour::strong);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(ink(Colour::border));
  painter->drawRoundedRect(groove, thick / 2, thick / 2);
  painter->setBrush(colour);
  painter->drawRoundedRect(QRectF(groove.topLeft(), QPointF(handle.center().x(), groove.bottom())), thick / 2,
                           thick / 2);
  painter->setPen(QPen(colour, focus ? 3 : 2));
  painter->setBrush(ink(focus ? Colour::selection : Colour::panel));
  const double round = std::min(handle.width(), handle.height()) / 2 - 2;
  painter->drawEllipse(handle.center(), round, round);
  painter->restore();
}

}  // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")), wheel_guard_(new WheelGuard(this)) {
  new LayoutGuard(this);
}

void Style::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget))
    widget->setAttribute(Qt::WA_Hover);
  // The handle lies on what is behind it: a card, or the window between cards.
  if (qobject_cast<QScrollBar*>(widget)) widget->setAttribute(Qt::WA_OpaquePaintEvent, false);
  // Names of files and words of models may look like HTML; tooltips are labels too.
  if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
    label->setTextFormat(Qt::PlainText);
  wheel_guard_->watch(*widget);
}

QPalette Style::standardPalette() const {
  return QApplication::palette();
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
    case PM_DefaultFrameWidth:
      if (qobject_cast<const QLineEdit*>(widget)) return is_inner_edit(widget) ? 0 : units(1.5);
      return has(widget, "bare") ? 0 : 2;
    case PM_ComboBoxFrameWidth:
      return units(1.5);
    case PM_ButtonMargin:
      return units(3);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
      return 0;
    case PM_ScrollBarExtent:
      return units(3);
    case PM_ScrollBarSliderMin:
      return units(8);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
      return units(4);
    case PM_ButtonIconSize:
    case PM_SmallIconSize:
      return units(3.5);
    case PM_FocusFrameHMargin:
      return units(1.5) - 1;  // items start where their header does
    case PM_HeaderMargin:
      return units(1.5);
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
      return 0;
    case PM_SliderLength:
    case PM_SliderThickness:
    case PM_SliderControlThickness:
      return units(4);
    case PM_TabBarTabHSpace:
      return units(6);
    case PM_TabBarTabVSpace:
      return units(3);
    case PM_MenuPanelWidth:
      return 1;
    case PM_SplitterWidth:
      return units(2);
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* data) const {
  switch (hint) {
    case SH_Widget_Animate:
      return 0;
    case SH_Widget_Animation_Duration:
      return 0;
    case SH_DialogButtonBox_ButtonsHaveIcons:
      return 0;
    case SH_ItemView_ArrowKeysNavigateIntoChildren:
      return 1;
    case SH_ComboBox_Popup:
      return 0;
    case SH_EtchDisabledText:
      return 0;
    case SH_UnderlineShortcut:
      return 0;
    case SH_ItemView_ShowDecorationSelected:
      return 1;
    case SH_Slider_AbsoluteSetButtons:
      return Qt::LeftButton;
    case SH_Table_GridLineColor:
      return static_cast<int>(ink(Colour::grid).rgb());
    default:
      return QProxyStyle::styleHint(hint, option, widget, data);
  }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
  QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
  switch (type) {
    case CT_PushButton: {
      int width = size.width() + units(6);
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
        if (button->features & QStyleOptionButton::Flat) width = size.width() + units(2);
        if (button->text.isEmpty()) width = std::max(size.width() + units(2), control_height(widget));
      }
      return {width, std::max(control_height(widget), size.height())};
    }
    case CT_ToolButton:
      return {size.width() + units(2), std::max(units(5), size.height() + units(1))};
    case CT_LineEdit:
      return {result.width(), control_height(widget)};
    case CT_ComboBox:
      return {size.width() + units(10), control_height(widget)};
    case CT_SpinBox:
      return {size.width() + units(8), control_height(widget)};
    case CT_HeaderSection: {
      QFont font = Theme::current().font(FontRole::small);
      font.setWeight(QFont::DemiBold);
      const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
      const int text = header ? QFontMetrics(font).horizontalAdvance(header->text) : 0;
      const int mark = header && header->sortIndicator != QStyleOptionHeader::None ? units(3) : 0;
      return {text + mark + units(3) + 1, units(6)};
    }
    case CT_TabBarTab:
      return {result.width() + units(1), units(7.5)};
    case CT_MenuItem:
      return {result.width() + units(3), std::max(result.height(), units(6))};
    default:
      return result;
  }
}

QRect Style::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  if (element == SE_LineEditContents && is_inner_edit(widget)) return option->rect;
  if (element == SE_LineEditContents) return option->rect.adjusted(units(1.5), 1, -units(1.5), -1);
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                            const QWidget* widget) const {
  const QRect& r = option->rect;
  if (control == CC_ComboBox) {
    const int arrow = units(6);
    if (part == SC_ComboBoxArrow) return {r.right() - arrow + 1, r.top(), arrow, r.height()};
    if (part == SC_ComboBoxEditField) return r.adjusted(units(2), 1, -arrow, -1);
    return r;
  }
  if (control == CC_SpinBox) {
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    const int buttons = spin && spin->buttonSymbols != QAbstractSpinBox::NoButtons ? units(5) : 0;
    const int half = r.height() / 2;
    if (part == SC_SpinBoxUp) return {r.right() - buttons + 1, r.top(), buttons, half};
    if (part == SC_SpinBoxDown) return {r.right() - buttons + 1, r.top() + half, buttons, r.height() - half};
    if (part == SC_SpinBoxEditField) return r.adjusted(units(1.5), 2, -std::max(buttons, units(1.5)), -2);
    return r;
  }
  if (control == CC_ScrollBar) {  // no arrow buttons: the handle has the whole groove
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (part == SC_ScrollBarAddLine || part == SC_ScrollBarSubLine) return {};
    if (part == SC_ScrollBarGroove) return r;
    if (bar && (part == SC_ScrollBarSlider || part == SC_ScrollBarAddPage || part == SC_ScrollBarSubPage)) {
      const bool horizontal = bar->orientation == Qt::Horizontal;
      const int length = horizontal ? r.width() : r.height();
      const qint64 range = qint64{bar->maximum} - bar->minimum;
      int handle = length;
      if (range > 0)
        handle = std::clamp(static_cast<int>(qint64{length} * bar->pageStep / (range + bar->pageStep)),
                            std::min(units(8), length), length);
      const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition,
                                                length - handle, bar->upsideDown);
      const auto span = [&](int from, int size) {
        return horizontal ? QRect(r.left() + from, r.top(), size, r.height())
                          : QRect(r.left(), r.top() + from, r.width(), size);
      };
      if (part == SC_ScrollBarSlider) return span(start, handle);
      if (part == SC_ScrollBarSubPage) return span(0, start);
      return span(start + handle, length - start - handle);
    }
  }
  return QProxyStyle::subControlRect(control, option, part, widget);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  switch (element) {
    case PE_PanelLineEdit:
      if (has(widget, "bare")) {
        painter->fillRect(option->rect, option->palette.base());
      } else if (!is_inner_edit(widget)) {
        draw_field(painter, option, widget);
      }
      return;
    case PE_FrameLineEdit:
      return;
    case PE_Frame:
      if (!has(widget, "bare")) {
        const bool focus = option->state & State_HasFocus;
        draw_box(painter, option->rect, Qt::transparent, ink(focus ? Colour::accent : Colour::strong),
                 focus ? 2 : 1);
      }
      return;
    case PE_FrameMenu:
    case PE_FrameWindow:
      painter->setPen(ink(Colour::strong));
      painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
      return;
    case PE_FrameFocusRect:
      if (qobject_cast<const QAbstractItemView*>(widget) == nullptr)
        draw_box(painter, option->rect, Qt::transparent, ink(Colour::accent), 2);
      return;
    case PE_FrameTabBarBase:
      painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                        ink(Colour::border));
      return;
    case PE_FrameTabWidget:
      return;
    case PE_IndicatorCheckBox:
      draw_check(painter, option, false);
      return;
    case PE_IndicatorRadioButton:
      draw_check(painter, option, true);
      return;
    case PE_IndicatorArrowDown:
      draw_chevron(painter, option->rect, ink(Colour::muted));
      return;
    case PE_IndicatorArrowUp:
      draw_chevron(painter, option->rect, ink(Colour::muted), true);
      return;
    case PE_PanelButtonTool: {
      const bool down = option->state & (State_Sunken | State_On);
      const bool hover = (option->state & State_Enabled) && (option->state & State_MouseOver);
      const bool focus = option->state & State_HasFocus;
      if (down || hover)
        draw_box(painter, option->rect, ink(down ? Colour::selection : Colour::alt), Qt::transparent);
      if (focus) draw_box(painter, option->rect, Qt::transparent, ink(Colour::accent), 2);
      return;
    }
    case PE_PanelItemViewRow:
    case PE_PanelScrollAreaCorner:
      return;
    case PE_PanelItemViewItem:
      if (option->state & State_Selected) painter->fillRect(option->rect, ink(Colour::selection));
      if (qobject_cast<const QTableView*>(widget))
        painter->fillRect(option->rect.adjusted(0, option->rect.height() - 1, 0, 0), ink(Colour::grid));
      return;
    case PE_PanelTipLabel:
      draw_box(painter, option->rect, ink(Colour::alt), ink(Colour::strong));
      return;
    default:
      QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  switch (element) {
    case CE_PushButtonBevel:
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
        draw_push_button(painter, button, widget);
      return;
    case CE_PushButton:
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
        draw_push_button(painter, button, widget);
        QStyleOptionButton label = *button;
        if (has(widget, "primary") && (label.state & State_Enabled))
          label.palette.setColor(QPalette::ButtonText, ink(Colour::on_accent));
        label.state &= ~State_HasFocus;
        const int mark = label.icon.isNull() ? 0 : label.iconSize.width() + units(1);
        label.text = label.fontMetrics.elidedText(label.text, Qt::ElideRight,
                                                  label.rect.width() - mark - units(1), Qt::TextShowMnemonic);
        proxy()->drawControl(CE_PushButtonLabel, &label, painter, widget);
      }
      return;
    case CE_ComboBoxLabel:
      if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
        QStyleOptionComboBox label = *box;
        const int room = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - units(1);
        label.currentText = label.fontMetrics.elidedText(label.currentText, Qt::ElideRight, room);
        QProxyStyle::drawControl(element, &label, painter, widget);
      }
      return;
    case CE_TabBarTabShape:
      return;
    case CE_TabBarTabLabel:
      if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) draw_tab(painter, tab);
      return;
    case CE_HeaderSection:
      if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
        draw_header_section(painter, header);
      return;
    case CE_HeaderLabel:
      if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
        draw_header_label(painter, header);
      return;
    case CE_Header:
      drawControl(CE_HeaderSection, option, painter, widget);
      drawControl(CE_HeaderLabel, option, painter, widget);
      return;
    case CE_HeaderEmptyArea:
      painter->fillRect(option->rect, ink(Colour::panel));
      return;
    case CE_ShapedFrame:
      if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
          frame && frame->frameShape == QFrame::StyledPanel) {
        proxy()->drawPrimitive(PE_Frame, option, painter, widget);
        return;
      }
      break;
    case CE_ProgressBarGroove:
      draw_box(painter, option->rect, ink(Colour::alt), ink(Colour::strong));
      return;
    case CE_ProgressBarContents:
      if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
        draw_progress(painter, bar);
      return;
    case CE_Splitter:
      return;
    default:
      break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
  if (control == CC_ComboBox) {
    draw_field(painter, option, widget);
    const bool enabled = option->state & State_Enabled;
    draw_chevron(painter, subControlRect(control, option, SC_ComboBoxArrow, widget),
                 ink(enabled ? Colour::text : Colour::muted));
    return;
  }
  if (control == CC_SpinBox) {
    draw_field(painter, option, widget);
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (!spin || spin->buttonSymbols == QAbstractSpinBox::NoButtons) return;
    const auto chevron = [&](SubControl part, QAbstractSpinBox::StepEnabledFlag needs, bool up) {
      draw_chevron(painter, subControlRect(control, option, part, widget),
                   ink(spin->stepEnabled & needs ? Colour::text : Colour::strong), up);
    };
    chevron(SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled, true);
    chevron(SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled, false);
    return;
  }
  if (control == CC_Slider) {
    if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option))
      draw_slider(painter, this, slider, widget);
    return;
  }
  if (control == CC_ScrollBar) {
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
      draw_scroll_bar(painter, this, bar, widget);
    return;
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

}  // namespace pitwall::ui
