// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/sampling_changes.h: a step's changes go through the host's buffer to the device,
// tokens are chosen from the changed rows, and logprobs of samples and prompt tokens are reported; all
// against a sort and sums in double.
#include "kernels/cuda/sampling_changes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kNever = -std::numeric_limits<float>::infinity();

std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

enum class Kernels { change, report };  ///< that are timed

struct Wish {
  int vocabulary = 0, samples = 0;
  int prompt_rows = 0;     ///< of a prompt before them, whose logprobs are asked for
  int changed_tokens = 0;  ///< of each sample that has any
  int top = 0;
  bool all_masked = false;  ///< else every other sample
  bool ties = false, broken = false;
  Kernels timed = Kernels::change;
};

/// The same numbers for the same places.
std::uint64_t number_at(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a * 0x9E3779B97F4A7C15u) ^ (b + 0x632BE59BD9B4E019u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

LogitChange change_of(const Wish& wish, int sample) {
  const auto key = static_cast<std::uint64_t>(sample);
  const auto vocabulary = static_cast<std::uint64_t>(wish.vocabulary);
  LogitChange change;
  change.repetition = sample % 3 == 0 ? 1.7f : 0.4f;
  const int tokens = std::min(wish.changed_tokens, wish.vocabulary);
  for (std::int64_t i = 0; i < tokens; ++i) {
    const auto place = static_cast<std::uint64_t>(i);
    const std::uint64_t bits = number_at(key, place);
    const auto token = static_cast<TokenId>(place * (vocabulary / static_cast<std::uint64_t>(tokens)));
    const float add = token != 0 && bits % 13 == 0 ? kNever : static_cast<float>(bits % 2000) / 500 - 2;
    change.tokens.push_back({token, add, bits % 2 == 0});
  }
  if (wish.all_masked || sample % 2 == 0) {
    auto mask = std::make_shared<TokenMask>();
    const std::size_t words = size((wish.vocabulary + 31) / 32);
    // Some are shorter than the vocabulary, some have bits behind it.
    mask->words.resize(sample % 4 == 0 && words > 1 ? words - 1 : words + 1);
    for (std::size_t word = 0; word < mask->words.size(); ++word)
      mask->words[word] = static_cast<std::uint32_t>(number_at(key + 77, word));
    mask->words[0] |= 1;
    change.mask = std::move(mask);
  }
  return change;
}

/// A prompt that reports, then a decode row for each sample. Every fourth sample is left as it is.
StepPlan plan_of(const Wish& wish) {
  StepPlan plan;
  plan.number = 5;
  const auto token_at = [&](int i) {
    return static_cast<TokenId>(number_at(9, size(i)) % size(wish.vocabulary));
  };
  const auto add = [&](int slot, int position, int count) -> SequenceSlice& {
    SequenceSlice slice;
    slice.request = RequestId{static_cast<std::uint64_t>(slot) + 1};
    slice.slot = SlotId{slot};
    slice.first_position = position;
    slice.count = count;
    slice.token_offset = static_cast<std::int32_t>(plan.tokens.size());
    for (int i = 0; i < count; ++i) plan.tokens.push_back(token_at(static_cast<int>(plan.tokens.size())));
    plan.slices.push_back(slice);
    return plan.slices.back();
  };
  if (wish.prompt_rows > 0) {
    SequenceSlice& prompt = add(wish.samples, 0, wish.prompt_rows);
    prompt.prompt_logprobs = wish.top;
    prompt.following = token_at(1 << 20);
  }
  for (int sample = 0; sample < wish.samples; ++sample) {
    SequenceSlice& slice = add(sample, 10 + sample, 1);
    slice.samples = true;
    if (sample % 3 != 2) slice.logprobs = wish.top;
    if (wish.changed_tokens == 0 && !wish.all_masked) continue;
    if (sample % 4 == 3) continue;
    LogitChange change = change_of(wish, sample);
    change.slice = static_cast<std::int32_t>(plan.slices.size()) - 1;
    plan.logit_changes.push_back(std::move(change));
  }
  return plan;
}

HostRows logits_of(const Wish& wish) {
  HostRows logits = random_rows(31, wish.prompt_rows + wish.samples, wish.vocabulary, 3.0f);
  for (float& logit : logits.numbers) {
    if (wish.ties) logit = std::round(logit * 2) / 2;
  }
  for (int row = 0; wish.broken && row < logits.rows; ++row) {
    float* first = logits.numbers.data() + size(row) * size(wish.vocabulary);
    if (row % 4 == 0) first[wish.vocabulary - 1] = std::numeric_limits<float>::quiet_NaN();
    if (row % 4 == 1) first[wish.vocabulary / 2] = INFINITY;
    if (row % 4 == 2) std::fill_n(first, wish.vocabulary, kNever);
  }
  return logits;
}

/// A row as the model gave it.
class Reference {
 public:
  Reference(const float* logits, int vocabulary) : logits_(logits, logits + vocabulary) {
    for (std::int32_t token = 0; token < vocabulary; ++token) order_.push_back(token);
    const bool is_number =
        std::none_of(logits_.begin(), logits_.end(), [](float x) { return std::isnan(x); });
    const float best = is_number ? *std::max_element(logits_.begin(), logits_.end()) : INFINITY;
    finite_ = best < INFINITY && best > kNever;
    if (!finite_) return;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int32_t a, std::int32_t b) { return logits_[size(a)] > logits_[size(b)]; });
    double sum = 0;
    for (const float logit : logits_) sum += std::exp(static_cast<double>(logit) - static_cast<double>(best));
    log_sum_ = static_cast<double>(best) + std::log(sum);
  }

  /// The largest error of a logprob; NaN where anything else is wrong.
  double error_of(const ReportedRow& given, std::int32_t token, int top) const {
    if (given.token != token) return kNan;
    if (!finite_) return std::isnan(given.logprob) && given.top == 0 ? 0 : kNan;
    const auto place = std::find(order_.begin(), order_.end(), token) - order_.begin();
    const auto count = std::min(static_cast<std::size_t>(top), order_.size());
    if (given.rank != place + 1 || size(given.top) != count) return kNan;
    double error = difference(given.logprob, token);
    for (std::size_t i = 0; i < count; ++i) {
      if (given.likeliest[i].token != order_[i]) return kNan;
      error = std::max(error, difference(given.likeliest[i].logprob, order_[i]));
    }
    return error;
  }

 private:
  double difference(float logprob, std::int32_t token) const {
    return std::abs(static_cast<double>(logprob) - (static_cast<double>(logits_[size(token)]) - log_sum_));
  }

  std::vector<float> logits_;
  std::vector<std::int32_t> order_;
  bool finite_ = false;
  double log_sum_ = 0;
};

