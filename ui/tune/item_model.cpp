// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_model.h"

#include <algorithm>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kMostLines = 3;

}  // namespace

QString ItemRow::spoken() const {
  QStringList words{ItemModel::tr("%1 %2, %3").arg(number, name, tag.text)};
  for (const ItemChange& change : changes) words << change_text(change);
  if (!hypothesis.isEmpty()) words << hypothesis;
  for (const ItemLine& line : lines)
    words
        << QStringLiteral("%1 %2 → %3 %4").arg(line.measure, line.before, line.after, line.effect).trimmed();
  if (!note.isEmpty()) words << note;
  return words.join(QStringLiteral(". "));
}

ItemRow item_row(const Checklist& checklist, std::size_t index, const ItemResult& result) {
  const Item& item = checklist.items[index];
  ItemRow row;
  row.id = item.id;
  row.number = QString::number(index + 1);
  row.name = engine_words(item.name);
  row.changes = item.changes;
  row.hypothesis = engine_words(item.hypothesis);
  row.tag = verdict_tag(item, result);
  for (const std::string& figure : shown_figures(checklist, item)) {
    const auto found = result.effects.find(figure);
    if (found == result.effects.end() || found->second.reading == Reading::undefined) continue;
    const Effect& effect = found->second;
    row.lines.push_back({figure_short(figure), figure_number(figure, effect.before),
                         figure_number(figure, effect.after), effect_text(effect), effect_colour(effect)});
    if (row.lines.size() == kMostLines) break;
  }
  QStringList notes;
  if (item.mixed()) notes << ItemModel::tr("Mixed: two variables or more in one item");
  if (!item.also.empty()) {
    const QStringList tried = QString::fromStdString(item.also).split(QLatin1Char(','));
    notes << ItemModel::tr("Also tried: %1").arg(listed(tried));
  }
  // The other runs count in the base's figures and in the scatter.
  const auto pairs = static_cast<std::size_t>(result.pairs);
  if (pairs > 0 && pairs < std::max(result.before.runs.size(), result.after.runs.size()))
    notes << ItemModel::tr("The figures are those of %1 of %2 pairs of runs")
                 .arg(result.pairs)
                 .arg(repeats_of(checklist, item));
  if (row.lines.empty() && item.error.empty() && !item.expected.empty())
    notes << ItemModel::tr("Expected: %1").arg(engine_words(item.expected));
  row.failed = !item.error.empty();
  row.note = row.failed ? QString::fromStdString(item.error) : notes.join(QStringLiteral(" · "));
  return row;
}

void ItemModel::set_rows(std::vector<ItemRow> rows) {
  const bool same = std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                               [](const ItemRow& a, const ItemRow& b) { return a.id == b.id; });
  if (same) {
    rows_ = std::move(rows);
    if (!rows_.empty()) Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int ItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant ItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  if (role == Qt::DisplayRole) return row(index.row()).name;
  if (role == Qt::AccessibleTextRole) return row(index.row()).spoken();
  if (role == Qt::ToolTipRole && !row(index.row()).note.isEmpty()) return row(index.row()).note;
  return {};
}

}  // namespace pitwall::ui
