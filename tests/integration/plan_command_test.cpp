// SPDX-License-Identifier: GPL-3.0-or-later
// `pitwallctl plan`: its keys, its errors, its exit codes.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>
#include <fstream>

#include "engine/plan/deployment_files.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

struct Run {
  int code = -1;
  QByteArray out, err;
  QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Run plan(const QStringList& arguments) {
  QProcess process;
  process.start(qEnvironmentVariable("PITWALL_CTL"), QStringList{"plan"} + arguments);
  if (!process.waitForFinished(120'000)) qFatal("pitwallctl did not end");
  return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

std::string written(const test::TemporaryFolder& folder, const char* name, const char* text) {
  const auto path = folder.path() / name;
  std::ofstream(path) << text;
  return path.string();
}

}  // namespace

class PlanCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (qEnvironmentVariableIsEmpty("PITWALL_CTL")) QSKIP("PITWALL_CTL does not say where pitwallctl is");
  }

  void keys_of_the_contract() {
    const Run run = plan({"--model", "llama-3-8b", "--gpu", "H200", "--lengths", "131072", "--json"});
    QCOMPARE(run.code, 0);
    const QJsonObject json = run.json();
    const QJsonObject rank = json["per_rank"].toArray().first().toObject();
    for (const char* key :
         {"weights", "kv", "activations", "attention_workspace", "logits", "library_workspace", "graphs",
          "communicator", "context", "total", "limit", "kv_bytes_per_token"})
      QVERIFY2(rank.contains(key), key);
    for (const char* key : {"per_rank", "kv_bytes_per_token", "kv_bytes_per_sequence", "kv_tokens",
                            "max_concurrency", "verdict", "fixes", "predicted"})
      QVERIFY2(json.contains(key), key);
    QCOMPARE(json["kv_bytes_per_token"].toInteger(), 131'072);
    QCOMPARE(json["kv_bytes_per_sequence"].toInteger(), 16LL << 30);
    QCOMPARE(json["max_concurrency"].toObject()["131072"].toInteger(),
             json["max_concurrency"].toObject()["p95"].toInteger());
    QVERIFY(run.out.contains("made for 8,192 tokens"));
  }

  /// The verdict is no error unless it is asked for as an exit code; the plan is printed all the same.
  void the_verdict_as_an_exit_code() {
    const QStringList small{"--model", "llama-3-70b", "--gpu", "L4", "--json"};
    QCOMPARE(plan(small).code, 0);
    const Run fails = plan(small + QStringList{"--exit-code"});
    QCOMPARE(fails.code, 1);
    QCOMPARE(fails.json()["verdict"].toString(), QString("fails"));
    QVERIFY(fails.err.contains("error: The plan does not fit as asked: the verdict is fails"));
    const Run fits =
        plan({"--model", "qwen3-0.6b", "--gpu", "H200", "--max-model-len", "4096", "--exit-code"});
    QCOMPARE(fits.code, 0);
    QVERIFY(plan({"--help"}).out.contains("--exit-code"));
  }

  /// Each engine's own default budget, and whose rates the times are.
  void what_is_whose() {
    const QStringList asked{"--model", "llama-3.1-8b", "--gpu", "H200x2", "--max-model-len", "8192"};
    const QJsonObject json = plan(asked + QStringList{"--engine", "sglang", "--json"}).json();
    QCOMPARE(json["engine"].toString(), QString("sglang"));
    const QJsonObject budget = json["memory_budget"].toObject();
    QCOMPARE(budget["setting"].toString(), QString("memory-share-static"));
    QVERIFY(!budget["stated"].toBool());
    QCOMPARE(json["predicted"].toObject()["rates_of"].toString(), QString("pitwall"));
    const Run text = plan(asked + QStringList{"--engine", "vllm"});
    QVERIFY(text.out.contains("131,072 B in bfloat16 in all, 65,536 B on a rank"));
    QVERIFY(text.out.contains("by vllm rates"));
  }

  /// Nobody named an engine or a demand: what is planned for stands in the text, with the reason.
  void says_what_it_plans_for() {
    const Run own = plan({"--model", "qwen2.5-72b-awq", "--gpu", "A100-80Gx2"});
    for (const char* part : {"engine                Pitwall, since no --engine is given",
                             "32 requests of 32,768 tokens (max-num-seqs",
                             "short by 102.73 GiB for 32 requests of 32,768 tokens",
                             "24,576 tokens of prompt and 8,192 of reply",
                             "Pitwall serves on one GPU: for 2 of them name another engine"})
      QVERIFY2(own.out.contains(part), part);
    const Run foreign =
        plan({"--model", "gpt-oss-20b", "--gpu", "H200", "--requests", "4", "--lengths", "8192"});
    for (const char* part : {"No engine is named, and Pitwall does not run this model",
                             "4 requests of 8,192 tokens (as --requests says; length as stated)",
                             "Memory by the default of vLLM, since no engine is named"})
      QVERIFY2(foreign.out.contains(part), part);
    QVERIFY(!plan({"--model", "llama-3-8b", "--gpu", "H200", "--engine", "vllm"}).out.contains("No engine"));
  }

  /// Memory is not short where max-num-seqs alone makes requests wait.
  void requests_that_wait() {
    const Run run = plan({"--model", "llama-3-8b", "--gpu", "H200", "--lengths", "1024", "--requests", "64"});
    QVERIFY(run.out.contains("fits with less: max-num-seqs lets 32 of 64 requests run at once"));
    QVERIFY(run.out.contains("max-num-seqs 32 → 64: enough alone"));
    QVERIFY(!run.out.contains("not enough alone"));
  }

  /// Rows 5 and 7 of what others measured: 4 GiB of host memory for 131,072 B a token.
  void swap_space_is_counted_in_blocks() {
    const Run run =
        plan({"--model", "llama-3-8b", "--gpu", "H200", "--engine", "vllm", "--swap-space", "4GiB"});
    QVERIFY(run.out.contains("32,768 tokens in 2,048 blocks of host memory"));
  }

  void two_shares_are_refused() {
    const Run run = plan({"--model", "llama-3-8b", "--gpu", "H200", "--gpu-memory-utilization", "0.5",
                          "--mem-fraction-static", "0.9"});
    QVERIFY(run.err.contains("are both given"));
  }

  void limits_of_times_are_said() {
    const Run run = plan({"--model", "llama-3-8b", "--gpu", "H200", "--ttft-limit-ms", "1"});
    QVERIFY(run.out.contains("0 requests at once keep them: TTFT at most 1 ms"));
  }

  /// Changes as they are printed are options.
  void words_of_changes_are_options() {
    const auto bytes = [](const char* word) {
      return plan({"--model", "llama-3-8b", "--gpu", "H200", "--engine", "vllm", "--cuda-graphs", word,
                   "--json"})
          .json()["per_rank"][0]["graphs"]
          .toDouble();
    };
    QCOMPARE(bytes("off"), 0.0);
    QVERIFY(bytes("on") > 0);
  }

  /// Where not one request fits there are no times.
  void nothing_fits_nothing_is_timed() {
    const QJsonObject predicted =
        plan({"--model", "llama-3-70b", "--gpu", "L4", "--json"}).json()["predicted"].toObject();
    for (const char* key : {"ttft_ms", "tpot_ms", "tokens_per_s", "knee", "decode_floor_ms"})
      QVERIFY2(predicted.contains(key) && predicted[key].isNull(), key);
    QCOMPARE(predicted["requests"].toInt(-1), 0);
  }

  /// floors renews what plans for this machine go by, and they say when it was.
  void floors_are_dated() {
    const test::TemporaryFolder home;
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home.path().string()));
    const QStringList asked{"--model", "llama-3-8b", "--gpu", "this-machine", "--json"};
    const Run first = plan(asked);
    qunsetenv("PITWALL_HOME");
    QCOMPARE(first.code, 0);
    QVERIFY(first.out.contains("Rates of this machine were measured at 20"));
  }

