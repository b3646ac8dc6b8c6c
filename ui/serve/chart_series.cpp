// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/chart_series.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kBarsPerDecade = 10;

template <class Value>
ChartSeries series(const QString& name, Colour colour, Stroke stroke, double width,
                   const std::vector<SecondRecord>& seconds, Value value) {
  ChartSeries line{name, colour, stroke, width, {}, {}};
  line.x.reserve(seconds.size());
  line.y.reserve(seconds.size());
  for (const SecondRecord& second : seconds) {
    line.x.push_back(seconds_of(second.utc));
    line.y.push_back(value(second));
  }
  return line;
}

bool any(const ChartSeries& line) {
  return std::any_of(line.y.begin(), line.y.end(), [](double y) { return std::isfinite(y) && y != 0; });
}

struct Measure {
  const char* name;
  QuantileSketch LatencySketches::*sketch;
  Colour colour;
  Stroke stroke;
};
constexpr Measure kMeasures[] = {
    {QT_TRANSLATE_NOOP("pitwall::ui", "ITL"), &LatencySketches::itl, Colour::itl, Stroke::solid},
    {QT_TRANSLATE_NOOP("pitwall::ui", "TPOT"), &LatencySketches::tpot, Colour::tpot, Stroke::long_dash},
    {QT_TRANSLATE_NOOP("pitwall::ui", "TTFT"), &LatencySketches::ttft, Colour::ttft, Stroke::dash},
    {QT_TRANSLATE_NOOP("pitwall::ui", "queue"), &LatencySketches::queue, Colour::queue, Stroke::dash_dot},
};

}  // namespace

double seconds_of(Nanos utc) {
  return static_cast<double>(utc) / static_cast<double>(kNanosPerSecond);
}

std::vector<ChartSeries> percentile_series(const std::vector<SecondRecord>& seconds,
                                           Percentiles SecondRecord::*measure, Colour colour) {
  const auto at_least = [measure](std::int64_t n, double Percentiles::*which) {
    return [=](const SecondRecord& second) {
      const Percentiles& values = second.*measure;
      return values.n >= n ? values.*which : kNone;
    };
  };
  std::vector<ChartSeries> lines{
      series(QStringLiteral("p50"), colour, Stroke::solid, 2.2, seconds, at_least(1, &Percentiles::p50)),
      series(QStringLiteral("p90"), colour, Stroke::dash, 1.3, seconds,
             at_least(kSamplesForP90, &Percentiles::p90)),
      series(QStringLiteral("p99"), colour, Stroke::dots, 1.5, seconds,
             at_least(kSamplesForP99, &Percentiles::p99))};
  for (ChartSeries& line : lines)
    for (const SecondRecord& second : seconds) line.n.push_back((second.*measure).n);
  return lines;
}

std::vector<ChartSeries> throughput_series(const std::vector<SecondRecord>& seconds) {
  return {series(tr("output"), Colour::text, Stroke::solid, 2.2, seconds,
                 [](const SecondRecord& second) { return second.output_tokens_per_s; }),
          series(tr("prompt"), Colour::ttft, Stroke::dash, 1.3, seconds,
                 [](const SecondRecord& second) { return second.prompt_tokens_per_s; })};
}

std::vector<ChartSeries> memory_series(const std::vector<SecondRecord>& seconds, Bytes unit) {
  const auto in_unit = [unit](Bytes SecondRecord::*which) {
    return [=](const SecondRecord& second) {
      return static_cast<double>(second.*which) / static_cast<double>(unit);
    };
  };
  std::vector<ChartSeries> lines{
      series(tr("measured"), Colour::text, Stroke::solid, 2.2, seconds, in_unit(&SecondRecord::measured)),
      series(tr("booked"), Colour::muted, Stroke::long_dash, 1.3, seconds, in_unit(&SecondRecord::accounted)),
      series(tr("KV used"), Colour::kv_used, Stroke::solid, 2.2, seconds, in_unit(&SecondRecord::kv_used))};
  ChartSeries cached = series(tr("KV cached"), Colour::kv_cached, Stroke::dash, 1.8, seconds,
                              in_unit(&SecondRecord::kv_cached));
  if (any(cached)) lines.push_back(std::move(cached));
  return lines;
}

