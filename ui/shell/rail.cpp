// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/rail.h"

#include <QAbstractButton>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/shell/page.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

class RailButton final : public QAbstractButton {
 public:
  RailButton(const QString& title, const QString& icon, QWidget* parent)
      : QAbstractButton(parent), icon_(icon) {
    setText(title);
    set_badge({});
    setCheckable(true);
    setAutoExclusive(true);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  }
  QSize sizeHint() const override { return {units(21), units(15)}; }
  void set_badge(const Badge& badge) {
    badge_ = badge;
    setAccessibleName(badge.count > 0 ? Rail::tr("%1, %2").arg(text(), badge.words) : text());
    update();
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const bool current = isChecked();
    if (current || underMouse()) painter.fillRect(rect(), ink(current ? Colour::selection : Colour::alt));
    if (current) painter.fillRect(QRect(0, 0, units(0.75), height()), ink(Colour::accent));
    const Colour colour = current ? Colour::accent : Colour::muted;
    const int side = units(5.5);
    const QRect mark((width() - side) / 2, units(2), side, side);
    pitwall::ui::icon(icon_, colour).paint(&painter, mark);
    QFont font = Theme::current().font(FontRole::small);
    if (current) font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(ink(colour));
    const QRect words(0, mark.bottom() + units(0.75), width(), painter.fontMetrics().height());
    painter.drawText(words, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    if (badge_.count > 0) paint_badge(painter, mark);
    if (hasFocus()) {
      painter.setPen(QPen(ink(Colour::accent), 2));
      painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
  }

 private:
  void paint_badge(QPainter& painter, const QRect& mark) const {
    QFont font = Theme::current().font(FontRole::caption);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    const QString count = count_text(badge_.count);
    const int height = painter.fontMetrics().height();
    const int wide = std::max(height, painter.fontMetrics().horizontalAdvance(count) + units(2));
    const QRect pill(mark.right() - units(1), mark.top() - units(1), wide, height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink(Colour::accent));
    painter.drawRoundedRect(pill, height / 2.0, height / 2.0);
    painter.setPen(ink(Colour::on_accent));
    painter.drawText(pill, Qt::AlignCenter, count);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
  }

  QString icon_;
  Badge badge_;
};

Rail::Rail(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shell.rail"));
  setAccessibleName(tr("Pages"));
  setFixedWidth(units(21));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 1, units(1));
  column->setSpacing(0);
  auto* name = new Label(QStringLiteral("Pitwall"), FontRole::section, Colour::text, this);
  name->setAlignment(Qt::AlignCenter);
  name->setFixedHeight(units(12.5));
  column->addWidget(name);
  pages_ = new QVBoxLayout;
  foot_ = new QVBoxLayout;
  pages_->setSpacing(0);
  foot_->setSpacing(0);
  column->addLayout(pages_);
  column->addStretch(1);
  column->addLayout(foot_);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    setFixedWidth(units(21));
    update();
  });
}

void Rail::add_page(const QString& id, const QString& title, const QString& icon, const QAction* jump,
                    bool foot) {
  auto* button = new RailButton(title, icon, this);
  button->setObjectName(QStringLiteral("shell.rail.") + id);
  follow_key(button, jump, title);
  (foot ? foot_ : pages_)->addWidget(button);
  buttons_ << button;
  connect(button, &QAbstractButton::clicked, this,
          [this, id, button] { Q_EMIT page_chosen(id, button->hasFocus()); });
}

RailButton* Rail::button(const QString& id) const {
  for (RailButton* button : buttons_)
    if (button->objectName() == QStringLiteral("shell.rail.") + id) return button;
  return nullptr;
}

void Rail::set_badge(const QString& id, const Badge& badge) {
  if (RailButton* its = button(id)) its->set_badge(badge);
}

void Rail::set_current(const QString& id) {
  RailButton* its = button(id);
  if (its == nullptr) return;
  const bool focused =
      std::any_of(buttons_.begin(), buttons_.end(), [](const RailButton* one) { return one->hasFocus(); });
  its->setChecked(true);
  // Tab comes to the current page's: Qt leaves that to the button that had the focus last.
  for (RailButton* one : buttons_) one->setFocusPolicy(one == its ? Qt::TabFocus : Qt::NoFocus);
  if (focused) its->setFocus();
}

void Rail::focus_current() {
  for (RailButton* button : buttons_)
    if (button->isChecked()) button->setFocus();
}

void Rail::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), ink(Colour::panel));
  painter.fillRect(QRect(width() - 1, 0, 1, height()), ink(Colour::border));
}

}  // namespace pitwall::ui
