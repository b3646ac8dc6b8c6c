// SPDX-License-Identifier: GPL-3.0-or-later
// Changes that make a plan fit are the smallest: with the change it fits, with one notch less it does not.
#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <optional>
#include <random>

#include "engine/library/model_profile.h"
#include "engine/plan/deployment_plan.h"

using namespace pitwall;

namespace {

std::int64_t number_of(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

/// `asked` with that value of the setting; nothing where it is no number that can be a notch less.
std::optional<Deployment> changed(Deployment asked, const std::string& setting, std::int64_t value) {
  if (setting == "max-model-len") {
    asked.max_model_len = value;
  } else if (setting == "max-num-batched-tokens") {
    asked.max_num_batched_tokens = static_cast<int>(value);
  } else if (setting == "max-num-seqs") {
    asked.max_num_seqs = static_cast<int>(value);
  } else if (setting == "requests") {
    asked.requests = static_cast<int>(value);
  } else {
    return std::nullopt;
  }
  return asked;
}

class Cases {
 public:
  explicit Cases(std::uint64_t seed) : random_(seed) {
    for (const ModelProfile& profile : model_profiles()) {
      if (!profile.config.empty()) models_.push_back(read_outline(profile.name).value());
    }
  }

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random_);
  }
  const ModelOutline& model() { return models_[static_cast<std::size_t>(below(std::ssize(models_)))]; }
  GpuProfile gpu() {
    static constexpr const char* kGpus[] = {"H200", "A100-80G", "L40S", "RTX-4090", "L4"};
    return find_gpu(kGpus[below(std::ssize(kGpus))]).value();
  }

  Deployment deployment() {
    static constexpr const char* kEngines[] = {"auto",     "vllm", "sglang", "tensorrt-llm",
                                               "lmdeploy", "tgi",  "needed", "llama.cpp"};
    Deployment asked;
    asked.engine = kEngines[below(std::ssize(kEngines))];
    asked.max_num_seqs = 1 + static_cast<int>(below(600));
    asked.max_num_batched_tokens = 1024 << below(6);
    asked.max_model_len = 512 + below(40'000);
    asked.block_size = below(2) == 0 ? 32 : 64;
    if (below(3) == 0) asked.requests = 1 + static_cast<int>(below(300));
    asked.graphs = below(2) == 0;
    return asked;
  }

 private:
  std::mt19937_64 random_;
  std::vector<ModelOutline> models_;
};

}  // namespace

class PlanFixesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_notch_less_is_not_enough() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Cases cases(seed);
    int tried = 0;
    for (int i = 0; i < 400; ++i) {
      const ModelOutline& model = cases.model();
      const GpuProfile gpu = cases.gpu();
      const Deployment asked = cases.deployment();
      const auto plan = plan_memory(asked, model, gpu);
      if (!plan) continue;
      for (const Fix& fix : find_fixes(*plan)) {
        if (fix.setting == "tensor-parallel-size") QVERIFY(number_of(fix.to) <= 8);
        const bool less =
            changed(asked, fix.setting, 1).has_value() && number_of(fix.to) < number_of(fix.from);
        if (!less || !fix.fits) continue;
        ++tried;
        const std::string what = fmt::format("{} on {}: {} {} → {} of {}", model.name, gpu.name, fix.setting,
                                             fix.from, fix.to, deployment_json(asked));
        const auto verdict = [&](std::int64_t value) {
          return plan_memory(*changed(asked, fix.setting, value), model, gpu)->verdict;
        };
        QVERIFY2(verdict(number_of(fix.to)) == Verdict::fits, what.c_str());
        QVERIFY2(verdict(number_of(fix.to) + 1) != Verdict::fits, what.c_str());
      }
    }
    qInfo("%d changes", tried);
    QVERIFY(tried > 50);
  }
};

QTEST_APPLESS_MAIN(PlanFixesTest)
#include "plan_fixes_test.moc"
