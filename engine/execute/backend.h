// SPDX-License-Identifier: GPL-3.0-or-later
// Backend: the narrow set of operations that a device implements. kernels/cpu and kernels/cuda are the
// implementations.
//
// Shapes: an activation Tensor is [rows × columns] with one row per token of the step (RowSet::tokens) or per
// position whose logits are wanted (RowSet::logits), in one of two precisions. Row counts, positions, slots,
// tokens and block tables are read from StepState on the device: nothing in the forward depends on lengths on
// the host. Every operation has an obvious twin in execute/reference_ops.h that tests compare against.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/cache/kv_layout.h"
#include "engine/model/model.h"
#include "engine/step/step_plan.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

struct DeviceInfo {
  std::string name;  ///< "AMD EPYC … (2 threads, AVX2)"
  std::string kind;  ///< "cpu" or "cuda"
  Bytes memory = 0;
  int threads = 0;  ///< CPU worker threads
};

enum class RowSet : std::uint8_t { tokens, logits };

enum class Precision : std::uint8_t {
  compute,  ///< of the device's products: the CPU float32, CUDA bfloat16 or float16
  wide,     ///< float32 on every device: the residual stream, logits
};

struct Tensor {  ///< handle of device memory; −1 = none
  std::int32_t id = -1;
  bool valid() const { return id >= 0; }
};
struct Weight {  ///< handle of an uploaded weight; −1 = none
  std::int32_t id = -1;
  bool valid() const { return id >= 0; }
};
struct RopeTable {
  std::int32_t id = -1;
  bool valid() const { return id >= 0; }
};
struct Experts {  ///< handle of a layer's experts; −1 = none
  std::int32_t id = -1;
  bool valid() const { return id >= 0; }
};

/// fp8_e4m3: numbers written to a layer's KV since it was allocated, and those of them that lay beyond
/// ±448·scale and were cut there.
struct KvSaturation {
  std::int64_t values = 0, saturated = 0;
};

struct StepLimits {
  int max_tokens = 0;      ///< rows of RowSet::tokens
  int max_logit_rows = 0;  ///< rows of RowSet::logits
  int max_slots = 0;
  int max_blocks_per_sequence = 0;
  int vocabulary = 0;
};

/// Before a linear: the norm of the input row. No norm when `weight` is invalid.
struct NormPrologue {
  Weight weight;
  float epsilon = 0;
  NormSpec::Kind kind = NormSpec::Kind::rms;
};

/// One product over a shared input, y = input·weightᵀ (+ bias), and what follows:
/// output = scale·y, capped, times sigmoid(gate), (+ residual). output may be residual.
struct LinearOutput {
  Weight weight;
  Tensor output;
  Weight bias;
  Tensor residual;
  float scale = 1;
  float softcap = 0;            ///< c > 0: c·tanh(y/c)
  Tensor gate = {};             ///< one column
  NormPrologue next_norm = {};  ///< under which products read the output next; a device may prepare it
};

struct GatedWeights {  ///< biases may be invalid
  Weight gate, up, gate_bias, up_bias;
  Activation activation = Activation::silu;
};

struct ExpertWeights {
  Weight gate, up, down;
};

struct RopeAppendOp {
  int layer = 0;
  RopeTable table;              ///< invalid: nothing is rotated
  NormPrologue q_norm, k_norm;  ///< over each head; weights of one head, or of all
};

struct AttentionOp {
  int layer = 0;
  int heads = 0, kv_heads = 0, head_dim = 0;
  float scale = 0;
  int window = 0;     ///< 0 = full
  float softcap = 0;  ///< 0 = none
};

/// What a KV pool takes of a device: so much for each block, heads as wide as the device has them, and at
/// most so much beside the blocks.
struct KvFootprint {
  Bytes block = 0, rounding = 0;
};

