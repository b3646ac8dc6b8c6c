// SPDX-License-Identifier: GPL-3.0-or-later
// MetricsWriter: Prometheus' text format 0.0.4. Every sample carries the model's labels.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pitwall {

class MetricsWriter {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  explicit MetricsWriter(std::string_view model);

  /// HELP and TYPE, once a family, before its samples. `type`: "gauge", "counter" or "histogram".
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(std::string_view name, double value, std::initializer_list<Label> more = {});
  void single(std::string_view name, std::string_view type, std::string_view help, double value);
  /// `cumulative[i]` values are ≤ edges[i], `count` in all.
  void histogram(std::string_view name, std::string_view help, const std::vector<double>& edges,
                 const std::vector<std::int64_t>& cumulative, std::int64_t count, double sum);
  std::string take() { return std::move(text_); }

 private:
  std::string labels_, text_;
};

}  // namespace pitwall
