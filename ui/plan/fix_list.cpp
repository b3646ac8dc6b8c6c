// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/fix_list.h"

#include <QVBoxLayout>

#include "ui/plan/fix_button.h"
#include "ui/plan/fix_grid.h"
#include "ui/plan/plan_rows.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString effect_text(const Fix& fix) {
  QStringList words;
  if (fix.frees != 0) words << tr("frees %1").arg(bytes_text(fix.frees));
  if (!fix.cost.empty()) words << engine_words(fix.cost);
  if (fix.max_model_len) words << tr("at most %1 tokens each, as now").arg(count_text(*fix.max_model_len));
  if (!fix.fits) words << tr("not enough alone");
  return words.join(QStringLiteral(" · "));
}

/// Both costs: neither is "not enough alone" any more.
QString pair_effect_text(const std::vector<Fix>& pair) {
  return tr("enough together: %1 · %2").arg(engine_words(pair.front().cost), engine_words(pair.back().cost));
}

}  // namespace

FixList::FixList(QWidget* parent) : Card(tr("What would make it fit"), {}, {}, parent) {
  setObjectName(QStringLiteral("plan.fixes"));
  setSizePolicy(QSizePolicy::Preferred,
                QSizePolicy::Minimum);  // Maximum would keep it at its hint, whatever its width
  sentence_ = new Label({}, FontRole::small, Colour::muted, this);
  sentence_->setWordWrap(true);
  grid_ = new FixGrid(kMostShown, this);
  body()->addWidget(sentence_);
  body()->addWidget(grid_);
  for (std::size_t i = 0; i < kMostShown; ++i)
    connect(grid_->cards()[i], &QAbstractButton::clicked, this,
            [this, i] { Q_EMIT chosen(alternative_, shown_[i]); });
}

void FixList::show_none(const QString& sentence) {
  set_title(tr("What would make it fit"));
  set_unit({});
  sentence_->setText(sentence);
  sentence_->show();
  show_cards({});
}

void FixList::show_fixes(qint64 alternative, const QString& title, const std::vector<Fix>& fixes,
                         const std::vector<Fix>& pair) {
  set_title(tr("What would make %1 fit").arg(title));
  set_unit(pair.empty() ? tr("one change each, predicted") : tr("predicted"));
  const bool single = !fixes.empty() && fixes.front().fits;
  sentence_->setText(
      pair.empty() ? tr("No single change is enough, and no two together. Take a larger GPU, "
                        "a smaller model or a shorter length.")
                   : tr("No single change is enough. The first card makes two, which are enough together."));
  sentence_->setVisible(!single);
  alternative_ = alternative;
  std::vector<std::vector<Fix>> cards;
  if (!pair.empty()) cards.push_back(pair);
  for (const Fix& fix : fixes)
    if (cards.size() < kMostShown) cards.push_back({fix});
  show_cards(std::move(cards));
}

void FixList::show_cards(std::vector<std::vector<Fix>> cards) {
  shown_ = std::move(cards);
  for (std::size_t i = 0; i < kMostShown; ++i) {
    FixButton& card = *grid_->cards()[i];
    card.setObjectName({});
    if (i >= shown_.size()) continue;
    const Fix &first = shown_[i].front(), &last = shown_[i].back();
    const bool pair = shown_[i].size() > 1;
    card.show_change(pair ? tr("%1 and %2").arg(fix_text(first), fix_text(last)) : fix_text(first),
                     pair ? pair_effect_text(shown_[i]) : effect_text(first), last.fits);
    card.setObjectName(QStringLiteral("plan.fix.%1")
                           .arg(pair ? QStringLiteral("pair") : QString::fromStdString(first.setting)));
  }
  grid_->show_first(shown_.size());
}

}  // namespace pitwall::ui
