// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/find_bar.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

FindBar::FindBar(QWidget* parent) : QWidget(parent) {
  field_ = new QLineEdit;
  field_->setObjectName(QStringLiteral("chat.find"));
  field_->setPlaceholderText(tr("Find in this chat"));
  field_->setAccessibleName(tr("Find in this chat"));
  field_->setAccessibleDescription(tr("Enter goes on, Shift+Enter goes back, Esc closes"));
  field_->setProperty("compact", true);
  count_ = new Label({}, FontRole::small, Colour::muted);
  count_->setObjectName(QStringLiteral("chat.findCount"));
  const auto add_button = [](const char* icon_name, const QString& name) {
    auto* button = new QToolButton;
    button->setIcon(icon(QLatin1String(icon_name), Colour::muted));
    button->setAutoRaise(true);
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
  };
  previous_ = add_button("chevron-left", tr("Previous hit"));
  next_ = add_button("chevron-right", tr("Next hit"));
  auto* done = add_button("close", tr("Close the search"));

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(units(1));
  layout->addWidget(field_, 1);
  layout->addWidget(count_);
  for (QToolButton* button : {previous_, next_, done}) layout->addWidget(button);

  connect(field_, &QLineEdit::textChanged, this, &FindBar::text_changed);
  connect(field_, &QLineEdit::returnPressed, this, [this] {
    Q_EMIT step_requested(QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier));
  });
  connect(previous_, &QToolButton::clicked, this, [this] { Q_EMIT step_requested(true); });
  connect(next_, &QToolButton::clicked, this, [this] { Q_EMIT step_requested(false); });
  connect(done, &QToolButton::clicked, this, &FindBar::close);
  show_hits(0, 0);
  hide();
}

void FindBar::open() {
  show();
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
  Q_EMIT text_changed(field_->text());
}

void FindBar::close() {
  hide();
  Q_EMIT text_changed({});
  Q_EMIT closed();
}

void FindBar::show_hits(int current, int count) {
  count_->setText(field_->text().isEmpty() ? QString()
                  : count == 0             ? tr("not in this chat")
                                           : tr("%1 of %2").arg(count_text(current), count_text(count)));
  previous_->setEnabled(count > 0);
  next_->setEnabled(count > 0);
}

}  // namespace pitwall::ui
