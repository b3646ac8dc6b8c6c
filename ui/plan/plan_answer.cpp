// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/plan_answer.h"

#include <QVBoxLayout>
#include <algorithm>

#include "ui/plan/alternatives.h"
#include "ui/plan/fix_list.h"
#include "ui/plan/notice_strip.h"
#include "ui/plan/plan_charts.h"
#include "ui/plan/plan_rows.h"
#include "ui/plan/veil.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kChartUnits = 52;     // height that the charts keep
constexpr double kMoreLinesUnits = 6;  // and more for each line above three: all have a name in the plot
constexpr std::size_t kFewLines = 3;

}  // namespace

PlanAnswer::PlanAnswer(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("plan.answer"));
  notice_ = new NoticeStrip(this);
  bars_ = new RankBars(this);
  bars_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  table_card_ = new Card(tr("Alternatives"), {}, {}, this);
  table_card_->setObjectName(QStringLiteral("plan.alternatives"));
  table_card_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);  // its note may need more lines
  table_ = new DataTable(tr("Alternatives"), alternative_columns(), this);
  table_->setObjectName(QStringLiteral("plan.alternatives.table"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(false);  // their order is that of pinning, and of the bars
  table_->set_user_widths({});       // without the room for signs of sorting
  const int last = static_cast<int>(alternative_columns().size()) - 1;
  table_->set_stretch_column(last);
  table_->set_yielding_column(0, last);
  table_->setTextElideMode(Qt::ElideMiddle);  // names begin with the GPUs and end with what differs
  table_->fit_height(static_cast<int>(Alternatives::kMostPinned) + 1);
  note_ = new Label({}, FontRole::small, Colour::muted, this);
  note_->setObjectName(QStringLiteral("plan.note"));
  note_->setWordWrap(true);
  table_card_->body()->addWidget(table_);
  table_card_->body()->addWidget(note_);
  charts_ = new PlanCharts(this);
  fixes_ = new FixList(this);

  answer_ = new QWidget(this);
  auto* column = new QVBoxLayout(answer_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2.5));
  column->addWidget(bars_);
  column->addWidget(table_card_);
  column->addWidget(charts_, 1);
  column->addWidget(fixes_);
  veil_ = new Veil(answer_);
  auto* inside = new QWidget;
  auto* whole = new QVBoxLayout(inside);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->setSpacing(units(2.5));
  whole->addWidget(notice_);
  whole->addWidget(answer_, 1);
  whole->addStretch();  // of use only while there is no answer
  setProperty("bare", true);
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(inside);

  connect(bars_, &RankBars::chosen, this, &PlanAnswer::chosen);
  connect(table_, &DataTable::current_changed, this, [this](qint64 key) {
    if (key >= 0) Q_EMIT chosen(key);
  });
  connect(fixes_, &FixList::chosen, this, &PlanAnswer::fix_chosen);
}

void PlanAnswer::set_muted(bool muted) {
  veil_->setVisible(muted);
}

void PlanAnswer::show_alternatives(const Alternatives& alternatives, double took_ms,
                                   const std::optional<MeasuredMemory>& measured, bool sliding) {
  const std::vector<Alternative>& all = alternatives.all();
  answer_->setVisible(
      std::any_of(all.begin(), all.end(), [](const Alternative& one) { return one.plan != nullptr; }));
  show_bars(alternatives, measured);
  show_table(alternatives, took_ms);
  const std::size_t more = std::max(all.size(), kFewLines) - kFewLines;
  charts_->setMinimumHeight(units(kChartUnits + kMoreLinesUnits * static_cast<double>(more)));
  charts_->show_alternatives(alternatives, sliding);
  show_fixes(alternatives);
}

void PlanAnswer::show_bars(const Alternatives& alternatives, const std::optional<MeasuredMemory>& measured) {
  const Alternative* subject = alternatives.subject();
  std::vector<RankBarEntry> entries;
  for (const Alternative& one : alternatives.all()) {
    if (one.plan == nullptr) continue;
    const bool is_subject = subject == &one;
    entries.push_back({one.key, one.title, is_subject, one.plan, is_subject ? measured : std::nullopt});
  }
  bars_->set_source(subject ? tr("predicted, %1").arg(engine_words(subject->deployment.name)) : QString());
  bars_->set_entries(std::move(entries));
}

void PlanAnswer::show_table(const Alternatives& alternatives, double took_ms) {
  const QSignalBlocker quiet(table_);
  table_->set_rows(alternative_rows(alternatives));
  const Alternative* subject = alternatives.subject();
  if (subject && table_->current_key() != subject->key) table_->select_key(subject->key);
  table_card_->set_question(tr("Which deployment serves this demand? %1 of %2 pinned, all predicted")
                                .arg(alternatives.pinned())
                                .arg(Alternatives::kMostPinned));
  QStringList notes{tr("Planned in %1.").arg(ms_text(took_ms))};
  if (subject && subject->plan) {
    const Prediction& predicted = subject->plan->predicted;
    if (predicted.asked.requests > 0 && predicted.error_share > 0)
      notes << tr("Times are means by the kernel rates of %1, ± %2 %.")
                   .arg(engine_text(predicted.rates), real_text(100 * predicted.error_share, 0));
    for (const std::string& note : subject->plan->notes) notes << tr("%1.").arg(engine_words(note));
  }
  note_->setText(told(notes));
}

/// Of the subject, or, where that fits, of the first that does not.
void PlanAnswer::show_fixes(const Alternatives& alternatives) {
  const auto lacks = [](const Alternative& one) { return one.plan && one.plan->verdict != Verdict::fits; };
  const Alternative* shown = alternatives.subject();
  if (shown == nullptr || !shown->plan) return fixes_->show_none({});
  const std::vector<Alternative>& all = alternatives.all();
  if (!lacks(*shown))
    if (const auto other = std::find_if(all.begin(), all.end(), lacks); other != all.end()) shown = &*other;
  if (!lacks(*shown)) return fixes_->show_none(tr("Nothing needs to change: the demand fits."));
  if (!shown->fixes) return;  // what was found for the question before stays until the input rests
  if (shown->fixes->empty()) return fixes_->show_none(tr("No single change makes %1 fit.").arg(shown->title));
  fixes_->show_fixes(shown->key, shown->title, *shown->fixes, shown->fix_pair);
}

}  // namespace pitwall::ui
