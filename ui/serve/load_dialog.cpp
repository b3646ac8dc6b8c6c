// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/load_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/form_grid.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kUsualRequests = 100;
constexpr int kUsualOnCpu = 10;  // a few minutes on two cores

}  // namespace

LoadDialog::LoadDialog(const LoadWish& last, int max_num_seqs, bool on_cpu, QWidget* parent)
    : QDialog(parent), last_(last) {
  setObjectName(QStringLiteral("serve.loadDialog"));
  setWindowTitle(tr("Load test"));
  workload_ = new QComboBox(this);
  workload_->setObjectName(QStringLiteral("serve.load.workload"));
  workload_->setAccessibleName(tr("Workload"));
  for (const Workload& workload : workloads())
    workload_->addItem(engine_words(workload.title), QString::fromStdString(workload.name));
  workload_->setCurrentIndex(std::max(0, workload_->findData(QString::fromStdString(last.workload))));
  requests_ = new NumberField({QStringLiteral("serve.load.requests"), tr("Requests"), tr("requests"),
                               tr("How many are sent in all."), 1, 1'000'000},
                              this);
  requests_->set_value(last.requests > 0 ? last.requests : on_cpu ? kUsualOnCpu : kUsualRequests);
  at_once_ = new NumberField({QStringLiteral("serve.load.atOnce"), tr("At once"), tr("requests"),
                              tr("Others wait until one of them has ended."), 1, 100'000},
                             this);
  at_once_->set_value(last.at_once.value_or(max_num_seqs));
  rate_ = new NumberField({QStringLiteral("serve.load.rate"), tr("Rate"), tr("requests/s"),
                           tr("Empty: as the workload says."), 0.001, 1e6, 3, tr("workload's")},
                          this);
  if (last.per_second) rate_->set_value(*last.per_second);
  source_ = new Label({}, FontRole::small, Colour::muted, this);
  source_->setWordWrap(true);

  auto* form = new FormGrid(this);
  form->add_wide_row(tr("Workload"), workload_, {QStringLiteral("workload")});
  form->add_widget(source_);
  form->add_row(tr("Requests"), requests_, {}, {QStringLiteral("requests")});
  form->add_row(tr("At once"), at_once_, {}, {QStringLiteral("at-once")});
  form->add_row(tr("Rate"), rate_, tr("requests/s"), {QStringLiteral("rate")});
  form->end();
  auto* buttons = new QDialogButtonBox(this);
  auto* start = buttons->addButton(tr("Start load"), QDialogButtonBox::AcceptRole);
  start->setObjectName(QStringLiteral("serve.load.start"));
  start->setProperty("primary", true);
  buttons->addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(4), units(4), units(4), units(4));
  column->setSpacing(units(3));
  column->addWidget(form, 1);
  column->addWidget(buttons);
  setMinimumWidth(units(110));
  connect(workload_, &QComboBox::currentIndexChanged, this, &LoadDialog::show_workload);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this, form] {
    for (NumberField* field : {requests_, at_once_, rate_}) field->read();
    if (!form->has_wrong_field()) accept();
  });
  show_workload();
}

void LoadDialog::show_workload() {
  const auto workload = find_workload(workload_->currentData().toString().toStdString());
  if (!workload) return;
  const QString rate = std::isfinite(workload->request_rate)
                           ? tr("%1 requests/s").arg(three_digits(workload->request_rate))
                           : tr("all at once");
  source_->setText(tr("%1 (%2)").arg(engine_words(workload->source), rate));
}

LoadWish LoadDialog::wish() const {
  LoadWish wish = last_;
  wish.workload = workload_->currentData().toString().toStdString();
  wish.requests = static_cast<int>(requests_->value());
  wish.at_once = static_cast<int>(at_once_->value());
  wish.per_second.reset();
  if (!rate_->text().trimmed().isEmpty()) wish.per_second = rate_->value();
  return wish;
}

}  // namespace pitwall::ui
