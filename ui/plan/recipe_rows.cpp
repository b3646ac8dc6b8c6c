// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/recipe_rows.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

QString changes_text(const std::vector<RecipeChange>& changes, bool first) {
  QStringList words;
  for (const RecipeChange& change : changes)
    words << (first ? QStringLiteral("%1 %2").arg(qs(change.setting), qs(change.to))
                    : QStringLiteral("%1 %2 → %3").arg(qs(change.setting), qs(change.from), qs(change.to)));
  return words.join(QStringLiteral(" · "));
}

TableCell figure_cell(double value, const QString& text, bool strong = false) {
  if (!(value > 0)) return {no_value(), std::nan("")};
  return {text, value, Colour::text, strong};
}
/// As the source gives it: whole numbers stay whole.
QString stated_text(double value) {
  return value == std::round(value) ? count_text(std::llround(value)) : three_digits(value);
}
TableCell gain_cell(double gain) {
  return figure_cell(gain, three_digits(gain) + QStringLiteral(" ×"));
}
TableCell seconds_cell(double ms, bool strong = false) {
  return figure_cell(ms / 1000, three_digits(ms / 1000), strong);
}

TableCell direction_cell(const ComparedStep& step) {
  QStringList agrees, differs;
  const auto add = [&](const ComparedFigure& figure, const QString& name) {
    if (figure.direction == Direction::agrees) agrees << name;
    if (figure.direction == Direction::differs) differs << name;
  };
  add(step.tokens_per_s, tr("tok/s"));
  add(step.ttft_ms, tr("TTFT"));
  if (!differs.isEmpty())
    return {tr("differs: %1").arg(listed(differs)), 0, Colour::warn, false,
            icon(QStringLiteral("warning"), Colour::warn)};
  if (agrees.isEmpty()) return {no_value()};
  return {tr("agrees: %1").arg(listed(agrees)), 0, Colour::good, false,
          icon(QStringLiteral("check"), Colour::good)};
}

}  // namespace

std::vector<TableColumn> recipe_columns() {
  return {
      {tr("Step")},
      {tr("Changed")},
      {tr("tok/s published"), true, tr("Output tokens per second, by the recipe's source")},
      {tr("simulated"), true, tr("Output tokens per second, in the simulator")},
      {tr("ratio"), true, tr("Simulated over published")},
      {tr("× first, published"), true, tr("Throughput over that of the first step, by the source")},
      {tr("simulated"), true, tr("Throughput over that of the first step, in the simulator")},
      {tr("TTFT s published"), true, tr("Mean time to the first token, by the recipe's source")},
      {tr("simulated"), true, tr("Mean time to the first token, in the simulator")},
      {tr("Direction"), false,
       tr("Whether both move the same way since the step before for which the source has the figure; less "
          "than 5 % is no move")}};
}

std::vector<TableRow> recipe_rows(const std::vector<ComparedStep>& steps) {
  std::vector<TableRow> rows;
  for (const ComparedStep& step : steps) {
    const ComparedFigure &rate = step.tokens_per_s, &ttft = step.ttft_ms;
    const QString changes = changes_text(step.changes, rows.empty());
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{engine_words(step.title), 0, Colour::text, true},
                     {changes.isEmpty() ? no_value() : changes},
                     figure_cell(rate.published, stated_text(rate.published)),
                     figure_cell(rate.simulated, rate_number(rate.simulated), true),
                     figure_cell(rate.ratio(), three_digits(rate.ratio())),
                     gain_cell(rate.published_gain),
                     gain_cell(rate.simulated_gain),
                     seconds_cell(ttft.published),
                     seconds_cell(ttft.simulated, true),
                     direction_cell(step)}});
  }
  return rows;
}

QString recipe_summary(const std::vector<ComparedStep>& steps) {
  const auto stated = [](const ComparedStep& step) { return step.tokens_per_s.published > 0; };
  const auto last = std::find_if(steps.rbegin(), steps.rend(), stated);
  if (steps.empty() || last == steps.rend() || !stated(steps.front())) return {};
  const ComparedFigure &from = steps.front().tokens_per_s, &to = last->tokens_per_s;
  QStringList sentences{tr("Published %1 → %2 tok/s is against the first step, “%3”: %4 ×.")
                            .arg(stated_text(from.published), stated_text(to.published),
                                 engine_words(steps.front().title), three_digits(to.published_gain))};
  if (to.simulated > 0)
    sentences << tr("Simulated %1 → %2 tok/s: %3 ×.")
                     .arg(rate_number(from.simulated), rate_number(to.simulated),
                          three_digits(to.simulated_gain));
  QStringList silent;
  for (const ComparedStep& step : steps)
    if (!stated(step)) silent << tr("“%1”").arg(engine_words(step.title));
  if (!silent.isEmpty()) sentences << tr("The source states no throughput for %1.").arg(listed(silent));
  const auto compared = [](Direction direction) {
    return [direction](const ComparedStep& step) {
      return (step.tokens_per_s.direction == direction) + (step.ttft_ms.direction == direction);
    };
  };
  int agree = 0, differ = 0;
  for (const ComparedStep& step : steps) {
    agree += compared(Direction::agrees)(step);
    differ += compared(Direction::differs)(step);
  }
  if (agree + differ > 0)
    sentences << tr("%1 of %2 figures move the way that the source says.").arg(agree).arg(agree + differ);
  return told(sentences);
}

}  // namespace pitwall::ui
