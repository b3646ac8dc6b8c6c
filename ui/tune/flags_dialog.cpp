// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/flags_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/report/recommended_flags.h"
#include "ui/widgets/card.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

RecommendedFlagsDialog::RecommendedFlagsDialog(const Checklist& checklist, QWidget* parent)
    : QDialog(parent), checklist_(checklist) {
  setObjectName(QStringLiteral("tune.flagsDialog"));
  setWindowTitle(tr("Recommended settings"));
  form_ = new QComboBox(this);
  form_->setObjectName(QStringLiteral("tune.flags.engine"));
  form_->setAccessibleName(tr("Engine"));
  for (const FlagsForm& form : flags_forms())
    form_->addItem(QString::fromStdString(form.title), QString::fromStdString(form.name));
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("tune.flags.text"));
  text_->setAccessibleName(tr("Flags"));
  text_->setReadOnly(true);
  text_->setFont(Theme::current().font(FontRole::code));
  text_->setTabChangesFocus(true);
  notes_ = new Label({}, FontRole::small, Colour::muted, this);
  notes_->setObjectName(QStringLiteral("tune.flags.notes"));
  notes_->setWordWrap(true);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* copy = new QPushButton(icon(QStringLiteral("copy"), Colour::on_accent), tr("Copy"), this);
  copy->setProperty("primary", true);
  auto* close = new QPushButton(tr("Close"), this);
  auto* label = new Label(tr("Engine"), FontRole::body, Colour::muted, this);
  label->setBuddy(form_);
  auto* top = new QHBoxLayout;
  top->addWidget(label);
  top->addWidget(form_);
  top->addStretch(1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(close);
  buttons->addWidget(copy);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(3), units(3), units(3));
  column->setSpacing(units(2));
  column->addLayout(top);
  column->addWidget(text_, 1);
  column->addWidget(notes_);
  column->addLayout(buttons);
  resize(units(150), units(80));
  connect(form_, &QComboBox::currentIndexChanged, this, &RecommendedFlagsDialog::show_flags);
  connect(copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(text_->toPlainText()); });
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  show_flags();
}

void RecommendedFlagsDialog::show_flags() {
  const auto flags = recommended_flags(checklist_, form_->currentData().toString().toStdString());
  notes_->set_colour(flags ? Colour::muted : Colour::bad);
  text_->setPlainText(flags ? QString::fromStdString(flags->text) : QString());
  QStringList notes;
  if (flags)
    for (const std::string& note : flags->notes) notes << engine_words(note);
  else
    notes << QString::fromStdString(flags.error().text());
  notes_->setText(notes.join(QLatin1Char('\n')));
}

}  // namespace pitwall::ui
