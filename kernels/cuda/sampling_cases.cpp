// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/sampling.h: chosen tokens, log probabilities and the survivors of the filters against
// a sort in double; the same choices in another order of rows; draws against their probabilities by χ².
#include "kernels/cuda/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kNegligible = -40;
constexpr std::size_t kManyNumbers = 4'000'000;  ///< above, some rows stand for all

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

struct Wish {
  std::string shape;
  HostRows logits;
  int stride = 0;
  std::vector<SlotSampling> sampling;  ///< by slot
  std::vector<SampleRow> samples;
  bool counts_draws = false;  ///< all samples are of one row and slot: their frequencies are looked at
};

/// One row under one slot's sampling.
class Reference {
 public:
  Reference(const float* logits, int vocabulary, const SlotSampling& sampling) : logits_(logits) {
    float best = -INFINITY;
    for (int i = 0; i < vocabulary; ++i) {
      finite_ = finite_ && logits[i] < INFINITY;
      best = std::max(best, logits[i]);
    }
    finite_ = finite_ && best > -INFINITY;
    if (!finite_) return;
    best_ = static_cast<double>(best);
    best_token_ = static_cast<std::int32_t>(std::find(logits, logits + vocabulary, best) - logits);
    if (sampling.temperature > 0) temperature_ = static_cast<double>(sampling.temperature);
    double sum = 0;
    for (int i = 0; i < vocabulary; ++i) sum += std::exp(static_cast<double>(logits[i]) - best_);
    log_sum_ = best_ + std::log(sum);
  }

  /// What follows needs the tokens in order.
  void sort(int vocabulary, const SlotSampling& sampling) {
    for (std::int32_t i = 0; i < vocabulary; ++i) {
      if (may_be_drawn(i)) order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int32_t a, std::int32_t b) { return logits_[a] > logits_[b]; });
    for (const std::int32_t token : order_) weights_.push_back(std::exp(scaled(token)));
    filter(vocabulary, sampling);
  }

  bool is_finite() const { return finite_; }
  double logprob(std::int32_t token) const { return static_cast<double>(logits_[token]) - log_sum_; }
  std::int32_t best() const { return best_token_; }
  bool may_be_drawn(std::int32_t token) const { return scaled(token) >= kNegligible; }
  /// The filters' edges may lie a rounding to either side.
  bool may_survive(std::int32_t token, std::int32_t survivors) const {
    return survivors >= least_ && survivors <= most_ &&
           std::find(order_.begin(), order_.begin() + survivors, token) != order_.begin() + survivors;
  }
  std::int32_t most() const { return most_; }
  const std::vector<std::int32_t>& order() const { return order_; }
  double weight(std::size_t place) const { return weights_[place]; }

 private:
  double scaled(std::int32_t token) const {
    return (static_cast<double>(logits_[token]) - best_) / temperature_;
  }

  void filter(int vocabulary, const SlotSampling& sampling) {
    constexpr double kEdge = 3e-6;
    std::size_t kept = order_.size();
    if (sampling.top_k > 0 && sampling.top_k < vocabulary) kept = std::min(kept, size(sampling.top_k));
    const double total =
        std::accumulate(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(kept), 0.0);
    const auto head = [&](double mass) {
      double reached = 0;
      for (std::size_t i = 0; i < kept; ++i) {
        reached += weights_[i];
        if (reached >= mass * total) return i + 1;
      }
      return kept;
    };
    const auto above = [&](double weight) {
      return size(std::count_if(weights_.begin(), weights_.end(), [&](double w) { return w >= weight; }));
    };
    const auto top_p = static_cast<double>(sampling.top_p), min_p = static_cast<double>(sampling.min_p);
    std::size_t least = kept, most = kept;
    if (top_p < 1) {
      least = head(top_p - kEdge);
      most = head(top_p + kEdge);
    }
    if (min_p > 0) {
      least = std::min(least, above(min_p * (1 + kEdge)));
      most = std::min(most, above(min_p * (1 - kEdge)));
    }
    least_ = static_cast<std::int32_t>(least);
    most_ = static_cast<std::int32_t>(most);
  }

  const float* logits_;
  bool finite_ = true;
  double best_ = 0, log_sum_ = 0, temperature_ = 1;
  std::int32_t best_token_ = 0;
  std::vector<std::int32_t> order_;
  std::vector<double> weights_;
  std::int32_t least_ = 0, most_ = 0;
};

