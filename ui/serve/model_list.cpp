// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/model_list.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/library/model_profile.h"
#include "ui/serve/fetch_card.h"
#include "ui/shell/model_path.h"
#include "ui/shell/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kProgressSteps = 1000;

TableRow row_of(qint64 key, const ListedModel& listed) {
  const ModelEntry& model = listed.model;
  const bool sound = listed.flaw.isEmpty();
  const TableCell mark = listed.missing  ? TableCell{ModelList::tr("△ missing"), 0, Colour::warn}
                         : !sound        ? TableCell{ModelList::tr("△ unfit"), 0, Colour::bad}
                         : listed.recent ? TableCell{ModelList::tr("recent"), 0, Colour::muted}
                                         : TableCell{};
  const QString folder =
      one_line(QString::fromStdString(std::filesystem::absolute(model.path).parent_path().string()));
  const QString outside = one_line(QString::fromStdString(model.outside.string()));
  TableRow row{key, {}};
  row.cells = {{one_line(QString::fromStdString(model.name)), 0, sound ? Colour::text : Colour::muted, sound},
               {model.bytes > 0 ? bytes_text(model.bytes) : no_value(), static_cast<double>(model.bytes)},
               mark,
               {outside.isEmpty() ? folder : ModelList::tr("%1, a link to %2").arg(folder, outside), 0,
                Colour::muted}};
  if (!sound) row.cells[3] = {listed.flaw, 0, Colour::bad};
  return row;
}

}  // namespace

ModelList::ModelList(QWidget* parent) : QWidget(parent) {
  load_card_ = new Card(tr("Loading"), {}, {}, this);
  load_card_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  phase_ = new Label({}, FontRole::body, Colour::text, this);
  phase_->setObjectName(QStringLiteral("serve.phase"));
  progress_ = new QProgressBar(this);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(units(3));
  progress_->setAccessibleName(tr("Share of the load that is done"));
  cancel_ = new QPushButton(tr("Cancel"), this);
  cancel_->setObjectName(QStringLiteral("serve.cancelLoad"));
  auto* line = new QHBoxLayout;
  line->setSpacing(units(3));
  line->addWidget(progress_, 1);
  line->addWidget(cancel_);
  load_card_->body()->addWidget(phase_);
  load_card_->body()->addLayout(line);
  load_card_->hide();

  list_card_ = new Card(tr("Models"), {}, tr("What do you want to serve?"), this);
  table_ = new DataTable(tr("Models"), {{tr("Name")}, {tr("Size"), true}, {{}}, {tr("Folder")}}, this);
  table_->setObjectName(QStringLiteral("serve.models"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->set_stretch_column(3);
  table_->set_yielding_column(0, 3);
  empty_ = new Label(tr("Looking for models…"), FontRole::body, Colour::muted, this);
  empty_->setWordWrap(true);
  serve_ = new QPushButton(tr("Serve this"), this);
  serve_->setObjectName(QStringLiteral("serve.serveThis"));
  serve_->setProperty("primary", true);
  auto* open = new QPushButton(icon(QStringLiteral("folder")), tr("Open…"), this);
  open->setObjectName(QStringLiteral("serve.open"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  buttons->addWidget(serve_);
  buttons->addWidget(open);
  buttons->addStretch(1);
  buttons->addWidget(new Label(tr("A .gguf file or a model folder can be dropped here."), FontRole::small,
                               Colour::muted, this));
  list_card_->body()->addWidget(empty_);
  list_card_->body()->addWidget(table_, 1);
  list_card_->body()->addSpacing(units(1));
  list_card_->body()->addLayout(buttons);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2.5));
  column->addWidget(load_card_);
  column->addWidget(list_card_, 1);
  fetch_card_ = new FetchCard(model_profiles(), this);
  column->addWidget(fetch_card_);
  column->addStretch();  // of use only when the table is hidden

  connect(table_, &DataTable::current_changed, this, [this](qint64 key) {
    if (key >= 0) Q_EMIT chosen(paths_.value(static_cast<qsizetype>(key)));
  });
  connect(table_, &DataTable::opened, this, &ModelList::serve_requested);
  connect(serve_, &QPushButton::clicked, this, &ModelList::serve_requested);
  connect(open, &QPushButton::clicked, this, &ModelList::open_requested);
  connect(fetch_card_, &FetchCard::fetched, this, &ModelList::fetched);
  connect(fetch_card_, &FetchCard::failed, this, &ModelList::fetch_failed);
  connect(fetch_card_, &FetchCard::job_went_on, this, &ModelList::job_went_on);
  connect(fetch_card_, &FetchCard::job_ended, this, &ModelList::job_ended);
  connect(fetch_card_, &FetchCard::progressed, this, &ModelList::fetch_progressed);
  connect(fetch_card_, &FetchCard::ended, this, &ModelList::fetch_ended);
  connect(cancel_, &QPushButton::clicked, this, &ModelList::cancel_requested);
  show_table(false);
}

void ModelList::set_models(const std::vector<ListedModel>& models) {
  std::vector<TableRow> rows;
  paths_.clear();
  for (const ListedModel& one : models) {
    rows.push_back(row_of(paths_.size(), one));
    paths_ << QString::fromStdString(one.model.path.string());
  }
  empty_->setText(
      tr("No model found. Open a .gguf file or a folder with config.json and safetensors, or "
         "fetch one of those below; SmolLM2 is a small one to start with."));
  table_->set_rows(std::move(rows));
  show_table(!models.empty());
  fetch_card_->refresh();
}

void ModelList::show_table(bool shown) {
  table_->setVisible(shown);
  serve_->setVisible(shown);
  empty_->setVisible(!shown);
  list_card_->setSizePolicy(QSizePolicy::Preferred, shown ? QSizePolicy::Preferred : QSizePolicy::Maximum);
}

void ModelList::set_current(const QString& path) {
  const QSignalBlocker quiet(table_);
  const auto at = paths_.indexOf(path);
  at >= 0 ? table_->select_key(at) : table_->setCurrentIndex({});
  serve_->setEnabled(at >= 0);
}

void ModelList::show_loading(const QString& model, const QString& phase, qint64 done, qint64 total) {
  load_card_->set_title(tr("Loading %1").arg(model));
  phase_->setText(total > 0 ? tr("%1, %2 of %3").arg(phase, bytes_text(done), bytes_text(total)) : phase);
  progress_->setRange(0, total > 0 ? kProgressSteps : 0);
  if (total > 0) progress_->setValue(static_cast<int>(done * kProgressSteps / total));
  load_card_->show();
  // What is disabled hands the focus to whatever comes next, and that would begin a download.
  if (QWidget* focused = window()->focusWidget(); list_card_->isAncestorOf(focused)) {
    focus_before_ = focused;
    cancel_->setFocus();
  }
  list_card_->setEnabled(false);
}

void ModelList::cancel_fetch() {
  fetch_card_->cancel();
}

void ModelList::show_idle() {
  list_card_->setEnabled(true);
  if (window()->focusWidget() == cancel_) (focus_before_ ? focus_before_.data() : table_)->setFocus();
  load_card_->hide();
}

}  // namespace pitwall::ui
