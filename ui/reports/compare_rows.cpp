// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/compare_rows.h"

#include <QCoreApplication>
#include <QMap>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/units.h"
#include "engine/settings/settings.h"
#include "ui/reports/run_rows.h"
#include "ui/reports/run_verdict.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(CompareRows)
};

constexpr qsizetype kShownOfChecksum = 12;
constexpr std::size_t kMostBeside = 3;  // columns that have room for effect and reading beside them

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

QString reading_text(const Effect& effect) {
  switch (effect.reading) {
    case Reading::better:
      return Words::tr("✓ better");
    case Reading::worse:
      return Words::tr("△ worse");
    case Reading::moved:
      return Words::tr("moved");
    case Reading::no_change:
      return Words::tr("no change");
    case Reading::one_pair:
      return Words::tr("no interval");
    case Reading::undefined:
      break;
  }
  return no_value();
}

/// The effect alone: what it means stands in a column of its own.
QString effect_number(const Effect& effect) {
  Effect plain = effect;
  if (plain.reading == Reading::no_change) plain.reading = Reading::moved;
  if (plain.reading != Reading::one_pair) return effect_text(plain);
  const bool share = std::isfinite(plain.percent);
  const double value = share ? plain.percent : plain.difference.mean;
  if (value == 0) return QStringLiteral("0");
  const QString digits = three_digits(value);
  return (value > 0 ? QStringLiteral("+") : QString()) + (share ? digits + QStringLiteral(" %") : digits);
}

/// Effect and reading in one.
TableCell effect_cell(const Effect& effect) {
  const QString sign = effect.reading == Reading::better  ? QStringLiteral("✓ ")
                       : effect.reading == Reading::worse ? QStringLiteral("△ ")
                                                          : QString();
  return {sign + effect_number(effect), effect.percent, effect_colour(effect)};
}

std::vector<TableColumn> one_a_column(const RunComparison& comparison, const QString& head) {
  std::vector<TableColumn> columns{{head}};
  for (const ComparedColumn& column : comparison.columns) columns.push_back({column_title(column)});
  return columns;
}

TableRow next_row(const std::vector<TableRow>& rows, const QString& name, Colour colour = Colour::text) {
  return {static_cast<qint64>(rows.size()), {{name, 0, colour}}};
}

const std::string* entry_of(const Run& run, const char* name) {
  for (const ConfigEntry& entry : run.header.config)
    if (entry.name == name) return &entry.value;
  return nullptr;
}

QString workload_text(const ComparedColumn& column) {
  const Run& run = column.run();
  const std::string *workload = entry_of(run, "load.workload"),
                    *at_once = entry_of(run, "load.max-concurrency"),
                    *rate = entry_of(run, "load.request-rate");
  if (workload == nullptr) return kind_name(run.header.kind);
  QStringList parts{qs(*workload)};
  if (rate != nullptr) parts << Words::tr("%1 requests per s").arg(qs(*rate));
  if (at_once != nullptr) parts << Words::tr("%1 at once").arg(qs(*at_once));
  return parts.join(QStringLiteral(", "));
}

QString lengths_text(const ComparedColumn& column) {
  const EngineTotals& totals = column.run().summary.totals;
  const std::int64_t n = totals.requests_finished;
  if (n == 0) return no_value();
  return Words::tr("%1 in, %2 out on average")
      .arg(count_text(totals.prompt_tokens / n), count_text(totals.output_tokens / n));
}

/// Of the clear effects of a kind, the largest first.
std::vector<const ComparedFigure*> figures_with(const RunComparison& comparison, std::size_t column,
                                                Reading reading) {
  std::vector<const ComparedFigure*> found;
  for (const ComparedFigure& figure : comparison.figures)
    if (figure.effects[column].reading == reading) found.push_back(&figure);
  std::stable_sort(found.begin(), found.end(), [column](const auto* a, const auto* b) {
    return std::abs(a->effects[column].percent) > std::abs(b->effects[column].percent);
  });
  return found;
}

QString effects_text(const std::vector<const ComparedFigure*>& figures, std::size_t column) {
  QStringList parts;
  for (const ComparedFigure* figure : figures)
    parts << QStringLiteral("%1 %2").arg(figure_title(figure->name).section(QStringLiteral(", "), 0, 0),
                                         effect_text(figure->effects[column]));
  return parts.join(QStringLiteral("; "));
}