std::vector<double> changed_row(const float* logits, int vocabulary, const LogitChange* change) {
  std::vector<double> row(logits, logits + vocabulary);
  if (change == nullptr) return row;
  for (const LogitChange::Token& token : change->tokens) {
    double& logit = row[size(token.token)];
    const auto repetition = static_cast<double>(change->repetition);
    if (token.penalised) logit = logit > 0 ? logit / repetition : logit * repetition;
    logit += static_cast<double>(token.add);
  }
  for (int token = 0; change->mask && token < vocabulary; ++token) {
    if (size(token) / 32 >= change->mask->words.size() || !change->mask->allows(token))
      row[size(token)] = static_cast<double>(kNever);
  }
  return row;
}

class ChangeCase : public PreparedCase {
 public:
  explicit ChangeCase(const Wish& wish) : wish_(wish), plan_(plan_of(wish)), host_logits_(logits_of(wish)) {
    state_.prepare({.max_tokens = static_cast<int>(plan_.tokens.size()),
                    .max_logit_rows = host_logits_.rows,
                    .max_slots = wish.samples + 1,
                    .max_blocks_per_sequence = 1,
                    .vocabulary = wish.vocabulary});
    staged_well_ = state_.stage(plan_).ok();
    staged_ = StagedChanges(state_);
    buffer_ = pinned(staged_.bytes());
    staged_.write(state_, buffer_.get());
    reported_ = pinned(reported_bytes());
    const int stride = (wish.vocabulary + 7) / 8 * 8;
    logits_ = rows_.put32(host_logits_, {stride, 0});
    changed_ = {static_cast<float*>(memory().take(size(wish.samples) * size(stride) * sizeof(float))), stride,
                wish.vocabulary};
    std::vector<SampleRow> samples;
    for (const StepState::Sampling& sample : state_.samples)
      samples.push_back({sample.logit_row, sample.slot.value, sample.position});
    StepCounts counts{};
    counts.samples = wish.samples;
    step_.counts = memory().upload(std::vector<StepCounts>{counts});
    step_.samples = memory().upload(samples);
    changed_samples_ = static_cast<SampleRow*>(memory().take(samples.size() * sizeof(SampleRow)));
    std::vector<SlotSampling> sampling(size(wish.samples));
    for (std::size_t slot = 0; slot < sampling.size(); ++slot)
      sampling[slot] = {.temperature = slot % 3 == 1 ? 1.0f : 0.0f, .seed = slot};
    sampling_ = memory().upload(sampling);
    workspace_ = memory().take(sampling_workspace_bytes(wish.samples, wish.vocabulary));
    results_ = static_cast<SampledRow*>(memory().take(size(wish.samples) * sizeof(SampledRow)));
    last_token_ = static_cast<std::int32_t*>(memory().take(size(wish.samples) * sizeof(std::int32_t)));
  }

  CaseMemory& memory() { return rows_.memory; }

