// SPDX-License-Identifier: GPL-3.0-or-later
// What `pitwallctl selftest` runs on a device, here on the CPU: golden folders against the float32 reference,
// and a soak with preemption by swapping.
#include <QTest>

#include <cmath>
#include <filesystem>

#include "app/common/backend_factory.h"
#include "engine/base/file.h"
#include "engine/bench/golden_check.h"
#include "engine/bench/soak.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

EngineOptions options_with(const test::SettingList& settings) {
  EngineOptions options;
  options.make_backend = backend_factory();
  options.strict_checks = true;
  for (const auto& [name, value] : settings) {
    if (auto ok = options.settings.set(name, value); !ok) qFatal("%s", ok.error().text().c_str());
  }
  return options;
}

}  // namespace

class SelftestTest : public QObject {
  Q_OBJECT

 private slots:
  void a_device_in_its_default_mode_meets_the_reference() {
    GoldenEngines engines{options_with({{"kv-cache-dtype", "int8"}}),
                          options_with({{"dtype", "float32"}, {"kv-cache-dtype", "float32"}})};
    const auto result = check_golden(test::data("golden/llama-gqa"), std::move(engines));
    PW_VERIFY(result);
    QCOMPARE(result->steps, 5 * 24);
    QVERIFY2(result->file_l2 > 0 && result->file_l2 < 4e-2, qPrintable(QString::number(result->file_l2)));
    QVERIFY2(std::abs(result->file_l2 - result->reference_l2) < 1e-2,
             qPrintable(QString::number(result->reference_l2)));
    QCOMPARE(result->wrong + result->wrong_alone, 0);
    QVERIFY(!result->routed);
    QVERIFY(result->same_twice);
  }

  void another_model_is_found_out() {
    // Its own values, but the rotary frequencies of another base: what a wrong kernel would look like.
    const test::TemporaryFolder folder;
    for (const auto& file : std::filesystem::directory_iterator(test::data("golden/llama-gqa")))
      std::filesystem::copy(file.path(), folder.path() / file.path().filename());
    std::string config = *read_file(folder.path() / "config.json");
    const auto at = config.find("\"rope_theta\": ");
    QVERIFY(at != std::string::npos);
    config.insert(at + std::string("\"rope_theta\": ").size(), "9");
    PW_VERIFY(write_file_atomic(folder.path() / "config.json", config));
    const test::SettingList exact = {{"dtype", "float32"}, {"kv-cache-dtype", "float32"}};
    const auto result = check_golden(folder.path(), {options_with(exact), options_with(exact)});
    PW_VERIFY(result);
    QVERIFY2(result->file_l2 > 0.1, qPrintable(QString::number(result->file_l2)));
    QCOMPARE(result->reference_l2, 0.0);
  }

  void each_kernel_meets_its_reference() {
    KernelBench bench;
    bench.small = true;
    int reports = 0;
    std::vector<std::string> wrong;
    for (const ComputeMode mode : {ComputeMode::automatic, ComputeMode::float32}) {
      BackendOptions options;
      options.mode = mode;
      options.threads = 2;
      PW_VERIFY(bench_kernels(options, bench, [&](const KernelReport& report) {
        ++reports;
        QVERIFY(report.error <= report.tolerance || !report.problem.empty());
        QCOMPARE(report.us, 0.0);
        if (!report.problem.empty())
          wrong.push_back(report.name + " " + report.shape + ": " + report.problem);
      }));
    }
    QCOMPARE(wrong, std::vector<std::string>());
    QVERIFY2(reports > 100, qPrintable(QString::number(reports)));
    bench.filter = "attention 16";  // part of no small shape
    PW_VERIFY(bench_kernels({}, bench, [](const KernelReport&) { QFAIL("not asked for"); }));
  }

  void soak() {
    auto engine = test::start_engine(test::data("golden/llama-gqa"), {{"max-num-seqs", "24"},
                                                                      {"max-model-len", "512"},
                                                                      {"kv-cache-memory-bytes", "2MiB"},
                                                                      {"swap-space", "8MiB"},
                                                                      {"preemption", "swap"},
                                                                      {"max-num-batched-tokens", "256"}});
    SoakLoad load;
    load.steps = 1500;
    const SoakResult result = run_soak(*engine, load);
    QCOMPARE(result.problem, std::string());
    QCOMPARE(result.failed, std::int64_t{0});
    QVERIFY(result.steps >= load.steps);
    QVERIFY(result.preemptions > 0 && result.swapped_tokens > 0 && result.cancelled > 0);
    QCOMPARE(result.accounted_after, result.accounted_before);
  }
};

QTEST_GUILESS_MAIN(SelftestTest)
#include "selftest_test.moc"
