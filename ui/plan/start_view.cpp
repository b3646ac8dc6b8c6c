// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/start_view.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

QString deployment_text(const Deployment& d) {
  const QString model = QString::fromStdString(d.model);
  QString text = StartView::tr("%1 on %2 × %3")
                     .arg(QFileInfo::exists(model) ? QFileInfo(model).completeBaseName() : model)
                     .arg(d.gpus)
                     .arg(QString::fromStdString(d.gpu));
  text += StartView::tr(" · %1 requests at once").arg(count_text(requests_asked(d)));
  if (d.max_model_len) text += StartView::tr(" of up to %1 tokens").arg(count_text(*d.max_model_len));
  return text;
}

StartView::StartView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("plan.start"));
  card_ =
      new Card(tr("Start from a deployment"), {}, tr("What will it hold, and how fast will it be?"), this);
  auto* hint = new Label(tr("A plan needs no GPU and loads nothing: it counts bytes from the model's headers "
                            "and its configuration, and predicts times from the GPU's profile."),
                         FontRole::body, Colour::muted, this);
  hint->setWordWrap(true);
  auto* read = new QPushButton(tr("Read a command line…"), this);
  read->setObjectName(QStringLiteral("plan.start.readCommand"));
  read->setAccessibleDescription(tr("Starts from how another engine is run today."));
  auto* recipe = new QPushButton(tr("Tuning recipe…"), this);
  recipe->setObjectName(QStringLiteral("plan.start.recipe"));
  recipe->setAccessibleDescription(tr("A published way of tuning, step by step, beside its simulation."));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(read);
  buttons->addWidget(recipe);
  buttons->addStretch(1);
  card_->body()->addWidget(hint);
  card_->body()->addSpacing(units(2));
  card_->body()->addSpacing(units(2));
  card_->body()->addLayout(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(card_);
  column->addStretch(1);
  connect(read, &QPushButton::clicked, this, &StartView::read_command_requested);
  connect(recipe, &QPushButton::clicked, this, &StartView::recipe_requested);
}

void StartView::set_deployments(const std::vector<Deployment>& deployments) {
  delete rows_;
  rows_ = new QWidget(this);
  auto* grid = new QGridLayout(rows_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(units(3));
  grid->setVerticalSpacing(units(2));
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const Deployment& deployment : deployments) {
    const QString name = engine_words(deployment.name);
    auto* button = new QPushButton(tr("Plan this"), rows_);
    button->setObjectName(QStringLiteral("plan.start.%1").arg(row));
    button->setAccessibleName(tr("Plan %1").arg(name));
    button->setAccessibleDescription(deployment_text(deployment));
    if (row == 0) button->setProperty("primary", true);
    grid->addWidget(new Label(name, FontRole::section, Colour::text, rows_), row, 0);
    grid->addWidget(new ElidedLabel(deployment_text(deployment), FontRole::body, Colour::muted, rows_), row,
                    1);
    grid->addWidget(button, row, 2);
    connect(button, &QPushButton::clicked, this, [this, deployment] { Q_EMIT chosen(deployment); });
    ++row;
  }
  card_->body()->insertWidget(2, rows_);
}

}  // namespace pitwall::ui
