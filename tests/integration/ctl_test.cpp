// SPDX-License-Identifier: GPL-3.0-or-later
// pitwallctl as its users and scripts see it: the real program, its exit codes, its stdout and stderr.
#include <signal.h>

#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/library/http_client.h"
#include "engine/model/safetensors_reader.h"
#include "tests/support/command.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/taken_port.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;
using test::CommandResult;
namespace fs = std::filesystem;

namespace {

QString text_of(const fs::path& path) {
  return QString::fromStdString(path.string());
}

std::string read_text(const fs::path& file) {
  QFile stream(text_of(file));
  if (!stream.open(QIODevice::ReadOnly)) return {};
  return stream.readAll().toStdString();
}

void write_text(const fs::path& file, const std::string& text) {
  QFile stream(text_of(file));
  QVERIFY(stream.open(QIODevice::WriteOnly));
  stream.write(text.data(), static_cast<qint64>(text.size()));
}

json read_json(const fs::path& file) {
  return json::parse(read_text(file));
}

QString ids_text(const std::vector<TokenId>& ids) {
  QStringList parts;
  for (const TokenId id : ids) parts << QString::number(id);
  return parts.join(',');
}

std::vector<float> numbers_of(const TensorView& view) {
  std::vector<float> numbers(static_cast<std::size_t>(view.rows * view.columns));
  dequantize(view.type, view.data, numbers.data(), view.rows * view.columns);
  return numbers;
}

}  // namespace

class CtlTest : public QObject {
  Q_OBJECT
 private slots:

  void initTestCase() {
    QVERIFY2(qEnvironmentVariableIsSet("PITWALL_CTL"), "PITWALL_CTL names the program; ctest sets it");
    qputenv("PITWALL_HOME", QByteArray::fromStdString(folder_.path().string()));
  }

  // What the program says of itself.

