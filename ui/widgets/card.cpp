// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/widgets/icon.h"
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

constexpr double kLeastTitle = 60;  // units: longer ones, of chats, may be cut

/// One sample of a line with its name.
class LegendItem final : public QWidget {
 public:
  LegendItem(LegendEntry entry, QWidget* parent) : QWidget(parent), entry_(std::move(entry)) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  }
  QSize sizeHint() const override {
    const QFontMetrics metrics(Theme::current().font(FontRole::small));
    return {mark_width() + units(1) + metrics.horizontalAdvance(entry_.name), metrics.height()};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const int middle = height() / 2;
    painter.setPen(stroke_pen(entry_.stroke, entry_.width, theme.colour(entry_.colour)));
    if (entry_.sample != LegendEntry::Sample::line) {
      if (entry_.sample == LegendEntry::Sample::fill) painter.setBrush(theme.colour(entry_.colour));
      const double side = mark_width();
      painter.drawRect(QRectF(0, middle - side / 2, side, side).adjusted(1, 1, -1, -1));
    } else if (entry_.stroke == Stroke::marks) {
      painter.setPen(QPen(theme.colour(entry_.colour), entry_.width));
      painter.drawLine(units(0.5), middle - units(1), units(0.5), middle + units(1));
    } else {
      painter.drawLine(0, middle, mark_width(), middle);
    }
    painter.setFont(theme.font(FontRole::small));
    painter.setPen(theme.colour(Colour::muted));
    painter.drawText(rect().adjusted(mark_width() + units(1), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     entry_.name);
  }

 private:
  int mark_width() const {
    if (entry_.sample != LegendEntry::Sample::line) return units(2.75);
    return units(entry_.stroke == Stroke::marks ? 1 : 3.75);
  }
  LegendEntry entry_;
};

}  // namespace

Label::Label(const QString& text, FontRole role, Colour colour, QWidget* parent)
    : QLabel(text, parent), role_(role), colour_(colour) {
  restyle();
  connect(&Theme::current(), &Theme::changed, this, &Label::restyle);
}

void Label::set_colour(Colour colour) {
  if (colour_ == colour) return;
  colour_ = colour;
  restyle();
}

void Label::set_role(FontRole role) {
  role_ = role;
  restyle();
}

void Label::restyle() {
  const Theme& theme = Theme::current();
  setFont(theme.font(role_));
  QPalette own;
  own.setColor(QPalette::WindowText, theme.colour(colour_));
  own.setColor(QPalette::Text, theme.colour(colour_));
  own.setColor(QPalette::Link, theme.colour(Colour::accent));
  setPalette(own);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, Label::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(contentsRect(), static_cast<int>(alignment()),
                   fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
  Label::resizeEvent(event);
  setToolTip(fontMetrics().horizontalAdvance(text()) > contentsRect().width() ? text() : QString());
}

Tag::Tag(QWidget* parent) : QLabel(parent) {
  setFont(Theme::current().font(FontRole::small));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    setFont(Theme::current().font(FontRole::small));
    update();
  });
}

void Tag::set(Kind kind, const QString& text) {
  if (kind_ == kind && this->text() == text) return;
  kind_ = kind;
  setText(text);
  updateGeometry();
  update();
}

QSize Tag::sizeHint() const {
  const QFontMetrics metrics(font());
  return {metrics.horizontalAdvance(text()) + units(3.5), metrics.height() + units(0.75)};
}

Tag::Look Tag::look_of(Kind kind) {
  switch (kind) {
    case Kind::accent:
      return {Colour::accent, Colour::selection};
    case Kind::good:
      return {Colour::good, Colour::good_fill};
    case Kind::warn:
      return {Colour::warn, Colour::warn_fill};
    case Kind::bad:
      return {Colour::bad, Colour::bad_fill};
    case Kind::neutral:
      break;
  }
  return {Colour::muted, Colour::alt};
}

void Tag::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  const Look look = look_of(kind_);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(look.ink), 1));
  painter.setBrush(theme.colour(look.fill));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u() * 0.75, theme.u() * 0.75);
  painter.setPen(theme.colour(look.ink));
  painter.drawText(rect(), Qt::AlignCenter, text());
}

