// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/notice_strip.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace pitwall::ui {

NoticeStrip::NoticeStrip(QWidget* parent) : Card({}, {}, {}, parent) {
  setObjectName(QStringLiteral("plan.notice"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  what_ = new Label({}, FontRole::section, Colour::text, this);
  reason_ = new Label({}, FontRole::small, Colour::muted, this);
  verb_ = new QPushButton(this);
  verb_->setObjectName(QStringLiteral("plan.notice.verb"));
  auto* words = new QVBoxLayout;
  words->setSpacing(units(0.5));
  for (Label* label : {what_, reason_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(label);
  }
  auto* row = new QHBoxLayout;
  row->setSpacing(units(3));
  row->addLayout(words, 1);
  row->addWidget(verb_);
  body()->addLayout(row);
  connect(verb_, &QPushButton::clicked, this, &NoticeStrip::verb_chosen);
  hide();
}

void NoticeStrip::show_progress(const QString& sentence) {
  what_->set_colour(Colour::text);
  what_->setText(sentence);
  reason_->hide();
  verb_->hide();
  show();
}

void NoticeStrip::show_error(const QString& what, const QString& reason, const QString& verb) {
  what_->set_colour(Colour::bad);
  what_->setText(QStringLiteral("△ ") + what);
  reason_->setText(reason);
  reason_->setVisible(!reason.isEmpty());
  verb_->setText(verb);
  verb_->setVisible(!verb.isEmpty());
  show();
}

}  // namespace pitwall::ui