  void usage_is_exit_code_2_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const QString golden = text_of(test::data("golden/llama-gqa"));
    QTest::newRow("nothing") << QStringList{} << "subcommand";
    QTest::newRow("unknown command") << QStringList{"brew"} << "brew";
    QTest::newRow("no model") << QStringList{"generate", "--prompt", "x"} << "--model";
    QTest::newRow("no prompt") << QStringList{"generate", "--model", golden} << "--prompt";
    QTest::newRow("two prompts") << QStringList{"generate", "--model",     golden, "--prompt",
                                                "x",        "--token-ids", "1"}
                                 << "--token-ids";
    QTest::newRow("unknown flag") << QStringList{"serve", "--model", golden, "--turbo"} << "--turbo";
    QTest::newRow("not a number") << QStringList{"serve", "--model", golden, "--port", "http"} << "port";
    QTest::newRow("port out of range")
        << QStringList{"serve", "--model", golden, "--port", "65536"} << "65,535";
    QTest::newRow("size without unit")
        << QStringList{"serve", "--model", golden, "--kv-cache-memory", "512"} << "MiB";
    QTest::newRow("unknown choice") << QStringList{"serve", "--model", golden, "--dtype", "float8"}
                                    << "float32";
    QTest::newRow("negative id") << QStringList{"generate", "--model", golden, "--token-ids", "1,-2"} << "-2";
    QTest::newRow("bad time") << QStringList{"template", "--template", "t",   "--messages",
                                             "m",        "--now",      "noon"}
                              << "noon";
    QTest::newRow("no template") << QStringList{"template", "--messages", "m"} << "--template";
    QTest::newRow("bad format") << QStringList{"report", "1", "--format", "pdf"} << "pdf";
    QTest::newRow("run id") << QStringList{"runs", "show", "first"} << "first";
    const QStringList simulate{"simulate", "--model", "llama-3.1-8b", "--gpu", "H200"};
    QTest::newRow("no load") << simulate << "--trace";
    QTest::newRow("two loads") << simulate + QStringList{"--trace", "t.csv", "--workload", "chat"}
                               << "--trace";
    QTest::newRow("no rate") << simulate + QStringList{"--workload", "chat", "--request-rate", "0"}
                             << "--request-rate";
  }
  void usage_is_exit_code_2() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const CommandResult ran = run(arguments);
    QCOMPARE(ran.code, 2);
    QVERIFY2(QString::fromStdString(ran.err).startsWith("error: "), ran.err.c_str());
    QVERIFY2(QString::fromStdString(ran.err).contains(says), ran.err.c_str());
    QCOMPARE(ran.out, std::string());
  }

  void failure_is_exit_code_1_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    const QString golden = text_of(test::data("golden/llama-gqa"));
    QTest::newRow("no such model") << QStringList{"model", "--model", "/nowhere/m.gguf", "--json"}
                                   << "/nowhere/m.gguf";
    QTest::newRow("no such model to generate")
        << QStringList{"generate", "--model", "/nowhere/m.gguf", "--token-ids", "1"} << "/nowhere/m.gguf";
    QTest::newRow("not a model") << QStringList{"model", "--model", text_of(test::data("README.md"))}
                                 << "GGUF";
    QTest::newRow("text without tokenizer")
        << QStringList{"generate", "--model", golden, "--prompt", "hello"} << "--token-ids";
    QTest::newRow("token outside") << QStringList{"generate", "--model", golden, "--token-ids", "1,512"}
                                   << "512";
    QTest::newRow("temperature") << QStringList{"generate", "--model",       golden, "--token-ids",
                                                "1",        "--temperature", "-1"}
                                 << "temperature";
    QTest::newRow("context") << QStringList{"generate", "--model",         golden, "--token-ids",
                                            "1,2,3",    "--max-model-len", "3"}
                             << "3";
    QTest::newRow("above the trained context")
        << QStringList{"generate", "--model", golden, "--token-ids", "1", "--max-model-len", "4096"}
        << "2,048";
    QTest::newRow("memory limit") << QStringList{"generate", "--model",        golden, "--token-ids",
                                                 "1",        "--memory-limit", "1MiB"}
                                  << "1.0 MiB";
    if (!fs::exists("/dev/nvidiactl")) {  // says what is missing, and the way out
      QTest::newRow("no GPU") << QStringList{"generate", "--model",  golden, "--token-ids",
                                             "1",        "--device", "cuda"}
                              << "--device cpu";
    }
    QTest::newRow("no such run") << QStringList{"runs", "show", "77"} << "77";
    QTest::newRow("no such file") << QStringList{"logits",          "--model", golden, "--prompts",
                                                 "/nowhere/p.json", "--out",   "x"}
                                  << "/nowhere/p.json";
    const QStringList simulate{"simulate", "--model", "llama-3.1-8b", "--workload", "chat", "--gpu"};
    QTest::newRow("unknown GPU") << simulate + QStringList{"H300"} << "RTX-6000-Ada, this-machine";
    QTest::newRow("no GPUs") << simulate + QStringList{"H200x0"} << "0 GPUs";
    QTest::newRow("GPUs that heads cannot be divided by")
        << simulate + QStringList{"H200x3"} << "Choose one of 1, 2, 4, 8, 16, 32";
    QTest::newRow("replicas") << simulate + QStringList{"H200x3", "--tensor-parallel-size", "2"}
                              << "--gpu H200x2";
    QTest::newRow("two of this machine") << simulate + QStringList{"this-machinex2"} << "there is one";
    QTest::newRow("GPU too small") << simulate + QStringList{"H200", "--memory-limit", "10GiB"}
                                   << "14.96 GiB for weights";
    QTest::newRow("unknown workload")
        << QStringList{"simulate", "--model", "llama-3.1-8b", "--gpu", "H200", "--workload", "none"}
        << "chat, ";
    QTest::newRow("broken trace") << QStringList{"simulate",
                                                 "--model",
                                                 "llama-3.1-8b",
                                                 "--gpu",
                                                 "H200",
                                                 "--trace",
                                                 text_of(test::data("README.md"))}
                                  << "README.md line 1: it is not a JSON object";
    QTest::newRow("unknown fetch") << QStringList{"fetch", "no-such-model"} << "no-such-model";
    QTest::newRow("tokenizer of none")
        << QStringList{"tokenize", "--model", golden, "--text", "x"} << "tokenizer";
  }
  void failure_is_exit_code_1() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const CommandResult ran = run(arguments);
    QVERIFY2(QString::fromStdString(ran.err).contains("error: "), ran.err.c_str());
    QVERIFY2(QString::fromStdString(ran.err).contains(says), ran.err.c_str());
    QCOMPARE(ran.code, 1);
    QCOMPARE(ran.out, std::string());
  }

  void help_lists_every_setting_with_its_default() {
    const CommandResult ran = run({"serve", "--help"});
    QCOMPARE(ran.code, 0);
    for (const char* part : {"--max-num-seqs", "--kv-cache-memory", "--block-size", "8080", "127.0.0.1"}) {
      QVERIFY2(ran.out.find(part) != std::string::npos, part);
    }
    QCOMPARE(run({"--version"}).code, 0);
  }

  void model_says_what_is_in_it() {
    const CommandResult ran = run({"model", "--model", text_of(test::data("golden/llama-gqa")), "--json"});
    QCOMPARE(ran.code, 0);
    const json document = ran.document();
    QCOMPARE(document["architecture"], "llama");
    QCOMPARE(document["layers"].size(), 3u);
    QCOMPARE(document["layers"][0]["attention"]["kv_heads"], 2);
    QCOMPARE(document["context_length"], 2048);
    QCOMPARE(document["kv_bytes_per_token"], 3 * 2 * 2 * 64 * 2);
    QCOMPARE(document["weight_bytes"], 2 * document["parameters"].get<std::int64_t>());
    QVERIFY(
        run({"model", "--model", text_of(test::data("golden/llama-gqa"))}).out.find("4 heads, 2 KV heads") !=
        std::string::npos);
  }

  /// Of models that this engine does not serve, too: a profile, and a bare config.json.
  void model_describes_what_is_planned() {
    const json latent = run({"model", "--model", "deepseek-v3", "--json"}).document();
    QCOMPARE(latent["kv_bytes_per_token"], 61 * 576 * 2);
    QCOMPARE(latent["served"], false);
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "config.json")
        << R"({"architectures": ["FalconForCausalLM"], "hidden_size": 4544, "num_hidden_layers": 32,
               "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true, "parallel_attn": true})";
    const CommandResult ran = run({"model", "--model", text_of(folder.path() / "config.json")});
    QCOMPARE(ran.code, 0);
    for (const char* part : {"FalconForCausalLM", "2,048 tokens", "8.0 KiB a token", "not by this engine"})
      QVERIFY2(ran.out.find(part) != std::string::npos, ran.out.c_str());
  }

  // Against transformers' values.

  void generate_gives_the_reference_tokens_data() { golden_folders(); }
  void generate_gives_the_reference_tokens() {
    QFETCH(QString, folder);
    const fs::path golden = test::data("golden/" + folder.toStdString());
    const json expected = read_json(golden / "expected.json");
    for (std::size_t i = 0; i < expected["tokens"].size(); ++i) {
      const auto prompt = expected["tokens"][i].get<std::vector<TokenId>>();
      const CommandResult ran = run({"generate", "--model", text_of(golden), "--token-ids", ids_text(prompt),
                                     "--max-tokens", "24", "--ignore-eos", "--dtype", "float32", "--json"});
      QVERIFY2(ran.code == 0, ran.err.c_str());
      const json reply = ran.document();
      QCOMPARE(reply["prompt_token_ids"], expected["tokens"][i]);
      QCOMPARE(reply["token_ids"], expected["greedy"][i]);
      QCOMPARE(reply["text"], "");
      QCOMPARE(reply["finish_reason"], "length");
      for (const char* key : {"ttft_ms", "tpot_ms", "prompt_tokens_per_s", "tokens_per_s"}) {
        QVERIFY2(reply["timings"][key].is_number() && reply["timings"][key] > 0, key);
      }
    }
  }

  void logits_are_the_references_data() { golden_folders(); }
  void logits_are_the_references() {
    QFETCH(QString, folder);
    const fs::path golden = test::data("golden/" + folder.toStdString());
    const fs::path out = folder_.path() / "logits.safetensors";
    const CommandResult ran = run({"logits", "--model", text_of(golden), "--prompts",
                                   text_of(golden / "expected.json"), "--out", text_of(out)});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto ours = SafetensorsFile::open(out),
               reference = SafetensorsFile::open(golden / "expected.safetensors");
    PW_VERIFY(ours);
    PW_VERIFY(reference);
    QCOMPARE(ours->tensors().size(), 5u);
    for (const TensorView& expected : reference->tensors()) {
      const TensorView* found = ours->find(expected.name);
      QVERIFY2(found != nullptr, expected.name.c_str());
      QCOMPARE(found->rows, expected.rows);
      QCOMPARE(found->columns, expected.columns);
      const double error = test::relative_l2(numbers_of(*found), numbers_of(expected));
      QVERIFY2(error < 1e-3, qPrintable(QString("%1: %2").arg(expected.name.c_str()).arg(error)));
    }
  }

  void generate_streams_text() {
    const fs::path model = test::tiny_llama().save(folder_.path() / "tiny.gguf");
    const QStringList command = {"generate",     "--model", text_of(model), "--prompt", "abc",
                                 "--max-tokens", "8",       "--ignore-eos"};
    const CommandResult streamed = run(command), whole = run(command + QStringList{"--json"});
    QVERIFY2(streamed.code == 0 && whole.code == 0, (streamed.err + whole.err).c_str());
    QCOMPARE(streamed.out, whole.document()["text"].get<std::string>() + "\n");
    QCOMPARE(whole.document()["prompt_token_ids"], (json{0, 5, 4}));
    write_text(folder_.path() / "messages.json", R"([{"role": "user", "content": "ab"}])");
    const CommandResult chat =
        run({"generate", "--model", text_of(model), "--messages", text_of(folder_.path() / "messages.json"),
             "--max-tokens", "2", "--json"});
    QVERIFY2(chat.code == 0, chat.err.c_str());
    QCOMPARE(chat.document()["prompt_token_ids"], json{5});
  }

  // Text.

  void tokens_and_text_follow_the_vectors() {
    const QString tokenizer = text_of(test::data("text/smollm2/tokenizer.json"));
    const fs::path vectors = test::data("text/smollm2/vectors.jsonl");
    const CommandResult encoded = run({"tokenize", "--model", tokenizer, "--batch", text_of(vectors)});
    QVERIFY2(encoded.code == 0, encoded.err.c_str());
    compare_lines(encoded.out, read_text(vectors), {"ids"});

    const fs::path streams = test::data("text/smollm2/streams.jsonl");
    const CommandResult decoded = run({"detokenize", "--model", tokenizer, "--batch", text_of(streams)});
    QVERIFY2(decoded.code == 0, decoded.err.c_str());
    compare_lines(decoded.out, read_text(streams), {"flush"});
  }

  void single_texts_need_no_file() {
    const QString tokenizer = text_of(test::data("text/smollm2/tokenizer.json"));
    QCOMPARE(run({"tokenize", "--model", tokenizer, "--text", "<|im_start|>", "--json"}).document()["ids"],
             json{1});
    QCOMPARE(run({"tokenize", "--model", tokenizer}, "<|im_start|>").out, std::string("1\n"));
    QCOMPARE(run({"tokenize", "--model", tokenizer, "--text", "<|im_start|>", "--no-parse-special"}).out,
             std::string("44 108 306 79 3738 108 46\n"));
    QCOMPARE(run({"detokenize", "--model", tokenizer, "--ids", "19556,28,905"}).out,
             std::string("Hello, world\n"));
  }

  void a_bad_line_is_named() {
    const fs::path batch = folder_.path() / "batch.jsonl";
    write_text(batch, "{\"text\": \"a\"}\n\n{\"text\": 7}\n");
    const CommandResult ran = run({"tokenize", "--model", text_of(test::data("text/smollm2/tokenizer.json")),
                                   "--batch", text_of(batch)});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.find("line 3") != std::string::npos, ran.err.c_str());
  }

  void templates_are_rendered() {
    const fs::path source = folder_.path() / "t.jinja", messages = folder_.path() / "m.json",
                   batch = folder_.path() / "b.jsonl";
    write_text(source,
               "{{ messages[0].content }}|{{ add_generation_prompt }}|{{ strftime_now('%Y-%m-%d %H') }}");
    write_text(messages, R"([{"role": "user", "content": "hé"}])");
    const QStringList command = {"template", "--template", text_of(source), "--messages", text_of(messages)};
    QCOMPARE(run(command + QStringList{"--now", "2026-07-26T12:00:00"}).out,
             std::string("hé|True|2026-07-26 12\n"));
    qputenv("PITWALL_NOW", "2025-01-02T03:04:05");
    QCOMPARE(run(command + QStringList{"--json"}).document()["text"], "hé|True|2025-01-02 03");
    qunsetenv("PITWALL_NOW");

    write_text(folder_.path() / "strict.jinja", "{{ raise_exception('no ' ~ bos_token) }}");
    write_text(
        batch,
        R"({"template_file": "t.jinja", "messages": [{"content": "x"}], "extra": {"add_generation_prompt": 5}})"
        "\n"
        R"({"template_file": "strict.jinja", "bos_token": "<s>"})"
        "\n");
    const CommandResult ran = run({"template", "--batch", text_of(batch), "--now", "2026-07-26T12:00:00"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QCOMPARE(ran.out, std::string("{\"text\":\"x|5|2026-07-26 12\"}\n{\"error\":\"no <s>\"}\n"));
  }

  // Serving and its record.

  void bench_takes_a_shape_instead_of_a_model() {
    const QString shape = text_of(test::data("golden/llama-gqa/config.json"));
    for (const char* weights : {"bf16", "q4_0", "awq-g128"}) {
      const CommandResult ran =
          run({"bench", "--synthetic", shape, "--synthetic-weights", weights, "--num-prompts", "3",
               "--input-len", "20", "--prefix-len", "40", "--output-len", "6", "--json"});
      QVERIFY2(ran.code == 0, ran.err.c_str());
      const json document = ran.document();
      QCOMPARE(document["num_prompts"].get<int>(), 3);
      for (const char* key : {"prefill_tokens_per_s", "output_throughput", "median_ttft_ms", "ready_s"})
        QVERIFY2(document[key].get<double>() > 0, key);
      const json& ledger = document["ledger"];
      QVERIFY(ledger["categories"]["weights"].get<std::int64_t>() > 0);
      QVERIFY(ledger["categories"]["kv"].get<std::int64_t>() > 0);
    }
  }

  void selftest_checks_golden_folders() {
    const CommandResult ran =
        run({"selftest", "--data", text_of(test::data("")), "--filter", "mixtral", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QCOMPARE(ran.document()["passed"].get<int>(), 3);  // a wide KV format and two coarse ones
    QCOMPARE(ran.document()["failed"].get<int>(), 0);
    QCOMPARE(run({"selftest", "--data", text_of(test::data("")), "--filter", "no such case"}).code, 1);
  }

  void serve_answers_drains_and_is_recorded() {
    const fs::path model = test::tiny_llama().save(folder_.path() / "tiny.gguf");
    QProcess server;
    server.start(program(), {"serve", "--model", text_of(model), "--port", "0"});
    const std::string url = url_of(server);
    QVERIFY2(!url.empty(), server.readAllStandardError().constData());
    HttpRequest request;
    request.method = "POST";
    request.url = url + "/v1/completions";
    request.body = R"({"model": "tiny", "prompt": "ab", "max_tokens": 3, "temperature": 0})";
    const auto response = http_send(request);
    PW_VERIFY(response);
    QVERIFY2(response->status == 200, response->body.c_str());
    ::kill(static_cast<pid_t>(server.processId()), SIGTERM);
    QVERIFY(server.waitForFinished(test::kProcessPatience));
    QCOMPARE(server.exitStatus(), QProcess::NormalExit);
    QCOMPARE(server.exitCode(), 0);

    const json runs = run({"runs", "list", "--json"}).document()["runs"];
    QCOMPARE(runs.size(), 1u);
    QCOMPARE(runs[0]["status"], "finished");
    QCOMPARE(runs[0]["kind"], "serve");
    QCOMPARE(runs[0]["requests"], 1);
    const QString id = QString::number(runs[0]["id"].get<int>());
    QVERIFY(run({"runs", "list"}).out.find("tiny") != std::string::npos);
    QVERIFY(run({"runs", "show", id, "--json"}).document().is_object());
    QVERIFY(run({"runs", "export", id, "--format", "json"}).document().is_object());
    QCOMPARE(QString::fromStdString(run({"runs", "export", id, "--format", "csv"}).out).count('\n'), 2);
    QVERIFY(run({"report", id, "--format", "md"}).out.find("tiny") != std::string::npos);
    const fs::path html = folder_.path() / "report.html";
    QCOMPARE(run({"report", id, "--output", text_of(html)}).code, 0);
    QVERIFY(read_text(html).find("<svg") != std::string::npos);

    // Each format that programs read, and the way back: equal, and once.
    QVERIFY(run({"runs", "export", id, "--format", "vllm"}).document().contains("p99_ttft_ms"));
    QVERIFY(run({"runs", "export", id, "--format", "aiperf"}).out.starts_with("{\"metadata\""));
    QVERIFY(!run({"runs", "export", id, "--format", "perfetto"}).document()["traceEvents"].empty());
    const fs::path exported = folder_.path() / "exported.json";
    QCOMPARE(run({"runs", "export", id, "--output", text_of(exported)}).code, 0);
    const auto again = run({"import", text_of(exported)});
    QCOMPARE(again.code, 1);
    QVERIFY2(again.err.find("here already") != std::string::npos, again.err.c_str());
    const test::TemporaryFolder elsewhere;
    const auto imported =
        test::run_pitwallctl(elsewhere.path(), {"runs", "import", text_of(exported), "--json"});
    QCOMPARE(imported.document()["run_id"].get<int>(), 1);
    const auto back = test::run_pitwallctl(elsewhere.path(), {"runs", "export", "1"});
    json first = json::parse(read_text(exported)), second = back.document();
    QVERIFY(second.erase("imported_utc") == 1);  // it says where it came from
    first.erase("id"), second.erase("id");
    QVERIFY(first == second);
    const auto compared = run({"report", id, "--compare", id, "--format", "json"});
    QCOMPARE(compared.document()["format"].get<std::string>(), "pitwall-comparison");
  }

  // The first signal lets the reply go on, which would take minutes; one of the next cancels it.
  void a_second_signal_cancels_what_runs() {
    test::GgufWriter writer = test::tiny_llama();
    writer.remove("llama.context_length");
    writer.u32("llama.context_length", 1 << 20);
    const fs::path model = writer.save(folder_.path() / "long.gguf");
    QProcess server;
    server.start(program(), {"serve", "--model", text_of(model), "--port", "0", "--max-num-seqs", "1"});
    const std::string url = url_of(server);
    QVERIFY2(!url.empty(), server.readAllStandardError().constData());
    HttpRequest request;
    request.method = "POST";
    request.url = url + "/v1/completions";
    request.body =
        R"({"model": "long", "prompt": "ab", "max_tokens": 1000000, "ignore_eos": true, "stream": true})";
    const auto interrupt = [&](std::string_view) {
      ::kill(static_cast<pid_t>(server.processId()), SIGINT);
      return true;
    };
    const auto response = http_stream(request, interrupt);
    PW_VERIFY(response);
    QVERIFY2(response->status == 200, response->body.c_str());
    QVERIFY(server.waitForFinished(test::kProcessPatience));
    QCOMPARE(server.exitStatus(), QProcess::NormalExit);
    QCOMPARE(server.exitCode(), 0);
    const json newest = run({"runs", "list", "--json"}).document()["runs"][0];
    QCOMPARE(newest["status"], "finished");
    const json stored = run({"runs", "show", QString::number(newest["id"].get<int>()), "--json"}).document();
    QCOMPARE(stored["requests"][0]["finish"], "cancelled");
  }

  void a_taken_port_is_said() {
    const test::TakenPort taken;
    const auto runs = [&] { return run({"runs", "list", "--json"}).document()["runs"].size(); };
    const std::size_t before = runs();
    const CommandResult ran = run({"serve", "--model", text_of(test::data("golden/llama-gqa")), "--port",
                                   QString::number(taken.port())});
    QCOMPARE(ran.code, 1);
    QCOMPARE(runs(), before);  // nothing was loaded
    QVERIFY2(ran.err.find("error: ") != std::string::npos, ran.err.c_str());
    QVERIFY2(ran.err.find(std::to_string(taken.port())) != std::string::npos, ran.err.c_str());
    QCOMPARE(ran.out, std::string());
  }

  void check_asks_and_saves() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model has not been fetched (pitwallctl fetch smollm2)");
    const CommandResult ran =
        run({"check", "--model", text_of(*model), "--max-model-len", "512", "--max-tokens", "8", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const json document = ran.document();
    QVERIFY(!document["text"].get<std::string>().empty());
    QVERIFY(document["ttft_ms"] > 0 && document["tpot_ms"] > 0);
    const CommandResult shown =
        run({"runs", "show", QString::number(document["run_id"].get<int>()), "--json"});
    QVERIFY2(shown.code == 0, shown.err.c_str());
  }

  void simulate_knows_several_gpus_and_this_machine() {
    const auto throughput = [&] {
      const CommandResult ran =
          run({"simulate", "--model", "llama-3.1-8b", "--gpu", "this-machine", "--workload", "chat",
               "--num-prompts", "4", "--kv-cache-memory-bytes", "2GiB", "--max-model-len", "8192", "--json"});
      if (ran.code != 0) qFatal("%s", ran.err.c_str());
      return ran.document()["output_throughput"].get<double>();
    };
    const double one = throughput(), again = throughput();
    QCOMPARE(one, again);  // measured once
    const CommandResult four = run({"simulate", "--model", "llama-3.1-8b", "--gpu", "A100-80Gx4",
                                    "--workload", "chat", "--num-prompts", "20", "--json"});
    QVERIFY2(four.code == 0, four.err.c_str());
    const json document = four.document();
    QCOMPARE(document["gpus"], 4);
    QCOMPARE(document["gpu"], "A100-80G");
    // A quarter of 2 · 8,030,261,248 and the norms (65 · 4,096 · 2), which each rank has whole.
    QCOMPARE(document["ledger"]["weights"], (16060522496 - 532480) / 4 + 532480);
    QVERIFY(document["error_share"] == 0.3);
  }

  void simulate_prints_a_bench_result() {
    const QStringList arguments{"simulate",   "--model", "llama-3.1-8b", "--gpu", "H200x1",
                                "--workload", "chat",    "--seed",       "5",     "--num-prompts",
                                "50"};
    const CommandResult ran = run(arguments + QStringList{"--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const json document = ran.document();
    QCOMPARE(document["completed"], 50);
    QVERIFY(document["steps"] > 100);
    QVERIFY(document["p99_itl_ms"] > 1.0);
    QVERIFY(document["prefix_cache"]["query_tokens"] > 50);
    QVERIFY(document["scheduler_us_per_step"]["p50"] > 0.0);
    QCOMPARE(document["ledger"]["weights"], 16060522496);
    const json ledger = document["ledger"];
    QCOMPARE(ledger["kv_used"].get<Bytes>() + ledger["kv_cached"].get<Bytes>() +
                 ledger["kv_quarantined"].get<Bytes>() + ledger["kv_free"].get<Bytes>(),
             ledger["kv"].get<Bytes>());
    const CommandResult table = run(arguments);
    QCOMPARE(table.code, 0);
    QVERIFY2(table.out.find("50 completed") != std::string::npos, table.out.c_str());
    // A pool and a length that no H200 has.
    const CommandResult vast = run(arguments + QStringList{"--json", "--kv-cache-memory-bytes", "100000GiB",
                                                           "--max-model-len", "1000000"});
    QVERIFY2(vast.code == 0, vast.err.c_str());
    QCOMPARE(vast.document()["ledger"]["kv"], 107374182400000);
    QCOMPARE(vast.document()["max_model_len"], 1000000);
  }

  void floors_are_measured() {
    const CommandResult ran = run({"floors", "--json"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const json document = ran.document();
    QVERIFY(document["read_gbps"] > 0 && document["copy_gbps"] > 0);
    QVERIFY(document["tflops"]["float32"] > 0);
  }

 private:
  static QString program() { return qEnvironmentVariable("PITWALL_CTL"); }

  CommandResult run(const QStringList& arguments, const QByteArray& input = {}) const {
    return test::run_pitwallctl(folder_.path(), arguments, input);
  }

  // Waits for "listening on …"; empty when the server ends instead.
  static std::string url_of(QProcess& server) {
    while (!server.canReadLine()) {
      if (!server.waitForReadyRead(test::kProcessPatience)) return {};
    }
    const QString line = QString::fromUtf8(server.readLine()).trimmed();
    return line.startsWith("listening on ") ? line.mid(13).toStdString() : std::string();
  }

  static void golden_folders() {
    QTest::addColumn<QString>("folder");
    QTest::newRow("llama-gqa") << "llama-gqa";
    QTest::newRow("llama-mha-tied") << "llama-mha-tied";
  }

  static void compare_lines(const std::string& ours, const std::string& expected,
                            const std::vector<std::string>& keys) {
    const QStringList a = QString::fromStdString(ours).split('\n', Qt::SkipEmptyParts);
    const QStringList b = QString::fromStdString(expected).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(a.size(), b.size());
    for (int i = 0; i < a.size(); ++i) {
      const json x = json::parse(a[i].toStdString()), y = json::parse(b[i].toStdString());
      for (const std::string& key : keys) QVERIFY2(x[key] == y[key], qPrintable(a[i] + " for " + b[i]));
      // Where a character may come early or late, the reference lists both.
      if (y.contains("chunks"))
        QVERIFY2(x["chunks"] == y["chunks"] || x["chunks"] == y.value("chunks_late", json()),
                 qPrintable(a[i]));
    }
  }

  test::TemporaryFolder folder_;
};

QTEST_GUILESS_MAIN(CtlTest)
#include "ctl_test.moc"
