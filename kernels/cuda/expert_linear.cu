// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/expert_linear.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kFewVisits = 16;  ///< of an expert on average, up to which its weights are what counts

template <TensorType kType>
void multiply_experts(const SkinnyInput& in, const SkinnyOutput& output, const ExpertTiles& experts,
                      cudaStream_t stream) {
  const TileJob<MatrixSource<kType>> job{.in = in,
                                         .source = matrix_source<kType>(output.weight),
                                         .order = nullptr,
                                         .rows = output.weight.rows,
                                         .stride = output.weight.stride,
                                         .target = skinny_target(output),
                                         .visits = experts.visits};
  const auto with_half = [&]<bool kIsHalf>() {
    const auto launch = [&]<class Weights>() { launch_experts<Weights>(job, experts.most_visits, stream); };
    if constexpr (kType == TensorType::bf16) {
      launch.template operator()<PlainWeights<kIsHalf, 2, PairFrame>>();
    } else if constexpr (!kStored<kType>.grouped) {
      launch.template operator()<CellWeights<kIsHalf, kType, 2, kStored<kType>.span>>();
    } else if (output.weight.group_columns >= kWideGroup) {
      launch.template operator()<CellWeights<kIsHalf, kType, 2, kWideGroup>>();
    } else {
      launch.template operator()<CellWeights<kIsHalf, kType, 2, 32>>();
    }
  };
  if (in.x.is_half()) return with_half.template operator()<true>();
  with_half.template operator()<false>();
}

}  // namespace

void expert_linear(Rows16 x, bool by_visit, const ExpertMatrices& weight, const VisitList& visits, Rows16 out,
                   int most_visits, cudaStream_t stream) {
  if (most_visits <= 0) return;
  const ExpertTiles experts{
      {weight.matrices, visits.first_visit, by_visit ? nullptr : visits.visit_rows, weight.experts},
      most_visits};
  SkinnyOutput output;
  output.weight = weight.shape;
  output.out16 = out;
  const SkinnyInput in = skinny_input(x, 0, {}, 1);
  if (most_visits > std::int64_t{kFewVisits} * weight.experts)
    return multiply_in_tiles(in, output, experts, stream);
  const auto multiply = [&]<TensorType kType>() { multiply_experts<kType>(in, output, experts, stream); };
  if (weight.shape.is_plain()) return multiply.template operator()<TensorType::bf16>();
  with_quantised_type(weight.shape.type, multiply);
}

}  // namespace pitwall::cuda
