// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_list.h"

#include <QHBoxLayout>
#include <QListView>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>
#include <optional>

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

/// "batching static, max-num-seqs 1": what differs from the defaults. A running engine keeps what no item and
/// no setting of the base names.
QString base_text(const Checklist& checklist) {
  QStringList words;
  const auto settings = nlohmann::ordered_json::parse(checklist.settings, nullptr, false);
  if (settings.is_object())
    for (const auto& [name, value] : settings.items())
      words << QStringLiteral("%1 %2").arg(qs(name),
                                           qs(value.is_string() ? value.get<std::string>() : value.dump()));
  if (checklist.target == TuneTarget::running_engine)
    return words.isEmpty()
               ? ItemList::tr("settings of the items at their defaults, the rest as the engine runs")
               : ItemList::tr("%1, the rest as the engine runs").arg(listed(words));
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

/// "Item 3, max-num-seqs=12, repeat 2: 5 of 9 runs, about 40 s left"
QString progress_text(const TuneProgress& progress, std::optional<double> seconds_left) {
  if (progress.total == 0) return ItemList::tr("Preparing item %1.").arg(progress.item + 1);
  const QString done = ItemList::tr("Item %1, %2, repeat %3: %4 of %5 runs")
                           .arg(progress.item + 1)
                           .arg(qs(progress.change))
                           .arg(progress.repeat)
                           .arg(progress.done)
                           .arg(progress.total);
  return seconds_left ? ItemList::tr("%1, about %2 left")
                            .arg(done, elapsed_text(static_cast<Nanos>(*seconds_left * 1e9)))
                      : done;
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
  progress_ = new ElidedLabel({}, FontRole::small, Colour::accent, this);
  progress_->setObjectName(QStringLiteral("tune.progress"));
  auto* edit = add_tool(QStringLiteral("edit"), tr("Edit the checklist…"));
  edit->setObjectName(QStringLiteral("tune.editChecklist"));
  connect(edit, &QToolButton::clicked, this, &ItemList::edit_requested);
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
  all_ = button("tune.sweep", tr("Run all"), this);
  all_->setToolTip(tr("Measures the items that are not decided, one after another"));
  sweep_ = button("tune.runSweep", tr("Run sweep…"), this);
  sweep_->setToolTip(tr("Measures one setting over a list of values"));
  cancel_ = button("tune.cancel", tr("Cancel"), this);
  report_ = button("tune.report", tr("Report…"), this);

  auto* base_row = new QHBoxLayout;
  base_row->setSpacing(units(2));
  base_row->addWidget(base_name);
  base_row->addWidget(base_, 1);
  base_row->addWidget(figures_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  for (QPushButton* one : {add_, all_, sweep_, cancel_, report_}) buttons->addWidget(one);
  buttons->addStretch(1);
  body()->setSpacing(units(1.5));
  body()->addWidget(setup_);
  body()->addLayout(base_row);
  body()->addWidget(view_, 1);
  body()->addWidget(note_);
  body()->addWidget(progress_);
  body()->addLayout(buttons);

  connect(add_, &QPushButton::clicked, this, &ItemList::add_requested);
  connect(all_, &QPushButton::clicked, this, &ItemList::all_requested);
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
  // Most templates are called by their goal.
  const QString name = engine_words(checklist.name), goal = engine_words(checklist.goal);
  set_question(goal.compare(name, Qt::CaseInsensitive) == 0 ? QString() : goal);
  setup_->setText(QStringLiteral("%1 · %2 × %3")
                      .arg(where_text(checklist), number_of_requests(checklist),
                           tr("%n repeats", nullptr, checklist.repeats)));
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
  for (QPushButton* one : {all_, sweep_, report_}) one->setVisible(!running);
  all_->setEnabled(!session.to_measure().empty());
  cancel_->setVisible(running);
  progress_->setVisible(running);
  if (running) progress_->setText(progress_text(progress, session.time_left()));
}

}  // namespace pitwall::ui
