// SPDX-License-Identifier: GPL-3.0-or-later
// The article's tuning recipe in the simulator: each step's direction and rough size.
#include <QTest>

#include "engine/bench/tuning_recipe.h"
#include "engine/bench/workload.h"
#include "engine/plan/model_outline.h"
#include "tests/support/test_support.h"

using namespace pitwall;

class RecipeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_articles_steps_come_out_data();
  void the_articles_steps_come_out();
  void recipes_are_sound();
  void bad_recipes_are_refused();
};

void RecipeTest::the_articles_steps_come_out_data() {
  QTest::addColumn<std::string>("gpus");
  const TuningRecipe recipe = find_recipe("article").value();
  for (const std::string& gpus : recipe.gpus) QTest::newRow(gpus.c_str()) << gpus;
}

void RecipeTest::the_articles_steps_come_out() {
  QFETCH(std::string, gpus);
  const TuningRecipe recipe = find_recipe("article").value();
  const GpuCount count = parse_gpu_count(gpus).value();
  const auto played =
      play(recipe, {read_outline(recipe.model).value(), find_gpu(count.name).value(), count.count});
  PW_VERIFY(played);
  QCOMPARE(played->size(), std::size_t{7});
  std::vector<const BenchResult*> results(played->size());
  for (std::size_t i = 0; i < played->size(); ++i) {
    const BenchResult& result = *(results[i] = &(*played)[i].run.result);
    const RecipeStep& step = recipe.steps[i];
    qInfo(
        "%-19s %6.0f tokens/s, %4.1f times (article %3.0f) TTFT %4.0f ms (article %4.0f) TPOT %5.2f ms KV "
        "%3lld MiB",
        step.title.c_str(), result.output_throughput,
        result.output_throughput / results.front()->output_throughput, step.published_tokens_per_s,
        result.ttft.mean, step.published_ttft_ms, result.tpot.mean,
        static_cast<long long>(result.peak_kv_bytes / kMiB));
    QCOMPARE(result.completed, std::int64_t{64});
    QCOMPARE(result.preemptions, std::int64_t{0});
  }
  const auto gain = [&](std::size_t before, std::size_t after) {
    return results[after]->output_throughput / results[before]->output_throughput;
  };
  const auto between = [](double value, double low, double high) { return value > low && value < high; };
  // Article: 9 → 28 tokens/s (3.1 times), TTFT rises, TPOT is not clearly worse.
  QVERIFY(between(gain(0, 1), 2.5, 4.5));
  QVERIFY(results[1]->ttft.mean > results[0]->ttft.mean);
  QVERIFY(results[1]->tpot.mean < 2 * results[0]->tpot.mean);
  // 28 → 51 (1.8 times) with twice the sequences in the same KV.
  QVERIFY(between(gain(1, 2), 1.15, 2));
  QVERIFY(
      between(static_cast<double>(results[2]->peak_kv_bytes) / static_cast<double>(results[1]->peak_kv_bytes),
              0.95, 1.05));
  // TTFT 2.1 → 0.9 s.
  QVERIFY(results[3]->ttft.mean < 0.5 * results[2]->ttft.mean);
  QVERIFY(between(gain(2, 3), 1.5, 3.5));
  QVERIFY(results[3]->hit_tokens > results[3]->query_tokens * 9 / 10);
  // More sequences: TPOT grows little, since steps mostly wait for memory; 30 times in all.
  QVERIFY(gain(3, 4) > 1.1 && gain(4, 5) > 1.1 && gain(5, 6) > 1);
  QVERIFY(results[5]->tpot.mean < 1.3 * results[3]->tpot.mean);
  QVERIFY(between(gain(0, 5), 12, 31));
}

void RecipeTest::recipes_are_sound() {
  for (const TuningRecipe& recipe : tuning_recipes()) {
    PW_VERIFY(find_workload(recipe.workload));
    PW_VERIFY(read_outline(recipe.model));
    QVERIFY(!recipe.source.empty() && !recipe.notes.empty());
    for (const std::string& gpus : recipe.gpus) PW_VERIFY(find_gpu(parse_gpu_count(gpus)->name));
  }
  QVERIFY(!find_recipe("no such").ok());
}

void RecipeTest::bad_recipes_are_refused() {
  const auto refused = [](std::string_view text, const char* said) {
    const auto recipe = parse_recipe(text);
    return !recipe.ok() && recipe.error().text().find(said) != std::string::npos;
  };
  QVERIFY(refused("[", "parse error"));
  QVERIFY(refused("{}", "name"));
  const std::string head =
      R"({"name": "n", "title": "t", "source": "s", "model": "m", "engine": "vllm", "gpus": ["H200"],
                              "workload": "chat", "notes": [], "steps": [)";
  QVERIFY(refused(head + "]}", "steps is empty"));
  QVERIFY(refused(head + R"({"title": "a", "settings": {"max-num-seqz": 1}, "published": {}}]})",
                  "max-num-seqz"));
  QVERIFY(refused(head + R"({"title": "a", "settings": {"max-num-seqs": 0}, "published": {}}]})",
                  "max-num-seqs"));
}

QTEST_APPLESS_MAIN(RecipeTest)
#include "recipe_test.moc"
