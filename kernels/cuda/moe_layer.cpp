// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/moe_layer.h"

#include <algorithm>
#include <string>
#include <vector>

namespace pitwall::cuda {

namespace {

Result<ExpertMatrices> upload_experts(WeightUpload& uploads, std::span<const DeviceMatrix> matrices,
                                      const char* role) {
  const DeviceMatrix& first = matrices.front();
  for (std::size_t e = 1; e < matrices.size(); ++e) {
    const DeviceMatrix& one = matrices[e];
    if (one.type == first.type && one.rows == first.rows && one.columns == first.columns &&
        one.stride == first.stride && one.group_columns == first.group_columns &&
        one.scale_type == first.scale_type) {
      continue;
    }
    return Error{Error::Kind::unsupported,
                 "Expert " + std::to_string(e) + " stores its " + role + " projection as " +
                     std::string(tensor_type_info(one.type).name) + ", expert 0 as " +
                     std::string(tensor_type_info(first.type).name),
                 "the GPU multiplies experts of one format and shape", "Use --device cpu", "device"};
  }
  ExpertMatrices result;
  result.shape = first;
  result.experts = static_cast<int>(matrices.size());
  auto list = uploads.items(std::vector<DeviceMatrix>(matrices.begin(), matrices.end()), "experts");
  if (!list) return std::move(list).error();
  result.matrices = *list;
  return result;
}

}  // namespace

Result<MoeLayer> make_moe_layer(WeightUpload& uploads, const TensorView& router,
                                std::span<const DeviceMatrix> gate, std::span<const DeviceMatrix> up,
                                std::span<const DeviceMatrix> down, const MoeSpec& spec,
                                Activation activation) {
  MoeLayer layer;
  auto split = uploads.split_matrix(router);
  if (!split) return std::move(split).error();
  layer.router = *split;
  layer.spec = spec;
  layer.activation = activation;
  struct Role {
    ExpertMatrices& to;
    std::span<const DeviceMatrix> from;
    const char* name;
  };
  for (const Role& role :
       {Role{layer.gate, gate, "gate"}, Role{layer.up, up, "up"}, Role{layer.down, down, "down"}}) {
    auto experts = upload_experts(uploads, role.from, role.name);
    if (!experts) return std::move(experts).error();
    role.to = *experts;
  }
  return layer;
}

Result<MoeWorkspace> take_moe_workspace(DeviceMemory& memory, std::span<const MoeLayer> layers, int rows) {
  MoeWorkspace workspace;
  int experts = 0, router_rows = 0, top_k = 0, intermediate = 0, hidden = 0;
  for (const MoeLayer& layer : layers) {
    experts = std::max(experts, layer.spec.experts);
    router_rows = std::max(router_rows, layer.router.rows);
    top_k = std::max(top_k, layer.spec.top_k);
    intermediate = std::max(intermediate, layer.gate.shape.rows);
    hidden = std::max(hidden, layer.down.shape.rows);
  }
  if (layers.empty()) return workspace;
  const std::int64_t most = padded_rows(rows), visits = padded_rows(most * top_k);
  auto products = memory.take_wide_rows(Category::activations, 2 * most, router_rows, "router logits");
  if (!products) return std::move(products).error();
  workspace.router_products = *products;
  const int list_rows = static_cast<int>(most);
  auto list =
      memory.take(Category::activations, static_cast<Bytes>(visit_list_bytes(list_rows, experts, top_k)),
                  "visits of experts");
  if (!list) return std::move(list).error();
  workspace.visits = visit_list_at(*list, list_rows, experts, top_k);
  struct Wanted {
    Rows16& rows;
    int columns;
  };
  for (const Wanted& wanted : {Wanted{workspace.gate, intermediate}, Wanted{workspace.up, intermediate},
                               Wanted{workspace.gated, intermediate}, Wanted{workspace.results, hidden}}) {
    auto taken = memory.take_rows(Category::activations, visits, wanted.columns, "visits of experts");
    if (!taken) return std::move(taken).error();
    wanted.rows = *taken;
  }
  return workspace;
}

void run_moe(const MoeLayer& layer, const StepView& step, Rows16 x, float scale, Rows32 residual,
             Rows16 out16, Rows32 out32, int rows, Products& products, const MoeWorkspace& workspace,
             cudaStream_t stream) {
  const auto columns = [](auto tensor, int count) {
    tensor.columns = count;
    return tensor;
  };
  const RouterLogits logits{columns(workspace.router_products, layer.router.rows), rows,
                            layer.router.rows - layer.spec.experts};
  const ProductOutput routed[] = {{layer.router, {}, logits.products}};
  products.multiply(x, routed, 2 * rows);
  route_rows(step, logits, layer.spec, workspace.visits, rows, stream);

  const int most = rows * layer.spec.top_k;
  const Rows16 gate = columns(workspace.gate, layer.gate.shape.rows);
  const Rows16 up = columns(workspace.up, layer.up.shape.rows);
  const Rows16 gated = columns(workspace.gated, layer.gate.shape.rows);
  const Rows16 results = columns(workspace.results, layer.down.shape.rows);
  expert_linear(x, false, layer.gate, workspace.visits, gate, most, stream);
  expert_linear(x, false, layer.up, workspace.visits, up, most, stream);
  gate_rows(gate, up, nullptr, nullptr, layer.activation, gated, most, stream);
  expert_linear(gated, true, layer.down, workspace.visits, results, most, stream);
  if (out32.data != nullptr) {
    combine_visits(step, results, workspace.visits, layer.spec.top_k, scale, residual, out32, rows, stream);
  } else {
    combine_visits(step, results, workspace.visits, layer.spec.top_k, scale, residual, out16, rows, stream);
  }
}

}  // namespace pitwall::cuda