  void fixes_have_bytes() {
    const Run run = plan({"--model", "llama-3-70b", "--gpu", "H200", "--json"});
    QCOMPARE(run.code, 0);
    QCOMPARE(run.json()["verdict"].toString(), QString("fits_with_less"));
    const QJsonArray fixes = run.json()["fixes"].toArray();
    QVERIFY(!fixes.isEmpty());
    for (const auto& fix : fixes) {
      QVERIFY(fix.toObject()["change"].toString().contains("→"));
      QVERIFY(fix.toObject()["frees_bytes"].toInteger() > 0);
    }
  }

  void text_for_people() {
    const Run run = plan({"--model", "qwen2.5-72b-awq", "--gpu", "H200", "--kv-cache-dtype", "fp8_e4m3"});
    QCOMPARE(run.code, 0);
    for (const char* part : {"2 × 80 layers × 8 KV heads × 128 × 1 B = 163,840 B", "weights", "limit",
                             "verdict", "8 KV heads, not the 64 attention heads"})
      QVERIFY2(run.out.contains(part), part);
  }

  void short_names_of_ranks() {
    for (const QStringList& ranks : {QStringList{"-tp", "2", "-pp", "2"}, QStringList{"-tp=2", "-pp=2"}}) {
      const Run run = plan(QStringList{"--model", "llama-3.1-8b", "--gpu", "H200x4", "--json"} + ranks);
      QVERIFY2(run.code == 0, run.err);
      QCOMPARE(run.json()["tensor_parallel"].toInt(), 2);
      QCOMPARE(run.json()["pipeline_parallel"].toInt(), 2);
    }
  }

