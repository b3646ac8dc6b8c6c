// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl bench` and `sweep` as scripts see them: exit codes, JSON, files, runs in the store, and a sweep
// that was killed.
#include <signal.h>

#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/bench/bench_json.h"
#include "engine/store/store.h"
#include "tests/support/command.h"
#include "tests/support/stub_server.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;
using nlohmann::json;
using test::CommandResult;
using test::StubAnswer;
using test::StubRequest;
using test::StubServer;

class BenchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void initTestCase() {
    QVERIFY2(qEnvironmentVariableIsSet("PITWALL_CTL"), "PITWALL_CTL names the program; ctest sets it");
    qputenv("PITWALL_HOME", QByteArray::fromStdString(folder_.path().string()));
    qunsetenv("OPENAI_API_KEY");
    model_ = QString::fromStdString(test::write_tiny_model(folder_.path()).string());
    trace_ = QString::fromStdString((folder_.path() / "t.jsonl").string());
    std::ofstream lines(trace_.toStdString());
    for (int i = 0; i < 12; ++i)
      lines << R"({"timestamp": )" << i * 5 << R"(, "input_length": )" << 20 + i << R"(, "output_length": )"
            << 5 + i % 3 << "}\n";
  }

  void wrong_usage_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const QStringList bench{"bench", "--model", "m"};
    QTest::newRow("no target") << QStringList{"bench", "--workload", "chat"} << "--model";
    QTest::newRow("two loads") << bench + QStringList{"--workload", "chat", "--trace", "t"} << "--trace";
    QTest::newRow("rate without load") << bench + QStringList{"--request-rate", "5"} << "--workload";
    QTest::newRow("rate 0") << bench + QStringList{"--workload", "chat", "--request-rate", "0"}
                            << "--request-rate";
    QTest::newRow("concurrency 0") << bench + QStringList{"--workload", "chat", "--max-concurrency", "0"}
                                   << "\"0\" is given; it must be a number above 0";
    QTest::newRow("burstiness") << bench + QStringList{"--workload", "chat", "--burstiness", "-1"}
                                << "--burstiness";
    QTest::newRow("goodput") << bench + QStringList{"--workload", "chat", "--goodput", "itl:5"} << "e2el";
    QTest::newRow("preset") << bench + QStringList{"--workload", "chat", "--goodput", "mlperf:gpt-2"}
                            << "llama2-70b";
    QTest::newRow("endpoint without url")
        << bench + QStringList{"--workload", "chat", "--endpoint", "/v1/completions"} << "--url";
    QTest::newRow("format") << bench + QStringList{"--workload", "chat", "--output-format", "xml"} << "xml";
    QTest::newRow("too many equal ones") << bench + QStringList{"--num-prompts", "5000"} << "4096";
    const QStringList sweep{"sweep", "--model", "m", "--workload", "chat"};
    QTest::newRow("nothing to vary") << sweep << "--vary";
    QTest::newRow("sweep without load")
        << QStringList{"sweep", "--model", "m", "--vary", "max-num-seqs=1"} << "--workload";
    QTest::newRow("unknown setting") << sweep + QStringList{"--vary", "turbo=1"} << "turbo";
    QTest::newRow("value out of range")
        << sweep + QStringList{"--vary", "max-num-seqs=4,0"} << "max-num-seqs";
    QTest::newRow("objective") << sweep + QStringList{"--vary", "max-num-seqs=4", "--objective", "luck"}
                               << "luck";
  }
  void wrong_usage() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const CommandResult ran = run(arguments);
    QCOMPARE(ran.code, 2);
    QVERIFY2(QString::fromStdString(ran.err).contains(says), ran.err.c_str());
    QCOMPARE(ran.out, std::string());
  }

  void a_load_through_the_engine() {
    const QString file = path("out.json");
    const CommandResult ran =
        run(engine() + QStringList{"--trace", trace_, "--ignore-eos", "--save-run", "--repeats", "2",
                                   "--goodput", "ttft:60000", "tpot:60000", "--seed", "4", "--output", file,
                                   "--save-detailed", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const json document = ran.document();
    QCOMPARE(document.at("completed").get<int>(), 24);
    QCOMPARE(document.at("failed").get<int>(), 0);
    QCOMPARE(document.at("total_output_tokens").get<int>(), 2 * 4 * (5 + 6 + 7));
    QCOMPARE(document.at("total_input_tokens").get<int>(), 2 * (12 * 20 + 66));
    QCOMPARE(document.at("backend").get<std::string>(), std::string("pitwall"));
    QVERIFY(document.at("request_rate").is_null());  // the trace's own
    QVERIFY(document.at("p99_ttft_ms").is_number() && document.at("p50_itl_ms").is_number());
    QVERIFY(document.at("prefix_cache").at("query_tokens").get<int>() > 0);
    QVERIFY(document.at("prefix_cache").at("misses_by_reason").is_object());
    QVERIFY(document.at("preemptions").is_number() && document.at("peak_kv_bytes").is_number());
    QCOMPARE(document.at("pitwall").at("good_requests").get<int>(), 24);
    QCOMPARE(document.at("pitwall").at("open_loop").get<bool>(), true);
    QVERIFY(document.at("pitwall").at("repeated").at("output_throughput").at("ci95_low").is_number());

    const auto store = Store::open(Store::default_file()).value();
    const auto stored = store->run(RunId{document.at("run_id").get<std::int64_t>()});
    PW_VERIFY(stored);
    QCOMPARE(stored->header.kind, std::string("bench"));
    QCOMPARE(stored->requests.size(), std::size_t{12});
    QVERIFY(!stored->header.model_sha256.empty());
    const auto has = [&](const char* name, const char* value) {
      return std::any_of(
          stored->header.config.begin(), stored->header.config.end(),
          [&](const ConfigEntry& entry) { return entry.name == name && entry.value == value; });
    };
    QVERIFY(has("load.workload", "t.jsonl") && has("load.seed", "4") && has("max-num-seqs", "8"));

    const std::string text = read_file(file.toStdString()).value();
    PW_VERIFY(parse_bench_json(text));
    const json written = json::parse(text);
    QCOMPARE(written.at("ttfts").size(), std::size_t{24});
    QCOMPARE(written.at("generated_texts").at(0).get<std::string>().size(), std::size_t{5});
    QVERIFY(!document.contains("ttfts"));
  }

  void a_load_against_a_server() {
    StubServer stub([](const StubRequest& request) {
      StubAnswer answer;
      answer.gap_ms = 1;
      if (request.number == 3) answer.status = 503;
      return answer;
    });
    QFile key(path("key"));
    QVERIFY(key.open(QIODevice::WriteOnly));
    key.write("sk-from-a-file\n");
    key.close();
    const QStringList base{"bench",
                           "--url",
                           QString::fromStdString(stub.url()),
                           "--workload",
                           "chat",
                           "--num-prompts",
                           "8",
                           "--request-rate",
                           "inf",
                           "--max-concurrency",
                           "3"};
    const CommandResult ran =
        run(base + QStringList{"--api-key-file", key.fileName(), "--save-run", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const json document = ran.document();
    QCOMPARE(document.at("completed").get<int>(), 7);
    QCOMPARE(document.at("failed").get<int>(), 1);
    QCOMPARE(document.at("model_id").get<std::string>(), std::string("stub"));
    QCOMPARE(document.at("request_rate").get<std::string>(), std::string("inf"));
    QCOMPARE(document.at("max_concurrency").get<int>(), 3);
    QVERIFY(document.at("max_concurrent_requests").get<int>() <= 3);
    QVERIFY(document.at("preemptions").is_null());
    QVERIFY(ran.out.find("sk-from") == std::string::npos && ran.err.find("sk-from") == std::string::npos);
    QCOMPARE(stub.requests().size(), std::size_t{9});  // one warm-up
    QCOMPARE(stub.requests().back().authorization, std::string("Bearer sk-from-a-file"));
    QVERIFY(json::parse(stub.requests().back().body).at("prompt").is_string());  // no tokenizer is known
    const auto store = Store::open(Store::default_file()).value();
    QCOMPARE(store->run(RunId{document.at("run_id").get<std::int64_t>()})->header.model_name,
             std::string("stub"));

    // Chat, a tokenizer of ours, the model's name from the line; people's table and AIPerf's files.
    const CommandResult chat =
        run(base + QStringList{"--endpoint", "/v1/chat/completions", "--tokenizer", model_, "--model", "mine",
                               "--num-warmups", "0", "--output", path("a.jsonl"), "--output-format",
                               "aiperf-jsonl"});
    QVERIFY2(chat.code == 0, chat.err.c_str());
    QVERIFY2(chat.out.find("TTFT") != std::string::npos, chat.out.c_str());
    const json body = json::parse(stub.requests().back().body);
    QCOMPARE(body.at("model").get<std::string>(), std::string("mine"));
    QCOMPARE(body.at("messages").at(0).at("role").get<std::string>(), std::string("user"));
    const std::string lines = read_file(path("a.jsonl").toStdString()).value();
    QCOMPARE(std::count(lines.begin(), lines.end(), '\n'), std::ptrdiff_t{8});
    const CommandResult ids =
        run(base + QStringList{"--tokenizer", model_, "--num-warmups", "0", "--label", "mine", "--metadata",
                               "team=red", "model_id=no", "--json"});
    QVERIFY2(ids.code == 0, ids.err.c_str());
    QVERIFY(json::parse(stub.requests().back().body).at("prompt").is_array());
    QCOMPARE(ids.document().at("label").get<std::string>(), std::string("mine"));
    QCOMPARE(ids.document().at("team").get<std::string>(), std::string("red"));
    QCOMPARE(ids.document().at("model_id").get<std::string>(), std::string("stub"));
    // Equal requests.
    const CommandResult equal = run({"bench", "--url", QString::fromStdString(stub.url()), "--num-prompts",
                                     "4", "--input-len", "16", "--output-len", "6", "--json"});
    QVERIFY2(equal.code == 0, equal.err.c_str());
    QCOMPARE(equal.document().at("total_output_tokens").get<int>(), 24);
  }

  void a_server_that_is_not_there() {
    QString url;
    {
      StubServer gone([](const StubRequest&) { return StubAnswer(); });
      url = QString::fromStdString(gone.url());
    }
    const CommandResult ran =
        run({"bench", "--url", url, "--workload", "chat", "--num-prompts", "2", "--json"});
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.out, std::string());
    QVERIFY2(ran.err.find("error: ") != std::string::npos, ran.err.c_str());
    StubServer broken([](const StubRequest&) {
      StubAnswer answer;
      answer.status = 500;
      return answer;
    });
    const CommandResult all = run({"bench", "--url", QString::fromStdString(broken.url()), "--workload",
                                   "chat", "--num-prompts", "3", "--num-warmups", "0", "--json"});
    QCOMPARE(all.code, 1);
    QCOMPARE(all.document().at("failed").get<int>(), 3);
    QVERIFY(all.document().at("mean_ttft_ms").is_null());
    QVERIFY2(all.err.find("HTTP 500") != std::string::npos, all.err.c_str());
  }

  void a_sweep_that_is_killed_goes_on() {
    QStringList arguments = engine();
    arguments[0] = "sweep";
    arguments += {"--trace",          trace_,   "--ignore-eos",
                  "--repeats",        "2",      "--vary",
                  "max-num-seqs=2,4", "--vary", "max-num-batched-tokens=64",
                  "--request-rate",   "inf",    "--json"};
    QProcess killed;
    killed.setReadChannel(QProcess::StandardError);
    killed.start(program(), arguments);
    QByteArray said;
    while (!said.contains("2 of 8 measured")) {
      QVERIFY2(killed.waitForReadyRead(test::kProcessPatience), said.constData());
      said += killed.readAllStandardError();
    }
    ::kill(static_cast<pid_t>(killed.processId()), SIGKILL);
    killed.waitForFinished(test::kProcessPatience);

    const CommandResult ran = run(arguments);
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QVERIFY2(ran.err.find("goes on") != std::string::npos, ran.err.c_str());
    const json document = ran.document();
    QVERIFY(document.at("resumed").get<int>() >= 2);
    const json& items = document.at("items");
    QCOMPARE(items.size(), std::size_t{3});
    QCOMPARE(items[0].at("change").get<std::string>(), std::string("max-num-seqs=2"));
    QCOMPARE(document.at("unit").get<std::string>(), std::string("tokens/s"));
    QVERIFY(!items[0].at("from").get<std::string>().empty());
    QCOMPARE(items[2].at("change").get<std::string>(), std::string("max-num-batched-tokens=64"));
    for (const json& item : items) {
      QVERIFY2(item.at("before").at("value").is_number() && item.at("after").at("value").is_number(),
               item.dump().c_str());
      QVERIFY(item.at("effect").at("ci95_low").is_number());
      QCOMPARE(item.at("after").at("run_ids").size(), std::size_t{2});
      QVERIFY(!item.at("verdict").get<std::string>().empty());
    }
    const CommandResult again = run(arguments);
    QCOMPARE(again.document().at("resumed").get<int>(), 8);
    QVERIFY(again.document().at("items") == items);
  }

 private:
  static QString program() { return qEnvironmentVariable("PITWALL_CTL"); }
  QString path(const char* name) const { return QString::fromStdString((folder_.path() / name).string()); }
  QStringList engine() const {
    return {"bench", "--model", model_, "--max-model-len", "128", "--max-num-seqs", "8"};
  }

  CommandResult run(const QStringList& arguments) const {
    return test::run_pitwallctl(folder_.path(), arguments);
  }

  test::TemporaryFolder folder_;
  QString model_, trace_;
};

QTEST_GUILESS_MAIN(BenchCommandTest)
#include "bench_command_test.moc"