Card::Card(const QString& title, const QString& unit, const QString& question, QWidget* parent)
    : QFrame(parent) {
  title_ = new ElidedLabel(title, FontRole::section, Colour::text, this);
  unit_ = new Label(unit, FontRole::small, Colour::muted, this);
  question_ = new ElidedLabel(question, FontRole::small, Colour::muted, this);
  question_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // gives way before the title does
  question_->setObjectName(QStringLiteral("card.question"));
  legend_ = new QWidget(this);
  legend_->setObjectName(QStringLiteral("card.legend"));
  auto* legend = new QHBoxLayout(legend_);
  legend->setContentsMargins(0, 0, 0, 0);
  legend->setSpacing(units(2));
  beside_ = new QHBoxLayout;
  below_ = new QHBoxLayout;
  beside_->addWidget(legend_);
  tools_ = new QHBoxLayout;
  tools_->setSpacing(0);

  header_ = new QHBoxLayout;
  header_->setSpacing(units(1.75));
  header_->addWidget(title_);
  header_->addWidget(unit_);
  header_->addWidget(question_, 1);
  header_->addLayout(beside_);
  header_->addLayout(tools_);
  body_ = new QVBoxLayout;
  body_->setSpacing(units(1));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(units(2.5), units(1.5), units(2.5), units(2));
  layout->setSpacing(units(1));
  layout->addLayout(header_);
  layout->addLayout(below_);
  layout->addLayout(body_, 1);
  set_title(title);
  set_unit(unit);
  set_question(question);
  set_legend({});
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Card::set_title(const QString& title) {
  title_->setText(title);
  title_->setMinimumWidth(0);  // a label asks for no less than it had
  title_->setMinimumWidth(std::min(title_->sizeHint().width(), units(kLeastTitle)));
  title_->setVisible(!title.isEmpty());
  if (!title.isEmpty()) setAccessibleName(title);
}

void Card::set_unit(const QString& unit) {
  unit_->setText(unit);
  unit_->setVisible(!unit.isEmpty());
}

void Card::set_question(const QString& question) {
  question_->setText(question);  // empty, it still pushes the legend to the right
  question_->setVisible(!question.isEmpty() || !title_->text().isEmpty());
  place_legend();
}

void Card::set_legend(const std::vector<LegendEntry>& entries) {
  while (QLayoutItem* item = legend_->layout()->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const LegendEntry& entry : entries) {
    auto* item = new LegendItem(entry, legend_);
    legend_->layout()->addWidget(item);
    item->show();  // at once: what is hidden asks for no room
  }
  legend_->setVisible(!entries.empty());
  place_legend();
}

void Card::set_legend_widget(QWidget* legend) {
  delete legend_;
  legend_ = legend;
  beside_->addWidget(legend_);
  place_legend();
}

/// What title, question, legend and tools need to stand whole in one line.
int Card::one_line_width() const {
  const QMargins margins = layout()->contentsMargins();
  int wide = margins.left() + margins.right() + legend_->sizeHint().width();
  for (int i = 0; i < header_->count(); ++i)
    if (const QWidget* part = header_->itemAt(i)->widget(); part != nullptr && !part->isHidden())
      wide += part->sizeHint().width() + header_->spacing();
  return wide + header_->spacing() + tools_->sizeHint().width();
}

void Card::place_legend() {
  QHBoxLayout* place = !legend_->isHidden() && one_line_width() > width() ? below_ : beside_;
  if (place->indexOf(legend_) >= 0) return;
  (place == below_ ? beside_ : below_)->removeWidget(legend_);
  place->addWidget(legend_, 0, place == below_ ? Qt::AlignLeft : Qt::Alignment());
}

void Card::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  place_legend();
}

/// The legend can stand below, and asks for no width beside the title.
QSize Card::minimumSizeHint() const {
  const QSize least = QFrame::minimumSizeHint();
  if (legend_->isHidden() || beside_->isEmpty()) return least;
  const QMargins margins = layout()->contentsMargins();
  const int legend = legend_->minimumSizeHint().width();
  const int inside = std::max(
      {header_->minimumSize().width() - header_->spacing() - legend, legend, body_->minimumSize().width()});
  return {inside + margins.left() + margins.right(), least.height()};
}

void Card::add_header_widget(QWidget* widget) {
  header_->insertWidget(header_->count() - 2, widget);
}

QToolButton* Card::add_tool(const QString& icon_name, const QString& name) {
  auto* button = new QToolButton(this);
  button->setIcon(icon(icon_name));
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(name);
  tools_->addWidget(button);
  return button;
}

void Card::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(Colour::border), 1));
  painter.setBrush(theme.colour(Colour::panel));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u(), theme.u());
}

}  // namespace pitwall::ui