/// A size as people read it; of a checksum the beginning: the whole would push the other runs out of sight.
QString key_value(const std::string& name, const std::string& value) {
  if (value.empty()) return no_value();
  const SettingInfo* setting = find_setting(name);
  const bool size = name == "memory" || (setting != nullptr && setting->type == SettingType::size);
  if (const auto bytes = parse_size(value); size && bytes) return bytes_text(*bytes);
  return name.ends_with("sha256") ? qs(value).left(kShownOfChecksum) : qs(value);
}

/// As they stand where people's words for them are alike.
QStringList key_values(const ComparedKey& key) {
  QStringList shown;
  for (const std::string& value : key.values) shown << key_value(key.name, value);
  const std::set<QString> words(shown.begin(), shown.end());
  if (words.size() == std::set(key.values.begin(), key.values.end()).size()) return shown;
  for (std::size_t i = 0; i < key.values.size(); ++i)
    if (!key.values[i].empty()) shown[static_cast<qsizetype>(i)] = qs(key.values[i]);
  return shown;
}

}  // namespace

QString column_title(const ComparedColumn& column) {
  const QString name = run_name(column.run().id.value);
  return column.runs.size() == 1 ? name : QStringLiteral("%1 +%2").arg(name).arg(column.runs.size() - 1);
}

bool effects_below(const RunComparison& comparison) {
  return comparison.columns.size() > kMostBeside;
}

std::vector<TableColumn> compared_columns(const RunComparison& comparison) {
  std::vector<TableColumn> columns{{Words::tr("Measure")}};
  const bool below = effects_below(comparison);
  const QString effect =
      Words::tr(
          "Difference to %1, in % of it, with its 95 % interval: over repeats, or over ten "
          "stretches of each run.")
          .arg(column_title(comparison.columns.front()));
  for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
    columns.push_back({column_title(comparison.columns[i]), true, below && i > 0 ? effect : QString()});
    if (i == 0 || below) continue;
    columns.push_back({Words::tr("Effect, 95 %"), true, effect});
    columns.push_back({Words::tr("Reading")});
  }
  return columns;
}

std::vector<TableRow> compared_rows(const RunComparison& comparison) {
  std::vector<TableRow> rows;
  const bool below = effects_below(comparison);
  for (const ComparedFigure& figure : comparison.figures) {
    TableRow row = next_row(rows, figure_title(figure.name));
    std::vector<TableCell> effects{{Words::tr("effect, 95 %"), 0, Colour::muted}, {}};
    for (std::size_t i = 0; i < figure.values.size(); ++i) {
      row.cells.push_back(
          {figure_number(figure.name, figure.values[i]), figure.values[i], Colour::text, i > 0});
      if (i == 0) continue;
      const Effect& effect = figure.effects[i];
      effects.push_back(effect_cell(effect));
      if (below) continue;
      row.cells.push_back({effect_number(effect), effect.percent});
      row.cells.push_back({reading_text(effect), 0, effect_colour(effect)});
    }
    rows.push_back(std::move(row));
    if (below) rows.push_back({static_cast<qint64>(rows.size()), std::move(effects)});
  }
  return rows;
}

std::vector<TableColumn> differing_columns(const RunComparison& comparison) {
  return one_a_column(comparison, Words::tr("Key"));
}

std::vector<TableRow> differing_rows(const RunComparison& comparison) {
  std::vector<TableRow> rows;
  const auto add = [&](const std::vector<ComparedKey>& keys, const QString& pattern) {
    for (const ComparedKey& key : keys) {
      TableRow row = next_row(rows, pattern.arg(qs(key.name)));
      const QStringList shown = key_values(key);
      for (std::size_t i = 0; i < key.values.size(); ++i)
        row.cells.push_back({shown[static_cast<qsizetype>(i)], 0, i == 0 ? Colour::muted : Colour::text,
                             key.values[i] != key.values.front()});
      rows.push_back(std::move(row));
    }
  };
  add(comparison.settings, QStringLiteral("%1"));
  add(comparison.load, Words::tr("load: %1"));
  add(comparison.environment, Words::tr("△ %1"));
  return rows;
}

std::vector<TableColumn> condition_columns(const RunComparison& comparison) {
  return one_a_column(comparison, Words::tr("Condition"));
}

