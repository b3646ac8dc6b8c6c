// SPDX-License-Identifier: GPL-3.0-or-later
// What a run is exported as, and what is read back of it.
#include <QtTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/report/export_formats.h"
#include "engine/report/report.h"
#include "engine/report/run_import.h"
#include "engine/report/run_kind.h"
#include "engine/telemetry/step_table.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"
#include "tests/support/vllm_bench_keys.h"

using namespace pitwall;
using nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    lines.push_back(text.substr(start, end - start));
  return lines;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

}  // namespace

class RunFormatsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void formats_have_names_of_their_own() {
    std::set<std::string_view> names, suffixes;
    for (const ExportFormat& format : export_formats()) {
      QVERIFY(names.insert(format.name).second && suffixes.insert(format.suffix).second);
      QCOMPARE(find_export_format(format.name), &format);
      QCOMPARE(export_format_of_file("/tmp/R-0001." + std::string(format.suffix)), &format);
    }
    for (const char* name : {"html", "pdf", "md", "json", "csv", "vllm", "aiperf", "perfetto"})
      QVERIFY2(names.contains(name), name);
    QCOMPARE(export_format_of_file("a.JSON")->name, std::string_view("json"));
    QVERIFY(export_format_of_file("a.docx") == nullptr && export_format_of_file("json") == nullptr);
  }

  void the_same_run_gives_the_same_bytes() {
    for (const ExportFormat& format : export_formats()) {
      if (format.write == nullptr) continue;
      const std::string first = format.write(test::made_up_run());
      QVERIFY2(!first.empty() && first == format.write(test::made_up_run()), format.name.data());
    }
  }

  void vllm_has_its_keys() {
    const Run run = test::made_up_run();
    const json document = json::parse(vllm_json(run));
    for (const char* key : test::kVllmBenchKeys) QVERIFY2(document.contains(key), key);
    for (const char* key : {"mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p99_ttft_ms", "mean_tpot_ms",
                            "p99_tpot_ms", "mean_itl_ms", "mean_e2el_ms", "p99_e2el_ms"})
      QVERIFY2(document.contains(key), key);
    QCOMPARE(document["date"].get<std::string>(), std::string("20260726-120000"));
    QCOMPARE(document["request_rate"].get<double>(), 10.0);
    QCOMPARE(document["max_concurrency"].get<int>(), 8);
    QCOMPARE(document["completed"].get<std::int64_t>(), std::int64_t{299});
    QCOMPARE(document["failed"].get<int>(), 1);
    QVERIFY(near(document["p99_ttft_ms"].get<double>(), run.summary.metrics.at("ttft_ms").p99));
    for (const char* list : {"input_lens", "output_lens", "ttfts", "itls", "start_times", "errors"})
      QCOMPARE(document[list].size(), run.requests.size());
    QVERIFY(near(document["ttfts"][0].get<double>(), 0.05));
  }

  /// vLLM's ITL lies between chunks of the stream, and its lists have nothing of a request that failed.
  void vllm_keys_mean_what_they_mean_there() {
    Run run = test::made_up_run();
    run.header.kind = "serve";
    const json ours = json::parse(vllm_json(run));
    QVERIFY(near(ours["mean_itl_ms"].get<double>(), run.itl.summary().mean));  // each token is a chunk
    QVERIFY(!ours.contains("pitwall"));
    for (std::size_t i = 0; i < run.requests.size(); ++i)
      QCOMPARE(ours["output_lens"][i].get<int>(),
               run.requests[i].ended_well() ? run.requests[i].output_tokens : 0);
    const auto at_once = ours["max_concurrent_requests"].get<int>();
    for (RequestRecord& request : run.requests) request.finish = FinishReason::error;
    QVERIFY(at_once > 0);
    QCOMPARE(json::parse(vllm_json(run))["max_concurrent_requests"].get<int>(), 0);
    run = test::made_up_run();
    run.header.kind = "bench";
    const json clients = json::parse(vllm_json(run));
    for (const char* key : {"mean_itl_ms", "median_itl_ms", "p99_itl_ms"})
      QVERIFY2(clients[key].is_null(), key);
    QVERIFY(near(clients["pitwall"]["itl_token_ms"]["mean"].get<double>(), run.itl.summary().mean));
    run = test::made_up_run();
    run.header.kind = kImportedKind;
    const json theirs = json::parse(vllm_json(run));
    QVERIFY(near(theirs["mean_itl_ms"].get<double>(), run.itl.summary().mean));
    QVERIFY(theirs["std_itl_ms"].is_null());  // a sketch does not know
    QVERIFY(!theirs.contains("pitwall"));
  }

  void aiperf_has_its_keys() {
    const Run run = test::made_up_run();
    const auto lines = lines_of(find_export_format("aiperf")->write(run));
    QCOMPARE(lines.size(), run.requests.size());
    for (const std::string& line : lines) {
      const json record = json::parse(line);
      for (const char* key : {"session_num", "x_request_id", "x_correlation_id", "conversation_id",
                              "turn_index", "request_start_ns", "request_ack_ns", "request_end_ns",
                              "worker_id", "benchmark_phase", "was_cancelled"})
        QVERIFY2(record["metadata"].contains(key), key);
      QVERIFY(record.contains("metrics") && record.contains("error"));
    }
    const json first = json::parse(lines[0]), failed = json::parse(lines[5]);
    QVERIFY(near(first["metrics"]["time_to_first_token"]["value"].get<double>(), 50));
    QCOMPARE(first["metrics"]["request_latency"]["unit"].get<std::string>(), std::string("ms"));
    QVERIFY(failed["metrics"].empty() && failed["error"]["message"] == "out of KV, \"no\" blocks");
  }

  /// The rules of the trace event format: what each phase needs, and that async slices close in order.
  void perfetto_keeps_to_the_format() {
    const Run run = test::made_up_run();
    const json document = json::parse(perfetto_json(run));
    std::map<std::string, std::vector<std::string>> open;
    std::map<std::string, int> phases;
    double last_in_slice = 0;
    for (const json& event : document["traceEvents"]) {
      const std::string ph = event["ph"];
      ++phases[ph];
      QVERIFY(event["name"].is_string() && event["pid"].is_number_integer() &&
              event["tid"].is_number_integer());
      if (ph == "M") continue;
      const double ts = event["ts"];
      QVERIFY(ts >= 0 && ts < 60e6);
      if (ph == "X") QVERIFY(near(event["dur"].get<double>(), 5000));
      if (ph == "C")
        for (const auto& [series, value] : event["args"].items()) QVERIFY2(value.is_number(), series.c_str());
      if (ph == "i") QCOMPARE(event["s"].get<std::string>(), std::string("g"));
      if (ph != "b" && ph != "e") continue;
      QVERIFY(event["cat"].is_string());
      auto& stack = open[event["id"].get<std::string>()];
      if (ph == "b") {
        stack.push_back(event["name"]);
      } else {
        QVERIFY(!stack.empty() && stack.back() == event["name"].get<std::string>() && ts >= last_in_slice);
        stack.pop_back();
      }
      last_in_slice = ts;
    }
    for (const auto& [id, stack] : open) QVERIFY2(stack.empty(), id.c_str());
    QCOMPARE(open.size(), run.requests.size());
    QCOMPARE(phases["X"], 40);
    QCOMPARE(phases["b"], phases["e"]);
    const auto named = [&](const char* name) {
      return std::count_if(document["traceEvents"].begin(), document["traceEvents"].end(),
                           [&](const json& event) { return event["name"] == name; });
    };
    for (const char* slice : {"queue", "prefill", "decode"}) QCOMPARE(named(slice), std::ptrdiff_t{600});
    for (const char* counter : {"requests", "KV MiB"}) QCOMPARE(named(counter), std::ptrdiff_t{30});
    QCOMPARE(named("KV blocks"), std::ptrdiff_t{40});
    // The first step began 1 µs after the run did, on the steady clock of its requests.
    const auto step = std::find_if(document["traceEvents"].begin(), document["traceEvents"].end(),
                                   [](const json& event) { return event["ph"] == "X"; });
    QVERIFY(near((*step)["ts"].get<double>(), 1));
  }

  void our_json_comes_back_equal() {
    const Run run = test::made_up_run();
    const auto back = parse_run_file(run_json(run), "R-0012.json");
    PW_VERIFY(back);
    QCOMPARE(run_json(*back), run_json(run));
    QCOMPARE(back->steps.size(), std::size_t{40});
    QCOMPARE(back->header.kind, std::string("bench"));
    for (const auto& [name, summary] : run.summary.metrics)
      QVERIFY2(near(back->summary.metrics.at(name).p99, summary.p99), name.c_str());
    QVERIFY(near(back->seconds[3].itl.p50, run.seconds[3].itl.p50));
    QCOMPARE(back->itl.count(), run.itl.count());
    QVERIFY(near(back->itl.sum(), run.itl.sum()) && near(back->itl.max(), run.itl.max()));
    QVERIFY(near(back->itl.quantile(0.5), run.itl.quantile(0.5)));
  }

  void a_vllm_result_becomes_a_run() {
    const std::string text =
        R"({"date": "20260726-120000", "backend": "vllm", "label": "base", "model_id": "m", "num_prompts": 2,
            "request_rate": "inf", "duration": 2.5, "completed": 2, "failed": 1, "total_input_tokens": 30,
            "total_output_tokens": 5, "output_throughput": 2.0, "mean_ttft_ms": 150, "median_ttft_ms": 150,
            "p99_ttft_ms": 199, "mean_tpot_ms": 20, "input_lens": [10, 20, 7], "output_lens": [3, 2, 0],
            "ttfts": [0.1, 0.2, 0.0], "itls": [[0.02, 0.03], [0.01], []], "start_times": [5.0, 5.5, 6.0],
            "errors": ["", "", "refused"]})";
    const auto run = parse_run_file(text, "result.json");
    PW_VERIFY(run);
    QCOMPARE(run->header.kind, std::string(kImportedKind));
    QCOMPARE(run->header.name, std::string("base"));
    QCOMPARE(run->requests.size(), std::size_t{3});
    QVERIFY(near(run->requests[0].ttft_ms(), 100) && near(run->requests[0].max_itl_ms(), 30));
    QCOMPARE(run->itl.count(), std::int64_t{3});
    QCOMPARE(run->itl.max(), 30.0);
    QVERIFY(near(run->requests[0].e2e_ms(), 150) && near(run->requests[0].tpot_ms(), 25));
    QCOMPARE(run->requests[1].arrival_utc - run->requests[0].arrival_utc, kNanosPerSecond / 2);
    QCOMPARE(run->requests[2].finish, FinishReason::error);
    QVERIFY(near(run->summary.metrics.at("ttft_ms").p99, 199));  // what the file says
    QVERIFY(std::isnan(run->summary.metrics.at("ttft_ms").p90));
    QCOMPARE(run->summary.totals.output_tokens, std::int64_t{5});
    QCOMPARE(run->summary.totals.requests_finished, std::int64_t{3});
    QVERIFY(!run->header.uuid.empty());
    QCOMPARE(parse_run_file(text, "other.json")->header.uuid, run->header.uuid);
  }

  void our_vllm_export_is_read_back() {
    const Run run = test::made_up_run();
    const auto back = parse_run_file(vllm_json(run), "R-0012.vllm.json");
    PW_VERIFY(back);
    QCOMPARE(back->requests.size(), run.requests.size());
    QVERIFY(near(back->requests[9].ttft_ms(), run.requests[9].ttft_ms()));
    QVERIFY(near(back->summary.metrics.at("e2e_ms").p50, run.summary.metrics.at("e2e_ms").p50));
    QCOMPARE(back->summary.metrics.at("max_itl_ms").n, std::int64_t{0});  // it holds no gaps
  }

  void our_aiperf_export_is_read_back() {
    const Run run = test::made_up_run();
    const auto back = parse_run_file(find_export_format("aiperf")->write(run), "profile_export.jsonl");
    PW_VERIFY(back);
    QCOMPARE(back->header.kind, std::string(kImportedKind));
    QCOMPARE(back->requests.size(), run.requests.size());
    for (const char* metric : {"ttft_ms", "tpot_ms", "e2e_ms"})
      for (const auto value : {&Summary::p50, &Summary::p99, &Summary::max})
        QVERIFY2(
            std::abs(back->summary.metrics.at(metric).*value - run.summary.metrics.at(metric).*value) < 1e-5,
            metric);
    QCOMPARE(back->requests[5].error, run.requests[5].error);
  }

  void a_file_that_is_no_run_says_where_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("word");
    QTest::newRow("not JSON") << QByteArray("{\n  \"a\": nothing}") << QByteArray("line 2, column 9");
    QTest::newRow("a list") << QByteArray("[1]") << QByteArray("no object");
    QTest::newRow("something else") << QByteArray("{\"a\": 1}") << QByteArray("total_output_tokens");
    QTest::newRow("ours, broken") << QByteArray(R"({"format": "pitwall-run", "version": 1, "requests": {}})")
                                  << QByteArray("requests");
    QTest::newRow("steps, broken")
        << QByteArray(R"({"format": "pitwall-run", "version": 1, "steps": "step,waiting\n1\n"})")
        << QByteArray("Line 2");
    QTest::newRow("vLLM, a word") << QByteArray(R"({"total_output_tokens": "many"})")
                                  << QByteArray("total_output_tokens");
    QTest::newRow("vLLM, lengths") << QByteArray(
                                          R"({"total_output_tokens": 1, "input_lens": [1], "ttfts": [1, 2]})")
                                   << QByteArray("ttfts");
    QTest::newRow("vLLM, date") << QByteArray(R"({"total_output_tokens": 1, "date": "today"})")
                                << QByteArray("date");
    QTest::newRow("AIPerf, second line") << QByteArray(
                                                "{\"metadata\": {\"request_start_ns\": 5}, \"metrics\": "
                                                "{}}\n{\"metadata\": 1, \"metrics\": {}}\n")
                                         << QByteArray("Line 2");
  }

  void a_file_that_is_no_run_says_where() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, word);
    const auto run = parse_run_file(text.toStdString(), "file.json");
    QVERIFY(!run.ok());
    const QByteArray said = QByteArray::fromStdString(run.error().text());
    QVERIFY2(said.contains(word), said);
    QVERIFY(!run.error().action.empty());
  }

  void steps_are_lines() {
    const Run run = test::made_up_run();
    const std::string text = steps_text(run.steps);
    const auto back = parse_steps(text);
    PW_VERIFY(back);
    QCOMPARE(steps_text(*back), text);
    QCOMPARE((*back)[2].graph_hit, true);
    QCOMPARE((*back)[3].started, run.steps[3].started);
    QVERIFY(steps_text({}).empty() && parse_steps("")->empty());
    const auto newer = parse_steps("step,colour\n7,3\n");  // a field that a later version has
    PW_VERIFY(newer);
    QCOMPARE(newer->front().step, std::uint64_t{7});
  }
};

QTEST_GUILESS_MAIN(RunFormatsTest)
#include "run_formats_test.moc"
