// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/start_view.h"

#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/bench/checklist_template.h"
#include "ui/tune/checklist_dialog.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString what_it_does(const Checklist& checklist) {
  QStringList settings;
  for (const Item& item : checklist.items)
    for (const ItemChange& change : item.changes) settings << QString::fromStdString(change.setting);
  return TuneStartView::tr("%1: %2").arg(engine_words(checklist.goal), listed(settings));
}

}  // namespace

TuneStartView::TuneStartView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("tune.start"));
  auto* card = new Card(tr("Start from a template"), {}, tr("Which change pays, and by how much?"), this);
  auto* hint = new Label(
      tr("A checklist changes one variable at a time and measures each change against what is kept so "
         "far: in the simulator, on an engine of its own, or on the running one."),
      FontRole::body, Colour::muted, this);
  hint->setWordWrap(true);
  auto* rows = new QGridLayout;
  rows->setHorizontalSpacing(units(3));
  rows->setVerticalSpacing(units(2));
  rows->setColumnStretch(1, 1);
  int row = 0;
  const auto offer = [&](const QString& name, const QString& what, const QString& source,
                         const std::string& origin) {
    auto* button = new QPushButton(tr("Use this…"), this);
    button->setObjectName(QStringLiteral("tune.start.%1").arg(row));
    button->setAccessibleName(tr("Use %1").arg(name));
    button->setAccessibleDescription(what);
    button->setToolTip(source);
    if (first_ == nullptr) {
      first_ = button;
      button->setProperty("primary", true);
    }
    rows->addWidget(new Label(name, FontRole::section, Colour::text, this), row, 0);
    rows->addWidget(new ElidedLabel(what, FontRole::body, Colour::muted, this), row, 1);
    rows->addWidget(button, row, 2);
    connect(button, &QPushButton::clicked, this, [this, origin] { Q_EMIT chosen(origin); });
    ++row;
  };
  for (const Checklist& one : checklist_templates())
    offer(engine_words(one.name), what_it_does(one), engine_words(one.source), one.origin);
  offer(tr("Empty checklist"), tr("Items of your own, one setting each"), {}, kNoTemplate);
  card->body()->addWidget(hint);
  card->body()->addSpacing(units(2));
  card->body()->addLayout(rows);
  card->body()->addSpacing(units(2));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(card);
  column->addStretch(1);
}

void TuneStartView::focus_first() {
  first_->setFocus();
}

}  // namespace pitwall::ui