bool has_filters(const SlotSampling& sampling, int vocabulary) {
  return sampling.temperature > 0 &&
         ((sampling.top_k > 0 && sampling.top_k < vocabulary) || sampling.top_p < 1 || sampling.min_p > 0);
}

/// How far χ² of the draws lies above what it may be, in standard deviations; rare tokens count together.
double excess_of_chi_square(const Reference& reference, const std::map<std::int32_t, int>& drawn, int draws) {
  double total = 0, chi_square = 0, rare_expected = 0, rare_drawn = 0;
  int cells = 0;
  for (std::size_t i = 0; i < size(reference.most()); ++i) total += reference.weight(i);
  for (std::size_t i = 0; i < size(reference.most()); ++i) {
    const double expected = reference.weight(i) / total * draws;
    const auto found = drawn.find(reference.order()[i]);
    const double count = found == drawn.end() ? 0 : found->second;
    if (expected < 10) {
      rare_expected += expected;
      rare_drawn += count;
      continue;
    }
    chi_square += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  if (rare_expected >= 10) {
    chi_square += (rare_drawn - rare_expected) * (rare_drawn - rare_expected) / rare_expected;
    ++cells;
  }
  const double freedom = std::max(cells - 1, 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

class SamplingCase : public PreparedCase {
 public:
  SamplingCase(Wish wish, int sets)
      : wish_(std::move(wish)), sets_(sets), count_(static_cast<int>(wish_.samples.size())) {
    logits_ = rows_.put32(wish_.logits, {wish_.stride, 0});
    for (int set = 1; set < sets; ++set) more_.push_back(rows_.put32(wish_.logits, {wish_.stride, 0}));
    StepCounts counts{};
    counts.samples = count_;
    step_.counts = memory().upload(std::vector<StepCounts>{counts});
    step_.samples = forward_ = upload(wish_.samples);
    backward_ = upload({wish_.samples.rbegin(), wish_.samples.rend()});
    sampling_ = memory().upload(wish_.sampling);
    workspace_bytes_ = sampling_workspace_bytes(bound(), wish_.logits.columns);
    workspace_ = memory().take(workspace_bytes_);
    results_ = static_cast<SampledRow*>(memory().take(size(bound()) * sizeof(SampledRow)));
    last_token_ = static_cast<std::int32_t*>(memory().take(wish_.sampling.size() * sizeof(std::int32_t)));
  }

  CaseMemory& memory() { return rows_.memory; }

  Result<CaseCheck> check(cudaStream_t stream) override {
    const Chosen first = choose(forward_, stream), second = choose(forward_, stream);
    Chosen turned = choose(backward_, stream);
    std::reverse(turned.results.begin(), turned.results.end());
    if (!memory().state()) return memory().state().error();
    if (const auto code = cudaGetLastError(); code != cudaSuccess)
      return Error{Error::Kind::internal, "a kernel could not be launched", cudaGetErrorString(code), "",
                   "device"};
    const bool alone = same(first.results, turned.results);
    return CaseCheck{alone ? error_of(first) : kNan, same(first.results, second.results)};
  }

  void launch(int turn, cudaStream_t stream) override {
    const int set = turn % sets_;
    sample_rows(step_, set == 0 ? logits_ : more_[size(set - 1)], sampling_, count_, workspace_, results_,
                last_token_, stream);
  }

 private:
  struct Chosen {
    std::vector<SampledRow> results;
    std::vector<std::int32_t> survivors, last_token;
  };

  int bound() const { return count_ + 3; }

  /// What stands behind the live ones belongs to nobody.
  SampleRow* upload(std::vector<SampleRow> samples) {
    samples.resize(size(bound()), {1 << 30, 1 << 30, -1});
    return memory().upload(samples);
  }

  static bool same(const std::vector<SampledRow>& a, const std::vector<SampledRow>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(SampledRow)) == 0;
  }

  Chosen choose(const SampleRow* samples, cudaStream_t stream) {
    memory().fill(workspace_, 0xFF, workspace_bytes_);
    memory().fill(results_, 0xFF, size(bound()) * sizeof(SampledRow));
    memory().fill(last_token_, 0xFF, wish_.sampling.size() * sizeof(std::int32_t));
    StepView step = step_;
    step.samples = samples;
    sample_rows(step, logits_, sampling_, bound(), workspace_, results_, last_token_, stream);
    return {memory().download(results_, size(count_)),
            memory().download(static_cast<const std::int32_t*>(workspace_), size(count_)),
            memory().download(last_token_, wish_.sampling.size())};
  }

  /// The largest error of a log probability; NaN where a choice is wrong.
  double error_of(const Chosen& chosen) const {
    std::map<std::pair<std::int32_t, std::int32_t>, Reference> references;
    std::map<std::int32_t, int> drawn;
    double error = 0;
    const int vocabulary = wish_.logits.columns;
    const std::size_t step = wish_.logits.numbers.size() > kManyNumbers ? 8 : 1;
    for (std::size_t i = 0; i < size(count_); i += step) {
      const SampleRow& sample = wish_.samples[i];
      const SlotSampling& sampling = wish_.sampling[size(sample.slot)];
      auto [place, is_new] = references.try_emplace({sample.logit_row, sample.slot},
                                                    wish_.logits.row(sample.logit_row), vocabulary, sampling);
      if (is_new && place->second.is_finite() && (has_filters(sampling, vocabulary) || wish_.counts_draws))
        place->second.sort(vocabulary, sampling);
      const double found = error_of(chosen.results[i], chosen.survivors[i], sampling, place->second);
      if (std::isnan(found)) return kNan;
      error = std::max(error, found);
      if (!wish_.counts_draws && chosen.last_token[size(sample.slot)] != chosen.results[i].token) return kNan;
      ++drawn[chosen.results[i].token];
    }
    if (wish_.counts_draws && excess_of_chi_square(references.begin()->second, drawn, count_) > 5)
      return kNan;
    return error;
  }

  double error_of(const SampledRow& chosen, std::int32_t survivors, const SlotSampling& sampling,
                  const Reference& reference) const {
    if (!reference.is_finite())
      return chosen.token == 0 && std::isnan(chosen.logprob) && survivors == 0 ? 0 : kNan;
    if (chosen.token < 0 || chosen.token >= wish_.logits.columns) return kNan;
    const bool filtered = has_filters(sampling, wish_.logits.columns);
    if (sampling.temperature <= 0 && chosen.token != reference.best()) return kNan;
    if (filtered && !reference.may_survive(chosen.token, survivors)) return kNan;
    if (!filtered && (survivors != 0 || !reference.may_be_drawn(chosen.token))) return kNan;
    return std::abs(static_cast<double>(chosen.logprob) - reference.logprob(chosen.token));
  }

  Wish wish_;
  int sets_, count_;
  RowsCase rows_;
  Rows32 logits_;
  std::vector<Rows32> more_;
  StepView step_{};
  SampleRow *forward_ = nullptr, *backward_ = nullptr;
  SlotSampling* sampling_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  void* workspace_ = nullptr;
  SampledRow* results_ = nullptr;
  std::int32_t* last_token_ = nullptr;
};

/// `make` runs when the case is prepared.
KernelCase sampling_case(const std::string& shape, double bytes, bool timed, std::function<Wish()> make) {
  KernelCase result;
  result.name = "sample_rows";
  result.shape = shape;
  result.bytes = bytes;
  result.tolerance = 1e-4;
  result.timed = timed;
  result.prepare = [=]() -> Result<std::unique_ptr<PreparedCase>> {
    auto made = std::make_unique<SamplingCase>(make(), timed ? std::min(sets_for(bytes), 8) : 1);
    if (!made->memory().state()) return made->memory().state().error();
    return std::unique_ptr<PreparedCase>(std::move(made));
  };
  return result;
}

int wide_stride(int vocabulary) {
  return (vocabulary + 7) / 8 * 8;
}

/// A row and a slot for each of `wanted`.
Wish rows_wish(HostRows logits, const std::vector<SlotSampling>& wanted) {
  Wish wish;
  wish.stride =
      logits.columns % 2 == 0 ? wide_stride(logits.columns) : logits.columns;  // odd ones lie unaligned
  wish.logits = std::move(logits);
  wish.sampling = wanted;
  for (std::int32_t i = 0; i < wish.logits.rows; ++i) {
    wish.sampling[size(i)].seed = 1234567 + static_cast<std::uint64_t>(i) * 977;
    wish.samples.push_back({wish.logits.rows - 1 - i, i, 10 + 3 * i});
  }
  return wish;
}

std::vector<SlotSampling> mixed_sampling() {
  std::vector<SlotSampling> wanted;
  wanted.push_back({.temperature = 0});
  wanted.push_back({.temperature = 1});
  wanted.push_back({.temperature = 0.3f});
  wanted.push_back({.temperature = 1e-20f});
  wanted.push_back({.temperature = 1, .top_k = 1});
  wanted.push_back({.temperature = 0.7f, .top_k = 50});
  wanted.push_back({.temperature = 1, .top_k = 1500});
  wanted.push_back({.temperature = 1, .top_p = 1e-6f});
  wanted.push_back({.temperature = 1, .top_p = 0.9f});
  wanted.push_back({.temperature = 1.5f, .top_p = 0.95f});
  wanted.push_back({.temperature = 2, .top_p = 0.5f, .top_k = 200});
  wanted.push_back({.temperature = 0.8f, .top_p = 0.9f, .top_k = 40});
  wanted.push_back({.temperature = 1, .min_p = 0.05f});
  wanted.push_back({.temperature = 1.2f, .top_p = 0.8f, .min_p = 0.01f, .top_k = 3000});
  return wanted;
}

enum class Logits { spread, peaked, tied, equal, masked, broken, sure };

HostRows logits_of(Logits kind, int rows, int vocabulary) {
  HostRows logits = random_rows(7, rows, vocabulary, kind == Logits::peaked ? 4.0f : 1.0f);
  for (std::size_t i = 0; i < logits.numbers.size(); ++i) {
    float& logit = logits.numbers[i];
    if (kind == Logits::tied) logit = std::round(logit * 4) / 4;
    if (kind == Logits::equal) logit = -1.25f;
    if (kind == Logits::masked && i % 3 != 1 && vocabulary > 2) logit = -INFINITY;
  }
  if (kind == Logits::sure) {  // some tokens of each row stand out
    for (int i = 0; i < 40 * rows; ++i) {
      const int row = i / 40, token = (i % 40 * 7919 + row * 131) % vocabulary;
      logits.numbers[size(row) * size(vocabulary) + size(token)] =
          18 - 2.2f * std::log(static_cast<float>(1 + i % 40));
    }
  }
  if (kind == Logits::broken) {  // NaN, +∞, all −∞; the other rows are as they were
    const auto row = [&](int i) { return logits.numbers.begin() + std::ptrdiff_t{i} * vocabulary; };
    for (int i = 0; i < rows; ++i) {
      if (i % 4 == 0) *(row(i) + (vocabulary - 1 - i % vocabulary)) = std::numeric_limits<float>::quiet_NaN();
      if (i % 4 == 1) *(row(i) + i % vocabulary) = INFINITY;
      if (i % 4 == 2) std::fill_n(row(i), vocabulary, -INFINITY);
    }
  }
  return logits;
}

std::string name_of(Logits kind) {
  const char* names[] = {"spread", "peaked", "tied", "equal", "masked", "broken", "sure"};
  return names[static_cast<int>(kind)];
}

KernelCase mixed_case(Logits kind, int vocabulary) {
  const std::string shape =
      std::string("all ways × ") + std::to_string(vocabulary) + ", " + name_of(kind) + " logits";
  return sampling_case(shape, 0, false, [=] {
    const std::vector<SlotSampling> wanted = mixed_sampling();
    return rows_wish(logits_of(kind, static_cast<int>(wanted.size()), vocabulary), wanted);
  });
}

/// Many positions of one row. Its likely tokens are `spread` apart, the others cannot be drawn.
KernelCase draws_case(const std::string& how, int likely, int spread, int draws,
                      const SlotSampling& sampling) {
  const std::string shape = std::to_string(draws) + " draws of " + std::to_string(likely) + " tokens, " + how;
  return sampling_case(shape, 0, false, [=] {
    Wish wish;
    wish.logits = {1, likely * spread, std::vector<float>(size(likely) * size(spread), -1000.0f)};
    const std::vector<float> numbers = random_numbers(11, size(likely));
    for (std::size_t i = 0; i < numbers.size(); ++i) wish.logits.numbers[i * size(spread)] = numbers[i];
    wish.stride = wide_stride(wish.logits.columns);
    wish.sampling = {sampling};
    wish.sampling[0].seed = 99;
    for (std::int32_t i = 0; i < draws; ++i) wish.samples.push_back({0, 0, i});
    wish.counts_draws = true;
    return wish;
  });
}

KernelCase timed_case(Logits kind, const std::string& how, int rows, int vocabulary,
                      const SlotSampling& sampling) {
  const std::string shape =
      std::to_string(rows) + " × " + std::to_string(vocabulary) + " " + name_of(kind) + ", " + how;
  return sampling_case(shape, 4.0 * rows * vocabulary, true, [=] {
    return rows_wish(logits_of(kind, rows, vocabulary), std::vector<SlotSampling>(size(rows), sampling));
  });
}

}  // namespace

std::vector<KernelCase> sampling_cases(CaseScale scale) {
  std::vector<KernelCase> cases = sampling_change_cases(scale);
  if (scale == CaseScale::small) {
    cases.push_back(mixed_case(Logits::spread, 50));
    cases.push_back(mixed_case(Logits::tied, 301));
    cases.push_back(mixed_case(Logits::broken, 9001));
    return cases;
  }
  for (const int vocabulary : {1, 2, 3, 50, 1000, 8192, 8193, 32003, 49152})
    for (const Logits kind :
         {Logits::spread, Logits::peaked, Logits::tied, Logits::equal, Logits::masked, Logits::broken})
      cases.push_back(mixed_case(kind, vocabulary));
  for (const Logits kind : {Logits::spread, Logits::peaked}) cases.push_back(mixed_case(kind, 152064));
  cases.push_back(draws_case("temperature", 50, 1, 200'000, {.temperature = 0.9f}));
  cases.push_back(draws_case("temperature, several tiles", 50, 700, 50'000, {.temperature = 0.9f}));
  cases.push_back(draws_case("top_k", 50, 1, 100'000, {.temperature = 1, .top_k = 20}));
  cases.push_back(draws_case("top_p", 50, 3, 100'000, {.temperature = 1.3f, .top_p = 0.8f}));
  cases.push_back(draws_case("min_p", 50, 1, 100'000, {.temperature = 1, .min_p = 0.1f}));
  cases.push_back(draws_case("all filters", 50, 1, 100'000,
                             {.temperature = 1.5f, .top_p = 0.9f, .min_p = 0.05f, .top_k = 30}));
  for (const int rows : {1, 64}) {
    const auto time = [&](Logits kind, const std::string& how, const SlotSampling& sampling) {
      cases.push_back(timed_case(kind, how, rows, 152064, sampling));
    };
    time(Logits::peaked, "greedy", {.temperature = 0});
    time(Logits::peaked, "temperature", {.temperature = 0.8f});
    for (const Logits kind : {Logits::sure, Logits::peaked, Logits::spread}) {
      time(kind, "top_k 50, top_p 0.9", {.temperature = 0.8f, .top_p = 0.9f, .top_k = 50});
      time(kind, "top_p 0.9", {.temperature = 0.8f, .top_p = 0.9f});
      time(kind, "min_p 0.05", {.temperature = 0.8f, .min_p = 0.05f});
    }
  }
  return cases;
}

}  // namespace pitwall::cuda
