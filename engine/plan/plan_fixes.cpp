// SPDX-License-Identifier: GPL-3.0-or-later
// Single changes that make a plan fit: each is planned, and the smallest that is enough is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/plan/amounts.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/planner.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

namespace {

/// What a plan wants of its worst rank: everything beside the pool, and KV for the demand.
Bytes wants(const DeploymentPlan& plan) {
  const RankPlan& rank = plan.worst_rank();
  return capped_sum(rank.total() - rank.of(Category::kv), rank.kv_needed);
}

class FixFinder {
 public:
  explicit FixFinder(const DeploymentPlan& plan) : plan_(plan), base_(plan.asked) {
    base_.quantization.clear();  // the plan's model has it already
    if (base_.max_model_len || plan.max_model_len >= plan.model.context_length) return;
    base_.max_model_len = kept_length_ = plan.max_model_len;
  }

  std::vector<Fix> find() {
    if (plan_.verdict == Verdict::fits) return {};
    if (waits_for_slots(plan_)) {
      more_sequences();
      return std::move(fixes_);
    }
    if (plan_.refusal) {
      starting_value(*plan_.refusal);
      return std::move(fixes_);
    }
    share();
    more_memory();
    kv_size();
    sequences();
    length();
    kv_format();
    ranks();
    experts();
    weights();
    step_tokens();
    graphs();
    prompt_logprobs();
    std::stable_sort(fixes_.begin(), fixes_.end(), [](const Fix& a, const Fix& b) {
      if (a.fits != b.fits) return a.fits;
      if (!a.fits && (a.frees == 0) != (b.frees == 0)) return a.frees == 0;  // with those it starts
      return a.fits ? a.frees < b.frees : a.frees > b.frees;
    });
    return std::move(fixes_);
  }

 private:
  struct Tried {
    bool planned = false, fits = false, starts = false;
    Bytes frees = 0;
  };

  Tried tried(const Deployment& changed) const {
    const auto plan = plan_memory(changed, plan_.model, plan_.gpu);
    if (!plan || (plan->refusal && !plan_.refusal)) return {};
    return {true, plan->verdict == Verdict::fits, plan->verdict != Verdict::fails && plan->most_at_p50 > 0,
            wants(plan_) - wants(*plan)};
  }

  void keep(const Tried& tried, const char* setting, std::string from, std::string to, std::string cost) {
    if (!tried.planned || (tried.frees <= 0 && !tried.fits)) return;
    const bool length = std::string_view(setting) == "max-model-len";
    fixes_.push_back({setting, std::move(from), std::move(to), tried.frees, tried.fits, std::move(cost),
                      length ? std::nullopt : kept_length_});
  }

  /// The largest value in [least, now) with which it fits, or at least starts; least − 1 = none does.
  template <class Change>
  std::int64_t largest_that_fits(std::int64_t now, const Change& change, std::int64_t least = 1,
                                 bool Tried::*enough = &Tried::fits) const {
    std::int64_t low = least - 1, high = now;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (tried(change(middle)).*enough ? low : high) = middle;
    }
    return low;
  }

  void starting_value(const EngineRefusal& refusal) {
    const bool length = refusal.setting == "max-model-len";
    const char* const cost = length ? "longer requests are refused" : "the engine starts with it";
    Fix fix{refusal.setting, refusal.from, refusal.to, 0, false, cost, std::nullopt};
    const auto changed = with_fix(base_, fix);
    if (!changed) return;
    const Tried starts = tried(*changed);
    fix.fits = starts.fits;
    if (starts.planned) fixes_.push_back(std::move(fix));
  }

  /// A share that other processes, or working memory beside it, leave no room for.
  void share() {
    using Meaning = MemoryBudget::Meaning;
    const MemoryTerms terms = memory_terms_of(plan_);
    const MemoryBudget& now = plan_.budget;
    const Bytes free = terms.total - now.other_processes;
    Bytes base = terms.total, most = free;
    if (now.meaning == Meaning::share_static) most -= terms.working;
    if (now.meaning == Meaning::share_after_weights)
      base = free - terms.weights, most = free - terms.loaded();
    const auto all = static_cast<double>(base);
    if (!now.takes_share() || now.meaning == Meaning::share_of_free || most <= 0 ||
        now.share * all <= static_cast<double>(most))
      return;
    Deployment changed = base_;
    changed.budget = now;
    changed.budget.share = std::floor(100 * static_cast<double>(most) / all) / 100;
    if (changed.budget.share <= 0) return;
    Tried less = tried(changed);
    less.frees = static_cast<Bytes>((now.share - changed.budget.share) * all);
    const bool total = now.meaning == Meaning::share_of_total;
    const std::string setting = total ? "gpu-memory-utilization" : memory_setting_of(now)->first;
    keep(less, setting.c_str(), fmt::format("{:g}", now.share), fmt::format("{:g}", changed.budget.share),
         total ? "a smaller pool; other processes keep what they hold" : "a smaller pool");
  }

