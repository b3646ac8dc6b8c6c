// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(TuneWords)
};

constexpr double kRounding = 1e-6;  // differences of a simulation are exact but for rounding

struct FigureWords {
  const char* name;
  QString title, unit;
};

const FigureWords* find_figure(const std::string& name) {
  static const std::vector<FigureWords> all{
      {"output_throughput", Words::tr("Throughput"), Words::tr("tok/s")},
      {"request_throughput", Words::tr("Requests"), Words::tr("per s")},
      {"p50_ttft_ms", Words::tr("TTFT p50"), Words::tr("ms")},
      {"p99_ttft_ms", Words::tr("TTFT p99"), Words::tr("ms")},
      {"p50_tpot_ms", Words::tr("TPOT p50"), Words::tr("ms")},
      {"p99_tpot_ms", Words::tr("TPOT p99"), Words::tr("ms")},
      {"p50_e2el_ms", Words::tr("E2E p50"), Words::tr("ms")},
      {"p99_e2el_ms", Words::tr("E2E p99"), Words::tr("ms")},
      {"p50_queue_ms", Words::tr("Queue p50"), Words::tr("ms")},
      {"p99_itl_ms", Words::tr("ITL p99 per token"), Words::tr("ms")},
      {"p99_itl_chunk_ms", Words::tr("ITL p99 per chunk (vLLM)"), Words::tr("ms")},
      {"max_itl_ms", Words::tr("Longest ITL"), Words::tr("ms")},
      {"goodput_percent", Words::tr("Goodput"), Words::tr("% of requests")},
      {"preemptions", Words::tr("Preemptions"), {}},
      {"failed_percent", Words::tr("Not ended well"), Words::tr("% of requests")},
      {"peak_kv_mib", Words::tr("KV at the peak"), Words::tr("MiB")},
      {"mean_running", Words::tr("Running, mean"), {}},
      {"prefix_hit_percent", Words::tr("Prefix hits"), Words::tr("% of prompt tokens")}};
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FigureWords& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

QString signed_number(double value, const QString& digits) {
  return value > 0 ? QLatin1Char('+') + digits : digits;
}

/// Told apart, but too little to matter: what rounding leaves of a simulation.
bool is_slight(const Effect& effect) {
  constexpr double kSlight = 0.05;  // percent
  return effect.reading != Reading::no_change && effect.reading != Reading::undefined &&
         std::abs(effect.percent) < kSlight;
}

QString percent_number(double percent) {
  const double size = std::abs(percent);
  return real_text(percent, size < 0.95 ? 1 : 0);
}

}  // namespace

QString figure_title(const std::string& figure) {
  const FigureWords* words = find_figure(figure);
  if (words == nullptr) return QString::fromStdString(figure);
  return words->unit.isEmpty() ? words->title : QStringLiteral("%1, %2").arg(words->title, words->unit);
}

QString figure_short(const std::string& figure) {
  if (figure == "output_throughput") return Words::tr("tok/s");
  if (figure == "prefix_hit_percent") return Words::tr("Prefix hits, %");
  return figure_title(figure);
}

QString figure_value(const std::string& figure, double value) {
  const FigureWords* words = find_figure(figure);
  const QString number = figure_number(figure, value);
  if (words == nullptr) return number;
  const QString with_unit = words->unit.isEmpty() ? number : QStringLiteral("%1 %2").arg(number, words->unit);
  return figure == "output_throughput" ? with_unit : QStringLiteral("%1 %2").arg(words->title, with_unit);
}

QString figure_number(const std::string& figure, double value) {
  if (figure == "output_throughput") return rate_number(value);
  return value == 0 ? QStringLiteral("0") : three_digits(value);
}

std::vector<std::string> shown_figures(const Checklist& checklist, const Item& item) {
  std::vector<std::string> figures;
  for (const std::string& one :
       {measure_of(checklist, item), std::string("output_throughput"), checklist.latency,
        std::string("p50_ttft_ms"), std::string("p50_tpot_ms"), std::string("peak_kv_mib"),
        std::string("mean_running"), std::string("prefix_hit_percent")})
    if (std::find(figures.begin(), figures.end(), one) == figures.end()) figures.push_back(one);
  return figures;
}

const std::vector<std::string>& latency_figures() {
  static const std::vector<std::string> all{"p50_ttft_ms", "p99_ttft_ms", "p50_tpot_ms", "p99_tpot_ms",
                                            "p99_itl_ms",  "p50_e2el_ms", "p99_e2el_ms"};
  return all;
}

