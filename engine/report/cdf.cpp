// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/cdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitwall {

namespace {

constexpr double kSeen = 0.002;  // of a nine: less is within a pixel

}  // namespace

double nines_of(double share) {
  return -std::log10(1 - share) + 0.0;
}

double share_of_nines(double nines) {
  return 1 - std::pow(10, -nines);
}

std::string nines_label(int nines) {
  if (nines <= 0) return "0 %";
  return fmt::format("{:.{}f} %", 100 * share_of_nines(nines), std::max(0, nines - 2));
}

double Cdf::share(std::size_t i) const {
  return static_cast<double>(std::min(at_most[i], samples() - 1)) / static_cast<double>(samples());
}

Cdf cdf_of(std::vector<double> samples) {
  std::erase_if(samples, [](double value) { return !std::isfinite(value); });
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  Cdf cdf;
  double kept = -1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool last = i + 1 == samples.size();
    if (!last && samples[i + 1] == samples[i]) continue;
    const double at = last ? 0 : nines_of(static_cast<double>(i + 1) / n);
    if (!last && at - kept < kSeen) continue;
    kept = at;
    cdf.values.push_back(samples[i]);
    cdf.at_most.push_back(static_cast<std::int64_t>(i + 1));
  }
  return cdf;
}

Cdf cdf_of(const QuantileSketch& sketch) {
  Cdf cdf;
  for (const QuantileSketch::Step& step : sketch.steps()) {
    cdf.values.push_back(step.value);
    cdf.at_most.push_back(step.at_most);
  }
  return cdf;
}

std::vector<CdfCorner> staircase(const Cdf& cdf) {
  std::vector<CdfCorner> corners;
  double before = 0;
  for (std::size_t i = 0; i < cdf.values.size(); ++i) {
    const double share = cdf.share(i);
    corners.push_back({cdf.values[i], before});
    corners.push_back({cdf.values[i], share});
    before = share;
  }
  return corners;
}

std::vector<double> values_of(const std::vector<RequestRecord>& requests,
                              double (RequestRecord::*measure)() const) {
  std::vector<double> values;
  for (const RequestRecord& request : requests) {
    const double value = (request.*measure)();
    if (request.ended_well() && !std::isnan(value)) values.push_back(value);
  }
  return values;
}

}  // namespace pitwall
