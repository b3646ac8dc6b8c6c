// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/cdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pitwall {

namespace {

constexpr std::size_t kPoints = 400;

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

Cdf cdf_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Cdf cdf;
  cdf.n = static_cast<std::int64_t>(n);
  const auto add = [&](std::size_t i) {
    cdf.value.push_back(values[i]);
    cdf.nines.push_back(nines_of(static_cast<double>(i) / static_cast<double>(n)));
  };
  const double top = n > 0 ? std::log10(static_cast<double>(n)) : 0;
  std::size_t next = 0;
  for (std::size_t k = 0; k <= kPoints && next < n; ++k) {
    const double share = share_of_nines(top * static_cast<double>(k) / kPoints);
    const auto i = std::min(n - 1, static_cast<std::size_t>(std::llround(share * static_cast<double>(n))));
    if (i < next) continue;
    add(i);
    next = i + 1;
  }
  return cdf;
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
