// SPDX-License-Identifier: GPL-3.0-or-later
// Budgets in every engine's meaning, verdicts, fixes and stored deployments.
#include <QTest>
#include <chrono>
#include <cmath>

#include "engine/plan/deployment_plan.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Meaning = MemoryBudget::Meaning;

using test::model_of;

GpuProfile card(Bytes memory) {
  GpuProfile gpu;
  gpu.name = "card";
  gpu.memory = memory;
  return gpu;
}

Deployment eight_billion() {
  Deployment asked;
  asked.model = "llama-3-8b";
  asked.max_model_len = 8192;
  asked.engine = "vllm";
  asked.block_size = 16;
  return asked;
}

DeploymentPlan planned(const Deployment& asked, Bytes memory = 80 * kGiB) {
  auto plan = plan_deployment(asked, model_of(asked.model.c_str()), card(memory));
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return *plan;
}

Bytes other(const DeploymentPlan& plan) {
  return plan.worst_rank().total() - plan.worst_rank().of(Category::kv);
}

bool says(const DeploymentPlan& plan, std::string_view text) {
  for (const std::string& note : plan.notes) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

class PlanBudgetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Case 018: of the total, and of what is free after load.
  void two_meanings_of_a_share() {
    Deployment asked = eight_billion();
    asked.budget = {Meaning::share_of_total, 0.9};
    DeploymentPlan plan = planned(asked);
    const Bytes block = plan.kv_block_bytes;
    QCOMPARE(plan.kv_blocks, (static_cast<Bytes>(0.9 * 80) * kGiB - other(plan)) / block);
    asked.budget.meaning = Meaning::share_of_free;
    plan = planned(asked);
    const auto free = static_cast<double>(80 * kGiB - other(plan));
    QCOMPARE(plan.kv_blocks, static_cast<Bytes>(0.9 * free) / block);
    // Both at once: the smaller wins.
    asked.budget = {Meaning::share_of_total, 0.9, 40 * kGiB};
    QVERIFY(planned(asked).worst_rank().total() <= 40 * kGiB);
    asked.budget = {Meaning::share_of_total, 0.3, 40 * kGiB};
    QVERIFY(planned(asked).worst_rank().total() <= 24 * kGiB);
  }

  /// On a GPU our own pool has an array for each layer, which ends with a page of 2 MiB of its own: an H200
  /// under a limit of 16 GiB refused 4,091 blocks of Qwen3-0.6B's 28 layers for 10.8 MiB.
  void a_limit_leaves_room_for_pages() {
    Deployment asked;
    asked.model = "qwen3-0.6b";
    asked.max_model_len = 4096;
    asked.max_num_seqs = 64;
    asked.budget = {Meaning::bytes, 0, 16 * kGiB};
    for (const char* dtype : {"bfloat16", "int8"}) {
      asked.kv_cache_dtype = dtype;
      const auto plan = plan_deployment(asked, model_of("qwen3-0.6b"), find_gpu("H200").value());
      PW_VERIFY(plan);
      const int arrays = 28 * (asked.kv_cache_dtype == "int8" ? 2 : 1);
      const Bytes left = 16 * kGiB - plan->worst_rank().total();
      QVERIFY(left >= arrays * 2 * kMiB);
      QVERIFY(left < arrays * 2 * kMiB + plan->kv_block_bytes);
    }
  }

  /// Engines that keep every layer at full length are not this one: their budgets and pools are their own.
  void full_length_is_not_this_engine() {
    Deployment asked;
    asked.model = "gemma-3-1b";  // windows in five layers of six
    asked.gpu = "H200";
    asked.engine = "lmdeploy";
    asked.budget = {Meaning::share_of_free, 0.8};
    const ModelOutline model = model_of("gemma-3-1b");
    const GpuProfile gpu = find_gpu("H200").value();
    const auto theirs = plan_deployment(asked, model, gpu);
    PW_VERIFY(theirs);
    const RankPlan& rank = theirs->worst_rank();
    const Bytes beside = rank.total() - rank.of(Category::kv);
    const auto pool = static_cast<Bytes>(0.8 * static_cast<double>(gpu.memory - beside));
    QVERIFY(rank.of(Category::kv) <= pool && rank.of(Category::kv) > pool - theirs->kv_block_bytes);
    asked.engine = "pitwall";
    const auto ours = plan_deployment(asked, model, gpu);
    PW_VERIFY(ours);
    QCOMPARE(theirs->kv_block_bytes, ours->kv_block_bytes);
    QVERIFY(ours->worst_rank().of(Category::kv) < rank.of(Category::kv));  // as much as its sequences need
  }

  /// The pool grows with max-num-seqs: more requests than run at once are no reason to take memory away.
  void more_requests_than_run_at_once() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.gpu = "H200";
    asked.requests = 64;
    asked.lengths.max = 8192;
    const ModelOutline model = model_of("llama-3-8b");
    const GpuProfile gpu = find_gpu("H200").value();
    const auto plan = plan_deployment(asked, model, gpu);
    PW_VERIFY(plan);
    QVERIFY(plan->verdict == Verdict::fits_with_less);
    QVERIFY(waits_for_slots(*plan));
    QCOMPARE(requests_at_once(*plan), std::int64_t{32});
    const std::vector<Fix> fixes = find_fixes(*plan);
    QCOMPARE(fixes.size(), std::size_t{1});  // no memory is lacking
    QCOMPARE(fixes.front().setting, "max-num-seqs");
    QCOMPARE(fixes.front().from, "32");
    QCOMPARE(fixes.front().to, "64");
    QVERIFY(fixes.front().fits);
    asked.max_num_seqs = 64;
    QVERIFY(plan_deployment(asked, model, gpu)->verdict == Verdict::fits);
  }

  /// Slots are of a replica: two share the requests.
  void slots_are_counted_by_replica() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.gpus = 2;
    asked.requests = 64;
    asked.max_num_seqs = 24;
    asked.lengths.max = 8192;
    const ModelOutline model = model_of("llama-3-8b");
    const GpuProfile gpu = find_gpu("H200").value();
    const auto plan = plan_deployment(asked, model, gpu);
    PW_VERIFY(plan);
    QVERIFY(waits_for_slots(*plan));
    QCOMPARE(requests_at_once(*plan), std::int64_t{48});
    QCOMPARE(plan->fixes.size(), std::size_t{1});
    QCOMPARE(plan->fixes.front().to, "32");
    const auto changed = with_fix(asked, plan->fixes.front());
    PW_VERIFY(changed);
    QVERIFY(plan_memory(*changed, model, gpu)->verdict == Verdict::fits);
  }

  /// Fewer requests where memory is short: the demand is lowered, and told so.
  void fewer_requests_are_the_demand() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.gpu = "L40S";
    asked.requests = 64;
    asked.max_num_seqs = 128;
    asked.lengths.max = 8192;
    const ModelOutline model = model_of("llama-3-8b");
    const GpuProfile gpu = find_gpu("L40S").value();
    const auto plan = plan_deployment(asked, model, gpu);
    PW_VERIFY(plan);
    QVERIFY(plan->verdict == Verdict::fits_with_less && !waits_for_slots(*plan));
    const auto fewer = std::find_if(plan->fixes.begin(), plan->fixes.end(),
                                    [](const Fix& fix) { return fix.setting == "requests"; });
    QVERIFY(fewer != plan->fixes.end());
    QCOMPARE(fewer->from, "64");
    QCOMPARE(fewer->to, std::to_string(requests_at_once(*plan)));
    QVERIFY(plan_memory(with_fix(asked, *fewer).value(), model, gpu)->verdict == Verdict::fits);
  }

  /// Where no single change is enough, two are: what is told of them holds when they are made.
  void two_changes_are_enough_together() {
    struct Far {
      const char *model, *gpu;
      std::int64_t max_model_len;
    };
    for (const Far& far : {Far{"deepseek-v3", "H200", 0}, Far{"kimi-k2", "H200", 32768},
                           Far{"llama-3.1-405b", "H100", 0}, Far{"qwen2.5-72b", "L4", 8192}}) {
      Deployment asked;
      asked.model = far.model;
      asked.gpu = far.gpu;
      if (far.max_model_len > 0) asked.max_model_len = far.max_model_len;
      const ModelOutline model = model_of(far.model);
      const GpuProfile gpu = find_gpu(far.gpu).value();
      const auto plan = plan_deployment(asked, model, gpu);
      PW_VERIFY(plan);
      const bool single =
          std::any_of(plan->fixes.begin(), plan->fixes.end(), [](const Fix& fix) { return fix.fits; });
      QVERIFY2(!single && plan->fix_pair.size() == 2, far.model);
      Result<Deployment> both = with_fix(asked, plan->fix_pair.front());
      PW_VERIFY(both);
      both = with_fix(*both, plan->fix_pair.back());
      PW_VERIFY(both);
      const auto then = plan_memory(*both, model, gpu);
      PW_VERIFY(then);
      QVERIFY2(then->verdict == Verdict::fits, far.model);
    }
  }

  void no_pair_where_one_change_is_enough() {
    Deployment asked;
    asked.model = "llama-3.1-70b";
    asked.gpu = "RTX-4090";
    asked.max_model_len = 4096;
    const auto plan = plan_deployment(asked, model_of("llama-3.1-70b"), find_gpu("RTX-4090").value());
    PW_VERIFY(plan);
    QVERIFY(plan->fixes.front().fits);
    QVERIFY(plan->fix_pair.empty());
  }

  /// No change makes room by refusing the requests that were stated.
  void stated_requests_are_not_refused() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.max_num_seqs = 256;
    asked.lengths.max = asked.lengths.p95 = asked.lengths.p50 = 8192;
    const auto plan = plan_deployment(asked, model_of("llama-3-8b"), find_gpu("L40S").value());
    PW_VERIFY(plan);
    QVERIFY(plan->verdict != Verdict::fits);
    for (const Fix& fix : find_fixes(*plan)) QVERIFY(fix.setting != "max-model-len");
    asked.lengths = {};  // nothing is said: any length may be meant
    const auto open = plan_deployment(asked, model_of("llama-3-8b"), find_gpu("L40S").value());
    bool shortens = false;
    for (const Fix& fix : find_fixes(*open)) shortens = shortens || fix.setting == "max-model-len";
    QVERIFY(shortens);
  }

  void a_typical_request_beyond_the_length_is_said() {
    Deployment asked;
    asked.model = "llama-3-8b";
    asked.prompt_tokens = 90'000;
    asked.output_tokens = 500;
    const auto plan = plan_deployment(asked, model_of("llama-3-8b"), find_gpu("H200").value());
    PW_VERIFY(plan);
    QVERIFY(says(*plan, "longer than the 8,192 that are served"));
  }

  /// Case 015: what another process holds is not this one's use; together they must fit.
  void other_processes() {
    Deployment asked = eight_billion();
    asked.budget = {Meaning::share_of_total, 0.4};
    const DeploymentPlan first = planned(asked);
    asked.budget.other_processes = 32 * kGiB;
    const DeploymentPlan second = planned(asked);
    QCOMPARE(second.kv_blocks, first.kv_blocks);
    QVERIFY(second.verdict != Verdict::fails);
    asked.budget.share = 0.7;
    const DeploymentPlan refused = planned(asked);
    QCOMPARE(refused.verdict, Verdict::fails);
    QVERIFY(says(refused, "56.00 GiB"));
    QVERIFY(says(refused, "48.00 GiB are free"));
  }

  /// Case 017: 0.22 of 30.3 GiB free, 0.7 asked.
  void a_share_beyond_what_is_free() {
    Deployment asked = eight_billion();
    const auto memory = static_cast<Bytes>(30.3 * 1024) * kMiB;
    asked.budget = {Meaning::share_of_total, 0.7, 0, memory - 225 * kMiB};
    const DeploymentPlan plan = planned(asked, memory);
    QCOMPARE(plan.verdict, Verdict::fails);
    QVERIFY(says(plan, "21.21 GiB"));
    QVERIFY(says(plan, "0.22 GiB are free"));
  }

  /// Case 020: one device, one unit.
  void one_unit() { QCOMPARE(format_bytes(33'689'829'376), std::string("31.38 GiB")); }

  void kv_bytes_and_margin() {
    Deployment asked = eight_billion();
    asked.budget = {Meaning::kv_bytes, 0, 4 * kGiB};
    QCOMPARE(planned(asked).worst_rank().of(Category::kv), 4 * kGiB);
    asked.budget.bytes = 79 * kGiB;
    const DeploymentPlan too_much = planned(asked);
    QCOMPARE(too_much.verdict, Verdict::fails);
    QVERIFY(too_much.worst_rank().over() > 0);
    asked.budget = {Meaning::margin, 0, 10 * kGiB};
    QCOMPARE(planned(asked).worst_rank().limit, 70 * kGiB);
  }

  /// Case 019: graphs and run time are a line of their own, and the pool is smaller by it.
  void graphs_are_in_the_budget() {
    Deployment asked = eight_billion();
    const DeploymentPlan with = planned(asked);
    asked.graphs = false;
    const DeploymentPlan without = planned(asked);
    const Bytes line = with.worst_rank().of(Category::graphs);
    QVERIFY(line > 0);
    QCOMPARE(without.worst_rank().of(Category::graphs), Bytes{0});
    const Bytes grown = without.worst_rank().of(Category::kv) - with.worst_rank().of(Category::kv);
    QVERIFY(std::abs(grown - line) < with.kv_block_bytes);
  }

  /// Case 022: logits of whole prompts, where an engine computes them at once.
  void prompt_logprobs() {
    Deployment asked = eight_billion();
    asked.model = "qwen3-8b";
    asked.max_num_batched_tokens = 8192;
    asked.prompt_logprobs = true;
    QCOMPARE(planned(asked).worst_rank().of(Category::logits), Bytes{8192} * 151'936 * 4);
    asked.engine = "pitwall";  // chunks of 32 rows
    asked.block_size = 32;
    QVERIFY(planned(asked).worst_rank().of(Category::logits) < 256 * kMiB);
  }

  void stages_and_the_worst_rank() {
    Deployment asked = eight_billion();
    asked.gpus = 4;
    asked.tensor_parallel = 2;
    asked.pipeline_parallel = 2;
    const DeploymentPlan plan = planned(asked);
    QCOMPARE(plan.ranks.size(), std::size_t{4});
    Bytes weights = 0;
    for (const RankPlan& rank : plan.ranks) weights += rank.of(Category::weights);
    const ModelOutline model = model_of("llama-3-8b");
    QVERIFY(weights >= model.weight_bytes());
    QVERIFY(weights < model.weight_bytes() + model.weight_bytes() / 50);
    for (const RankPlan& rank : plan.ranks)
      QVERIFY(rank.of(Category::kv) >= plan.worst_rank().of(Category::kv));
    QCOMPARE(plan.worst_rank().kv_bytes_per_token, Bytes{131'072 / 4});
  }

  /// The change that is offered and the count that stands beside it were 66 and 65: fewer sequences need a
  /// little less beside KV.
  void fewer_sequences_are_as_many_as_fit() {
    for (const Deployment& shipped : shipped_deployments()) {
      Deployment asked = shipped;
      asked.max_num_seqs = 128;
      asked.requests = 72;
      asked.gpu = "L40S";
      asked.gpus = asked.tensor_parallel = 2;
      const auto plan = plan_deployment(asked, model_of(asked.model.c_str()), find_gpu(asked.gpu).value());
      PW_VERIFY(plan);
      for (const Fix& fix : plan->fixes) {
        if (fix.setting != "requests") continue;
        QCOMPARE(fix.to, std::to_string(std::min<std::int64_t>(plan->most_at_p95, 71)));
        QVERIFY(fix.fits);
      }
    }
  }

  /// Longer requests than max-model-len were asked of a pool that was made for max-model-len, and the line
  /// fell to a quarter there.
  void the_frontier_goes_on_beyond_max_length() {
    Deployment asked = shipped_deployments().back();
    for (const Deployment& shipped : shipped_deployments())
      if (shipped.model == "qwen2.5-72b-awq") asked = shipped;
    asked.gpu = "A100-80G";
    asked.gpus = asked.tensor_parallel = 8;
    asked.max_num_seqs = 128;
    asked.max_model_len = 8192;
    asked.shared_prefix = 2048;
    const auto plan = plan_memory(asked, model_of(asked.model.c_str()), find_gpu(asked.gpu).value());
    PW_VERIFY(plan);
    const auto tokens_held = [&](std::int64_t tokens) {
      return static_cast<double>(requests_that_fit(*plan, tokens) * (tokens - asked.shared_prefix));
    };
    const double at_max = tokens_held(8192);
    QVERIFY(at_max > 0);
    std::int64_t before = requests_that_fit(*plan, 8192);
    for (std::int64_t tokens = 8704; tokens <= 32'768; tokens += 512) {
      const std::int64_t fit = requests_that_fit(*plan, tokens);
      QVERIFY2(fit <= before, std::to_string(tokens).c_str());
      QVERIFY2(tokens_held(tokens) > 0.75 * at_max, std::to_string(tokens).c_str());
      before = fit;
    }
  }

  void verdicts_and_fixes() {
    Deployment asked = eight_billion();
    asked.max_num_seqs = 32;
    QCOMPARE(planned(asked).verdict, Verdict::fits);
    QVERIFY(planned(asked).fixes.empty());

    const DeploymentPlan less = planned(asked, 40 * kGiB);
    QCOMPARE(less.verdict, Verdict::fits_with_less);
    QVERIFY(less.worst_rank().kv_short() > 0);
    QVERIFY(!less.fixes.empty());
    bool enough = true;
    for (const Fix& fix : less.fixes) {
      QVERIFY2(fix.frees > 0, fix.setting.c_str());
      QVERIFY2(enough || !fix.fits, "enough ones first");
      enough = fix.fits;
    }
    const auto fix = [&](std::string_view setting) {
      for (const Fix& one : less.fixes) {
        if (one.setting == setting) return one;
      }
      return Fix{};
    };
    // The smallest change: one request more would no longer fit.
    const Fix sequences = fix("max-num-seqs");
    QVERIFY(sequences.fits);
    asked.max_num_seqs = std::stoi(sequences.to);
    QCOMPARE(planned(asked, 40 * kGiB).verdict, Verdict::fits);
    ++asked.max_num_seqs;
    QCOMPARE(planned(asked, 40 * kGiB).verdict, Verdict::fits_with_less);
    QVERIFY(fix("kv-cache-dtype").frees > 0);
    QVERIFY(fix("tensor-parallel-size").fits);
    QVERIFY(fix("max-model-len").fits);

    asked.max_num_seqs = 32;
    const DeploymentPlan fails = planned(asked, 8 * kGiB);
    QCOMPARE(fails.verdict, Verdict::fails);
    QVERIFY(fails.worst_rank().over() > 0);
  }

  void lengths() {
    Deployment asked = eight_billion();
    asked.lengths.trace = {100, 200, 300, 400, 8000};
    const DeploymentPlan plan = planned(asked);
    QCOMPARE(plan.lengths.p50, std::int64_t{300});
    QCOMPARE(plan.lengths.p95, std::int64_t{8000});
    QVERIFY(plan.most_at_p50 > plan.most_at_p95);
    QCOMPARE(plan.most_at_p95, requests_that_fit(plan, 8000));
    QVERIFY(plan.waste_per_sequence > 0);
    std::int64_t before = requests_that_fit(plan, 1);
    for (std::int64_t tokens = 2; tokens < 100'000; tokens *= 3) {
      const std::int64_t most = requests_that_fit(plan, tokens);
      QVERIFY(most <= before);
      before = most;
    }
  }

  void nonsense_is_refused_by_name() {
    const auto refused = [](auto&& change, const char* param) {
      Deployment asked = eight_billion();
      change(asked);
      const auto plan = plan_deployment(asked, model_of("llama-3-8b"), card(80 * kGiB));
      QVERIFY2(!plan, param);
      QCOMPARE(plan.error().param, std::string(param));
      QVERIFY(!plan.error().action.empty());
    };
    refused([](Deployment& d) { d.max_model_len = 1'000'000'000'000; }, "max-model-len");
    refused([](Deployment& d) { d.max_model_len = -5; }, "max-model-len");
    refused([](Deployment& d) { d.max_num_seqs = 0; }, "max-num-seqs");
    refused([](Deployment& d) { d.block_size = 0; }, "block-size");
    refused([](Deployment& d) { d.gpus = 3, d.tensor_parallel = 2; }, "tensor-parallel-size");
    refused([](Deployment& d) { d.kv_cache_dtype = "fp7"; }, "kv-cache-dtype");
    refused([](Deployment& d) { d.quantization = "zip"; }, "quantization");
    refused([](Deployment& d) { d.budget = {Meaning::share_of_total, 1.5}; }, "gpu-memory-utilization");
    refused([](Deployment& d) { d.lengths.p50 = 100, d.lengths.p95 = 50; }, "lengths");
    refused([](Deployment& d) { d.lengths.trace = {5, -1}; }, "lengths");
    refused([](Deployment& d) { d.engine = "pitwall", d.kv_cache_dtype = "nvfp4"; }, "kv-cache-dtype");
  }

  /// Case 010: the numbers, and what would work.
  void heads_that_ranks_do_not_divide() {
    Deployment asked = eight_billion();
    asked.model = "qwen2.5-7b";
    asked.gpus = asked.tensor_parallel = 8;
    const auto plan = plan_deployment(asked, model_of("qwen2.5-7b"), card(80 * kGiB));
    QVERIFY(!plan);
    const std::string text = plan.error().text();
    for (const char* part : {"28", "8", "1, 2, 4, 7, 14, 28"})
      QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    // 4 KV heads go into 1, 2, 4 and 28 ranks, a width of 18,944 not into 28.
    QCOMPARE(legal_tensor_parallel(model_of("qwen2.5-7b"), false), (std::vector<int>{1, 2, 4}));
    for (const int size : {7, 14, 28}) {
      asked.gpus = asked.tensor_parallel = size;
      const auto uneven = plan_deployment(asked, model_of("qwen2.5-7b"), card(80 * kGiB));
      QVERIFY(!uneven);
      QCOMPARE(uneven.error().param, std::string("tensor-parallel-size"));
      QVERIFY(uneven.error().text().find("1, 2, 4;") != std::string::npos);
    }
  }

  /// Each rank takes whole groups that share a scale: 29,696 = 232 · 128, 5,632 = 44 · 128.
  void groups_that_ranks_do_not_divide() {
    QCOMPARE(legal_tensor_parallel(model_of("qwen2.5-72b-awq"), false), (std::vector<int>{1, 2, 4, 8}));
    ModelOutline small = model_of("qwen2.5-72b-awq");
    small.intermediate = 5632;
    Deployment asked = eight_billion();
    asked.gpus = asked.tensor_parallel = 8;
    const auto plan = plan_deployment(asked, small, card(80 * kGiB));
    QVERIFY(!plan);
    QVERIFY2(plan.error().text().find("groups of 128") != std::string::npos, plan.error().text().c_str());
    asked.engine = "llama.cpp";  // cuts rows where it likes
    PW_VERIFY(plan_deployment(asked, small, card(80 * kGiB)));
  }

  /// A change is tried at the length that the plan settled on, and takes it along.
  void fixes_keep_the_length_that_was_found() {
    Deployment asked;
    asked.max_num_seqs = 2;
    asked.engine = "pitwall";
    const auto gpu = find_gpu("RTX-4090");
    PW_VERIFY(gpu);
    const ModelOutline model = model_of("llama-3.1-8b");
    const auto open = plan_deployment(asked, model, *gpu);
    PW_VERIFY(open);
    QVERIFY(open->max_model_len < model.context_length);
    asked.max_model_len = open->max_model_len;
    const auto stated = plan_deployment(asked, model, *gpu);
    PW_VERIFY(stated);
    QCOMPARE(open->fixes.size(), stated->fixes.size());
    bool narrower = false;
    for (std::size_t i = 0; i < open->fixes.size(); ++i) {
      const Fix &found = open->fixes[i], &same = stated->fixes[i];
      QCOMPARE(found.setting, same.setting);
      QCOMPARE(found.to, same.to);
      QCOMPARE(found.frees, same.frees);
      QCOMPARE(found.fits, same.fits);
      QVERIFY(!same.max_model_len);
      QCOMPARE(found.max_model_len.has_value(), found.setting != "max-model-len");
      if (found.max_model_len) QCOMPARE(*found.max_model_len, open->max_model_len);
      narrower = narrower || (found.setting == "kv-cache-dtype" && found.fits);
      // GPUs of one host.
      if (found.setting == "tensor-parallel-size") QVERIFY(std::stoi(found.to) <= 8);
    }
    QVERIFY(narrower);
  }

  /// llama.cpp takes the context of its slots at the start, and no more of the card.
  void llama_cpp_takes_what_it_is_asked_for() {
    Deployment asked;
    asked.engine = "llama.cpp";
    asked.max_model_len = 1024;
    asked.max_num_seqs = 4;
    const auto gpu = find_gpu("RTX-4090");
    PW_VERIFY(gpu);
    const auto plan = plan_memory(asked, model_of("gemma-3-270m"), *gpu);
    PW_VERIFY(plan);
    QCOMPARE(plan->worst_rank().of(Category::kv), 72 * kMiB);  // planning.md §3, row 17
    QCOMPARE(plan->waste_per_sequence, Bytes{0});
    QVERIFY(plan->most_at_max > 4);  // with more slots
  }

  /// Slots that nobody counts share one context (planning.md §7); those that are counted divide the model's.
  void llama_cpp_shares_one_context() {
    Deployment asked;
    asked.engine = "llama.cpp";
    asked.max_num_seqs = 4;
    asked.shared_context = true;
    const auto gpu = find_gpu("RTX-4090");
    PW_VERIFY(gpu);
    const Bytes context = Bytes{40'960} * 147'456;
    const auto shared = plan_deployment(asked, model_of("qwen3-8b"), *gpu);
    PW_VERIFY(shared);
    QCOMPARE(shared->worst_rank().of(Category::kv), context);
    QCOMPARE(shared->longest, std::int64_t{40'960});
    QCOMPARE(shared->lengths.p95, std::int64_t{10'240});
    QVERIFY(shared->verdict == Verdict::fits);
    asked.shared_context = false;
    const auto divided = plan_deployment(asked, model_of("qwen3-8b"), *gpu);
    PW_VERIFY(divided);
    QCOMPARE(divided->worst_rank().of(Category::kv), context);
    QCOMPARE(divided->max_model_len, std::int64_t{10'240});
  }

  void stored_deployments() {
    QCOMPARE(shipped_deployments().size(), std::size_t{3});
    for (const Deployment& shipped : shipped_deployments()) {
      const auto again = parse_deployment(deployment_json(shipped));
      PW_VERIFY(again);
      QCOMPARE(deployment_json(*again), deployment_json(shipped));
      PW_VERIFY(plan_deployment(shipped, model_of(shipped.model.c_str()), card(80 * kGiB)));
    }
    const Deployment& article = shipped_deployments().front();
    QCOMPARE(article.gpus, 8);
    QCOMPARE(article.shared_prefix, std::int64_t{2048});
    for (const char* bad : {"", "[]", "{\"gpu\": 3}", "{\"speed\": 1}", "{\"max_num_seqs\": 1e300}",
                            "{\"gpus\": -1}", "{\"engine\": \"x\"}", "{\"memory_meaning\": \"x\"}"})
      QVERIFY2(!parse_deployment(bad), bad);
    QCOMPARE(parse_deployment("{\"speed\": 1}").error().param, std::string("speed"));
  }
};

QTEST_APPLESS_MAIN(PlanBudgetTest)
#include "plan_budget_test.moc"
