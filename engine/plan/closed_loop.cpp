// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/closed_loop.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/deployment.h"
#include "engine/plan/model_outline.h"

namespace pitwall {

namespace {

constexpr double kMsPerSecond = 1000;
// Of prompts that follow one another, fewer end in the next step than if they began anywhere in one: who ends
// there is followed by prompts that begin together. As the same loops have it when they are played.
constexpr double kStraddling = 0.75;

std::int64_t first_known(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values) {
    if (value > 0) return value;
  }
  return 1;
}

/// Requests shared out evenly: the times of the fullest part, the tokens of all.
template <class At>
OperatingPoint shared_out(int requests, int parts, const At& at) {
  const int used = std::min(parts, requests), each = requests / used, fuller = requests % used;
  OperatingPoint point = at(fuller > 0 ? each + 1 : each);
  point.tokens_per_s *= fuller > 0 ? fuller : used;
  if (fuller > 0) point.tokens_per_s += (used - fuller) * at(each).tokens_per_s;
  point.requests = requests;
  return point;
}

}  // namespace

RequestTokens::RequestTokens(const Deployment& deployment, const ModelOutline& model) {
  const LengthMix& lengths = deployment.lengths;
  const std::int64_t typical = first_known(
      {lengths.p50, lengths.p95, lengths.max, deployment.max_model_len.value_or(0), model.usual_length()});
  output = first_known({deployment.output_tokens, typical / 4});
  prompt = first_known({deployment.prompt_tokens, typical - typical / 4});
  const std::int64_t shared = deployment.prefix_caching ? deployment.shared_prefix : 0;
  fresh = prompt - std::clamp<std::int64_t>(shared, 0, prompt - 1);
}

ClosedLoop::ClosedLoop(const Deployment& deployment, const ModelOutline& model, const RooflineStepTime& step)
    : tokens_(deployment, model),
      step_(step),
      step_tokens_(deployment.max_num_batched_tokens),
      stages_(std::max(1, deployment.pipeline_parallel)),
      replicas_(std::max(1, deployment.gpus / (std::max(1, deployment.tensor_parallel) * stages_))),
      widest_stage_(1) {
  const auto layers = static_cast<double>(model.layers.size());
  if (layers > 0) widest_stage_ = std::ceil(layers / stages_) / layers;
}

MeanStep ClosedLoop::decodes(double rows) const {
  MeanStep step;
  step.sequences = step.decode_tokens = step.logit_rows = rows;
  step.logit_steps = 1;
  step.decode_context =
      rows * (static_cast<double>(tokens_.prompt) + static_cast<double>(tokens_.output) / 2);
  return step;
}

MeanStep ClosedLoop::with_prompts(double rows, double prompts) const {
  MeanStep step = decodes(rows);
  const auto prompt = static_cast<double>(tokens_.prompt), fresh = static_cast<double>(tokens_.fresh);
  step.sequences += prompts;
  step.logit_rows += prompts;
  step.prefill_tokens = prompts * fresh;
  step.prefill_context = prompts * prompt;
  step.prefill_pairs = prompts * fresh * (prompt - fresh + (fresh + 1) / 2);
  return step;
}

