// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/top_bar.h"

#include <QHBoxLayout>
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

constexpr double kLeastButton = 14;

/// A push button that stays as its action is.
QPushButton* button_for(QAction* action, QWidget* parent) {
  auto* button = new QPushButton(parent);
  button->setObjectName(action->objectName());
  button->setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
  button->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  button->setMinimumWidth(units(kLeastButton));  // a narrow window cuts its words, the tooltip has them all
  const auto follow = [action, button] {
    button->setText(action->text());
    button->setIcon(action->icon());
    button->setEnabled(action->isEnabled());
    button->setVisible(action->isVisible());
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
  row->setSpacing(units(2.5));
  return box;
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
  row->setSpacing(units(4));
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
  for (QAction* action : page.page_actions()) {
    if (auto* embedded = qobject_cast<QWidgetAction*>(action)) {
      auto* label = new Label(action->text(), FontRole::body, Colour::muted, this);
      label->setBuddy(embedded->defaultWidget());
      parts.actions->layout()->addWidget(label);
      parts.actions->layout()->addWidget(embedded->defaultWidget());
      embedded->defaultWidget()->show();  // its action had hidden it
    } else {
      parts.actions->layout()->addWidget(button_for(action, this));
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
  }
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
