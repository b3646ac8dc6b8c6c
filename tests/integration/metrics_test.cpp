// SPDX-License-Identifier: GPL-3.0-or-later
// /metrics as a scraper reads it: the text format's rules, vLLM's names, and numbers that agree with the
// engine.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
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

  void every_histogram_is_cumulative_and_complete() {
    const std::map<std::string, double> counts = {{"vllm:time_to_first_token_seconds", 3},
                                                  {"vllm:inter_token_latency_seconds", 27},
                                                  {"vllm:request_time_per_output_token_seconds", 3},
                                                  {"vllm:e2e_request_latency_seconds", 3},
                                                  {"vllm:request_queue_time_seconds", 3},
                                                  {"vllm:request_prefill_time_seconds", 3},
                                                  {"vllm:request_decode_time_seconds", 3},
                                                  {"vllm:request_inference_time_seconds", 3},
                                                  {"vllm:request_prompt_tokens", 3},
                                                  {"vllm:request_generation_tokens", 3},
                                                  {"vllm:request_max_num_generation_tokens", 3},
                                                  {"vllm:request_prefill_kv_computed_tokens", 3},
                                                  {"vllm:request_params_n", 3},
                                                  {"vllm:request_params_max_tokens", 3},
                                                  {"pitwall:inter_token_latency_seconds", 27},
                                                  {"pitwall:request_queue_time_seconds", 3}};
    for (const auto& [name, expected] : counts) {
      QCOMPARE(metrics_.types.at(name), "histogram");
      QCOMPARE(metrics_.samples.at(labelled(name + "_count")), expected);
    }
    int histograms = 0;
    for (const auto& [name, type] : metrics_.types) {
      if (type != "histogram") continue;
      ++histograms;
      double last_value = 0, last_edge = -1;
      for (const auto& [edge, sample] : buckets_of(name)) {
        QVERIFY2(edge > last_edge && metrics_.samples.at(sample) >= last_value, sample.c_str());
        last_edge = edge;
        last_value = metrics_.samples.at(sample);
      }
      QVERIFY2(std::isinf(last_edge), name.c_str());
      QCOMPARE(last_value, metrics_.samples.at(labelled(name + "_count")));
      QVERIFY2(metrics_.samples.at(labelled(name + "_sum")) >= 0, name.c_str());
    }
    QVERIFY(histograms >= static_cast<int>(counts.size()));
  }

  void sums_agree_with_what_was_asked() {
    const auto sum = [&](const std::string& name) { return metrics_.samples.at(labelled(name + "_sum")); };
    QCOMPARE(sum("vllm:request_generation_tokens"), 30.0);
    QCOMPARE(sum("vllm:request_params_max_tokens"), 30.0);
    QCOMPARE(sum("vllm:request_params_n"), 3.0);
    const double prompts = metrics_.samples.at(labelled("vllm:prompt_tokens_total"));
    const double computed =
        metrics_.samples.at(labelled("vllm:prompt_tokens_by_source_total", "source=\"local_compute\""));
    const double cached = metrics_.samples.at(labelled("vllm:prompt_tokens_cached_total"));
    QCOMPARE(sum("vllm:request_prompt_tokens"), prompts);
    QCOMPARE(computed + cached, prompts);
    QCOMPARE(sum("vllm:request_prefill_kv_computed_tokens"), computed);
    QVERIFY(cached > 0);  // three times the same prompt
    // A step samples one token a request at least, and reads each computed prompt token once.
    QVERIFY(sum("vllm:iteration_tokens_total") >= computed + 27);
  }

  void edges_are_vllms() {
    // vllm/v1/metrics/loggers.py.
    const std::vector<double> first = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
                                       1,     2.5,   5,    7.5,  10,   20,   40,   80,  160,  640, 2560};
    const std::vector<double> gap = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
                                     0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80};
    const std::vector<double> whole = {0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                       30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680};
    const std::vector<double> step = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    const std::vector<double> length = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000};  // context: 2,048
    const std::map<std::string, std::vector<double>> expected = {
        {"vllm:time_to_first_token_seconds", first},
        {"vllm:inter_token_latency_seconds", gap},
        {"vllm:request_time_per_output_token_seconds", gap},
        {"vllm:e2e_request_latency_seconds", whole},
        {"vllm:request_queue_time_seconds", whole},
        {"vllm:request_inference_time_seconds", whole},
        {"vllm:request_prefill_time_seconds", whole},
        {"vllm:request_decode_time_seconds", whole},
        {"vllm:iteration_tokens_total", step},
        {"vllm:request_params_n", {1, 2, 5, 10, 20}},
        {"vllm:request_params_max_tokens", length},
        {"vllm:request_prompt_tokens", length},
        {"vllm:request_generation_tokens", length},
        {"vllm:request_max_num_generation_tokens", length},
        {"vllm:request_prefill_kv_computed_tokens", length}};
    for (const auto& [name, edges] : expected) {
      std::vector<double> ours;
      for (const auto& [edge, sample] : buckets_of(name)) ours.push_back(edge);
      QVERIFY2(std::isinf(ours.back()), name.c_str());
      ours.pop_back();
      QVERIFY2(ours == edges, name.c_str());
    }
    QVERIFY(buckets_of("pitwall:inter_token_latency_seconds").front().first < 0.001);
  }

  void refusals_are_counted_by_cause() {
    const int port = server_->port();
    test::get(port, "/nothing");
    test::post(port, test::kChat, "{");
    test::post(port, test::kChat, R"({"model":"nope","messages":[]})");
    test::post(port, "/v1/embeddings", "{}");
    const Metrics now = parse(test::get(port, "/metrics").body);
    const auto refused = [&](const std::string& status, const std::string& code) {
      const auto found = now.samples.find(
          labelled("pitwall:http_replies_total", "status=\"" + status + "\",code=\"" + code + "\""));
      return found != now.samples.end() ? found->second : 0;
    };
    QCOMPARE(refused("404", "not_found"), 1.0);
    QCOMPARE(refused("404", "model_not_found"), 1.0);
    QCOMPARE(refused("404", "not_provided"), 1.0);
    QCOMPARE(refused("400", ""), 1.0);
    QVERIFY(refused("200", "") >= 4);
    QCOMPARE(now.samples.at(labelled("pitwall:preemptions_total", "kv=\"recompute\"")), 0.0);
  }

  void choices_are_counted_once_a_call() {
    test::HttpFixture server;
    test::post(server.port(), test::kCompletions, R"({"prompt":["a","b"],"n":3,"max_tokens":2})");
    test::post(server.port(), test::kCompletions, R"({"prompt":"a","max_tokens":2})");
    QTRY_VERIFY(server.at_rest());
    const Metrics now = parse(test::get(server.port(), "/metrics").body);
    QCOMPARE(now.samples.at(labelled("vllm:request_params_n_count")), 3.0);  // two prompts, and one
    QCOMPARE(now.samples.at(labelled("vllm:request_params_n_sum")), 7.0);
    QCOMPARE(now.samples.at(labelled("vllm:request_params_max_tokens_count")), 7.0);
    QCOMPARE(now.samples.at(labelled("vllm:request_generation_tokens_count")), 7.0);
  }

  void who_waits_and_what_failed_is_there_by_cause() {
    for (const char* reason : {"capacity", "deferred"}) {
      const std::string label = "reason=\"" + std::string(reason) + "\"";
      QCOMPARE(metrics_.samples.at(labelled("vllm:num_requests_waiting_by_reason", label)), 0.0);
    }
    for (const char* cause : {"refused", "step", "out_of_memory", "not_finite", "rule", "engine"}) {
      const std::string label = "cause=\"" + std::string(cause) + "\"";
      QCOMPARE(metrics_.samples.at(labelled("pitwall:request_failures_total", label)), 0.0);
    }
  }

  void promtool_agrees() {
    const QString promtool = QStandardPaths::findExecutable(QStringLiteral("promtool"));
    if (promtool.isEmpty()) QSKIP("promtool is not installed");
    QProcess check;
    check.start(promtool, {"check", "metrics"});
    check.write(QByteArray::fromStdString(test::get(server_->port(), "/metrics").body));
    check.closeWriteChannel();
    QVERIFY(check.waitForFinished());
    const QString said = QString::fromUtf8(check.readAllStandardError() + check.readAllStandardOutput());
    // vLLM's names have colons, and a histogram that ends in _total; that is what it has to say of them.
    for (const QString& line : said.split('\n', Qt::SkipEmptyParts)) {
      const bool names = line.endsWith("metric names should not contain ':'") ||
                         line.endsWith("non-counter metrics should not have \"_total\" suffix");
      QVERIFY2(names, qPrintable(line));
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
    const Metrics metrics = parse(metrics_text(*engine, HttpStatistics()));
    QCOMPARE(metrics.problem, "");
    QVERIFY(metrics.samples.contains(
        "vllm:num_requests_running{model_name=\"a \\\"b\\\"\\\\c\\nd\",engine=\"0\"}"));
  }

 private:
  /// Upper edge and sample, in the order of the text.
  std::vector<std::pair<double, std::string>> buckets_of(const std::string& name) const {
    std::vector<std::pair<double, std::string>> buckets;
    for (const std::string& sample : metrics_.order) {
      if (!sample.starts_with(name + "_bucket{")) continue;
      const std::string edge = sample.substr(sample.find("le=\"") + 4);
      buckets.emplace_back(edge.starts_with("+Inf") ? INFINITY : std::stod(edge), sample);
    }
    return buckets;
  }

  std::unique_ptr<test::HttpFixture> server_;
  std::string content_type_;
  Metrics metrics_;
};

QTEST_GUILESS_MAIN(MetricsTest)
#include "metrics_test.moc"
