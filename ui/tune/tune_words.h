// SPDX-License-Identifier: GPL-3.0-or-later
// Figures, effects and verdicts of checklists in words.
#pragma once
#include <QString>
#include <QStringList>

#include "engine/bench/checklist.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

QString figure_title(const std::string& figure);  ///< "Throughput, tok/s"; the name itself where unknown
QString figure_short(const std::string& figure);  ///< "TTFT p50, ms", "tok/s"
QString figure_value(const std::string& figure, double value);  ///< "TTFT p50 247 ms", "96.8 tok/s"
QString figure_number(const std::string& figure, double value);
/// The figures that an item shows: what decides first, then what the checklist is about, then the rest.
std::vector<std::string> shown_figures(const Checklist& checklist, const Item& item);
const std::vector<std::string>& latency_figures();  ///< that throughput can be drawn against

/// "+31 % ± 6", "+1 % ± 2: no change", "+0.4 exact", "–"; percent of the mean before where there is one.
QString effect_text(const Effect& effect);
/// Good and bad only where the interval says so.
Colour effect_colour(const Effect& effect);

QString change_text(const ItemChange& change);  ///< "max-num-seqs 6 → 24"
QString item_title(const Item& item, std::size_t index);
QString target_word(TuneTarget target);  ///< "simulated", "measured"

struct VerdictTag {
  Tag::Kind kind;
  QString text;
};
VerdictTag verdict_tag(const Item& item, const ItemResult& result);
/// One or two sentences: what the measure did, which limit broke, who decided.
QString verdict_sentence(const Checklist& checklist, const Item& item, const ItemResult& result);

/// Which kept items the recommended settings leave out, and why; empty where they have them all.
QString outdated_text(const Checklist& checklist, const std::vector<ItemResult>& results);

}  // namespace pitwall::ui
