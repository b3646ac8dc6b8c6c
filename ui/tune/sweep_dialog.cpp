// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/sweep_dialog.h"

#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/bench/checklist.h"
#include "ui/tune/setting_box.h"
#include "ui/widgets/card.h"
#include "ui/widgets/form_grid.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

SweepDialog::SweepDialog(const Checklist& checklist, const Settings& base, QWidget* parent)
    : QDialog(parent), checklist_(checklist), base_(base) {
  setObjectName(QStringLiteral("tune.sweepDialog"));
  setWindowTitle(tr("Run sweep"));
  setting_ = make_setting_box(QStringLiteral("tune.sweep.setting"), checklist.target, this);
  setting_->setCurrentIndex(std::max(0, setting_->findText(QStringLiteral("max-num-seqs"))));
  values_ = new QLineEdit(this);
  values_->setObjectName(QStringLiteral("tune.sweep.values"));
  values_->setAccessibleName(tr("Values"));
  values_->setAccessibleDescription(tr("Values to try, separated by commas."));
  values_->setPlaceholderText(QStringLiteral("8, 16, 32"));
  values_->setMaxLength(2000);
  from_ = new Label({}, FontRole::small, Colour::muted, this);
  trouble_ = new Label({}, FontRole::small, Colour::bad, this);
  trouble_->setObjectName(QStringLiteral("tune.sweep.trouble"));
  trouble_->setWordWrap(true);
  trouble_->hide();
  auto* form = new FormGrid(this);
  form->widen_fields();
  form->add_row(tr("Setting"), setting_, {}, {QStringLiteral("setting")});
  form->add_row(tr("Values"), values_, {}, {QStringLiteral("values")});
  form->end();
  auto* run = new QPushButton(tr("Run sweep"), this);
  run->setObjectName(QStringLiteral("tune.sweep.start"));
  run->setProperty("primary", true);
  run->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  buttons->addWidget(cancel);
  buttons->addWidget(run);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(4), units(4), units(4), units(4));
  column->setSpacing(units(2));
  column->addWidget(new Label(
      tr("Each value is measured against the same base, %n repeats each.", nullptr, checklist.repeats),
      FontRole::small, Colour::muted, this));
  column->addWidget(form);
  column->addWidget(from_);
  column->addWidget(trouble_);
  column->addStretch(1);
  column->addLayout(buttons);
  resize(units(120), sizeHint().height());
  connect(setting_, &QComboBox::currentIndexChanged, this, &SweepDialog::follow_setting);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(run, &QPushButton::clicked, this, &SweepDialog::accept_if_sound);
  follow_setting();
  values_->setFocus();
}

void SweepDialog::follow_setting() {
  from_->setText(tr("The base has %1.").arg(qs(base_.display(setting_->currentText().toStdString()))));
}

void SweepDialog::refuse(const QString& text) {
  trouble_->setText(text);
  trouble_->show();
}

void SweepDialog::accept_if_sound() {
  const std::string setting = setting_->currentText().toStdString(), from = base_.display(setting);
  static const QRegularExpression between(QStringLiteral("[,\\s]+"));
  QStringList values = values_->text().split(between, Qt::SkipEmptyParts);
  values.removeDuplicates();
  // The base is measured in any case.
  values.removeAll(qs(from));
  if (values.isEmpty()) return refuse(tr("Name one value at least that is not the base's %1.").arg(qs(from)));
  Item item;
  item.name = tr("Sweep of %1").arg(qs(setting)).toStdString();
  for (qsizetype i = values.size(); i-- > 0;) {  // the first one is tried last, and stays
    const ItemChange change{setting, from, values[i].toStdString()};
    if (const auto sound = add_change(item, change, checklist_.target); !sound)
      return refuse(qs(sound.error().text()));
  }
  values.removeFirst();
  item.also = values.join(QLatin1Char(',')).toStdString();
  item_ = std::move(item);
  accept();
}

}  // namespace pitwall::ui