  /// Budgets above a stated one: the engine's own first, then from the least on, as a person types them.
  std::vector<MemoryBudget> larger_budgets(const MemoryBudget& now) const {
    using Meaning = MemoryBudget::Meaning;
    std::vector<MemoryBudget> more;
    const auto choice = find_engine_choice(base_.engine);
    if (choice && choice->engine != nullptr) {
      MemoryBudget own = now;
      const MemoryBudget unasked = default_budget(*choice->engine, base_, place_of(base_, plan_.gpu));
      own.share = unasked.share;
      if (!now.takes_share()) own.bytes = unasked.bytes;
      const bool larger = now.takes_share() ? own.share > now.share : own.bytes < now.bytes;
      if (unasked.meaning == now.meaning && larger) more.push_back(own);
    }
    MemoryBudget next = now;
    if (now.takes_share()) {
      for (int percent = static_cast<int>(std::floor(100 * now.share)) + 1; percent < 100; ++percent)
        next.share = percent / 100.0, more.push_back(next);
    } else if (now.meaning == Meaning::bytes) {
      for (next.bytes = now.bytes / kGiB * kGiB + kGiB; next.bytes <= plan_.gpu.memory; next.bytes += kGiB)
        more.push_back(next);
    }
    return more;
  }

  /// A stated budget that leaves too little: raised until it is enough, or else until the engine starts.
  void more_memory() {
    using Meaning = MemoryBudget::Meaning;
    const MemoryBudget& now = base_.budget;
    if (!now.takes_share() && now.meaning != Meaning::bytes && now.meaning != Meaning::margin) return;
    const bool fails = plan_.verdict == Verdict::fails;
    std::optional<MemoryBudget> enough, starts;
    for (const MemoryBudget& more : larger_budgets(now)) {
      Deployment changed = base_;
      changed.budget = more;
      const Tried next = tried(changed);
      if (next.starts && !starts) starts = more;
      if (!next.fits) continue;
      enough = more;
      break;
    }
    if (!enough && !(fails && starts)) return;
    const MemoryBudget& to = enough ? *enough : *starts;
    const auto said = [&](const MemoryBudget& budget) {
      return budget.takes_share() ? fmt::format("{:g}", budget.share) : exact_size(budget.bytes);
    };
    const bool total = now.meaning == Meaning::share_of_total;
    fixes_.push_back({total ? "gpu-memory-utilization" : memory_setting_of(now)->first, said(now), said(to),
                      0, enough.has_value(), "a larger pool", kept_length_});
  }

  void more_sequences() {
    Deployment changed = base_;
    changed.max_num_seqs = static_cast<int>(divided_up(base_.requests, plan_.replicas));
    changed.shared_context = false;
    Tried more = tried(changed);
    more.frees = 0;
    keep(more, "max-num-seqs", format_count(base_.max_num_seqs), format_count(changed.max_num_seqs),
         "a larger KV pool; activations and logits grow with it");
  }

  /// KV of a stated size that is more than everything else leaves.
  void kv_size() {
    const MemoryBudget& now = plan_.budget;
    const RankPlan& rank = plan_.worst_rank();
    const Bytes room = rank.limit - (rank.total() - rank.of(Category::kv));
    if (now.meaning != MemoryBudget::Meaning::kv_bytes || now.bytes <= room) return;
    const Bytes unit = room >= kGiB ? kGiB : kMiB;
    Deployment changed = base_;
    changed.budget.bytes = room / unit * unit;
    if (changed.budget.bytes <= 0) return;
    Tried less = tried(changed);
    less.frees = now.bytes - changed.budget.bytes;
    keep(less, "kv-cache-memory-bytes", exact_size(now.bytes), exact_size(changed.budget.bytes),
         "a smaller pool");
  }

  /// Slots that no request needs take memory too.
  bool idle_slots() {
    const std::int64_t now = base_.max_num_seqs, needed = divided_up(base_.requests, plan_.replicas);
    if (base_.requests == 0 || needed >= now || base_.shared_context) return false;
    const auto change = [&](std::int64_t slots) {
      Deployment changed = base_;
      changed.max_num_seqs = static_cast<int>(slots);
      return changed;
    };
    const std::int64_t most = std::max(largest_that_fits(now, change, needed), needed);
    const Tried fewer = tried(change(most));
    keep(fewer, "max-num-seqs", format_count(now), format_count(most), "no request needs them");
    return fewer.fits;
  }

  void sequences() {
    if (idle_slots()) return;
    const bool apart = base_.requests > 0;
    if (base_.shared_context && !apart) return;  // fewer slots free nothing
    const int asked = demanded_requests(plan_);
    const auto change = [&](std::int64_t requests) {
      Deployment changed = base_;
      (apart ? changed.requests : changed.max_num_seqs) = static_cast<int>(requests);
      return changed;
    };
    const std::int64_t most = largest_that_fits(asked, change);
    if (most == 0) return;
    keep(tried(change(most)), apart ? "requests" : "max-num-seqs", format_count(asked), format_count(most),
         fmt::format("{} requests wait", format_count(asked - most)));
  }

