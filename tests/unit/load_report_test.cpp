// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a load: rates, failures apart, goodput, intervals, warnings; and their JSON and AIPerf
// forms.
#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/bench/aiperf_export.h"
#include "engine/bench/bench_json.h"
#include "engine/bench/confidence.h"
#include "engine/bench/report_figures.h"
#include "engine/telemetry/record_json.h"
#include "tests/support/vllm_bench_keys.h"

using namespace pitwall;

namespace {

constexpr Nanos kMs = kNanosPerMs;

/// Tokens one by one: the first after `ttft`, the others `gap` apart; ms.
StreamRecord stream(std::size_t index, Nanos sent, Nanos ttft, Nanos gap, int tokens, int prompt = 10) {
  StreamRecord record;
  record.index = index;
  record.due = record.ready = record.sent = sent * kMs;
  for (int i = 0; i < tokens; ++i)
    record.chunks.push_back({(sent + ttft + gap * i) * kMs, 1, true, true, true});
  record.closed = record.chunks.empty() ? record.sent : record.chunks.back().at;
  record.prompt_tokens = prompt;
  record.completion_tokens = tokens;
  record.cached_tokens = 0;
  record.end = StreamEnd::ended;
  record.status = 200;
  record.finish_reason = "length";
  record.id = "cmpl-" + std::to_string(index);
  return record;
}

StreamRecord failed(StreamRecord record, StreamEnd end, const std::string& reason) {
  record.end = end;
  record.reason = reason;
  record.completion_tokens = record.prompt_tokens = -1;
  return record;
}

PlayedLoad played(std::vector<StreamRecord> records) {
  PlayedLoad play;
  play.start = records.front().sent;
  play.start_utc = 1'700'000'000 * kNanosPerSecond;
  for (const StreamRecord& record : records) play.end = std::max(play.end, record.closed);
  play.records = std::move(records);
  play.lag.loop_delay_ms = summarize({0.1, 0.2});
  return play;
}

PlayedLoad random_play(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<StreamRecord> records;
  for (std::size_t i = 0; i < 200; ++i) {
    records.push_back(stream(i, 1000 + static_cast<Nanos>(i) * 7, 5 + random() % 300, 1 + random() % 40,
                             1 + static_cast<int>(random() % 60), 1 + static_cast<int>(random() % 900)));
    if (i % 50 == 49) records.back() = failed(records.back(), StreamEnd::cut, "The server hung up");
  }
  PlayedLoad play = played(std::move(records));
  play.lag.cpu_s = 0.25;
  play.server.query_tokens = 1000;
  play.server.hit_tokens = 10;
  play.server.preemptions = 3;
  play.server.misses = std::array<std::int64_t, kMissReasonCount>{0, 1, 2, 3, 4, 5, 6, 7};
  play.server.peak_kv_usage = 0.625;
  play.server.reads = 4;
  play.server.gaps = 1;
  return play;
}

LoadSetup setup() {
  LoadSetup asked;
  asked.date_utc = 1'700'000'000 * kNanosPerSecond;
  asked.backend = "openai";
  asked.model_id = "m";
  asked.endpoint = "http://127.0.0.1:1/v1/completions";
  asked.workload = "chat";
  asked.num_prompts = 200;
  asked.request_rate = 140;
  asked.open_loop = true;
  asked.max_concurrency = 64;
  asked.objectives.ttft = 200;
  asked.objectives.tpot = 30;
  return asked;
}

bool warns(const LoadReport& report, const char* of) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& text) { return text.find(of) != std::string::npos; });
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b ||
         std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class LoadReportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void throughput_and_its_window() {  // case 198
    StreamRecord record = stream(0, 500, 1000, 0, 1, 7000);
    record.completion_tokens = 150;
    record.closed = record.sent + 4 * kNanosPerSecond;
    const PlayedLoad play = played({record});
    const LoadReport report = make_report({}, {&play, 1});
    QCOMPARE(report.window_s, 4.0);
    QCOMPARE(report.output_throughput, 37.5);
    QCOMPARE(report.total_token_throughput, 1787.5);
    QCOMPARE(report.vllm.output_throughput, 37.5);
    QCOMPARE(report.vllm.total_token_throughput, 1787.5);
  }

  void failures_are_apart() {  // case 196
    std::vector<StreamRecord> records;
    for (std::size_t i = 0; i < 10; ++i) records.push_back(stream(i, 100, 10, 5, 4));
    for (std::size_t i = 10; i < 12; ++i)
      records.push_back(failed(stream(i, 100, 0, 0, 0), StreamEnd::refused, "HTTP 500: broken"));
    for (std::size_t i = 12; i < 15; ++i)
      records.push_back(failed(stream(i, 100, 5000, 900, 2), StreamEnd::cancelled, "Cancelled"));
    const PlayedLoad play = played(records);
    const LoadReport report = make_report({}, {&play, 1});
    QCOMPARE(report.vllm.completed, std::int64_t{10});
    QCOMPARE(report.vllm.failed, std::int64_t{5});
    QCOMPARE(report.ttft.n, std::int64_t{10});
    QCOMPARE(report.ttft.max, 10.0);
    QCOMPARE(report.itl_token.n, std::int64_t{30});
    QCOMPARE(report.itl_token.max, 5.0);
    QCOMPARE(report.failures.at("refused"), std::int64_t{2});
    QCOMPARE(report.failures.at("cancelled"), std::int64_t{3});
    QCOMPARE(report.failure_reasons.at("HTTP 500: broken"), std::int64_t{2});
    QCOMPARE(report.failed_output_tokens, std::int64_t{6});
    QCOMPARE(report.vllm.output_tokens, std::int64_t{40});
    QCOMPARE(report.window_s, 0.025);  // of the ten
    // The server's counters that could not be read are null, not 0.
    const auto json = bench_json(report);
    for (const char* key : {"preemptions", "peak_kv_bytes", "run_id"}) QVERIFY2(json.at(key).is_null(), key);
    QVERIFY(json.at("prefix_cache").at("hit_tokens").is_null());
    QVERIFY(json.at("prefix_cache").at("misses_by_reason").is_null());
  }

  void latency_from_the_schedule() {  // case 194: 10 requests/s for 10 s, one stall of 5 s at 2 s
    std::vector<StreamRecord> records;
    for (std::size_t i = 0; i < 100; ++i) {
      const Nanos due = 100 * static_cast<Nanos>(i);
      const Nanos sent = due >= 2000 && due < 7000 ? 7000 : due;  // a client that waits for the stalled one
      records.push_back(stream(i, sent, 10, 1, 2));
      records.back().due = records.back().ready = due * kMs;
    }
    const PlayedLoad play = played(records);
    const LoadReport report = make_report(setup(), {&play, 1});
    QCOMPARE(report.ttft.max, 10.0);
    QCOMPARE(report.ttft_due.max, 5010.0);
    std::int64_t late = 0;
    for (const StreamRecord& record : records) late += stream_times(record).ttft_due > 11 ? 1 : 0;
    QCOMPARE(late, std::int64_t{50});
    QVERIFY(warns(report, "sent"));
    QCOMPARE(report.attained_rate, 99 / 9.9);
    QCOMPARE(report.target_rate, 140.0);

    for (StreamRecord& record : records) record.ready = record.sent;  // held back by a limit of ours
    const PlayedLoad held = played(records);
    const LoadReport limited = make_report(setup(), {&held, 1});
    QCOMPARE(limited.held_back, std::int64_t{50});
    QVERIFY(warns(limited, "max-concurrency"));
    LoadSetup closed = setup();
    closed.open_loop = false;
    QCOMPARE(make_report(closed, {&held, 1}).ttft_due.n, std::int64_t{0});
    QVERIFY(!warns(make_report(closed, {&play, 1}), "late"));  // nobody asked for a time
  }

  void warm_caches_are_said() {  // case 193
    std::vector<StreamRecord> records;
    for (std::size_t i = 0; i < 100; ++i) records.push_back(stream(i, 100, 10, 5, 4, 100));
    records[0].cached_tokens = 96;
    const PlayedLoad cold = played(records);
    QVERIFY(!warns(make_report(setup(), {&cold, 1}), "prefix cache"));
    records[1].cached_tokens = 96;
    const PlayedLoad warm = played(records);
    const LoadReport report = make_report(setup(), {&warm, 1});
    QCOMPARE(report.hit_rate, 0.0192);
    QVERIFY(warns(report, "prefix cache"));
    LoadSetup meant = setup();
    meant.shares_prefixes = true;
    QVERIFY(!warns(make_report(meant, {&warm, 1}), "prefix cache"));
  }

  void goodput_by_all_limits() {
    const PlayedLoad play = played({stream(0, 0 + 1, 200, 30, 3), stream(1, 1, 201, 1, 3),
                                    stream(2, 1, 10, 31, 3), stream(3, 1, 10, 3, 334)});
    const LoadReport report = make_report(setup(), {&play, 1});  // ≤ 200 and ≤ 30
    QCOMPARE(report.good, std::int64_t{2});
    QCOMPARE(report.goodput, 2 / report.window_s);
    QCOMPARE(report.vllm_goodput, 2 / report.vllm.duration_s);

    const auto preset = parse_objectives({"mlperf:gpt-oss-120b-interactive", "e2el:9000"});
    QVERIFY(preset.ok());
    QCOMPARE(*preset->ttft, 2000.0);
    QCOMPARE(*preset->tpot, 20.0);
    QCOMPARE(*preset->e2el, 9000.0);
    QVERIFY(preset->note.find("15") != std::string::npos);
    const std::pair<const char*, std::pair<double, double>> limits[] = {
        {"llama3.1-8b", {2000, 100}},
        {"llama3.1-8b-interactive", {500, 30}},
        {"llama2-70b", {2000, 200}},
        {"llama2-70b-interactive", {450, 40}},
        {"llama3.1-405b", {6000, 175}},
        {"llama3.1-405b-interactive", {4500, 80}},
        {"mixtral-8x7b", {2000, 200}},
        {"deepseek-r1", {2000, 80}},
        {"deepseek-r1-interactive", {1500, 15}},
        {"gpt-oss-120b", {3000, 80}}};
    for (const auto& [name, pair] : limits) {
      const auto found = parse_objectives({std::string("mlperf:") + name});
      QVERIFY(found.ok());
      QCOMPARE(std::make_pair(*found->ttft, *found->tpot), pair);
    }
    for (const char* bad :
         {"ttft", "ttft:", "ttft:0", "ttft:-1", "ttft:inf", "itl:5", "ttft:5ms", "mlperf:gpt-2"})
      QVERIFY2(!parse_objectives({bad}).ok(), bad);
    QVERIFY(parse_objectives({"mlperf:x"}).error().text().find("llama2-70b") != std::string::npos);
  }

  void student_t_is_the_tables() {
    // Two-sided 95 % and 99 % points, as tables of the distribution print them.
    const struct {
      int freedom;
      double p975, p995;
    } table[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},
                 {4, 2.776, 4.604},   {9, 2.262, 3.250},  {10, 2.228, 3.169},
                 {29, 2.045, 2.756},  {30, 2.042, 2.750}, {120, 1.980, 2.617}};
    for (const auto& row : table) {
      QVERIFY(std::abs(student_t_quantile(0.975, row.freedom) - row.p975) < 5.1e-4);
      QVERIFY(std::abs(student_t_quantile(0.995, row.freedom) - row.p995) < 5.1e-4);
      QCOMPARE(student_t_quantile(0.025, row.freedom), -student_t_quantile(0.975, row.freedom));
    }
    QVERIFY(std::abs(student_t_quantile(0.5, 7)) < 1e-12);
    const std::vector<double> values{10, 12, 14};
    const Interval interval = mean_interval(values);
    QCOMPARE(interval.mean, 12.0);
    const double half = 4.302653 * 2 / std::sqrt(3);  // s = 2
    QVERIFY(std::abs(interval.high - 12 - half) < 1e-5 && std::abs(12 - interval.low - half) < 1e-5);
    QVERIFY(std::isnan(mean_interval(std::vector<double>{5}).low));
  }

  void interval_holds_the_mean_as_often_as_it_says() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(3, 2);
    int held = 0;
    constexpr int kTrials = 4000;
    for (int i = 0; i < kTrials; ++i) {
      std::vector<double> values(4);
      for (double& value : values) value = normal(random);
      const Interval interval = mean_interval(values);
      held += interval.low <= 3 && 3 <= interval.high ? 1 : 0;
    }
    QVERIFY2(std::abs(held / double{kTrials} - 0.95) < 6 * std::sqrt(0.95 * 0.05 / kTrials),
             std::to_string(held).c_str());
  }

  void repeats_are_pooled_and_compared() {
    const PlayedLoad plays[] = {played({stream(0, 1, 10, 5, 11)}), played({stream(0, 1, 30, 5, 11)})};
    const LoadReport report = make_report(setup(), plays);
    QCOMPARE(report.ttft.mean, 20.0);
    QCOMPARE(report.window_s, 0.060 + 0.080);
    QVERIFY(same(report.output_throughput, 22 / 0.140));
    const Repeated& ttft = report.repeated.at("p50_ttft_ms");
    QCOMPARE(ttft.values, (std::vector<double>{10, 30}));
    QVERIFY(std::abs(ttft.interval.high - (20 + 12.7062 * 10)) < 0.01);
    QVERIFY(make_report(setup(), {plays, 1}).repeated.empty());
  }

  void json_is_vllms_and_reads_back() {
    const unsigned seed = 20261130;
    const PlayedLoad plays[] = {random_play(seed), random_play(seed + 1)};
    LoadReport report = make_report(setup(), plays);
    report.run_ids = {41, 42};
    const auto json = bench_json(report);
    for (const char* key : test::kVllmBenchKeys) QVERIFY2(json.contains(key), key);
    for (const char* key : {"run_id", "prefix_cache", "preemptions", "peak_kv_bytes", "pitwall"})
      QVERIFY2(json.contains(key), key);
    for (const std::string metric : {"ttft", "tpot", "itl", "e2el"}) {
      for (const char* statistic : {"mean_", "median_", "std_", "p50_", "p75_", "p90_", "p95_", "p99_"})
        QVERIFY2(json.at(statistic + metric + "_ms").is_number(), metric.c_str());
    }
    QCOMPARE(json.at("date").get<std::string>(), std::string("20231114-221320"));
    QCOMPARE(json.at("run_id").get<int>(), 41);
    for_each_distribution(report, [&](const FigureInfo& info, const Summary& summary) {
      const auto& figure = json.at("pitwall").at(std::string(info.name));
      for (const char* key : {"definition", "unit", "n", "p99"}) QVERIFY2(figure.contains(key), key);
      QCOMPARE(figure.at("n").get<std::int64_t>(), summary.n);
    });

    const std::string text = dump_json(json, 2);
    const auto read = parse_bench_json(text);
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    for_each_number(report, [&](const FigureInfo& info, double value) {
      for_each_number(*read, [&](const FigureInfo& other, double back) {
        if (info.name == other.name) QVERIFY2(same(value, back), std::string(info.name).c_str());
      });
    });
    // Equal to the last key and 1e-9: written again, the document is the same.
    QCOMPARE(bench_json(*read).dump(), json.dump());
    QVERIFY(same(read->vllm.ttft.p99, report.vllm.ttft.p99));
    QVERIFY(!parse_bench_json("{\"date\":1}").ok());
    QVERIFY(parse_bench_json(R"({"date":"20231114-221320"})").error().text().find("backend") !=
            std::string::npos);
  }

  void nothing_ended_well_is_null() {  // case 199
    const PlayedLoad play = played({failed(stream(0, 1, 0, 0, 0), StreamEnd::refused, "HTTP 503")});
    LoadSetup all_at_once = setup();
    all_at_once.request_rate = std::numeric_limits<double>::infinity();
    const auto json = bench_json(make_report(all_at_once, {&play, 1}));
    const std::string text = dump_json(json);
    QVERIFY(text.find("nan") == std::string::npos && text.find("NaN") == std::string::npos);
    const auto strict = nlohmann::json::parse(text);  // refuses NaN and Infinity
    QVERIFY(strict.at("mean_ttft_ms").is_null());
    QVERIFY(strict.at("pitwall").at("ttft_ms").at("p99").is_null());
    QCOMPARE(strict.at("request_rate").get<std::string>(), std::string("inf"));
    QVERIFY(parse_bench_json(text).ok());
    const PlayedLoad one = played({stream(0, 1, 10, 1, 1)});
    QVERIFY(nlohmann::json::parse(dump_json(bench_json(make_report(setup(), {&one, 1}))))
                .at("mean_tpot_ms")
                .is_null());
  }

  void details_by_request() {
    const PlayedLoad play =
        played({stream(0, 1000, 10, 5, 3), failed(stream(1, 1002, 4, 5, 2), StreamEnd::cut, "gone")});
    auto json = bench_json(make_report(setup(), {&play, 1}));
    add_details(json, {&play, 1});
    QCOMPARE(json.at("ttfts").at(0).get<double>(), 0.010);
    QCOMPARE(json.at("itls").at(0).size(), std::size_t{2});
    QCOMPARE(json.at("itls").at(0).at(1).get<double>(), 0.005);
    QCOMPARE(json.at("start_times").at(1).get<double>(), 1.002);
    QVERIFY(json.at("output_lens") == (nlohmann::ordered_json{3, 0}));
    QVERIFY(json.at("errors") == (nlohmann::ordered_json{"", "cut: gone"}));
    QVERIFY(!json.contains("generated_texts"));
  }

  void aiperf_lines_and_table() {
    const PlayedLoad play =
        played({stream(0, 1000, 10, 5, 3), failed(stream(1, 1002, 4, 5, 2), StreamEnd::refused, "HTTP 500")});
    const std::string lines = aiperf_jsonl({&play, 1});
    const auto first = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
    for (const char* key : {"session_num", "x_request_id", "x_correlation_id", "conversation_id",
                            "turn_index", "request_start_ns", "request_ack_ns", "request_end_ns", "worker_id",
                            "record_processor_id", "benchmark_phase", "was_cancelled"})
      QVERIFY2(first.at("metadata").contains(key), key);
    QCOMPARE(first.at("metadata").at("request_start_ns").get<Nanos>(), play.start_utc);
    QCOMPARE(first.at("metadata").at("request_end_ns").get<Nanos>(), play.start_utc + 20 * kMs);
    QCOMPARE(first.at("metrics").at("time_to_first_token").at("value").get<double>(), 10.0);
    QCOMPARE(first.at("metrics").at("inter_token_latency").at("value").get<double>(), 5.0);
    QCOMPARE(first.at("metrics").at("request_latency").at("unit").get<std::string>(), std::string("ms"));
    QVERIFY(first.at("error").is_null());
    const auto second = nlohmann::json::parse(lines.substr(lines.find('\n') + 1));
    QCOMPARE(second.at("error").at("code").get<int>(), 200);
    QVERIFY(second.at("metrics").empty());

    const QStringList table =
        QString::fromStdString(aiperf_csv(make_report(setup(), {&play, 1}), {&play, 1})).split('\n');
    QCOMPARE(table[0], QString("Metric,avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std"));
    QVERIFY(table[1].startsWith("Time to First Token (ms),10,10,10,"));
    const auto gap = table.indexOf("");
    QCOMPARE(table[gap + 1], QString("Metric,Value"));
    QVERIFY(table.contains("Request Count (requests),1"));
    QVERIFY(table.contains("Error Request Count (requests),1"));
  }
};

QTEST_APPLESS_MAIN(LoadReportTest)
#include "load_report_test.moc"