std::vector<ChartSeries> distribution_series(const LatencySketches& sketches) {
  std::vector<ChartSeries> lines;
  for (const Measure& measure : kMeasures) {
    ChartSeries line{tr(measure.name), measure.colour, measure.stroke, 2, {}, {}};
    const std::vector<QuantileSketch::Step> steps = (sketches.*measure.sketch).steps();
    std::map<int, std::int64_t> bars;  // by tenth of a decade
    std::int64_t before = 0;
    for (const QuantileSketch::Step& step : steps) {
      if (step.value > 0)
        bars[static_cast<int>(std::floor(std::log10(step.value) * kBarsPerDecade))] += step.at_most - before;
      before = step.at_most;
    }
    if (!bars.empty())  // down to nothing at both sides
      for (int bar = bars.begin()->first - 1; bar <= bars.rbegin()->first + 1; ++bar) {
        const auto found = bars.find(bar);
        const std::int64_t count = found == bars.end() ? 0 : found->second;
        line.x.push_back(std::pow(10, (bar + 0.5) / kBarsPerDecade));
        line.y.push_back(100 * static_cast<double>(count) / static_cast<double>(before));
        line.n.push_back(count);
      }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<CdfCurve> cdf_curves(const LatencySketches& sketches) {
  std::vector<CdfCurve> curves;
  for (const Measure& measure : kMeasures) {
    CdfCurve curve{tr(measure.name), measure.colour, measure.stroke, 2, {}};
    curve.cdf = cdf_of(sketches.*measure.sketch);
    curves.push_back(std::move(curve));
  }
  return curves;
}

StackData memory_stack(const std::vector<SecondRecord>& seconds, const LedgerSnapshot& ledger, Bytes unit) {
  StackData data;
  data.line_name = tr("system says");
  const auto layer = [&](const QString& name, Colour colour, FillPattern pattern, auto bytes) {
    StackLayer made{name, colour, pattern, {}};
    for (const SecondRecord& second : seconds)
      made.y.push_back(std::max(0.0, static_cast<double>(bytes(second)) / static_cast<double>(unit)));
    data.layers.push_back(std::move(made));
  };
  const Bytes weights = ledger.of(Category::weights);
  layer(tr("Weights"), Colour::weights, FillPattern::solid, [=](const SecondRecord&) { return weights; });
  layer(tr("Working memory"), Colour::activations, FillPattern::solid, [=](const SecondRecord& s) {
    return s.accounted - weights - s.kv_used - s.kv_cached - s.kv_quarantined - s.kv_free;
  });
  layer(tr("KV used"), Colour::kv_used, FillPattern::solid, [](const SecondRecord& s) { return s.kv_used; });
  layer(tr("KV cached"), Colour::kv_cached, FillPattern::slashes,
        [](const SecondRecord& s) { return s.kv_cached; });
  layer(tr("KV quarantined"), Colour::kv_quarantined, FillPattern::crosses,
        [](const SecondRecord& s) { return s.kv_quarantined; });
  layer(tr("KV free"), Colour::kv_free, FillPattern::dashed_frame,
        [](const SecondRecord& s) { return s.kv_free; });
  for (const SecondRecord& second : seconds) {
    data.x.push_back(seconds_of(second.utc));
    data.line.push_back(static_cast<double>(second.measured) / static_cast<double>(unit));
  }
  return data;
}

QString missing_text(const std::vector<SecondRecord>& seconds, Percentiles SecondRecord::*measure) {
  const auto newest = std::find_if(seconds.rbegin(), seconds.rend(),
                                   [&](const SecondRecord& second) { return (second.*measure).n > 0; });
  if (newest == seconds.rend()) return tr("No request yet");
  const std::int64_t n = (*newest.*measure).n;
  if (n < kSamplesForP90) return tr("n = %1: no p90 until n ≥ 20, no p99 until n ≥ 100").arg(n);
  if (n < kSamplesForP99) return tr("n = %1: no p99 until n ≥ 100").arg(n);
  return {};
}

}  // namespace pitwall::ui