/// One thread at a time (the executor's), but for wait(). Methods without Result cannot fail once their
/// buffers exist.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual DeviceInfo device() const = 0;
  virtual Ledger& ledger() = 0;

  // Memory, before the first step. Nothing is allocated later.
  virtual Result<Weight> upload(const TensorView& tensor) = 0;  ///< a matrix, kept packed (Category::weights)
  /// A norm or bias, kept as float; `offset` is added to each number.
  virtual Result<Weight> upload_vector(const TensorView& tensor, float offset) = 0;
  /// A layer's mixture of experts from uploaded weights; the router's a device may keep finer than others.
  virtual Result<Experts> group_experts(const TensorView& router, std::span<const ExpertWeights> experts,
                                        const MoeSpec& spec, Activation activation) = 0;
  virtual Result<RopeTable> upload_rope(const RopeSpec& rope, int positions) = 0;
  virtual Result<Tensor> allocate(Category category, RowSet rows, int columns,
                                  Precision precision = Precision::compute) = 0;  ///< after prepare_steps
  /// Activations of RowSet::tokens that products of one input fill, as q, k and v: a device may lay their
  /// rows side by side. What is uploaded one after another for one input may be multiplied at once.
  virtual Result<std::vector<Tensor>> allocate_together(std::span<const int> columns);
  virtual Result<void> prepare_steps(const StepLimits& limits) = 0;  ///< StepState, workspaces
  /// What attention needs beside KV, for at most `heads` heads. Before warm_up().
  virtual Result<void> prepare_attention(const KvLayout& layout, int heads);
  /// Runs `forward` over the largest step and captures the buckets, before KV has memory, so that what is
  /// left afterwards is KV's.
  virtual Result<void> warm_up(const std::function<void()>& forward, std::span<const int> buckets);
  virtual KvFootprint kv_footprint(const KvLayout& layout) const;  ///< after prepare_attention
  /// Refuses, by its name, a KV dtype that the device lacks, and a scale that is not finite and above 0.
  virtual Result<void> allocate_kv(const KvLayout& layout, int blocks) = 0;
  virtual Result<void> allocate_swap(
      int host_blocks) = 0;  ///< after allocate_kv; host memory, Category::swap

  // A step: move_blocks → stage → replay(bucket) → publish → wait.
  /// The plan's swaps out, swaps in and copies, in this order, after everything that was launched before. A
  /// plan that names a block which is not there fails as a step, and nothing of it runs.
  virtual void move_blocks(const StepPlan& plan) = 0;
  virtual void stage(const StepPlan& plan) = 0;  ///< into StepState; the plan stays until publish()
  virtual void record(
      int bucket,
      std::function<void()> forward) = 0;  ///< captured once per bucket; the CPU keeps the function
  virtual bool recorded(int bucket) const = 0;
  virtual void replay(int bucket) = 0;
  virtual void publish(
      std::uint64_t step) = 0;  ///< sampled tokens and asked-for logits of the step leave for the host
  /// Blocks until the step is published; any thread. A device that computes on its own sets `started` and
  /// `finished` by the steady clock.
  virtual StepResult wait(std::uint64_t step) = 0;
  /// Nobody wants results any more: steps may leave out what is not computed yet, and are published all the
  /// same. Any thread. A device whose steps take milliseconds does as before.
  virtual void abandon() {}

  virtual std::vector<KvSaturation> kv_saturation()
      const = 0;  ///< by layer; empty unless fp8_e4m3; any thread

  // The forward's operations, called inside record's function only.
  virtual void embed(Weight table, float scale,
                     Tensor out) = 0;  ///< scale·(rows of the table by StepState's tokens)
  virtual void linear(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs) = 0;
  virtual void gated_linear(Tensor in, const NormPrologue& norm, const GatedWeights& weights,
                            Tensor out) = 0;  ///< act(gate·x) ⊙ (up·x)
  /// out = scale·Σ p·down(act(gate·x) ⊙ up·x) + residual over the experts that the router chooses for x, the
  /// normed row of `in`. `out` may be `in` or `residual`; `residual` may be invalid.
  virtual void moe(Tensor in, const NormPrologue& norm, Experts experts, float scale, Tensor residual,
                   Tensor out) = 0;
  virtual void norm_add(Tensor in, const NormPrologue& norm, float scale,
                        Tensor residual) = 0;  ///< residual += scale·norm(in)
  /// q and k normed where the op says so, rotated; q in place, k and v into the KV blocks.
  virtual void rope_append(const RopeAppendOp& op, const AttentionSpec& spec, Tensor q, Tensor k,
                           Tensor v) = 0;
  virtual void attention(const AttentionOp& op, Tensor q,
                         Tensor out) = 0;                     ///< causal, over each row's own sequence
  virtual void gather_logit_rows(Tensor in, Tensor out) = 0;  ///< RowSet::tokens → RowSet::logits
  virtual void sample(Tensor logits) = 0;  ///< chooses tokens, sets StepState's last token by slot
};

}  // namespace pitwall
