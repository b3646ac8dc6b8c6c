// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_list.h"

#include <QHBoxLayout>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "engine/bench/workload.h"
#include "ui/tune/item_delegate.h"
#include "ui/tune/item_model.h"
#include "ui/tune/tune_session.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

/// "batching static, max-num-seqs 1": what differs from the defaults.
QString base_text(const Checklist& checklist) {
  QStringList words;
  const auto settings = nlohmann::ordered_json::parse(checklist.settings, nullptr, false);
  if (settings.is_object())
    for (const auto& [name, value] : settings.items())
      words << QStringLiteral("%1 %2").arg(qs(name),
                                           qs(value.is_string() ? value.get<std::string>() : value.dump()));
  return words.isEmpty() ? ItemList::tr("all settings at their defaults") : listed(words);
}

QString where_text(const Checklist& checklist) {
  QStringList words{qs(checklist.model)};
  if (checklist.target == TuneTarget::simulator) words << qs(checklist.gpus);
  if (checklist.target == TuneTarget::fresh_engine) words << ItemList::tr("an engine of its own");
  if (checklist.target == TuneTarget::running_engine) words = {ItemList::tr("the running engine")};
  words << qs(checklist.workload);
  return words.join(QStringLiteral(" · "));
}

QString number_of_requests(const Checklist& checklist) {
  const auto workload = find_workload(checklist.workload);
  const int own = workload ? workload->requests : 0;
  return ItemList::tr("%1 requests").arg(count_text(checklist.num_prompts > 0 ? checklist.num_prompts : own));
}

QPushButton* button(const char* id, const QString& text, QWidget* parent) {
  auto* one = new QPushButton(text, parent);
  one->setObjectName(QLatin1String(id));
  return one;
}

}  // namespace

ItemList::ItemList(QWidget* parent) : Card({}, {}, {}, parent), model_(new ItemModel(this)) {
  setObjectName(QStringLiteral("tune.list"));
  setup_ = new ElidedLabel({}, FontRole::small, Colour::muted, this);
  setup_->setObjectName(QStringLiteral("tune.setup"));
  base_ = new ElidedLabel({}, FontRole::small, Colour::muted, this);
  base_->setObjectName(QStringLiteral("tune.base"));
  figures_ = new Label({}, FontRole::small, Colour::text, this);
  figures_->setObjectName(QStringLiteral("tune.baseFigures"));
  note_ = new Label({}, FontRole::caption, Colour::muted, this);
  note_->setObjectName(QStringLiteral("tune.note"));
  note_->setWordWrap(true);
  auto* base_name = new Label(tr("0  Baseline"), FontRole::section, Colour::text, this);
  view_ = new QListView(this);
  view_->setObjectName(QStringLiteral("tune.items"));
  view_->setAccessibleName(tr("Items"));
  view_->setAccessibleDescription(
      tr("Ins adds an item, Enter measures it, K keeps it, R reverts it; Ctrl+Z takes the last change back"));
  view_->setProperty("bare", true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setModel(model_);
  view_->setItemDelegate(new ItemDelegate(view_));
  view_->setResizeMode(QListView::Adjust);
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setMouseTracking(true);
  add_ = button("tune.add", tr("Add item…"), this);
  add_->setProperty("primary", true);
  add_->setToolTip(tr("Add item… (Ins)"));
  sweep_ = button("tune.sweep", tr("Run all"), this);
  sweep_->setToolTip(tr("Measures the items that are not decided, one after another"));
  cancel_ = button("tune.cancel", tr("Cancel"), this);
  report_ = button("tune.report", tr("Report…"), this);

  auto* base_row = new QHBoxLayout;
  base_row->setSpacing(units(2));
  base_row->addWidget(base_name);
  base_row->addWidget(base_, 1);
  base_row->addWidget(figures_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  for (QPushButton* one : {add_, sweep_, cancel_, report_}) buttons->addWidget(one);
  buttons->addStretch(1);
  body()->setSpacing(units(1.5));
  body()->addWidget(setup_);
  body()->addLayout(base_row);
  body()->addWidget(view_, 1);
  body()->addWidget(note_);
  body()->addLayout(buttons);

  connect(add_, &QPushButton::clicked, this, &ItemList::add_requested);
  connect(sweep_, &QPushButton::clicked, this, &ItemList::sweep_requested);
  connect(cancel_, &QPushButton::clicked, this, &ItemList::cancel_requested);
  connect(report_, &QPushButton::clicked, this, &ItemList::report_requested);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this] { Q_EMIT chosen(current()); });
}

int ItemList::current() const {
  return view_->currentIndex().row();
}

void ItemList::set_current(int item) {
  view_->setCurrentIndex(model_->index(std::clamp(item, 0, std::max(0, model_->rowCount() - 1))));
}

void ItemList::show_checklist(const TuneSession& session) {
  const Checklist& checklist = *session.checklist();
  set_title(engine_words(checklist.name));
  set_question(engine_words(checklist.goal));
  setup_->setText(QStringLiteral("%1 · %2 × %3")
                      .arg(where_text(checklist), number_of_requests(checklist),
                           tr("%1 repeats").arg(checklist.repeats)));
  base_->setText(base_text(checklist));
  QStringList figures;
  for (const std::string& figure : {std::string("output_throughput"), checklist.latency}) {
    const auto found = session.base().figures.find(figure);
    if (found != session.base().figures.end()) figures << figure_value(figure, found->second.mean);
  }
  figures_->setText(figures.isEmpty() ? tr("not measured") : figures.join(QStringLiteral(" · ")));
  note_->setText(engine_words(checklist.note));
  note_->setToolTip(engine_words(checklist.source));
  note_->setVisible(!checklist.note.empty());
  const int before = current();
  std::vector<ItemRow> rows;
  for (std::size_t i = 0; i < checklist.items.size(); ++i)
    rows.push_back(item_row(checklist, i, session.result(i)));
  model_->set_rows(std::move(rows));
  if (current() < 0 && model_->rowCount() > 0) set_current(before);
  view_->doItemsLayout();  // heights follow what was measured
  show_progress(session);
}

void ItemList::show_progress(const TuneSession& session) {
  const bool running = session.running();
  const TuneProgress& progress = session.progress();
  add_->setEnabled(!running);
  sweep_->setVisible(!running);
  sweep_->setEnabled(!open_items(*session.checklist()).empty());
  cancel_->setVisible(running);
  report_->setVisible(!running);
  if (!running) return;
  cancel_->setText(progress.total == 0 ? tr("Cancel")
                                       : tr("Cancel (item %1: %2 of %3 runs)")
                                             .arg(progress.item + 1)
                                             .arg(progress.done)
                                             .arg(progress.total));
}

}  // namespace pitwall::ui
