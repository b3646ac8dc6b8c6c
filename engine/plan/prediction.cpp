// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/prediction.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/deployment.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/kv_format.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/roofline.h"

namespace pitwall {

namespace {

constexpr double kKneeGain = 1.25;
constexpr int kMostRequests = 1 << 29;
constexpr int kPasses = 4;                // until decode rows and the room beside them agree
constexpr double kCurveRatio = 1.189207;  // four points an octave

double to_ms(double seconds) {
  return 1000 * seconds;
}

std::int64_t first_known(std::initializer_list<std::int64_t> values) {
  for (const std::int64_t value : values) {
    if (value > 0) return value;
  }
  return 1;
}

/// Tokens of each request.
struct Demand {
  std::int64_t prompt = 1, output = 1;
  std::int64_t fresh = 1;  ///< of the prompt: not found in the prefix cache

  Demand(const Deployment& deployment, const ModelOutline& model) {
    const LengthMix& lengths = deployment.lengths;
    const std::int64_t typical = first_known(
        {lengths.p50, lengths.p95, lengths.max, deployment.max_model_len.value_or(0), model.usual_length()});
    output = first_known({deployment.output_tokens, typical / 4});
    prompt = first_known({deployment.prompt_tokens, typical - typical / 4});
    const std::int64_t shared = deployment.prefix_caching ? deployment.shared_prefix : 0;
    fresh = prompt - std::clamp<std::int64_t>(shared, 0, prompt - 1);
  }
  double mean_context() const { return static_cast<double>(prompt) + static_cast<double>(output) / 2; }
};

/// A closed loop of equal requests on one replica, one step after another. While some compute their prompts,
/// in chunks that fill a step, the others decode.
class ClosedLoop {
 public:
  ClosedLoop(const Deployment& deployment, const Demand& demand, const RooflineStepTime& model, int layers)
      : demand_(demand),
        model_(model),
        step_tokens_(deployment.max_num_batched_tokens),
        stages_(std::max(1, deployment.pipeline_parallel)),
        widest_stage_(layers > 0 ? std::ceil(static_cast<double>(layers) / stages_) / layers : 1) {}

  /// Of the batch in each stage.
  StepShape decodes(std::int64_t rows) const {
    StepShape shape;
    shape.sequences = shape.decode_tokens = shape.logit_rows = static_cast<std::int32_t>(rows);
    shape.decode_context = std::llround(static_cast<double>(rows) * demand_.mean_context());
    return shape;
  }

  /// `prompts` of them, cut into `steps` equal chunks.
  StepShape mixed(std::int64_t decode_rows, double prompts, double steps) const {
    StepShape shape = decodes(decode_rows);
    const double share = prompts / steps, fresh = static_cast<double>(demand_.fresh);
    const double cached = static_cast<double>(demand_.prompt) - fresh;
    const double in_step = std::ceil(share);
    shape.sequences += static_cast<std::int32_t>(in_step);
    shape.prefill_tokens = static_cast<std::int32_t>(std::llround(share * fresh));
    shape.prefill_context = std::llround(in_step * cached + (share < 1 ? (1 + share) / 2 : share) * fresh);
    shape.prefill_pairs = std::llround(share * fresh * (cached + (fresh + 1) / 2));
    shape.logit_rows += static_cast<std::int32_t>(std::lround(share));
    return shape;
  }

  OperatingPoint at(int requests) const {
    // Each stage works on a batch of its own; with fewer requests than stages some stand idle.
    const int batches = std::min(stages_, requests);
    const std::int64_t rows = (requests + batches - 1) / batches;
    const auto output = static_cast<double>(demand_.output), fresh = static_cast<double>(demand_.fresh);
    // Steps are launched one ahead: who comes while others run waits for one step. Those that share a prefix
    // do not start together, and stay apart.
    const double all_fresh = static_cast<double>(rows) * fresh;
    const bool apart = rows > 1 && (all_fresh > step_tokens_ || demand_.fresh < demand_.prompt);
    const double ahead = apart ? 1 : 0;
    double chunks = 1, prompt_steps = 1, steps = output;  // of one prompt; of all in a round; of a round
    double beside = 0;                                    // decode rows in a step with prompts
    for (int pass = 0; pass < kPasses; ++pass) {
      const double room = std::max(1.0, step_tokens_ - beside);
      // Where prompts take all steps, the last one of a round is filled up by the next round's.
      const double flow = std::max(1.0, all_fresh / room);
      const double filled = output - 1 + chunks + ahead <= flow ? flow : std::ceil(flow);
      prompt_steps = std::max(filled, 1 + ahead);
      // Prompts that follow one another fill steps up: so many of them reach into the next.
      chunks = 1 + (filled - 1) / static_cast<double>(rows);
      steps = std::max(output - 1 + chunks + ahead, prompt_steps);
      // What the steps without prompts leave of all decode rows.
      const double decoded = output - 1 - (steps - prompt_steps);
      beside = static_cast<double>(rows) * std::max(0.0, decoded) / prompt_steps;
    }
    const double mixed_s =
        turn(mixed(std::llround(beside), static_cast<double>(rows), prompt_steps), batches);
    const StepTimeParts decode = model_.parts(decodes(rows));
    const double decode_s = turn(decode.total(), batches);
    const double round_s = prompt_steps * mixed_s + (steps - prompt_steps) * decode_s;
    // Steps with others' prompts between a request's own tokens; the first of a round sees one more.
    const double met = prompt_steps - chunks - ahead + ahead / prompt_steps;
    const double mixed_later = std::clamp(met, 0.0, output - 1);

    OperatingPoint point;
    point.requests = requests;
    const double decoding_s = mixed_later * mixed_s + (output - 1 - mixed_later) * decode_s;
    point.ttft_ms = to_ms(round_s - decoding_s);
    point.tpot_ms = output > 1 ? to_ms(decoding_s / (output - 1)) : 0;
    point.tokens_per_s = requests * output / round_s;
    point.overhead_share = decode.overhead / decode.total();
    point.communication_share = decode.communication / decode.total();
    point.compute_share = decode.multiplying / decode.total();
    point.memory_share = 1 - point.overhead_share - point.communication_share - point.compute_share;
    return point;
  }

