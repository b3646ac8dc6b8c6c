// SPDX-License-Identifier: GPL-3.0-or-later
// Planned against measured: the real engine on the CPU, its ledger beside the plan's. Weights, KV and every
// other category to the byte; what the plan says fits runs, and one block less is refused.
#include <QTest>

#include "engine/plan/deployment_plan.h"
#include "engine/telemetry/host_memory.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"

#include "app/common/backend_factory.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

struct Settings3 {
  int sequences = 8, step_tokens = 256, block = 32;
  std::int64_t length = 0;  // 0 = auto
  std::string kv = "auto";
  Bytes limit = 0, swap = 0;
};

Deployment deployment_of(const fs::path& model, const Settings3& wanted) {
  Deployment asked;
  asked.model = model.string();
  asked.gpu = "this-machine";
  asked.max_num_seqs = wanted.sequences;
  asked.max_num_batched_tokens = wanted.step_tokens;
  asked.block_size = wanted.block;
  asked.threads = 2;
  asked.swap_space = wanted.swap;
  asked.kv_cache_dtype = wanted.kv;
  if (wanted.length > 0) asked.max_model_len = wanted.length;
  if (wanted.limit > 0)
    asked.budget.meaning = MemoryBudget::Meaning::bytes, asked.budget.bytes = wanted.limit;
  return asked;
}

GpuProfile this_machine() {
  GpuProfile machine;
  machine.name = "this-machine";
  machine.memory = read_host_memory().total;
  return machine;
}

DeploymentPlan planned(const fs::path& model, const Settings3& wanted) {
  const auto outline = read_outline(model.string());
  if (!outline) qFatal("%s", outline.error().text().c_str());
  auto plan = plan_memory(deployment_of(model, wanted), *outline, this_machine());
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return *plan;
}

test::SettingList settings_of(const Settings3& wanted) {
  test::SettingList list = {{"max-num-seqs", std::to_string(wanted.sequences)},
                            {"max-num-batched-tokens", std::to_string(wanted.step_tokens)},
                            {"block-size", std::to_string(wanted.block)},
                            {"kv-cache-dtype", wanted.kv},
                            {"threads", "2"}};
  if (wanted.length > 0) list.emplace_back("max-model-len", std::to_string(wanted.length));
  if (wanted.limit > 0) list.emplace_back("memory-limit", std::to_string(wanted.limit));
  if (wanted.swap > 0) list.emplace_back("swap-space", std::to_string(wanted.swap));
  return list;
}

/// The engine, or why it does not start.
Result<std::unique_ptr<Engine>> try_engine(const fs::path& model, const test::SettingList& settings) {
  EngineOptions options;
  options.model = model;
  options.make_backend = backend_factory();
  for (const auto& [name, value] : settings) {
    if (auto set = options.settings.set(name, value); !set) return set.error();
  }
  return Engine::start(std::move(options));
}

void compare(const fs::path& model, const Settings3& wanted) {
  const DeploymentPlan plan = planned(model, wanted);
  const auto engine = test::start_engine(model, settings_of(wanted));
  const LedgerSnapshot measured = engine->snapshot()->ledger;
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    const Bytes difference = plan.worst_rank().of(category) - measured.of(category);
    QVERIFY2(difference == 0, qPrintable(QString("%1: %2 of %3 off by %4")
                                             .arg(model.filename().c_str())
                                             .arg(std::string(category_name(category)).c_str())
                                             .arg(measured.of(category))
                                             .arg(difference)));
  }
  QCOMPARE(plan.worst_rank().total(), measured.accounted());
  QCOMPARE(plan.max_model_len, std::int64_t{engine->max_model_len()});
}

