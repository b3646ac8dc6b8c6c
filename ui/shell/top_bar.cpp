// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/top_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QWidgetAction>

#include "ui/shell/action_registry.h"
#include "ui/shell/engine_state.h"
#include "ui/shell/page.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

namespace {

constexpr double kBetween = 4, kBetweenButtons = 2.5;  // units
constexpr const char* kFolded = "folded";              // in the menu for want of room

/// A push button that stays as its action is.
QPushButton* button_for(QAction* action, QWidget* parent) {
  auto* button = new QPushButton(parent);
  button->setObjectName(action->objectName());
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
  const auto follow = [action, button] {
    button->setText(action->text());
    button->setIcon(action->icon());
    button->setEnabled(action->isEnabled());
    button->setVisible(action->isVisible() && !button->property(kFolded).toBool());
    button->setCheckable(action->isCheckable());
    button->setChecked(action->isChecked());
    button->setToolTip(action->shortcut().isEmpty()
                           ? action->toolTip()
                           : QStringLiteral("%1 (%2)").arg(action->text(), keys_text(*action)));
    if (button->property("primary") != action->property("primary")) {
      button->setProperty("primary", action->property("primary"));
      button->update();
    }
  };
  follow();
  QObject::connect(action, &QAction::changed, button, follow);
  QObject::connect(button, &QPushButton::clicked, action, [action] { action->trigger(); });
  return button;
}

QWidget* row_of(QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(units(kBetweenButtons));
  return box;
}

/// With the gap before it.
int width_of(const QWidget& part) {
  return part.sizeHint().expandedTo(part.minimumSize()).width() + units(kBetweenButtons);
}

}  // namespace

TopBar::TopBar(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("shell.topBar"));
  setFixedHeight(units(11.5));
  title_ = new Label({}, FontRole::title, Colour::text, this);
  title_->setObjectName(QStringLiteral("shell.title"));
  state_ = new Tag(this);
  state_->setObjectName(QStringLiteral("shell.state"));
  contexts_ = new QHBoxLayout;
  actions_ = new QHBoxLayout;
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(units(3), 0, units(3), 1);
  row->setSpacing(units(kBetween));
  row->addWidget(title_);
  row->addLayout(contexts_);
  row->addWidget(state_);
  row->addStretch(1);
  row->addLayout(actions_);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    setFixedHeight(units(11.5));
    update();
  });
}

void TopBar::add_page(Page& page) {
  Parts parts{&page, row_of(this), row_of(this)};
  for (QWidget* widget : page.context_widgets()) parts.context->layout()->addWidget(widget);
  parts.more = new QPushButton(QStringLiteral("⋯"), this);
  parts.more->setObjectName(page.id() + QStringLiteral(".moreActions"));
  parts.more->setAccessibleName(tr("More actions"));
  parts.more->setToolTip(tr("More actions"));
  parts.more->setFocusPolicy(Qt::TabFocus);
  parts.more->hide();
  parts.menu = new QMenu(parts.more);
  connect(parts.more, &QPushButton::clicked, this, [more = parts.more, menu = parts.menu] {
    menu->popup(more->mapToGlobal(QPoint(0, more->height())));
  });
  parts.actions->layout()->addWidget(parts.more);  // first, for Tab too
  for (QAction* action : page.page_actions()) {
    if (auto* embedded = qobject_cast<QWidgetAction*>(action)) {
      auto* label = new Label(action->text(), FontRole::body, Colour::muted, this);
      label->setBuddy(embedded->defaultWidget());
      parts.actions->layout()->addWidget(label);
      parts.actions->layout()->addWidget(embedded->defaultWidget());
      parts.fixed << label << embedded->defaultWidget();
      embedded->defaultWidget()->show();  // its action had hidden it
    } else {
      parts.buttons.append({action, button_for(action, this)});
      parts.actions->layout()->addWidget(parts.buttons.back().second);
    }
  }
  contexts_->addWidget(parts.context);
  actions_->addWidget(parts.actions);
  parts.context->hide();
  parts.actions->hide();
  pages_ << parts;
}

void TopBar::show_page(const Page& page) {
  title_->setText(page.title());
  for (const Parts& parts : pages_) {
    parts.context->setVisible(parts.page == &page && parts.context->layout()->count() > 0);
    parts.actions->setVisible(parts.page == &page);
    if (parts.page == &page) fold(parts);
  }
}

/// What has no room goes into a menu: the first buttons first, the last one, which matters most, never.
void TopBar::fold(const Parts& parts) {
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right() - title_->sizeHint().width() -
                   state_->sizeHint().width() - parts.context->minimumSizeHint().width() -
                   4 * units(kBetween);
  int needed = 0;
  for (const QWidget* part : parts.fixed) needed += width_of(*part);
  for (const auto& [action, button] : parts.buttons)
    if (action->isVisible()) needed += width_of(*button);
  QList<QAction*> folded;
  for (const auto& [action, button] : parts.buttons) {
    const int more = folded.isEmpty() ? 0 : width_of(*parts.more);
    if (needed + more <= room || button == parts.buttons.back().second) break;
    if (!action->isVisible()) continue;
    folded << action;
    needed -= width_of(*button);
  }
  if (folded == parts.menu->actions()) return;  // else the layout would ask again for ever
  parts.menu->clear();
  parts.menu->addActions(folded);
  parts.more->setVisible(!folded.isEmpty());
  for (const auto& [action, button] : parts.buttons) {
    button->setProperty(kFolded, folded.contains(action));
    button->setVisible(action->isVisible() && !folded.contains(action));
  }
}

/// A narrow window has what it needs: buttons fold, selectors shrink.
QSize TopBar::minimumSizeHint() const {
  return {0, height()};
}

/// Of the page that is shown.
void TopBar::fold_shown() {
  for (const Parts& parts : pages_)
    if (!parts.actions->isHidden()) fold(parts);
}

bool TopBar::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) fold_shown();
  return QWidget::event(event);
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fold_shown();
}

void TopBar::show_state(EngineState state) {
  state_->set(state_tag(state), state_sign(state) + QLatin1Char(' ') + state_word(state));
}

void TopBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().colour(Colour::panel));
  painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().colour(Colour::border));
}

}  // namespace pitwall::ui
