// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU back end. StepState is host memory, replay calls the recorded function: every operation has
// finished when it returns.
#pragma once
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>

#include "engine/base/clock.h"
#include "engine/execute/backend.h"
#include "engine/execute/sampler.h"
#include "engine/execute/step_state.h"
#include "kernels/cpu/booked_memory.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/kv_pool.h"
#include "kernels/cpu/moe_workspace.h"
#include "kernels/cpu/parallel.h"

namespace pitwall {

struct CpuBackendOptions {
  Isa isa = best_isa();
  bool quantized_activations = true;  ///< against quantised weights; false = float32 arithmetic throughout
  int threads = 0;                    ///< counting the caller; 0 = usable_cores()
  Bytes memory_limit = 0;             ///< 0 = none
};

/// Rows against a tile of a weight before the next tile: their results stay in the first cache.
inline constexpr int kRowBlock = 64;
using TileResults = float[kRowBlock * kTileRows];

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const CpuBackendOptions& options);
  ~CpuBackend() override;

  DeviceInfo device() const override;
  Ledger& ledger() override { return ledger_; }

  Result<Weight> upload(const TensorView& tensor) override;
  Result<Weight> upload_vector(const TensorView& tensor, float offset) override;
  Result<Experts> group_experts(const TensorView& router, std::span<const ExpertWeights> experts,
                                const MoeSpec& spec, Activation activation) override;
  Result<RopeTable> upload_rope(const RopeSpec& rope, int positions) override;
  Result<Tensor> allocate(Category category, RowSet rows, int columns,
                          Precision precision = Precision::compute) override;
  Result<void> prepare_steps(const StepLimits& limits) override;
  Result<void> allocate_kv(const KvLayout& layout, int blocks) override;
  Result<void> allocate_swap(int host_blocks) override;

  void move_blocks(const StepPlan& plan) override;
  void stage(const StepPlan& plan) override;
  void record(int bucket, std::function<void()> forward) override;
  bool recorded(int bucket) const override;
  void replay(int bucket) override;
  void publish(std::uint64_t step) override;
  StepResult wait(std::uint64_t step) override;
  void abandon() override { team_.abandon(); }
  std::vector<KvSaturation> kv_saturation() const override { return kv_.saturation(); }

  void embed(Weight table, float scale, Tensor out) override;
  void linear(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs) override;
  void gated_linear(Tensor in, const NormPrologue& norm, const GatedWeights& weights, Tensor out) override;
  void moe(Tensor in, const NormPrologue& norm, Experts experts, float scale, Tensor residual,
           Tensor out) override;
  void norm_add(Tensor in, const NormPrologue& norm, float scale, Tensor residual) override;
  void rope_append(const RopeAppendOp& op, const AttentionSpec& spec, Tensor q, Tensor k, Tensor v) override;
  void attention(const AttentionOp& op, Tensor q, Tensor out) override;
  void gather_logit_rows(Tensor in, Tensor out) override;
  void sample(Tensor logits) override;

 private:
  struct StoredWeight {
    PackedMatrix matrix;            ///< of upload()
    const float* vector = nullptr;  ///< of upload_vector()
    int count = 0;                  ///< numbers in vector
  };
  struct StoredTensor {
    BookedMemory memory;
    RowSet rows;
    int columns;
    float* row(std::int64_t r) const { return memory.as<float>() + r * columns; }
  };
  struct StoredRope {
    BookedMemory memory;       ///< [positions][cosines, then sines]
    BookedMemory long_memory;  ///< the same for long sequences, where they have frequencies of their own
    int half = 0;              ///< rotary_dim / 2
    const float* cosine(int position, bool long_sequence) const {
      const bool apart = long_sequence && long_memory.bytes() > 0;
      return (apart ? long_memory : memory).as<float>() + std::int64_t{position} * 2 * half;
    }
    const float* sine(int position, bool long_sequence) const {
      return cosine(position, long_sequence) + half;
    }
  };
  /// A linear's input in the forms that its weights want.
  struct Input {
    const float* floats = nullptr;
    std::int64_t stride = 0;
    const ActivationBlock* blocks = nullptr;
    int rows = 0;
  };
  struct SamplerScratch {
    std::vector<std::pair<float, TokenId>> candidates;
    std::vector<float> changed;  ///< a row of logits, where a LogitChange is applied to it
  };
  struct Published {
    std::uint64_t step = 0;  ///< 0 = free
    StepResult result;
  };

  const StoredWeight& at(Weight weight) const { return weights_[static_cast<std::size_t>(weight.id)]; }
  const StoredTensor& at(Tensor tensor) const { return tensors_[static_cast<std::size_t>(tensor.id)]; }
  int rows_of(Tensor tensor) const { return state_.rows(at(tensor).rows); }
  Result<BookedMemory> rope_table(const RopeSpec& rope, int positions, int longest);
  bool uses_quantized(const PackedMatrix& matrix) const;
  float* scratch(int thread) const;

  Sampled choose(const StepState::Sampling& sample, std::span<const float> logits,
                 SamplerScratch& scratch) const;

  void normalise(const NormPrologue& norm, const float* x, int columns, float* out) const;
  void normalise_heads(const NormPrologue& norm, int heads, int head_dim, float* x) const;

  Result<void> fit_workspace();
  Result<void> fit_moe_workspace();
  Result<void> fit(BookedMemory& memory, Category category, Bytes bytes, const char* purpose);
  Result<void> prepare_blocks(int pool_blocks, int swap_blocks);
  /// The same order of another weight, or null: weights of one input mostly share it.
  const std::int32_t* known_order(const std::vector<std::int32_t>& order) const;
  /// For matrices of one order of columns. What `slot` 0 holds lasts until the next call with it; slot 1 may
  /// be used where a weight has an order.
  Input prepare_input(Tensor in, const NormPrologue& norm, std::span<const PackedMatrix* const> matrices,
                      int slot = 0);
  void linear_of_one_order(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs);
  template <class Body>
  void over_tiles(const PackedMatrix* const* matrices, int count, int rows, const Body& body);
  template <class Body>
  void over_expert_tiles(const std::vector<PackedMatrix>& matrices, const Body& body);
  template <class Body>
  void over_visits(int expert, const Body& body) const;
  void route_rows(const ExpertGroup& group, const Input& input, int first, int rows);
  template <class Row>
  Input gather_visits(const std::vector<PackedMatrix>& matrices, const std::vector<PackedMatrix>& partner,
                      const Row& row);
  void visit_experts(const ExpertGroup& group, const Input& rows, int first_row);
  /// Rows of a tile's results into rows `first` … of `out`; `columns` of the weight's rows are no padding.
  static void store_tile(const float* results, int tile, int first, int rows, std::int64_t stride,
                         int columns, float* out);
  void add_bias(Weight bias, int column, int width, int rows, float* results) const;
  void add_results(const ExpertGroup& group, int row, int first, float scale, Tensor residual,
                   Tensor out) const;
  void multiply(const PackedMatrix& matrix, const Input& input, int tile, int first_row, int rows,
                float* out) const;

  Ledger ledger_;
  const Isa isa_;
  const KernelTable& kernels_;
  const bool quantized_activations_;
  ThreadTeam team_;

  BookedArena weight_memory_;
  std::vector<StoredWeight> weights_;
  std::vector<StoredTensor> tensors_;
  std::vector<StoredRope> ropes_;

  std::vector<ExpertGroup> expert_groups_;
  MoeWorkspace moe_;

  KvPool kv_;
  StepState state_;
  Bytes state_bytes_ = 0;
  BookedMemory normed_[2], quantised_[2];  ///< by slot of prepare_input()
  BookedMemory scratch_;
  std::int64_t scratch_floats_ = 0;              ///< of one thread
  std::vector<SamplerScratch> sampler_scratch_;  ///< by thread
  std::vector<Sampled> sampled_;                 ///< in the order of StepState::samples
  std::vector<PositionLogprobs> reported_;       ///< in the order of StepState::reports
  Tensor sampled_from_;                          ///< whose rows asked-for logits are taken from

  std::map<int, std::function<void()>> recorded_;
  std::optional<Error> step_error_;  ///< of the step that is under way
  std::mutex published_mutex_;
  std::condition_variable published_changed_;
  std::array<Published, 4> published_;  ///< ring by step number
};

}  // namespace pitwall
