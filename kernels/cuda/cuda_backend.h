// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA back end: one GPU, one stream. A step runs from its staging to its publication without the host,
// as a captured graph where all its rows are decode rows.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/execute/backend.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/kv_pool.h"
#include "kernels/cuda/moe_layer.h"
#include "kernels/cuda/nvml.h"
#include "kernels/cuda/products.h"
#include "kernels/cuda/rope_append.h"
#include "kernels/cuda/row_ops.h"
#include "kernels/cuda/step_link.h"
#include "kernels/cuda/weight_upload.h"

namespace pitwall::cuda {

class CudaBackend final : public Backend {
 public:
  /// Errors say why there is no GPU to use.
  static Result<std::unique_ptr<CudaBackend>> open(const CudaBackendOptions& options);
  ~CudaBackend() override;

  DeviceInfo device() const override;
  Ledger& ledger() override { return ledger_; }

  Result<Weight> upload(const TensorView& tensor) override;
  Result<Weight> upload_vector(const TensorView& tensor, float offset) override;
  Result<Experts> group_experts(const TensorView& router, std::span<const ExpertWeights> experts,
                                const MoeSpec& spec, Activation activation) override;
  Result<RopeTable> upload_rope(const RopeSpec& rope, int positions) override;
  Result<Tensor> allocate(Category category, RowSet rows, int columns,
                          Precision precision = Precision::compute) override;
  Result<std::vector<Tensor>> allocate_together(std::span<const int> columns) override;
  Result<void> prepare_steps(const StepLimits& limits) override;
  Result<void> prepare_attention(const KvLayout& layout, int heads) override;
  Result<void> warm_up(const std::function<void()>& forward, std::span<const int> buckets) override;
  KvFootprint kv_footprint(const KvLayout&) const override { return kv_.footprint(); }
  Result<void> allocate_kv(const KvLayout& layout, int blocks) override;
  Result<void> allocate_swap(int host_blocks) override;

  void move_blocks(const StepPlan& plan) override;
  void stage(const StepPlan& plan) override;
  void record(int bucket, std::function<void()> forward) override;
  bool recorded(int bucket) const override;
  void replay(int bucket) override;
  void publish(std::uint64_t step) override;
  StepResult wait(std::uint64_t step) override { return link_.wait(step); }
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
    DeviceMatrix matrix;            ///< of upload()
    const float* vector = nullptr;  ///< of upload_vector()
    int count = 0;                  ///< numbers in vector
  };
  struct StoredTensor {
    RowSet rows;
    Rows16 narrow;  ///< Precision::compute
    Rows32 wide;    ///< Precision::wide
    bool is_wide() const { return wide.data != nullptr; }
  };
  struct Recorded {
    std::function<void()> forward;
    cudaGraphExec_t graph = nullptr;  ///< null: launched kernel by kernel
  };

  CudaBackend(const CudaBackendOptions& options, std::unique_ptr<GpuMemoryMeter> meter,
              const CudaDevice& device, const VirtualMemoryApi& api);
  Result<void> start();
  Result<void> capture(int bucket, Recorded& recorded);
  Result<void> fit_workspaces();

  const StoredWeight& at(Weight weight) const { return weights_[static_cast<std::size_t>(weight.id)]; }
  const StoredTensor& at(Tensor tensor) const { return tensors_[static_cast<std::size_t>(tensor.id)]; }
  const float* vector_of(Weight weight) const { return weight.valid() ? at(weight).vector : nullptr; }
  /// Rows that kernels are launched for: the bucket's while one is captured, the step's otherwise.
  int bound(RowSet rows) const { return rows == RowSet::tokens ? token_bound_ : logit_bound_; }
  int decode_bound(int rows) const;
  void bind_rows(int tokens, int logits);
  void run(const std::function<void()>& forward);

  /// Rows of wide tensors of so many columns as products take them: in 16 bits, normed or before the norm's
  /// factor.
  struct Twin {
    Rows16 rows;
    RowSquares squares;
    Tensor of;          ///< whose product prepared it; none: anything else
    NormPrologue norm;  ///< for which
  };
  struct ProductInput {
    Rows16 rows;
    NormBehind behind;
  };
  NormView norm_view(const NormPrologue& norm) const;
  Rows16 normed_input(Tensor in, const NormPrologue& norm, bool with_rest = false);
  bool is_prepared(Tensor in, const NormPrologue& norm) const;
  ProductInput prepared_input(Tensor in) const;
  ProductInput product_input(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs);
  NormAhead norm_ahead(const LinearOutput& output, Rows16 x, int rows);
  void written(Tensor tensor);
  Epilogue epilogue_of(const LinearOutput& output) const;
  void project(const ProductInput& in, const LinearOutput& output, int rows);

  const CudaBackendOptions options_;
  std::unique_ptr<GpuMemoryMeter> meter_;
  Ledger ledger_;
  DeviceMemory memory_;
  cudaStream_t stream_ = nullptr;
  WeightUpload uploads_;
  StepLimits limits_;

  std::vector<StoredWeight> weights_;
  std::vector<StoredTensor> tensors_;
  std::vector<RopeView> ropes_;
  std::vector<MoeLayer> moe_layers_;

  StepLink link_;
  Products products_;
  CudaKvPool kv_;
  std::map<int, Twin> twins_;  ///< by columns
  Rows16 products16_;          ///< results that an epilogue turns into something else
  Rows32 products32_;
  MoeWorkspace moe_;
  DecodeWorkspace decode_;
  NewTokens fresh_;                     ///< of the layer at hand, where attention takes them
  std::pair<int, int> planned_{0, -1};  ///< (kv heads, window) whose plan decode_ holds in this forward

  std::map<int, Recorded> recorded_;
  int token_bound_ = 0, logit_bound_ = 0;
  Rows32 sampled_from_;
  bool replayed_ = false;  ///< the step at hand was a captured one
  std::optional<Error> step_error_;
};

}  // namespace pitwall::cuda