/// Tokens are conserved: what steps with prompts hold beside those, at most up to a full step, are the rows
/// of decodes that the other steps leave.
ClosedLoop::Round ClosedLoop::round_of(int rows) const {
  const auto fresh = static_cast<double>(tokens_.fresh), output = static_cast<double>(tokens_.output);
  // Those that share a prefix do not start together, and stay apart in two groups.
  const double groups = tokens_.fresh < tokens_.prompt ? std::min(2, rows) : 1;
  const double held = std::min<double>(rows, step_tokens_), room = step_tokens_ - held;
  const double least = std::max(1.0, fresh / step_tokens_);  // that a prompt reaches into
  const double without_decodes = std::max(groups, held * fresh / step_tokens_);
  double beside_decodes = (held * (fresh - 1 - kStraddling) + groups) / (room + 1);
  if (room > 0) beside_decodes = std::min(beside_decodes, held * (fresh - 1 - least) / room);
  Round round;
  round.prompt_steps = std::max(without_decodes, beside_decodes);
  round.reached =
      rows > 1 ? std::max(least, kStraddling + (round.prompt_steps - groups) / rows) : round.prompt_steps;
  // Steps are launched one ahead: who comes while others run waits for one.
  const double later = std::min(round.prompt_steps - 1, round.reached);
  round.waits = later - (round.reached - 1);
  round.steps = output + later;
  // Where prompts take all steps, requests wait for their turn.
  const double full_steps = rows * (fresh + output - 1) / step_tokens_;
  if (round.prompt_steps >= round.steps || full_steps > round.steps) {
    round.prompt_steps = round.steps = std::max(round.steps, full_steps);
    round.reached = round.steps - (output - 1);
    round.waits = 0;
  }
  return round;
}

/// Of all steps with prompts. A request alone ends in a step that is not filled up.
double ClosedLoop::prompts_s(int rows, const Round& round) const {
  const auto output = static_cast<double>(tokens_.output), fresh = static_cast<double>(tokens_.fresh);
  if (rows == 1) {
    const double chunks = std::ceil(fresh / step_tokens_) - 1;
    MeanStep chunk = with_prompts(0, step_tokens_ / fresh);
    MeanStep last = with_prompts(0, 1 - chunks * step_tokens_ / fresh);
    chunk.logit_rows = chunk.logit_steps = 0;
    last.logit_rows = 1;
    return chunks * step_.parts(chunk).total() + step_.parts(last).total();
  }
  const double steps = round.prompt_steps, others = round.steps - steps;
  const double decoded = others * std::min<double>(rows, step_tokens_);
  const double beside = std::max(0.0, rows * (output - 1) - decoded) / steps;
  MeanStep step = with_prompts(beside, rows / steps);
  step.logit_steps = std::min(1.0, (rows * output - others) / steps);
  return steps * step_.parts(step).total();
}

/// `turns`: steps from one of a batch to its next.
OperatingPoint ClosedLoop::batch(int rows, double turns) const {
  const auto output = static_cast<double>(tokens_.output);
  const Round round = round_of(rows);
  const StepTimeParts decode = step_.parts(decodes(std::min<double>(rows, step_tokens_)));
  const double decode_s = turns * decode.total(), all_prompts_s = turns * prompts_s(rows, round);
  const double round_s = all_prompts_s + (round.steps - round.prompt_steps) * decode_s;
  const double prompt_s = all_prompts_s / round.prompt_steps;
  // The first of a round waits for a step without prompts, the others for one with them.
  const double wait_s = prompt_s - std::max(0.0, prompt_s - decode_s) / round.prompt_steps;
  const double first_s = round.reached * prompt_s + round.waits * wait_s;

  OperatingPoint point;
  point.ttft_ms = kMsPerSecond * first_s;
  point.tpot_ms = output > 1 ? kMsPerSecond * (round_s - first_s) / (output - 1) : 0;
  point.tokens_per_s = rows * output / round_s;
  point.overhead_share = decode.overhead / decode.total();
  point.communication_share = decode.communication / decode.total();
  point.compute_share = decode.multiplying / decode.total();
  point.memory_share = 1 - point.overhead_share - point.communication_share - point.compute_share;
  return point;
}

/// Each stage works on a batch of its own; with fewer requests than stages some stand idle. From one step of
/// a batch to its next it passes through all stages, and not before the others' turns.
OperatingPoint ClosedLoop::replica(int requests) const {
  const double turns = std::max(1.0, std::min(stages_, requests) * widest_stage_);
  return shared_out(requests, stages_, [&](int rows) { return batch(rows, turns); });
}

OperatingPoint ClosedLoop::at(int requests) const {
  return shared_out(requests, replicas_, [this](int each) { return replica(each); });
}

}  // namespace pitwall
