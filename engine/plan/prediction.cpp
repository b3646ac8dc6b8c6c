// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/prediction.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/closed_loop.h"
#include "engine/plan/deployment.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/kv_format.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/roofline.h"

namespace pitwall {

namespace {

constexpr double kKneeGain = 1.25;
constexpr int kMostRequests = 1 << 29;
constexpr double kCurveRatio = 1.189207;  // four points an octave

double to_ms(double seconds) {
  return 1000 * seconds;
}

StepLayout layout_of(const Deployment& deployment, const ModelOutline& model) {
  StepLayout layout;
  layout.tensor_parallel = deployment.tensor_parallel;
  layout.expert_parallel = expert_ranks(deployment);
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
  const ClosedLoop loop(deployment, model, step);
  Prediction prediction;
  prediction.prompt_tokens = loop.tokens().prompt;
  prediction.output_tokens = loop.tokens().output;
  prediction.rates = rates_of(deployment, gpu);
  prediction.error_share = gpu.rates(layout.engine).error_share;
  prediction.prefill_floor_ms = to_ms(step.work(loop.with_prompts(0, 1)).flops() / step.peak_rate());

  const int ranks = std::max(1, deployment.tensor_parallel * deployment.pipeline_parallel);
  const int replicas = std::max(1, deployment.gpus / ranks);
  const std::int64_t top_of_one = std::min<std::int64_t>(most, deployment.max_num_seqs);
  const auto top = static_cast<int>(std::min<std::int64_t>(top_of_one * replicas, kMostRequests));
  if (top < 1) return prediction;
  const int asked = deployment.requests > 0 ? deployment.requests : deployment.max_num_seqs;
  prediction.asked = loop.at(std::clamp(asked, 1, top));
  const int at_once = (prediction.asked.requests + replicas - 1) / replicas;
  prediction.decode_floor_ms = to_ms(step.work(loop.decodes(at_once)).bytes() / gpu.memory_bandwidth);

  for (int requests = 1;; requests = std::max(requests + 1, static_cast<int>(requests * kCurveRatio))) {
    prediction.curve.push_back(loop.at(std::min(requests, top)));
    if (requests >= top) break;
  }
  for (const OperatingPoint& point : prediction.curve) {
    if (2 * point.requests > top) break;
    if (loop.at(2 * point.requests).tokens_per_s >= kKneeGain * point.tokens_per_s) continue;
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
      (keeps(loop.at(middle)) ? held : missed) = middle;
    }
    prediction.most_under_limits = held;
  }
  return prediction;
}

}  // namespace pitwall