  void replicas_that_share_the_experts() {
    const QStringList asked = {"--model", "deepseek-v3", "--gpu",           "H200x8", "--engine", "vllm",
                               "-tp",     "1",           "--max-model-len", "8192",   "--json"};
    const Run apart = plan(asked), shared = plan(asked + QStringList{"--enable-expert-parallel"});
    const auto weights = [](const Run& run) {
      return run.json()["per_rank"].toArray().first().toObject()["weights"].toInteger();
    };
    QCOMPARE(apart.json()["verdict"].toString(), QString("fails"));
    QVERIFY(shared.json()["verdict"].toString() != "fails");
    QVERIFY(shared.json()["expert_parallel"].toBool());
    QVERIFY(weights(shared) < weights(apart) / 6);
    QVERIFY(shared.out.contains("8 replicas share the experts, which lie on 8 GPUs"));
  }

  void a_trace_gives_lengths() {
    const Run run =
        plan({"--model", "llama-3.1-8b", "--gpu", "H200", "--lengths",
              QString::fromStdString(test::data("traces/azure-llm-2023-code.csv").string()), "--json"});
    QCOMPARE(run.code, 0);
    const QJsonObject lengths = run.json()["lengths"].toObject();
    QVERIFY(lengths["p50"].toInteger() < lengths["p95"].toInteger());
    QVERIFY(lengths["p95"].toInteger() < lengths["max"].toInteger());
  }

  /// Times are of the trace's mean request, not of the longest that is served.
  void a_trace_gives_the_typical_request() {
    const test::TemporaryFolder folder;
    const QString trace = QString::fromStdString(written(
        folder, "trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n1,100,50\n2,8000,10\n3,5,5\n"));
    const QStringList asked{"--model",  "llama-3.1-8b", "--gpu",     "H200",
                            "--engine", "vllm",         "--lengths", trace};
    const QJsonObject predicted = plan(asked + QStringList{"--json"}).json()["predicted"].toObject();
    QCOMPARE(predicted["prompt_tokens"].toInteger(), 2702);
    QCOMPARE(predicted["output_tokens"].toInteger(), 22);
    QVERIFY(plan(asked).out.contains(
        "The typical request has the means of the trace: 2,702 tokens of prompt and 22 of reply"));
    const Run stated = plan(asked + QStringList{"--prompt-tokens", "500", "--json"});
    QCOMPARE(stated.json()["predicted"].toObject()["prompt_tokens"].toInteger(), 500);
    QCOMPARE(stated.json()["predicted"].toObject()["output_tokens"].toInteger(), 22);
  }