 private:
  /// From one step of a batch to its next: through all stages, and not before the others' turns.
  double turn(double step_s, int batches) const { return step_s * std::max(1.0, batches * widest_stage_); }
  double turn(const StepShape& shape, int batches) const {
    return turn(model_.parts(shape).total(), batches);
  }

  Demand demand_;
  const RooflineStepTime& model_;
  double step_tokens_;
  int stages_;
  double widest_stage_;
};

StepLayout layout_of(const Deployment& deployment, const ModelOutline& model) {
  StepLayout layout;
  layout.tensor_parallel = deployment.tensor_parallel;
  layout.pipeline_parallel = deployment.pipeline_parallel;
  layout.block_size = deployment.block_size;
  layout.draft_layers = deployment.draft_layers;
  layout.engine = deployment.engine;
  const std::string& asked = deployment.kv_cache_dtype;
  const bool by_model = asked == "auto" && !model.kv_format.empty();
  if (const auto format = find_kv_format(by_model ? model.kv_format : asked)) layout.kv = *format;
  return layout;
}

}  // namespace

std::string rates_of(const Deployment& deployment, const GpuProfile& gpu) {
  return gpu.engines.empty() ? "" : gpu.rates(deployment.engine).engine;
}

Prediction predict(const Deployment& deployment, const ModelOutline& model, const GpuProfile& gpu,
                   std::int64_t most) {
  if (gpu.engines.empty()) return {};
  const StepLayout layout = layout_of(deployment, model);
  const RooflineStepTime step(model, gpu, layout);
  const Demand demand(deployment, model);
  const ClosedLoop loop(deployment, demand, step, static_cast<int>(model.layers.size()));
  Prediction prediction;
  prediction.rates = rates_of(deployment, gpu);
  prediction.error_share = gpu.rates(layout.engine).error_share;
  prediction.prefill_floor_ms = to_ms(step.work(loop.mixed(0, 1, 1)).flops() / step.peak_rate());

  const int ranks = std::max(1, deployment.tensor_parallel * deployment.pipeline_parallel);
  const int replicas = std::max(1, deployment.gpus / ranks);
  const std::int64_t top_of_one = std::min<std::int64_t>(most, deployment.max_num_seqs);
  const auto top = static_cast<int>(std::min<std::int64_t>(top_of_one * replicas, kMostRequests));
  if (top < 1) return prediction;
  const auto point_at = [&](int requests) {
    // The fullest replica sets the times; the others are at most one request behind.
    const int fullest = (requests + replicas - 1) / replicas;
    OperatingPoint point = loop.at(fullest);
    point.tokens_per_s *= static_cast<double>(requests) / fullest;
    point.requests = requests;
    return point;
  };

  const int asked = deployment.requests > 0 ? deployment.requests : deployment.max_num_seqs;
  prediction.asked = point_at(std::clamp(asked, 1, top));
  const int at_once = (prediction.asked.requests + replicas - 1) / replicas;
  prediction.decode_floor_ms = to_ms(step.work(loop.decodes(at_once)).bytes() / gpu.memory_bandwidth);

  for (int requests = 1;; requests = std::max(requests + 1, static_cast<int>(requests * kCurveRatio))) {
    prediction.curve.push_back(point_at(std::min(requests, top)));
    if (requests >= top) break;
  }
  for (const OperatingPoint& point : prediction.curve) {
    if (2 * point.requests > top) break;
    if (point_at(2 * point.requests).tokens_per_s >= kKneeGain * point.tokens_per_s) continue;
    prediction.knee = point.requests;
    break;
  }

  const auto keeps = [&](const OperatingPoint& point) {
    return (deployment.ttft_limit_ms <= 0 || point.ttft_ms <= deployment.ttft_limit_ms) &&
           (deployment.tpot_limit_ms <= 0 || point.tpot_ms <= deployment.tpot_limit_ms);
  };
  if (deployment.ttft_limit_ms > 0 || deployment.tpot_limit_ms > 0) {
    int held = 0, missed = top + 1;
    for (const OperatingPoint& point : prediction.curve) {
      if (keeps(point)) held = point.requests;
    }
    for (const OperatingPoint& point : prediction.curve) {
      if (point.requests > held) missed = std::min(missed, point.requests);
    }
    while (missed - held > 1) {
      const int middle = held + (missed - held) / 2;
      (keeps(point_at(middle)) ? held : missed) = middle;
    }
    prediction.most_under_limits = held;
  }
  return prediction;
}

}  // namespace pitwall
