// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_detail.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/tune/effect_bars.h"
#include "ui/tune/tune_session.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kMostBars = 5;

std::vector<EffectBar> bars_of(const Checklist& checklist, const Item& item, const ItemResult& result) {
  std::vector<EffectBar> bars;
  for (const std::string& figure : shown_figures(checklist, item)) {
    const auto found = result.effects.find(figure);
    if (found == result.effects.end() || found->second.reading == Reading::undefined) continue;
    const Effect& effect = found->second;
    bars.push_back({figure_title(figure), figure_number(figure, effect.before),
                    figure_number(figure, effect.after), effect_text(effect), effect.before, effect.after,
                    effect_colour(effect)});
    if (bars.size() == kMostBars) break;
  }
  return bars;
}

QString runs_text(const TunePoint& before, const TunePoint& after) {
  if (before.runs.empty() || after.runs.empty()) return {};
  return ItemDetail::tr("before %1, after %2")
      .arg(run_name(before.runs.front()), run_name(after.runs.front()));
}

}  // namespace

ItemDetail::ItemDetail(QWidget* parent) : Card(tr("Item"), {}, {}, parent) {
  setObjectName(QStringLiteral("tune.itemDetail"));
  bars_ = new EffectBars(this);
  bars_->setObjectName(QStringLiteral("tune.bars"));
  verdict_ = new Label(tr("Verdict"), FontRole::section, Colour::text, this);
  by_ = new Label({}, FontRole::small, Colour::muted, this);
  by_->setObjectName(QStringLiteral("tune.verdictBy"));
  sentence_ = new Label({}, FontRole::body, Colour::text, this);
  sentence_->setObjectName(QStringLiteral("tune.verdict"));
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const auto button = [this](const char* id, const QString& text, void (ItemDetail::*signal)()) {
    auto* one = new QPushButton(text, this);
    one->setObjectName(QLatin1String(id));
    connect(one, &QPushButton::clicked, this, signal);
    return one;
  };
  run_ = button("tune.run", tr("Run"), &ItemDetail::run_requested);
  run_->setToolTip(tr("Run (Enter)"));
  keep_ = button("tune.keep", tr("Keep"), &ItemDetail::keep_requested);
  keep_->setToolTip(tr("Keep (K)"));
  keep_->setIcon(icon(QStringLiteral("check"), Colour::on_accent));
  keep_->setProperty("primary", true);
  revert_ = button("tune.revert", tr("Revert"), &ItemDetail::revert_requested);
  revert_->setToolTip(tr("Revert (R)"));
  repeat_ = button("tune.repeat", tr("Repeat runs"), &ItemDetail::repeat_requested);
  repeat_->setToolTip(tr("As many repeats again, before and after: a narrower interval"));
  decide_ = button("tune.decide", tr("Decide"), &ItemDetail::decide_requested);
  take_ = new QPushButton(this);
  take_->setObjectName(QStringLiteral("tune.take"));
  take_->setToolTip(tr("The best of the values that were tried, by the mean of the measure"));
  connect(take_, &QPushButton::clicked, this, [this] { Q_EMIT value_requested(best_); });
  edit_ = button("tune.edit", tr("Edit…"), &ItemDetail::edit_requested);

  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("tune.detailContent"));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, units(1), 0);
  column->setSpacing(units(1));
  column->addWidget(bars_);
  column->addStretch(1);
  auto* scroll = new QScrollArea(this);
  scroll->setProperty("bare", true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setAccessibleName(tr("Effects"));
  scroll->setWidget(content);
  content->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(units(2));
  for (QPushButton* one : {run_, keep_, revert_, repeat_, decide_, take_, edit_}) buttons->addWidget(one);
  buttons->addStretch(1);
  auto* verdict_row = new QHBoxLayout;
  verdict_row->addWidget(verdict_);
  verdict_row->addWidget(by_, 1);
  body()->addWidget(scroll, 1);  // gives way: the verdict is always whole
  body()->addLayout(verdict_row);
  body()->addWidget(sentence_);
  body()->addLayout(buttons);
}

void ItemDetail::show_item(const TuneSession& session, int index) {
  const bool known =
      session.checklist() && index >= 0 && index < static_cast<int>(session.checklist()->items.size());
  for (QPushButton* one : {run_, keep_, revert_, repeat_, decide_, take_, edit_}) one->setVisible(known);
  if (!known) {
    set_title(tr("Item"));
    set_unit({});
    set_question({});
    bars_->set_bars({});
    by_->clear();
    sentence_->setText(tr("Add an item: one setting, from one value to another."));
    return;
  }
  const auto at = static_cast<std::size_t>(index);
  const Checklist& checklist = *session.checklist();
  const Item& item = checklist.items[at];
  const ItemResult& result = session.result(at);
  const bool measured = result.pairs > 0, failed = !item.error.empty(), running = session.running();
  set_title(item_title(item, at));
  set_unit(measured ? tr("each row from 0") : QString());
  set_question(runs_text(result.before, result.after));
  bars_->set_bars(bars_of(checklist, item, result));
  by_->setText(!measured           ? QString()
               : item.by_user      ? tr("by you; %n pairs of runs", nullptr, result.pairs)
               : result.pairs == 1 ? tr("by one pair of runs, without an interval")
                                   : tr("by the 95 % interval of %n pairs of runs", nullptr, result.pairs));
  sentence_->setText(verdict_sentence(checklist, item, result));
  sentence_->set_colour(failed ? Colour::bad : Colour::text);
  run_->setVisible(!measured && !failed);
  run_->setProperty("primary", !measured);
  keep_->setVisible(measured);
  revert_->setVisible(measured);
  if (!item.changes.empty())
    revert_->setText(tr("Revert to %1").arg(QString::fromStdString(item.changes.front().from)));
  repeat_->setVisible(measured || failed);
  repeat_->setText(failed ? tr("Repeat") : tr("Repeat runs"));
  decide_->setVisible(failed && measured);
  decide_->setText(tr("Decide with %1").arg(result.pairs));
  best_ = best_value(checklist, item, result).value_or("");
  take_->setVisible(!item.also.empty() && !best_.empty() && best_ != item.changes.front().to);
  take_->setText(tr("Take %1").arg(QString::fromStdString(best_)));
  for (QPushButton* one : {run_, keep_, revert_, repeat_, decide_, take_, edit_}) one->setEnabled(!running);
  keep_->setEnabled(!running && item.verdict != ItemVerdict::keep);
  revert_->setEnabled(!running && item.verdict != ItemVerdict::revert);
}

}  // namespace pitwall::ui