  Result<CaseCheck> check(cudaStream_t stream) override {
    const Outcome first = run(stream), second = run(stream);
    if (!memory().state()) return memory().state().error();
    if (const auto code = cudaGetLastError(); code != cudaSuccess)
      return Error{Error::Kind::internal, "a kernel could not be launched", cudaGetErrorString(code), "",
                   "device"};
    const auto equal = [](const auto& a, const auto& b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    const bool same = equal(first.changed, second.changed) && equal(first.results, second.results) &&
                      equal(first.reported, second.reported);
    const double rows = error_of_rows(first), reports = error_of_reports(first);
    const bool is_right = staged_well_ && !std::isnan(rows) && !std::isnan(reports);
    return CaseCheck{is_right ? std::max(rows, reports) : kNan, same};
  }

  void launch(int, cudaStream_t stream) override {
    if (wish_.timed == Kernels::change) {
      change_rows(step_, logits_, changes_view(staged_, buffer_.get()), wish_.samples, changed_,
                  changed_samples_, stream);
    } else {
      report(stream);
    }
  }

 private:
  struct Outcome {
    std::vector<float> changed;
    std::vector<SampleRow> samples;
    std::vector<SampledRow> results;
    std::vector<ReportedRow> reported;
  };

  static std::shared_ptr<std::byte> pinned(std::int64_t bytes) {
    void* place = nullptr;
    cudaHostAlloc(&place, size(std::max<std::int64_t>(bytes, 16)),
                  cudaHostAllocMapped | cudaHostAllocPortable);
    return {static_cast<std::byte*>(place), [](std::byte* taken) { cudaFreeHost(taken); }};
  }
  std::int64_t reported_bytes() const {
    return staged_.reports() * static_cast<std::int64_t>(sizeof(ReportedRow));
  }

  void report(cudaStream_t stream) {
    report_rows(logits_, reinterpret_cast<const ReportRow*>(buffer_.get() + staged_.reports_at),
                staged_.reports(), results_, reinterpret_cast<ReportedRow*>(reported_.get()), stream);
  }

  Outcome run(cudaStream_t stream) {
    const std::size_t numbers = size(wish_.samples) * size(changed_.stride);
    memory().fill(changed_.data, 0xFF, numbers * sizeof(float));
    memory().fill(results_, 0xFF, size(wish_.samples) * sizeof(SampledRow));
    std::memset(reported_.get(), 0xFF, size(reported_bytes()));
    StepView step = step_;
    Rows32 from = logits_;
    if (staged_.samples() > 0) {
      change_rows(step_, logits_, changes_view(staged_, buffer_.get()), staged_.samples(), changed_,
                  changed_samples_, stream);
      step.samples = changed_samples_;
      from = changed_;
    }
    sample_rows(step, from, sampling_, wish_.samples, workspace_, results_, last_token_, stream);
    report(stream);
    Outcome outcome;
    outcome.changed = memory().download(static_cast<const float*>(changed_.data), numbers);
    outcome.samples = memory().download(static_cast<const SampleRow*>(changed_samples_), size(wish_.samples));
    outcome.results = memory().download(static_cast<const SampledRow*>(results_), size(wish_.samples));
    outcome.reported.resize(size(staged_.reports()));
    std::memcpy(outcome.reported.data(), reported_.get(), size(reported_bytes()));
    return outcome;
  }

  /// Of the changed logits, relative; NaN where one is −∞ that should not be or the reverse, where a choice
  /// is no choice of theirs, or where something was written beside them.
  double error_of_rows(const Outcome& outcome) const {
    double error = 0;
    for (std::size_t i = 0; i < state_.samples.size() && !wish_.broken; ++i) {
      const StepState::Sampling& sample = state_.samples[i];
      const std::vector<double> row =
          changed_row(host_logits_.row(sample.logit_row), wish_.vocabulary, sample.change);
      const double best = *std::max_element(row.begin(), row.end());
      const std::int32_t token = outcome.results[i].token;
      const bool is_greedy = sample.slot.value % 3 != 1;
      if (token < 0 || token >= wish_.vocabulary || std::isinf(row[size(token)]) ||
          (is_greedy && row[size(token)] < best - 1e-5 * (1 + std::abs(best)))) {
        return kNan;
      }
      if (staged_.samples() == 0) continue;
      const SampleRow& given = outcome.samples[i];
      if (given.logit_row != static_cast<std::int32_t>(i) || given.slot != sample.slot.value ||
          given.position != sample.position) {
        return kNan;
      }
      const float* changed = outcome.changed.data() + i * size(changed_.stride);
      for (std::size_t t = 0; t < row.size(); ++t) {
        const auto found = static_cast<double>(changed[t]);
        if (std::isinf(row[t]) != std::isinf(found) || std::isnan(found)) return kNan;
        if (!std::isinf(found)) error = std::max(error, std::abs(found - row[t]) / (1 + std::abs(row[t])));
      }
      for (std::size_t t = row.size(); t < size(changed_.stride); ++t) {
        if (!std::isnan(changed[t])) return kNan;
      }
    }
    return error;
  }

  double error_of_reports(const Outcome& outcome) const {
    double error = 0;
    const auto add = [&](std::int32_t report, std::int32_t logit_row, std::int32_t token, int top) {
      const Reference reference(host_logits_.row(logit_row), wish_.vocabulary);
      const double found = reference.error_of(outcome.reported[size(report)], token, top);
      error = std::isnan(found) || std::isnan(error) ? kNan : std::max(error, found);
    };
    for (std::size_t i = 0; i < state_.reports.size(); ++i) {
      const StepState::Report& report = state_.reports[i];
      if (report.sample < 0) add(static_cast<std::int32_t>(i), report.logit_row, report.token, report.top);
    }
    StagedChanges::over_samples(state_, [&](std::size_t i, std::int32_t report) {
      const StepState::Sampling& sample = state_.samples[i];
      const int top = sample.report < 0 ? 0 : wish_.top;
      if (report >= 0) add(report, sample.logit_row, outcome.results[i].token, top);
    });
    return error;
  }

  Wish wish_;
  StepPlan plan_;
  HostRows host_logits_;
  StepState state_;
  bool staged_well_ = false;
  StagedChanges staged_;
  std::shared_ptr<std::byte> buffer_, reported_;
  RowsCase rows_;
  Rows32 logits_, changed_;
  StepView step_{};
  SampleRow* changed_samples_ = nullptr;
  SlotSampling* sampling_ = nullptr;
  void* workspace_ = nullptr;
  SampledRow* results_ = nullptr;
  std::int32_t* last_token_ = nullptr;
};

KernelCase change_case(const Wish& wish, bool timed) {
  KernelCase result;
  result.name = wish.timed == Kernels::change ? "change_rows" : "report_rows";
  const double logits = 4.0 * wish.vocabulary;
  result.bytes =
      wish.timed == Kernels::change ? 2 * logits * wish.samples : logits * (wish.samples + wish.prompt_rows);
  result.shape = std::to_string(wish.samples) + " × " + std::to_string(wish.vocabulary) + ", " +
                 std::to_string(wish.changed_tokens) + " tokens" + (wish.all_masked ? ", masks" : "") +
                 ", prompt " + std::to_string(wish.prompt_rows) + ", top " + std::to_string(wish.top) +
                 (wish.ties ? ", tied" : "") + (wish.broken ? ", broken" : "");
  result.tolerance = 2e-5;
  result.timed = timed;
  result.prepare = [wish]() -> Result<std::unique_ptr<PreparedCase>> {
    auto made = std::make_unique<ChangeCase>(wish);
    if (!made->memory().state()) return made->memory().state().error();
    return std::unique_ptr<PreparedCase>(std::move(made));
  };
  return result;
}

}  // namespace

