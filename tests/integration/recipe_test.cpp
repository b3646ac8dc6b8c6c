// SPDX-License-Identifier: GPL-3.0-or-later
// The article's tuning recipe in the simulator: each step's direction and rough size.
#include <QTest>
#include <cmath>

#include "engine/bench/recipe_comparison.h"
#include "engine/bench/tuning_recipe.h"
#include "engine/bench/workload.h"
#include "engine/plan/deployment_plan.h"
#include "tests/support/test_support.h"

using namespace pitwall;

class RecipeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_articles_steps_come_out_data();
  void the_articles_steps_come_out();
  void a_stopped_play_keeps_what_it_has();
  void figures_stand_beside_each_other();
  void a_step_is_a_deployment();
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

void RecipeTest::a_stopped_play_keeps_what_it_has() {
  const TuningRecipe recipe = find_recipe("article").value();
  int seen = 0;
  const auto played = play(recipe, {read_outline(recipe.model).value(), find_gpu("A100-80G").value(), 8},
                           [&](const PlayedStep& step) {
                             ++seen;
                             return step.settings.integer("max-num-seqs") < 6;
                           });
  PW_VERIFY(played);
  QCOMPARE(played->size(), std::size_t{2});
  QCOMPARE(seen, 2);
}

// The article's own numbers: 9 → 28 → 51 → 276 tokens/s, TTFT 2.1 → 0.9 s.
void RecipeTest::figures_stand_beside_each_other() {
  const TuningRecipe recipe = find_recipe("article").value();
  std::vector<PlayedStep> played(recipe.steps.size());
  const double rates[] = {90, 270, 400, 900, 1000, 800, 900}, ttfts[] = {400, 700, 900, 200, 200, 200, 200};
  for (std::size_t i = 0; i < played.size(); ++i) {
    played[i].run.result.output_throughput = rates[i];
    played[i].run.result.ttft.mean = ttfts[i];
  }
  const std::vector<ComparedStep> steps = compare(recipe, played);
  QCOMPARE(steps.size(), std::size_t{7});
  QCOMPARE(steps[0].tokens_per_s.ratio(), 10.0);
  QCOMPARE(steps[0].tokens_per_s.direction, Direction::unknown);
  QCOMPARE(steps[1].tokens_per_s.published_gain, 28.0 / 9);
  QCOMPARE(steps[1].tokens_per_s.simulated_gain, 3.0);
  QCOMPARE(steps[1].tokens_per_s.direction, Direction::agrees);
  QCOMPARE(steps[2].ttft_ms.direction, Direction::differs);  // 2.1 → 2.1 s; 0.7 → 0.9
  QCOMPARE(steps[3].ttft_ms.direction, Direction::agrees);
  // Not stated: neither a ratio nor a direction.
  QCOMPARE(steps[3].tokens_per_s.ratio(), 0.0);
  QCOMPARE(steps[3].tokens_per_s.direction, Direction::unknown);
  // 276 is compared with 51, the last throughput before it.
  QCOMPARE(steps[5].tokens_per_s.direction, Direction::agrees);
  QCOMPARE(steps[5].tokens_per_s.published_gain, 276.0 / 9);
  const auto changed = [&](std::size_t step, std::string_view setting, std::string_view from,
                           std::string_view to) {
    for (const RecipeChange& change : steps[step].changes)
      if (change.setting == setting) return change.from == from && change.to == to;
    return false;
  };
  QCOMPARE(steps[2].changes.size(), std::size_t{2});
  QVERIFY(changed(2, "kv-cache-dtype", "auto", "fp8_e4m3") && changed(2, "max-num-seqs", "6", "12"));
  QVERIFY(changed(3, "enable-prefix-caching", "false", "true"));
  // Before anything was played.
  for (const ComparedStep& step : compare(recipe, {})) {
    QCOMPARE(step.tokens_per_s.simulated, 0.0);
    QCOMPARE(step.tokens_per_s.direction, Direction::unknown);
  }
}

void RecipeTest::a_step_is_a_deployment() {
  const TuningRecipe recipe = find_recipe("article").value();
  const auto deployment = step_deployment(recipe, 5, {"A100-80G", 8});
  PW_VERIFY(deployment);
  PW_VERIFY(check(*deployment));
  QCOMPARE(deployment->gpus, 8);
  QCOMPARE(deployment->tensor_parallel, 8);
  QCOMPARE(deployment->max_num_seqs, 24);
  QCOMPARE(deployment->kv_cache_dtype, std::string("fp8_e4m3"));
  QVERIFY(deployment->engine == "vllm" && deployment->prefix_caching);
  QCOMPARE(deployment->lengths.p95, 2176 + 256);  // profiles/workloads/article-recipe.json
  QCOMPARE(deployment->prompt_tokens, 2176);
  QCOMPARE(deployment->shared_prefix, 2048);
  QVERIFY(!step_deployment(recipe, 1, {"A100-80G", 8})->prefix_caching);
  // The planner's closed loop comes to what the simulation does.
  const auto plan =
      plan_deployment(*deployment, read_outline(recipe.model).value(), find_gpu("A100-80G").value());
  PW_VERIFY(plan);
  QVERIFY(plan->verdict == Verdict::fits);
  const auto played = play(recipe, {read_outline(recipe.model).value(), find_gpu("A100-80G").value(), 8});
  PW_VERIFY(played);
  const double simulated = (*played)[5].run.result.output_throughput;
  qInfo("24 sequences: planned %.0f, simulated %.0f tokens/s", plan->predicted.asked.tokens_per_s, simulated);
  QVERIFY(std::abs(plan->predicted.asked.tokens_per_s - simulated) < 0.25 * simulated);
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