QString effect_text(const Effect& effect) {
  if (effect.reading == Reading::undefined) return no_value();
  const bool share = std::isfinite(effect.percent);
  const double value = share ? effect.percent : effect.difference.mean;
  const double half = share ? effect.percent_half : effect.difference.high - effect.difference.mean;
  const auto digits = [&](double number) { return share ? percent_number(number) : three_digits(number); };
  if (is_slight(effect)) return Words::tr("under 0.1 %");
  QString text = signed_number(value, digits(value));
  if (share) text += QStringLiteral(" %");
  if (effect.reading == Reading::one_pair) return Words::tr("%1, one run").arg(text);
  const bool exact = half <= kRounding * std::abs(share ? 100 : effect.before);
  text = exact ? Words::tr("%1 exact").arg(text) : QStringLiteral("%1 ± %2").arg(text, digits(half));
  if (effect.reading != Reading::no_change) return text;
  return value == 0 && exact ? Words::tr("no change") : Words::tr("%1: no change").arg(text);
}

Colour effect_colour(const Effect& effect) {
  if (is_slight(effect)) return Colour::muted;
  switch (effect.reading) {
    case Reading::better:
      return Colour::good;
    case Reading::worse:
      return Colour::warn;
    case Reading::moved:
      return Colour::text;
    default:
      return Colour::muted;
  }
}

QString change_text(const ItemChange& change) {
  return QStringLiteral("%1 %2 → %3")
      .arg(QString::fromStdString(change.setting), QString::fromStdString(change.from),
           QString::fromStdString(change.to));
}

QString item_title(const Item& item, std::size_t index) {
  QStringList changes;
  for (const ItemChange& change : item.changes) changes << change_text(change);
  return Words::tr("Item %1: %2").arg(index + 1).arg(listed(changes));
}

QString target_word(TuneTarget target) {
  return target == TuneTarget::simulator ? Words::tr("simulated") : Words::tr("measured");
}

VerdictTag verdict_tag(const Item& item, const ItemResult& result) {
  if (!item.error.empty()) return {Tag::Kind::bad, Words::tr("✕ failed")};
  if (is_outdated(item, result)) return {Tag::Kind::neutral, Words::tr("measure again")};
  switch (item.verdict) {
    case ItemVerdict::running:
      return {Tag::Kind::accent, Words::tr("running")};
    case ItemVerdict::keep:
      return {Tag::Kind::good, Words::tr("✓ keep")};
    case ItemVerdict::revert:
      return {Tag::Kind::warn, Words::tr("△ revert")};
    case ItemVerdict::unclear:
      return {Tag::Kind::neutral, Words::tr("unclear")};
    case ItemVerdict::planned:
      break;
  }
  return {Tag::Kind::neutral, result.pairs > 0 ? Words::tr("to decide") : Words::tr("planned")};
}

QString verdict_sentence(const Checklist& checklist, const Item& item, const ItemResult& result) {
  if (!item.error.empty()) return QString::fromStdString(item.error);
  if (item.verdict == ItemVerdict::running) return Words::tr("It is being measured.");
  const std::string& measure = measure_of(checklist, item);
  const auto found = result.effects.find(measure);
  if (found == result.effects.end()) {
    if (is_outdated(item, result))
      return Words::tr("It was measured on another base, or its runs are gone. Run it again.");
    if (item.decided()) return Words::tr("You decided it. On its present base it is not measured.");
    return item.expected.empty()
               ? Words::tr("Not measured yet.")
               : Words::tr("Not measured yet. Expected: %1.").arg(engine_words(item.expected));
  }
  const Effect& effect = found->second;
  const QString what = QStringLiteral("%1 %2 → %3 (%4)")
                           .arg(figure_short(measure), figure_number(measure, effect.before),
                                figure_number(measure, effect.after), effect_text(effect));
  QStringList sentences;
  switch (effect.reading) {
    case Reading::better:
      sentences << Words::tr("Better: %1.").arg(what);
      break;
    case Reading::worse:
      sentences << Words::tr("Worse: %1.").arg(what);
      break;
    case Reading::no_change:
      sentences << Words::tr("No change that these repeats can tell: %1.").arg(what);
      break;
    default:
      sentences << Words::tr("%1; one pair gives no interval.").arg(what);
  }
  for (const FigureLimit& limit : newly_broken(checklist, result))
    sentences << Words::tr("It breaks the limit: %1 is above %2.")
                     .arg(figure_short(limit.figure), figure_number(limit.figure, limit.most));
  if (item.mixed())
    sentences << Words::tr("Mixed: it changes %1 variables, whose effects cannot be told apart.")
                     .arg(item.changes.size());
  return told(sentences);
}

QString outdated_text(const Checklist& checklist, const std::vector<ItemResult>& results) {
  QStringList names;
  for (const std::string& name : kept_but_outdated(checklist, results)) names << engine_words(name);
  return names.isEmpty()
             ? QString()
             : Words::tr("△ Kept before, left out until it is measured again: %1").arg(listed(names));
}

}  // namespace pitwall::ui
