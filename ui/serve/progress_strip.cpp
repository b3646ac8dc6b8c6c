// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/progress_strip.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace pitwall::ui {

namespace {

constexpr int kSteps = 1000;

}  // namespace

ProgressStrip::ProgressStrip(const Words& words, QWidget* parent) : Card({}, {}, {}, parent) {
  setObjectName(words.id);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  said_ = new ElidedLabel({}, FontRole::small, Colour::text, this);
  said_->setObjectName(words.id + QStringLiteral(".said"));
  bar_ = new QProgressBar(this);
  bar_->setAccessibleName(words.bar_name);
  bar_->setTextVisible(false);
  auto* cancel = new QPushButton(words.cancel, this);
  cancel->setObjectName(words.id + QStringLiteral(".cancel"));
  cancel->setProperty("compact", true);
  auto* row = new QHBoxLayout;
  row->setSpacing(units(3));
  row->addWidget(said_, 1);
  row->addWidget(bar_, 1);
  row->addWidget(cancel);
  body()->addLayout(row);
  connect(cancel, &QPushButton::clicked, this, &ProgressStrip::cancelled);
  hide();
}

void ProgressStrip::show_progress(const QString& text, std::int64_t done, std::int64_t total) {
  said_->setText(text);
  bar_->setRange(0, total > 0 ? kSteps : 0);
  if (total > 0) bar_->setValue(static_cast<int>(done * kSteps / total));
  show();
}

}  // namespace pitwall::ui
