// SPDX-License-Identifier: GPL-3.0-or-later
// /metrics as a scraper reads it: the text format's rules, vLLM's names, and numbers that agree with the
// engine.
#include <QRegularExpression>
#include <QTest>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "engine/serve/metrics_text.h"
#include "tests/support/http_fixture.h"

using namespace pitwall;

namespace {

struct Metrics {
  std::map<std::string, std::string> types, helps;  // by family
  std::map<std::string, double> samples;            // by name{labels}
  std::vector<std::string> order;                   // of samples
  std::string problem;
};

/// A strict reader of the text format 0.0.4.
Metrics parse(const std::string& text) {
  static const QRegularExpression comment(R"(\A# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)\z)");
  static const QRegularExpression sample(
      R"rx(\A([a-zA-Z_:][a-zA-Z0-9_:]*\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)*\}) (\S+)\z)rx");
  Metrics metrics;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto subject = QString::fromStdString(line);
    if (const auto stated = comment.match(subject); stated.hasMatch()) {
      auto& table = stated.captured(1) == "HELP" ? metrics.helps : metrics.types;
      const auto family = stated.captured(2).toStdString();
      if (!table.emplace(family, stated.captured(3).toStdString()).second) {
        metrics.problem += "stated twice: " + line + "\n";
      }
    } else if (const auto match = sample.match(subject); match.hasMatch()) {
      bool is_number = false;
      const double value = match.captured(2).toDouble(&is_number);
      if (!is_number) metrics.problem += "no number: " + line + "\n";
      metrics.order.push_back(match.captured(1).toStdString());
      if (!metrics.samples.emplace(metrics.order.back(), value).second)
        metrics.problem += "twice: " + line + "\n";
    } else {
      metrics.problem += "not a line of the format: " + line + "\n";
    }
  }
  if (!text.ends_with('\n')) metrics.problem += "no newline at the end\n";
  return metrics;
}

/// The family that a sample's name belongs to.
std::string family_of(const Metrics& metrics, const std::string& sample) {
  std::string name = sample.substr(0, sample.find('{'));
  for (const char* suffix : {"_bucket", "_sum", "_count"}) {
    if (!metrics.types.contains(name) && name.ends_with(suffix))
      name.resize(name.size() - std::strlen(suffix));
  }
  return name;
}

std::string labelled(const std::string& name, const std::string& more = {}) {
  return name + "{model_name=\"tiny\",engine=\"0\"" + (more.empty() ? "" : "," + more) + "}";
}

}  // namespace

class MetricsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    server_ = std::make_unique<test::HttpFixture>();
    for (int i = 0; i < 3; ++i) {
      test::complete(server_->port(), test::kChat, test::chat_body("measure", {{"max_tokens", 10}}), i == 1);
    }
    QTRY_VERIFY(server_->at_rest());
    const auto reply = test::get(server_->port(), "/metrics");
    content_type_ = reply.headers.at("content-type");
    metrics_ = parse(reply.body);
  }
  void cleanupTestCase() { server_.reset(); }

  void the_text_keeps_the_formats_rules() {
    QCOMPARE(metrics_.problem, "");
    QCOMPARE(content_type_, "text/plain; version=0.0.4; charset=utf-8");
    for (const std::string& name : metrics_.order) {
      const std::string family = family_of(metrics_, name);
      QVERIFY2(metrics_.types.contains(family) && metrics_.helps.contains(family), name.c_str());
    }
  }

  void vllms_names_are_there() {
    for (const char* gauge :
         {"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"}) {
      QCOMPARE(metrics_.types.at(gauge), "gauge");
      QCOMPARE(metrics_.samples.at(labelled(gauge)), 0.0);
    }
    QCOMPARE(metrics_.types.at("vllm:request_success_total"), "counter");
    QCOMPARE(metrics_.samples.at(labelled("vllm:request_success_total", "finished_reason=\"length\"")), 3.0);
    for (const char* reason : {"stop", "abort", "error"}) {
      QCOMPARE(metrics_.samples.at(
                   labelled("vllm:request_success_total", "finished_reason=\"" + std::string(reason) + "\"")),
               0.0);
    }
    QCOMPARE(metrics_.samples.at(labelled("vllm:generation_tokens_total")), 30.0);
    QCOMPARE(metrics_.samples.at(labelled("vllm:num_preemptions_total")), 0.0);
    QVERIFY(metrics_.samples.at(labelled("vllm:prompt_tokens_total")) > 0);
  }

  void histograms_are_cumulative_and_complete() {
    const std::map<std::string, double> counts = {{"vllm:time_to_first_token_seconds", 3},
                                                  {"vllm:inter_token_latency_seconds", 27},
                                                  {"vllm:request_time_per_output_token_seconds", 3},
                                                  {"vllm:e2e_request_latency_seconds", 3},
                                                  {"vllm:request_queue_time_seconds", 3}};
    for (const auto& [name, expected] : counts) {
      QCOMPARE(metrics_.types.at(name), "histogram");
      double last_value = 0, last_edge = -1;
      for (const std::string& sample : metrics_.order) {
        if (!sample.starts_with(name + "_bucket{")) continue;
        const std::string edge = sample.substr(sample.find("le=\"") + 4);
        const double upper = edge.starts_with("+Inf") ? INFINITY : std::stod(edge);
        QVERIFY2(upper > last_edge && metrics_.samples.at(sample) >= last_value, sample.c_str());
        last_edge = upper;
        last_value = metrics_.samples.at(sample);
      }
      QVERIFY(std::isinf(last_edge));
      QCOMPARE(last_value, expected);
      QCOMPARE(metrics_.samples.at(labelled(name + "_count")), expected);
      QVERIFY(metrics_.samples.at(labelled(name + "_sum")) >= 0);
    }
  }

  void memory_adds_up() {
    double sum = 0, pool = 0;
    for (const auto& [name, value] : metrics_.samples) {
      if (name.starts_with("pitwall:memory_bytes{")) sum += value;
      if (name.starts_with("pitwall:kv_memory_bytes{")) pool += value;
    }
    QVERIFY(sum > 0);  // what the process holds
    QCOMPARE(pool, metrics_.samples.at(labelled("pitwall:memory_bytes", "category=\"kv\"")));
    QVERIFY(metrics_.samples.at(labelled("pitwall:memory_bytes", "category=\"weights\"")) > 0);
  }

  void odd_model_names_are_escaped() {
    const test::TemporaryFolder folder;
    const auto engine =
        test::start_engine(test::write_tiny_model(folder.path()),
                           {{"kv-cache-memory-bytes", "8MiB"}, {"served-model-name", "a \"b\"\\c\nd"}});
    const Metrics metrics = parse(metrics_text(*engine));
    QCOMPARE(metrics.problem, "");
    QVERIFY(metrics.samples.contains(
        "vllm:num_requests_running{model_name=\"a \\\"b\\\"\\\\c\\nd\",engine=\"0\"}"));
  }

 private:
  std::unique_ptr<test::HttpFixture> server_;
  std::string content_type_;
  Metrics metrics_;
};

QTEST_GUILESS_MAIN(MetricsTest)
#include "metrics_test.moc"
