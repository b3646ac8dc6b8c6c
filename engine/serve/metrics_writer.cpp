// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/metrics_writer.h"

#include <array>
#include <charconv>

namespace pitwall {

namespace {

std::string number(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

/// As vLLM's exporter writes them: "1.0", not "1".
std::string edge_text(double edge) {
  std::string text = number(edge);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

MetricsWriter::MetricsWriter(std::string_view model)
    : labels_("model_name=\"" + label_value(model) + "\",engine=\"0\"") {}

void MetricsWriter::family(std::string_view name, std::string_view type, std::string_view help) {
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  text_.append(" ").append(type).append("\n");
}

void MetricsWriter::sample(std::string_view name, double value, std::initializer_list<Label> more) {
  text_.append(name).append("{").append(labels_);
  for (const auto& [label, text] : more)
    text_.append(",").append(label).append("=\"").append(label_value(text)).append("\"");
  text_.append("} ").append(number(value)).append("\n");
}

void MetricsWriter::single(std::string_view name, std::string_view type, std::string_view help,
                           double value) {
  family(name, type, help);
  sample(name, value);
}

void MetricsWriter::histogram(std::string_view name, std::string_view help, const std::vector<double>& edges,
                              const std::vector<std::int64_t>& cumulative, std::int64_t count, double sum) {
  family(name, "histogram", help);
  const std::string bucket = std::string(name) + "_bucket";
  for (std::size_t i = 0; i < edges.size(); ++i)
    sample(bucket, static_cast<double>(cumulative[i]), {{"le", edge_text(edges[i])}});
  sample(bucket, static_cast<double>(count), {{"le", "+Inf"}});
  sample(std::string(name) + "_sum", sum);
  sample(std::string(name) + "_count", static_cast<double>(count));
}

}  // namespace pitwall
