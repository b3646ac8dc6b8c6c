// SPDX-License-Identifier: GPL-3.0-or-later
// What a step's sampling asks beyond tokens, as the host stages it: changes of logits with their masks, and
// rows whose logprobs are reported. Arrays in a buffer of pinned memory as large as the step needs; most
// steps need none. No CUDA here.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "engine/execute/step_state.h"

namespace pitwall::cuda {

/// Of a sample; one that nothing changes has no tokens and no mask.
struct ChangedSample {
  std::int32_t first_token, tokens;
  float repetition;
  std::int32_t first_word;  ///< of its mask, one bit a token; −1: all may come
};

struct ChangedToken {
  std::int32_t token;
  float add;
  std::int32_t is_penalised;
};

struct ReportRow {
  std::int32_t logit_row;
  std::int32_t top;     ///< at most kMostLogprobs
  std::int32_t token;   ///< whose logprob is reported, where `sample` is −1
  std::int32_t sample;  ///< the token that this one chose
};

/// What the device answers to a ReportRow.
struct ReportedRow {
  std::int32_t token;
  float logprob;  ///< NaN: the logits were not finite; there is no top then
  std::int32_t rank;
  std::int32_t top;  ///< entries that follow
  struct Likely {
    std::int32_t token;
    float logprob;
  } likeliest[kMostLogprobs];
};

/// Sizes and places, in bytes from the buffer's start, each a multiple of 16.
class StagedChanges {
 public:
  StagedChanges() = default;
  /// Of a plan that StepState has taken over.
  explicit StagedChanges(const StepState& state)
      : words_((state.bounds.limits.vocabulary + 31) / 32),
        reports_(static_cast<std::int32_t>(state.reports.size())) {
    std::int64_t tokens = 0, masks = 0, changed = 0;
    for (const StepState::Sampling& sample : state.samples) {
      if (sample.change == nullptr) continue;
      ++changed;
      tokens += std::ssize(sample.change->tokens);
      masks += sample.change->mask ? 1 : 0;
      reports_ += sample.report < 0 ? 1 : 0;  // its logprob is not that of the logits it is chosen from
    }
    if (changed > 0) samples_ = static_cast<std::int32_t>(state.samples.size());
    const auto take = [this](std::int64_t count, std::size_t size) {
      const std::int64_t place = bytes_;
      bytes_ += (count * static_cast<std::int64_t>(size) + 15) / 16 * 16;
      return place;
    };
    samples_at = take(samples_, sizeof(ChangedSample));
    reports_at = take(reports_, sizeof(ReportRow));
    tokens_at = take(tokens, sizeof(ChangedToken));
    masks_at = take(masks * words_, sizeof(std::uint32_t));
  }

  std::int32_t samples() const { return samples_; }  ///< all of the step's where one is changed, else 0
  std::int32_t reports() const { return reports_; }
  std::int64_t bytes() const { return bytes_; }

  std::int64_t samples_at = 0;  ///< ChangedSample, in the order of StepState::samples
  std::int64_t reports_at =
      0;                       ///< ReportRow: StepState::reports, then changed samples that nobody asks about
  std::int64_t tokens_at = 0;  ///< ChangedToken
  std::int64_t masks_at = 0;   ///< uint32, [masks][(vocabulary + 31) / 32]; ids that a mask lacks are clear

  /// body(sample, report): the index of the sample's ReportRow, or −1.
  template <class Body>
  static void over_samples(const StepState& state, const Body& body) {
    auto next = static_cast<std::int32_t>(state.reports.size());
    for (std::size_t i = 0; i < state.samples.size(); ++i) {
      const StepState::Sampling& sample = state.samples[i];
      body(i, sample.report >= 0 || sample.change == nullptr ? sample.report : next++);
    }
  }

  /// `buffer` has bytes() at a multiple of 16.
  void write(const StepState& state, std::byte* buffer) const {
    std::int64_t tokens = 0, words = 0;
    for (std::size_t i = 0; i < state.reports.size(); ++i) {
      const StepState::Report& report = state.reports[i];
      put(ReportRow{report.logit_row, report.top, report.token, report.sample}, buffer + reports_at,
          static_cast<std::int64_t>(i));
    }
    if (samples_ == 0) return;
    over_samples(state, [&](std::size_t i, std::int32_t report) {
      const StepState::Sampling& sample = state.samples[i];
      const auto index = static_cast<std::int32_t>(i);
      if (sample.change != nullptr && sample.report < 0)
        put(ReportRow{sample.logit_row, 0, -1, index}, buffer + reports_at, report);
      ChangedSample changed{static_cast<std::int32_t>(tokens), 0, 1, -1};
      if (sample.change != nullptr) {
        changed.tokens = static_cast<std::int32_t>(sample.change->tokens.size());
        changed.repetition = sample.change->repetition;
        for (const LogitChange::Token& token : sample.change->tokens)
          put(ChangedToken{token.token, token.add, token.penalised ? 1 : 0}, buffer + tokens_at, tokens++);
        if (sample.change->mask) {
          changed.first_word = static_cast<std::int32_t>(words);
          write_mask(*sample.change->mask, buffer + masks_at + words * std::int64_t{sizeof(std::uint32_t)});
          words += words_;
        }
      }
      put(changed, buffer + samples_at, index);
    });
  }

 private:
  template <class Item>
  static void put(const Item& item, std::byte* array, std::int64_t index) {
    std::memcpy(array + index * static_cast<std::int64_t>(sizeof(Item)), &item, sizeof(Item));
  }

  void write_mask(const TokenMask& mask, std::byte* place) const {
    const std::size_t wanted = static_cast<std::size_t>(words_) * sizeof(std::uint32_t);
    const std::size_t given = std::min(wanted, mask.words.size() * sizeof(std::uint32_t));
    std::memcpy(place, mask.words.data(), given);
    std::memset(place + given, 0, wanted - given);
  }

  std::int64_t words_ = 0, bytes_ = 0;
  std::int32_t samples_ = 0, reports_ = 0;
};

}  // namespace pitwall::cuda