std::vector<fs::path> golden_checkpoints() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(test::data("golden"))) {
    if (fs::exists(entry.path() / "config.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

class PlanEngineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void golden_checkpoints_to_the_byte() {
    const std::vector<fs::path> folders = golden_checkpoints();
    QVERIFY(folders.size() > 20);
    int index = 0;
    for (const fs::path& folder : folders) {
      Settings3 wanted;
      wanted.kv = std::array{"auto", "float32", "float16", "int8"}[static_cast<std::size_t>(index++ % 4)];
      if (index % 3 == 0) wanted.block = 16, wanted.sequences = 40, wanted.step_tokens = 64;
      if (index % 5 == 0) wanted.swap = 4 * kMiB;
      compare(folder, wanted);
      if (QTest::currentTestFailed()) return;
    }
  }

  void smollm2_at_three_limits() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model is not here");
    for (const Bytes limit : {Bytes{0}, 400 * kMiB, 220 * kMiB}) {
      compare(*model, {.sequences = 16, .step_tokens = 512, .limit = limit});
      if (QTest::currentTestFailed()) return;
    }
    compare(*model,
            {.sequences = 4, .length = 2048, .kv = "fp8_e4m3", .limit = 512 * kMiB, .swap = 32 * kMiB});
  }

  void fetched_models_to_the_byte() {
    for (const char* name : {"qwen2.5-coder-0.5b", "gemma3-270m"}) {
      if (const auto model = test::fetched_model(name)) compare(*model, {.limit = kGiB});
      if (QTest::currentTestFailed()) return;
    }
  }

  /// The largest concurrency planned runs without a preemption; with a block less one of the requests has to
  /// make way.
  void the_largest_concurrency_runs() {
    const fs::path model = test::data("golden/llama-gqa");
    constexpr std::int64_t kLength = 96;
    Settings3 wanted{.sequences = 6, .step_tokens = 128, .block = 16, .length = kLength};
    Deployment asked = deployment_of(model, wanted);
    const auto outline = read_outline(model.string());
    PW_VERIFY(outline);
    const Bytes block = plan_memory(asked, *outline, this_machine())->kv_block_bytes;
    const Bytes pool = std::max<Bytes>(6 * 6 * block, kMiB);
    asked.budget = {MemoryBudget::Meaning::kv_bytes, 0, pool};
    const DeploymentPlan plan = *plan_memory(asked, *outline, this_machine());
    QCOMPARE(plan.kv_blocks, pool / block);
    const std::int64_t most = plan.most_at_max;
    QCOMPARE(most, plan.kv_blocks / 6);

    const auto preemptions = [&](std::int64_t blocks, std::int64_t requests) {
      test::SettingList settings = settings_of(wanted);
      settings[0].second = std::to_string(requests);
      settings.emplace_back("kv-cache-memory-bytes", std::to_string(blocks * block));
      settings.emplace_back("enable-prefix-caching", "false");
      const auto engine = test::start_engine(model, settings);
      std::vector<GenerationRequest> all;
      for (std::int64_t i = 0; i < requests; ++i) {
        std::vector<TokenId> prompt(32, static_cast<TokenId>(10 + i % 50));
        all.push_back(test::greedy_request(prompt, kLength - 32));
      }
      std::int64_t preempted = 0;
      for (const test::Reply& reply : test::run_requests(*engine, std::move(all))) {
        if (reply.last.reason == FinishReason::error) qFatal("%s", reply.last.error.text().c_str());
        preempted += reply.last.record.preemptions;
      }
      return preempted;
    };
    const std::int64_t few = std::min<std::int64_t>(most, 24);
    const std::int64_t blocks = few * 6;
    if (blocks * block >= kMiB) {
      QCOMPARE(preemptions(blocks, few), std::int64_t{0});
      QVERIFY(preemptions(blocks - 1, few) > 0);
    }
  }

  /// Blocks for one sequence are enough, one block less is refused by plan and engine alike.
  void one_block_less_is_refused() {
    const fs::path model = test::data("golden/llama-gqa");
    const auto outline = read_outline(model.string());
    PW_VERIFY(outline);
    Settings3 wanted{.sequences = 1, .step_tokens = 64, .block = 16};
    Deployment asked = deployment_of(model, wanted);
    const Bytes block = plan_memory(asked, *outline, this_machine())->kv_block_bytes;
    const std::int64_t blocks =
        std::min<std::int64_t>(outline->context_length / 16, std::max<Bytes>(2 * kMiB / block, 4));
    asked.max_model_len = blocks * 16;
    for (const std::int64_t given : {blocks, blocks - 1}) {
      asked.budget = {MemoryBudget::Meaning::kv_bytes, 0, given * block};
      const DeploymentPlan plan = *plan_memory(asked, *outline, this_machine());
      test::SettingList settings = settings_of(wanted);
      settings.emplace_back("max-model-len", std::to_string(blocks * 16));
      settings.emplace_back("kv-cache-memory-bytes", std::to_string(given * block));
      if (given * block < kMiB) return;  // the setting's own minimum
      const auto engine = try_engine(model, settings);
      QCOMPARE(plan.verdict != Verdict::fails, engine.ok());
      QCOMPARE(engine.ok(), given == blocks);
    }
  }

  /// As the engine: what cannot start is said with the numbers.
  void a_limit_below_the_weights() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model is not here");
    Settings3 wanted{.limit = 64 * kMiB};
    const DeploymentPlan plan = planned(*model, wanted);
    QCOMPARE(plan.verdict, Verdict::fails);
    QVERIFY(plan.worst_rank().over() > 0);
    QVERIFY(!try_engine(*model, settings_of(wanted)));
  }
};

QTEST_GUILESS_MAIN(PlanEngineTest)
#include "plan_engine_test.moc"