  /// The plain command of an engine, and a plan for it: as many bytes beside KV.
  void an_engine_has_its_own_defaults() {
    const QStringList asked{"--model", "llama-3.1-8b", "--gpu", "H200", "--engine", "vllm"};
    const Run text = plan(asked);
    for (const char* part :
         {"32 requests of 131,072 tokens (a usual number, since no --requests are given",
          "less 17.79 GiB leaves 111.38 GiB for KV",
          "By the defaults of vLLM: max-num-seqs 1,024, max-num-batched-tokens 8,192, block-size 16"})
      QVERIFY2(text.out.contains(part), part);
    QProcess flags;
    flags.start(qEnvironmentVariable("PITWALL_CTL"), {"flags", "--to", "vllm", "--gpu", "H200", "--", "vllm",
                                                      "serve", "meta-llama/Llama-3.1-8B-Instruct"});
    QVERIFY(flags.waitForFinished(120'000));
    QVERIFY(flags.readAllStandardOutput().contains("less 17.79 GiB leaves 111.38 GiB for KV"));
    const QJsonObject stated =
        plan(asked + QStringList{"--max-num-seqs", "32", "--block-size", "32", "--json"}).json();
    QCOMPARE(stated["max_num_seqs"].toInt(), 32);
    QCOMPARE(stated["block_size"].toInt(), 32);
    QCOMPARE(stated["requests"].toInt(), 32);
  }

  /// The line of the verdict says why.
  void a_plan_that_fails_says_why() {
    const QStringList asked{
        "--model", "llama-3.1-8b", "--gpu", "H200", "--max-model-len", "8192", "--kv-cache-memory-bytes",
        "500GiB"};
    const Run text = plan(asked);
    QVERIFY(text.out.contains("fails: kv-cache-memory-bytes is 500.00 GiB; after everything else "));
    QVERIFY(!text.out.contains("predicted     "));
    QCOMPARE(text.out.count("kv-cache-memory-bytes is 500.00 GiB"), 1);
    QVERIFY(plan(asked + QStringList{"--json"}).json()["hindrance"].toString().startsWith("kv-cache"));
    const Run large = plan({"--model", "llama-3-70b", "--gpu", "L4"});
    QVERIFY(large.out.contains("fails: The weights take 131."));
    const Run fits = plan({"--model", "llama-3-8b", "--gpu", "H200", "--json"});
    QVERIFY(fits.json()["hindrance"].isNull());
    const Run both =
        plan({"--model", "llama-3.1-8b", "--gpu", "H200", "--max-num-seqs", "4", "--requests", "8"});
    QVERIFY(both.out.contains("max-num-seqs lets 4 of 8 requests run at once, and memory holds 7"));
  }

  void stored_deployments_and_other_engines() {
    const Run stored = plan({"--deployment", "Chat with long documents", "--json"});
    QCOMPARE(stored.code, 0);
    QCOMPARE(stored.json()["kv_cache_dtype"].toString(), QString("fp8_e4m3"));
    QCOMPARE(plan({"--deployment", "long-documents", "--json"}).out, stored.out);
    const Run window = plan({"--model", "gemma-3-27b", "--gpu", "H200", "--lengths", "131072", "--json"});
    QVERIFY(window.json()["allocated_bytes_per_sequence"].toInteger() >
            window.json()["kv_bytes_per_sequence"].toInteger());
    const Run vllm = plan({"--model", "gemma-3-27b", "--gpu", "H200", "--engine", "vllm", "--block-size",
                           "16", "--lengths", "131072", "--json"});
    QCOMPARE(vllm.json()["kv_bytes_per_sequence"].toInteger(),
             window.json()["kv_bytes_per_sequence"].toInteger());
    QVERIFY(vllm.json()["kv_tokens"].isNull());  // windows: no one number
  }

  /// Flags beside a stored deployment win over it.
  void flags_win_over_a_stored_deployment() {
    const QStringList stored = {"--deployment", "Chat with long documents", "--json"};
    const Run plain = plan(stored), short_ones = plan(stored + QStringList{"--prompt-tokens", "100"});
    QVERIFY(short_ones.json()["predicted"].toObject()["ttft_ms"].toDouble() <
            plain.json()["predicted"].toObject()["ttft_ms"].toDouble());
  }

  void errors_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* name, const QStringList& arguments, int code, const QStringList& said) {
      QTest::newRow(name) << arguments << code << said;
    };
    row("28 heads", {"--model", "qwen2.5-7b", "--gpu", "H200x8", "--tensor-parallel-size", "8"}, 1,
        {"28", "8", "1, 2, 4, 7, 14, 28", "Take one of these: 1, 2, 4;"});
    row("no model", {"--gpu", "H200"}, 2, {"--model"});
    row("no GPU", {"--model", "llama-3-8b"}, 2, {"--gpu"});
    row("another GPU", {"--model", "llama-3-8b", "--gpu", "GTX"}, 2, {"GTX", "H200"});
    row("a number of nothing", {"--model", "llama-3-8b", "--gpu", "x8"}, 2,
        {"\"x8\" names no GPU", "H200x8"});
    row("more than what is free",
        {"--model", "llama-3-8b", "--gpu", "H200", "--free-gpu-memory-fraction", "2"}, 2,
        {"free-gpu-memory-fraction is 2"});
    row("another model", {"--model", "nosuch", "--gpu", "H200"}, 1, {"nosuch", "llama-3-8b"});
    row("10^12 tokens", {"--model", "llama-3-8b", "--gpu", "H200", "--max-model-len", "1000000000000"}, 2,
        {"1,000,000,000,000"});
    row("negative", {"--model", "llama-3-8b", "--gpu", "H200", "--max-model-len", "-7"}, 2, {"-7"});
    row("no number", {"--model", "llama-3-8b", "--gpu", "H200", "--max-model-len", "many"}, 2, {"many"});
    row("no trace", {"--model", "llama-3-8b", "--gpu", "H200", "--lengths", "nofile.csv"}, 2, {"nofile.csv"});
    row("ten bytes", {"--model", "llama-3-8b", "--gpu", "H200", "--memory-limit", "10"}, 2, {"MiB"});
    row("two budgets",
        {"--model", "llama-3-8b", "--gpu", "H200", "--memory-limit", "9GiB", "--kv-cache-memory", "1GiB"}, 2,
        {"both", "KV"});
    row("no stages", {"--model", "llama-3-8b", "--gpu", "H200x8", "--pipeline-parallel-size", "0"}, 2,
        {"pipeline-parallel-size is 0"});
    row("no deployment", {"--deployment", "nosuch"}, 1, {"nosuch", "long-documents"});
    row("no memory", {"--model", "llama-3-8b", "--gpu", "H200", "--memory-limit", "0"}, 2,
        {"memory-limit is 0 bytes"});
    row("no KV", {"--model", "llama-3-8b", "--gpu", "H200", "--kv-cache-memory", "0"}, 2,
        {"kv-cache-memory-bytes is 0 bytes"});
    row("a crowded card", {"--model", "llama-3-8b", "--gpu", "H200", "--other-processes", "200GiB"}, 1,
        {"200.00 GiB", "140.40 GiB"});
    row("no sequences", {"--model", "llama-3-8b", "--gpu", "H200", "--max-num-seqs", "0"}, 2,
        {"max-num-seqs is 0"});
    row("an empty word", {"--model", "llama-3-8b", "--gpu", "H200", "--lengths", ""}, 2,
        {"--lengths is empty"});
    row("another format", {"--model", "llama-3-8b", "--gpu", "H200", "--kv-cache-dtype", "x"}, 2,
        {"fp8_e4m3"});
    row("another engine", {"--model", "llama-3-8b", "--gpu", "H200", "--engine", "x"}, 2, {"sglang"});
  }
  void errors() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QStringList, said);
    const Run run = plan(arguments);
    QCOMPARE(run.code, code);
    QVERIFY(run.out.isEmpty());
    QVERIFY2(run.err.startsWith("error: "), run.err.constData());
    for (const QString& part : said)
      QVERIFY2(run.err.contains(part.toUtf8()) || run.err.toLower().contains(part.toUtf8().toLower()),
               run.err.constData());
  }

  /// By the title that the window shows, whatever its file is called.
  void what_the_window_saved() {
    const test::TemporaryFolder home;
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home.path().string()));
    Deployment mine;
    mine.name = "Mine: a/b";
    mine.model = "llama-3-8b";
    mine.max_num_seqs = 7;
    const auto kept = save_deployment(mine);
    const Run run = plan({"--deployment", "Mine: a/b", "--json"});
    const Run another = plan({"--deployment", "Mine"});
    qunsetenv("PITWALL_HOME");
    QVERIFY(kept.ok());
    QCOMPARE(run.code, 0);
    QVERIFY(another.err.contains("Mine: a/b"));
  }

  void bare_configurations() {
    const test::TemporaryFolder folder;
    const auto path = [&](const char* text) {
      return QString::fromStdString(written(folder, "config.json", text));
    };
    const Run unknown = plan({"--model", path(R"({"architectures": ["FooForCausalLM"]})"), "--gpu", "H200"});
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains("Cannot estimate: architecture `FooForCausalLM` is unknown"),
             unknown.err.constData());
    const char* const kLlama =
        R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024,
      "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 1000})";
    const QString file = path(kLlama);
    QCOMPARE(plan({"--model", file, "--gpu", "H200", "--json"}).json()["kv_bytes_per_token"].toInteger(),
             2 * 2 * 2 * 64 * 2);
    const Run whole =
        plan({"--model", QString::fromStdString(folder.path().string()), "--gpu", "this-machine", "--json"});
    QCOMPARE(whole.code, 0);
    const Run named = plan(
        {"--model",
         QString::fromStdString(written(folder, "mine.json", R"({"architectures": ["LlamaForCausalLM"]})")),
         "--gpu", "H200"});
    QVERIFY2(named.err.contains("mine.json") && !named.err.contains("config.json"), named.err.constData());
    for (const char* nonsense : {"[1, 2]", "{", R"({"architectures": ["LlamaForCausalLM"]})",
                                 R"({"architectures": ["LlamaForCausalLM"], "num_hidden_layers": "x"})"}) {
      const Run run = plan({"--model", path(nonsense), "--gpu", "H200"});
      QCOMPARE(run.code, 1);
      QVERIFY2(run.err.startsWith("error: "), run.err.constData());
    }
  }
};

QTEST_APPLESS_MAIN(PlanCommandTest)
#include "plan_command_test.moc"