  void length() {
    const std::int64_t now = plan_.max_model_len;
    const auto change = [&](std::int64_t tokens) {
      Deployment changed = base_;
      changed.max_model_len = tokens;
      return changed;
    };
    const std::int64_t most = largest_that_fits(now, change);
    const LengthMix& lengths = base_.lengths;
    const bool states_lengths = lengths.max > 0 || lengths.p50 > 0 || !lengths.trace.empty();
    if (most == 0 || (states_lengths && most < plan_.lengths.p50)) return;  // it would refuse most of them
    keep(tried(change(most)), "max-model-len", format_count(now), format_count(most),
         "longer requests are refused");
    if (plan_.verdict != Verdict::fails) return;
    const std::int64_t one = largest_that_fits(now, change, most + 1, &Tried::starts);
    if (one > most)
      keep(tried(change(one)), "max-model-len", format_count(now), format_count(one),
           "it starts; longer requests are refused, and those of this length take turns");
  }

  void kv_format() {
    const auto now = find_kv_format(plan_.kv_format);
    if (!now || now->bits <= 8 || now->latent_bytes > 0) return;
    Deployment changed = base_;
    changed.kv_cache_dtype = "fp8_e4m3";
    keep(tried(changed), "kv-cache-dtype", plan_.kv_format, changed.kv_cache_dtype,
         "replies change a little; more where the checkpoint has no KV scales");
  }

  void ranks() {
    constexpr int kGpusOfHost = 8;
    const int most = std::max(kGpusOfHost, base_.gpus);
    Tried last;
    int at = 0;
    Deployment changed = base_;
    for (const int size : legal_tensor_parallel(plan_.model, base_.expert_parallel)) {
      if (size <= base_.tensor_parallel || size > most || last.fits || (size & (size - 1)) != 0) continue;
      changed.tensor_parallel = at = size;
      changed.gpus = std::max(base_.gpus, size * base_.pipeline_parallel);
      changed.gpus = static_cast<int>(rounded_up(changed.gpus, size * base_.pipeline_parallel));
      last = tried(changed);
    }
    if (at == 0) return;
    const int more = changed.gpus - base_.gpus;
    keep(last, "tensor-parallel-size", std::to_string(base_.tensor_parallel), std::to_string(at),
         more > 1    ? fmt::format("{} more GPUs, and communication in each layer", more)
         : more == 1 ? "1 more GPU, and communication in each layer"
                     : "fewer replicas, and communication in each layer");
  }

  /// Replicas that have a copy of all experts each could share them.
  void experts() {
    if (plan_.model.experts == 0 || base_.expert_parallel || plan_.replicas < 2) return;
    Deployment changed = base_;
    changed.expert_parallel = true;
    keep(tried(changed), "expert-parallel", "off", "on",
         "replicas share the experts, and exchange tokens in each layer");
  }

  void weights() {
    Tried last;
    std::string to;
    for (const char* name : {"fp8", "awq"}) {
      const auto format = find_weight_format(name);
      if (!format || format->bits >= plan_.model.weight_bits || last.fits) continue;
      Deployment changed = base_;
      changed.quantization = to = name;
      last = tried(changed);
    }
    if (to.empty()) return;
    keep(last, "quantization", plan_.model.weight_format, to,
         "another checkpoint, whose quality has to be checked");
  }

  void step_tokens() {
    constexpr std::int64_t kUsual = 512;
    const std::int64_t now = base_.max_num_batched_tokens,
                       least = std::max<std::int64_t>(kUsual, base_.max_num_seqs);
    if (now <= least) return;
    const auto change = [&](std::int64_t tokens) {
      Deployment changed = base_;
      changed.max_num_batched_tokens = static_cast<int>(tokens);
      return changed;
    };
    const std::int64_t most = std::max(largest_that_fits(now, change, least), least);
    keep(tried(change(most)), "max-num-batched-tokens", format_count(now), format_count(most),
         "prompts take more steps");
  }

  void graphs() {
    if (!base_.graphs || plan_.worst_rank().of(Category::graphs) == 0) return;
    Deployment changed = base_;
    changed.graphs = false;
    keep(tried(changed), "cuda-graphs", "on", "off", "each decode step is launched kernel by kernel");
  }

  void prompt_logprobs() {
    if (!base_.prompt_logprobs) return;
    Deployment changed = base_;
    changed.prompt_logprobs = false;
    keep(tried(changed), "prompt-logprobs", "on", "off", "requests cannot ask for logprobs of their prompts");
  }

  const DeploymentPlan& plan_;
  Deployment base_;
  std::optional<std::int64_t> kept_length_;
  std::vector<Fix> fixes_;
};

}  // namespace

std::vector<Fix> find_fixes(const DeploymentPlan& plan) {
  return FixFinder(plan).find();
}

}  // namespace pitwall