std::vector<KernelCase> sampling_change_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  const auto add = [&](const Wish& wish) { cases.push_back(change_case(wish, false)); };
  if (scale == CaseScale::small) {
    add({.vocabulary = 301, .samples = 5, .prompt_rows = 3, .changed_tokens = 40, .top = 5, .ties = true});
    add({.vocabulary = 4099, .samples = 4, .prompt_rows = 2, .changed_tokens = 9, .top = 20, .broken = true});
    return cases;
  }
  for (const int vocabulary : {1, 2, 31, 33, 1000, 4096, 4097, 32003}) {
    for (const bool ties : {false, true}) {
      add({.vocabulary = vocabulary,
           .samples = 9,
           .prompt_rows = 7,
           .changed_tokens = 3 + vocabulary / 3,
           .top = 20,
           .ties = ties});
    }
    add({.vocabulary = vocabulary,
         .samples = 5,
         .prompt_rows = 4,
         .changed_tokens = 2,
         .top = 3,
         .broken = true});
  }
  add({.vocabulary = 152064,
       .samples = 3,
       .prompt_rows = 0,
       .changed_tokens = 5000,
       .top = 0,
       .all_masked = true});
  add({.vocabulary = 152064, .samples = 2, .prompt_rows = 40, .changed_tokens = 0, .top = 20});
  for (const int rows : {1, 64}) {
    cases.push_back(change_case({.vocabulary = 152064, .samples = rows, .all_masked = true}, true));
    cases.push_back(change_case({.vocabulary = 152064, .samples = rows, .changed_tokens = 2000}, true));
    for (const int top : {0, 20}) {
      cases.push_back(
          change_case({.vocabulary = 152064, .samples = rows, .top = top, .timed = Kernels::report}, true));
    }
  }
  return cases;
}

}  // namespace pitwall::cuda
