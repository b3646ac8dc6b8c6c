// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/flags_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/plan/engine_profile.h"
#include "ui/plan/engine_flags.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

FlagsDialog::FlagsDialog(const DeploymentPlan& plan, QWidget* parent) : QDialog(parent), plan_(plan) {
  setObjectName(QStringLiteral("plan.flagsDialog"));
  setWindowTitle(tr("Flags for other engines"));
  engine_ = new QComboBox(this);
  engine_->setObjectName(QStringLiteral("plan.flags.engine"));
  engine_->setAccessibleName(tr("Engine"));
  for (const EngineProfile& engine : engine_profiles())
    engine_->addItem(QString::fromStdString(engine.title), QString::fromStdString(engine.name));
  if (const int vllm = engine_->findData(QStringLiteral("vllm")); vllm >= 0) engine_->setCurrentIndex(vllm);
  form_ = new QComboBox(this);
  form_->setObjectName(QStringLiteral("plan.flags.form"));
  form_->setAccessibleName(tr("Form"));
  form_->addItems({tr("Command"), tr("Docker compose"), tr("Kubernetes")});
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("plan.flags.text"));
  text_->setAccessibleName(tr("Flags"));
  text_->setReadOnly(true);
  text_->setFont(Theme::current().font(FontRole::code));
  text_->setTabChangesFocus(true);
  notes_ = new Label({}, FontRole::small, Colour::muted, this);
  notes_->setObjectName(QStringLiteral("plan.flags.notes"));
  notes_->setWordWrap(true);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  copy_ = new QPushButton(icon(QStringLiteral("copy"), Colour::on_accent), tr("Copy"), this);
  copy_->setObjectName(QStringLiteral("plan.flags.copy"));
  copy_->setProperty("primary", true);
  auto* close = new QPushButton(tr("Close"), this);
  auto* top = new QHBoxLayout;
  top->setSpacing(units(2));
  for (const auto& [name, box] : {std::pair{tr("Engine"), engine_}, std::pair{tr("Form"), form_}}) {
    auto* label = new Label(name, FontRole::body, Colour::muted, this);
    label->setBuddy(box);
    top->addWidget(label);
    top->addWidget(box);
  }
  top->addStretch(1);
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
  resize(units(190), units(120));
  connect(engine_, &QComboBox::currentIndexChanged, this, &FlagsDialog::show_flags);
  connect(form_, &QComboBox::currentIndexChanged, this, &FlagsDialog::show_flags);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(text_->toPlainText()); });
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  show_flags();
}

void FlagsDialog::show_flags() {
  const auto engine = find_engine(engine_->currentData().toString().toStdString());
  if (!engine) return;
  const auto flags = flags_text(plan_, **engine, static_cast<FlagsForm>(form_->currentIndex()));
  copy_->setEnabled(flags.ok());
  notes_->set_colour(flags ? Colour::muted : Colour::bad);
  text_->setPlainText(flags ? flags->text : QString());
  notes_->setText(flags ? flags->notes.join(QLatin1Char('\n'))
                        : QString::fromStdString(flags.error().text()));
}

}  // namespace pitwall::ui
