// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flags_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

FlagsDialog::FlagsDialog(const QString& id, const QString& title, const std::vector<FlagsChoice>& choices,
                         Write write, QWidget* parent)
    : QDialog(parent), write_(std::move(write)) {
  setObjectName(id + QStringLiteral("Dialog"));
  setWindowTitle(title);
  auto* top = new QHBoxLayout;
  top->setSpacing(units(2));
  for (const FlagsChoice& choice : choices) {
    auto* box = new QComboBox(this);
    box->setObjectName(QStringLiteral("%1.%2").arg(id, choice.id));
    box->setAccessibleName(choice.name);
    for (const auto& [shown, value] : choice.items) box->addItem(shown, value);
    if (const int at = box->findData(choice.first); at >= 0) box->setCurrentIndex(at);
    auto* label = new Label(choice.name, FontRole::body, Colour::muted, this);
    label->setBuddy(box);
    top->addWidget(label);
    top->addWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, &FlagsDialog::show_flags);
    boxes_.push_back(box);
  }
  top->addStretch(1);
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(id + QStringLiteral(".text"));
  text_->setAccessibleName(tr("Flags"));
  text_->setReadOnly(true);
  text_->setFont(Theme::current().font(FontRole::code));
  text_->setTabChangesFocus(true);
  notes_ = new Label({}, FontRole::small, Colour::muted, this);
  notes_->setObjectName(id + QStringLiteral(".notes"));
  notes_->setWordWrap(true);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  copy_ = new QPushButton(icon(QStringLiteral("copy"), Colour::on_accent), tr("Copy"), this);
  copy_->setObjectName(id + QStringLiteral(".copy"));
  copy_->setProperty("primary", true);
  auto* close = new QPushButton(tr("Close"), this);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(close);
  buttons->addWidget(copy_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(3), units(3), units(3));
  column->setSpacing(units(2));
  column->addLayout(top);
  column->addWidget(text_, 1);
  column->addWidget(notes_);
  column->addLayout(buttons);
  resize(units(205), units(120));
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(text_->toPlainText()); });
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  show_flags();
}

void FlagsDialog::show_flags() {
  QStringList chosen;
  for (const QComboBox* box : boxes_) chosen << box->currentData().toString();
  const auto flags = write_(chosen);
  copy_->setEnabled(flags.ok());
  notes_->set_colour(flags ? Colour::muted : Colour::bad);
  text_->setPlainText(flags ? flags->text : QString());
  notes_->setText(flags ? flags->notes.join(QLatin1Char('\n'))
                        : QString::fromStdString(flags.error().text()));
}

}  // namespace pitwall::ui
