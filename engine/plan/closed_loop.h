// SPDX-License-Identifier: GPL-3.0-or-later
// ClosedLoop: equal requests, each followed by the next, as means over a round in which each has its turn.
// Steps are filled up with the prompts that come next.
#pragma once
#include <cstdint>

#include "engine/plan/prediction.h"
#include "engine/plan/roofline.h"

namespace pitwall {

/// Tokens of each request.
struct RequestTokens {
  std::int64_t prompt = 1, output = 1;
  std::int64_t fresh = 1;  ///< of the prompt: not found in the prefix cache

  RequestTokens(const Deployment& deployment, const ModelOutline& model);
};

/// More requests never lower throughput nor TTFT, and longer prompts never lower TTFT: README.md says why.
class ClosedLoop {
 public:
  /// `step` outlives it.
  ClosedLoop(const Deployment& deployment, const ModelOutline& model, const RooflineStepTime& step);

  const RequestTokens& tokens() const { return tokens_; }
  OperatingPoint at(int requests) const;  ///< 1 or more; times are those of the fullest replica
  MeanStep decodes(double rows) const;    ///< a step in which so many requests decode
  MeanStep with_prompts(double rows, double prompts) const;  ///< beside them, so many whole prompts

 private:
  struct Round {
    double prompt_steps = 1;  ///< steps with prompts
    double steps = 1;         ///< all steps
    double reached = 1;       ///< steps that a prompt reaches into, its waits left out
    double waits = 0;         ///< steps that a request waits for before its prompt's first
  };
  Round round_of(int rows) const;
  double prompts_s(int rows, const Round& round) const;
  OperatingPoint batch(int rows, double turns) const;
  OperatingPoint replica(int requests) const;

  RequestTokens tokens_;
  const RooflineStepTime& step_;
  double step_tokens_;
  int stages_, replicas_;
  double widest_stage_;  ///< share of the layers
};

}  // namespace pitwall