std::vector<TableRow> condition_rows(const RunComparison& comparison) {
  std::vector<TableRow> rows;
  const auto add = [&](const QString& name, auto value) {
    TableRow row = next_row(rows, name, Colour::muted);
    for (const ComparedColumn& column : comparison.columns) {
      const QString text = value(column);
      row.cells.push_back({text.isEmpty() ? no_value() : text});
    }
    rows.push_back(std::move(row));
  };
  add(Words::tr("Name"), [](const ComparedColumn& c) { return qs(c.run().header.name); });
  add(Words::tr("Model"), [](const ComparedColumn& c) { return qs(c.run().header.model_name); });
  add(Words::tr("Device"), [](const ComparedColumn& c) { return qs(c.run().header.device); });
  add(Words::tr("Workload"), workload_text);
  add(Words::tr("Lengths"), lengths_text);
  add(Words::tr("Samples"), [](const ComparedColumn& c) {
    std::int64_t ended = 0;
    for (const Run* run : c.runs) ended += run->summary.totals.requests_finished;
    return Words::tr("%1 requests, %n runs", nullptr, static_cast<int>(c.runs.size())).arg(count_text(ended));
  });
  TableRow untested = next_row(rows, Words::tr("Not tested"), Colour::muted);
  QStringList gaps{Words::tr("other lengths, rates and bursts"), Words::tr("quality of the replies")};
  if (!comparison.environment.empty()) gaps.prepend(Words::tr("the settings alone: the environment differs"));
  if (comparison.settings.size() > 1) gaps.prepend(Words::tr("each setting alone"));
  untested.cells.push_back({gaps.join(QStringLiteral(", "))});
  untested.cells.resize(comparison.columns.size() + 1);
  rows.push_back(std::move(untested));
  return rows;
}

QString comparison_origin(const RunComparison& comparison) {
  QMap<QString, QStringList> columns;  // origin → titles
  QMap<QString, QStringList> unended;  // status → runs: a mean over repeats hides one that did not end well
  for (const ComparedColumn& column : comparison.columns) {
    columns[run_origin(column.run())] << column_title(column);
    for (const Run* run : column.runs)
      if (run->summary.status != RunStatus::finished)
        unended[status_text(run->summary.status)] << run_name(run->id.value);
  }
  columns.remove(QString());
  const auto tag = [](const QStringList& titles, const QString& word) {
    return Words::tr("%1: %2").arg(titles.join(QStringLiteral(", ")), word);
  };
  QStringList parts;
  for (const auto& [origin, titles] : columns.asKeyValueRange())
    parts << (titles.size() == std::ssize(comparison.columns) ? origin : tag(titles, origin));
  for (const auto& [status, runs] : unended.asKeyValueRange()) parts << tag(runs, status);
  return parts.join(QStringLiteral("; "));
}

QString comparison_headline(const RunComparison& comparison) {
  const std::size_t last = comparison.columns.size() - 1;
  const auto better = figures_with(comparison, last, Reading::better),
             worse = figures_with(comparison, last, Reading::worse);
  if (!has_interval(comparison, last)) return Words::tr("No verdict: no figure has an interval");
  if (better.empty() && worse.empty()) return Words::tr("No figure is better or worse beyond its interval");
  const bool gain = !better.empty();
  const ComparedFigure& figure = *(gain ? better : worse).front();
  const QString was = figure_number(figure.name, figure.values.front()),
                is = figure_value(figure.name, figure.values[last]);
  return (gain ? Words::tr("Better: %1, was %2") : Words::tr("Worse: %1, was %2")).arg(is, was);
}

QString comparison_detail(const RunComparison& comparison) {
  const std::size_t last = comparison.columns.size() - 1;
  QStringList sentences{
      Words::tr("%1 against %2, the reference.")
          .arg(column_title(comparison.columns[last]), column_title(comparison.columns.front()))};
  const auto better = figures_with(comparison, last, Reading::better),
             worse = figures_with(comparison, last, Reading::worse);
  if (!better.empty()) sentences << Words::tr("Better: %1.").arg(effects_text(better, last));
  if (!worse.empty()) sentences << Words::tr("Worse: %1.").arg(effects_text(worse, last));
  if (!has_interval(comparison, last))
    sentences << Words::tr("Not tested against chance: repeat the runs, or let them last longer.");
  if (comparison.settings.size() == 1) sentences << Words::tr("One variable changed.");
  if (comparison.settings.size() > 1)
    sentences << Words::tr("%1 settings changed: their effects cannot be told apart.")
                     .arg(comparison.settings.size());
  sentences << (comparison.environment.empty() ? Words::tr("The environment is equal.")
                                               : Words::tr("△ The environment differs too."));
  return sentences.join(QLatin1Char(' '));
}

}  // namespace pitwall::ui
