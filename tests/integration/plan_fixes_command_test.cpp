// SPDX-License-Identifier: GPL-3.0-or-later
// Changes as `pitwallctl plan` prints them: typed in, each gives the verdict and the bytes that it promised.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>
#include <random>

#include "engine/base/units.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

/// Nothing where the command refused the question.
std::optional<QByteArray> printed(const QStringList& arguments) {
  QProcess process;
  process.start(qEnvironmentVariable("PITWALL_CTL"), QStringList{"plan"} + arguments);
  if (!process.waitForFinished(120'000)) qFatal("pitwallctl did not end");
  if (process.exitCode() != 0) return std::nullopt;
  return process.readAllStandardOutput();
}

std::optional<QJsonObject> plan(const QStringList& arguments) {
  const auto text = printed(arguments + QStringList{"--json"});
  if (!text) return std::nullopt;
  return QJsonDocument::fromJson(*text).object();
}

/// What the worst rank wants: all that is not KV, and KV for the demand.
qint64 wants(const QJsonObject& plan) {
  const QJsonObject rank = plan["per_rank"][plan["worst_rank"].toInt()].toObject();
  return rank["total"].toInteger() - rank["kv"].toInteger() + rank["kv_needed"].toInteger();
}

/// `arguments` with that value of the flag.
QStringList with(QStringList arguments, const QString& flag, const QString& value) {
  const qsizetype at = arguments.indexOf(flag);
  if (at < 0) return arguments + QStringList{flag, value};
  arguments[at + 1] = value;
  return arguments;
}

QStringList with_change(QStringList arguments, const QJsonObject& fix) {
  const QString setting = fix["setting"].toString(), to = fix["to"].toString();
  if (setting == "cuda-graphs") {
    arguments << "--enforce-eager";
  } else if (setting == "prompt-logprobs") {
    arguments.removeOne("--prompt-logprobs");
  } else {
    arguments = with(arguments, "--" + setting, to);
  }
  if (fix.contains("max_model_len"))
    arguments = with(arguments, "--max-model-len", QString::number(fix["max_model_len"].toInteger()));
  if (fix.contains("requests"))
    arguments = with(arguments, "--requests", QString::number(fix["requests"].toInt()));
  if (!fix.contains("gpus")) return arguments;
  const QString name = arguments[arguments.indexOf("--gpu") + 1].section('x', 0, 0);
  return with(arguments, "--gpu", name + 'x' + QString::number(fix["gpus"].toInt()));
}

class Questions {
 public:
  explicit Questions(std::uint64_t seed) : random_(seed) {}

  QStringList next() {
    const QString engine =
        one_of({"auto", "pitwall", "vllm", "sglang", "tensorrt-llm", "lmdeploy", "tgi", "llama.cpp"});
    QStringList asked{"--model",
                      one_of({"llama-3.1-8b", "qwen2.5-7b", "llama-3.1-70b", "gemma-3-27b", "mixtral-8x7b",
                              "qwen2.5-72b-awq", "gpt-oss-20b", "qwen3-0.6b"}),
                      "--gpu",
                      one_of({"H200", "A100-80Gx2", "L40S", "RTX-4090", "L4x4", "RTX-4090x2"}),
                      "--engine",
                      engine};
    const auto maybe = [&](const char* flag, std::initializer_list<const char*> values) {
      if (below(2) == 0) asked << flag << one_of(values);
    };
    maybe("--max-model-len", {"2048", "8192", "20000", "32768"});
    maybe("--max-num-seqs", {"4", "37", "256", "600"});
    maybe("--requests", {"3", "40", "100", "300"});
    maybe("--max-num-batched-tokens", {"1024", "8192"});
    if (below(3) == 0) asked << "--lengths" << one_of({"700", "8192", trace_.constData()});
    if (below(5) == 0 && asked[3].endsWith("x4"))
      asked << "--pipeline-parallel-size"
            << "2";
    if (below(4) == 0)
      asked << "--kv-cache-dtype"
            << "fp8_e4m3";
    if (below(4) == 0) asked << "--quantization" << one_of({"fp8", "awq"});
    if (below(4) == 0) asked << "--prompt-logprobs";
    if (below(4) == 0)
      asked << "--other-processes"
            << "6GiB";
    if (below(4) == 0)
      asked << "--shared-prefix"
            << "512";
    switch (below(8)) {
      case 0:
        asked << "--kv-cache-memory-bytes" << one_of({"500GiB", "9GiB"});
        break;
      case 1:
        asked << "--gpu-memory-utilization" << one_of({"0.5", "0.95", "1"});
        break;
      case 2:
        asked << "--memory-share-static" << one_of({"0.8", "0.99"});
        break;
      case 3:
        asked << "--memory-share-after-weights" << one_of({"0.8", "1"});
        break;
      case 4:
        asked << "--memory-limit" << one_of({"12GiB", "40GiB"});
        break;
      case 5:
        asked << "--memory-share-of-free" << one_of({"0.3", "0.9"});
        break;
      default:
        break;
    }
    return asked;
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  QString one_of(std::initializer_list<const char*> values) {
    return QString::fromLatin1(values.begin()[below(static_cast<int>(values.size()))]);
  }
  std::mt19937_64 random_;
  QByteArray trace_ = QByteArray::fromStdString(test::data("traces/azure-llm-2023-code.csv").string());
};

}  // namespace

class PlanFixesCommandTest : public QObject {
  Q_OBJECT

 private:
  /// Of a stated size or share the change itself is what is promised, of all else what is no longer wanted.
  static void keeps_promise(const QJsonObject& before, const QJsonObject& fix, const QJsonObject& after,
                            const QString& what) {
    const bool fits = after["verdict"] == "fits";
    QVERIFY2(fix["fits"].toBool() == fits, qPrintable(what));
    const QString setting = fix["setting"].toString();
    if (setting == "kv-cache-memory-bytes") {
      const auto size = [&](const char* key) {
        return parse_size(fix[key].toString().toStdString()).value();
      };
      QCOMPARE(fix["frees_bytes"].toInteger(), size("from") - size("to"));
    } else if (!setting.contains("share") && !setting.contains("utilization") &&
               fix["frees_bytes"].toInteger() > 0) {
      QVERIFY2(fix["frees_bytes"].toInteger() == wants(before) - wants(after), qPrintable(what));
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    if (qEnvironmentVariableIsEmpty("PITWALL_CTL")) QSKIP("PITWALL_CTL does not say where pitwallctl is");
  }

  void each_change_as_printed() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Questions questions(seed);
    int changes = 0, pairs = 0;
    for (int i = 0; i < 40; ++i) {
      const QStringList asked = questions.next();
      const auto before = plan(asked);
      if (!before) continue;
      const QByteArray text = printed(asked).value();
      for (const QJsonValue& each : (*before)["fixes"].toArray()) {
        const QJsonObject fix = each.toObject();
        const QString what = asked.join(' ') + ": " + fix["change"].toString();
        const auto after = plan(with_change(asked, fix));
        QVERIFY2(after, qPrintable(what));
        QVERIFY2(text.contains(("\n  " + fix["change"].toString() + ": ").toUtf8()), qPrintable(what));
        keeps_promise(*before, fix, *after, what);
        if (QTest::currentTestFailed()) return;
        ++changes;
      }
      const QJsonArray pair = (*before)["fix_pair"].toArray();
      if (pair.isEmpty()) continue;
      const auto both = plan(with_change(with_change(asked, pair[0].toObject()), pair[1].toObject()));
      QVERIFY2(both && (*both)["verdict"] == "fits", qPrintable(asked.join(' ')));
      ++pairs;
    }
    qInfo("%d changes, %d pairs", changes, pairs);
    QVERIFY(changes > 30);
  }
};

QTEST_APPLESS_MAIN(PlanFixesCommandTest)
#include "plan_fixes_command_test.moc"
