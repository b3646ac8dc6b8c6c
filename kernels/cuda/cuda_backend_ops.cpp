// SPDX-License-Identifier: GPL-3.0-or-later
// The forward's operations on the CUDA back end.
#include <algorithm>
#include <array>
#include <utility>

#include "kernels/cuda/cuda_backend.h"

namespace pitwall::cuda {

namespace {

HeadNorm head_norm(const NormPrologue& norm, const float* weight, int numbers, int head_dim) {
  return {weight, numbers > head_dim, norm.kind, norm.epsilon};
}

}  // namespace

NormView CudaBackend::norm_view(const NormPrologue& norm) const {
  return {vector_of(norm.weight), norm.kind, norm.epsilon};
}

/// The rows of `in` as products take them: normed, in 16 bits. `with_rest` as norm_rows() has it.
Rows16 CudaBackend::normed_input(Tensor in, const NormPrologue& norm, bool with_rest) {
  const StoredTensor& tensor = at(in);
  if (!tensor.is_wide()) return tensor.narrow;  // the forward norms the residual stream alone
  Twin& twin = twins_.at(tensor.wide.columns);
  twin.of = {};
  norm_rows(tensor.wide, norm_view(norm), twin.rows, bound(tensor.rows), stream_, with_rest);
  return twin.rows;
}

bool CudaBackend::is_prepared(Tensor in, const NormPrologue& norm) const {
  if (!at(in).is_wide()) return false;
  const Twin& twin = twins_.at(at(in).wide.columns);
  return twin.of.id == in.id && twin.norm.weight.id == norm.weight.id && twin.norm.kind == norm.kind &&
         twin.norm.epsilon == norm.epsilon;
}

CudaBackend::ProductInput CudaBackend::prepared_input(Tensor in) const {
  const Twin& twin = twins_.at(at(in).wide.columns);
  return {twin.rows, {twin.squares, twin.rows.columns, twin.norm.epsilon}};
}

CudaBackend::ProductInput CudaBackend::product_input(Tensor in, const NormPrologue& norm,
                                                     std::span<const LinearOutput> outputs) {
  const bool adds = std::any_of(outputs.begin(), outputs.end(),
                                [](const LinearOutput& output) { return output.residual.valid(); });
  const int rows = bound(at(in).rows);
  const bool folds = std::all_of(outputs.begin(), outputs.end(), [&](const LinearOutput& output) {
    return products_.folds_norm(at(output.weight).matrix, rows);
  });
  if (!adds && folds && is_prepared(in, norm)) return prepared_input(in);
  return {normed_input(in, norm), {}};
}

/// What the product of `output` over x leaves for the norm that follows, if it can.
NormAhead CudaBackend::norm_ahead(const LinearOutput& output, Rows16 x, int rows) {
  const StoredTensor& to = at(output.output);
  const NormPrologue& norm = output.next_norm;
  const DeviceMatrix& weight = at(output.weight).matrix;
  if (!norm.weight.valid() || norm.kind != NormSpec::Kind::rms || !to.is_wide() ||
      !products_.folds_norm(weight, rows)) {
    return {};
  }
  Twin& twin = twins_.at(to.wide.columns);
  if (twin.rows.data == x.data) return {};  // still to be read
  twin.of = output.output;
  twin.norm = norm;
  twin.squares.count = skinny_parts(weight.rows);
  return {at(norm.weight).vector, twin.rows, twin.squares};
}

/// What was prepared of the tensor holds no longer.
void CudaBackend::written(Tensor tensor) {
  for (auto& [columns, twin] : twins_) {
    if (twin.of.id == tensor.id) twin.of = {};
  }
}

Epilogue CudaBackend::epilogue_of(const LinearOutput& output) const {
  Epilogue epilogue;
  epilogue.bias = vector_of(output.bias);
  epilogue.scale = output.scale;
  epilogue.softcap = output.softcap;
  if (output.gate.valid()) epilogue.gate = at(output.gate).narrow;
  if (output.residual.valid()) epilogue.residual = at(output.residual).wide;
  return epilogue;
}

/// A product and what follows it. The residual is added by the product itself where nothing stands between.
void CudaBackend::project(const ProductInput& in, const LinearOutput& output, int rows) {
  written(output.output);
  const StoredTensor& to = at(output.output);
  const DeviceMatrix& weight = at(output.weight).matrix;
  Epilogue epilogue = epilogue_of(output);
  const bool adds = epilogue.residual.data != nullptr;
  const bool in_place = adds && epilogue.residual.data == to.wide.data;
  const bool direct = !epilogue.bias && epilogue.softcap == 0 && epilogue.gate.data == nullptr;
  if (direct && (!adds || in_place)) {
    ProductOutput product[] = {{weight, to.narrow, to.wide, in_place, epilogue.scale}};
    product[0].norm = norm_ahead(output, in.rows, rows);
    products_.multiply(in.rows, product, rows, in.behind);
    return;
  }
  if (to.is_wide()) {
    Rows32 y = adds ? Rows32{products32_.data, stride_of(weight.rows), weight.rows} : to.wide;
    const ProductOutput product[] = {{weight, {}, y}};
    products_.multiply(in.rows, product, rows, in.behind);
    finish_rows(y, epilogue, to.wide, rows, stream_);
  } else {
    const ProductOutput product[] = {{weight, to.narrow, {}}};
    products_.multiply(in.rows, product, rows, in.behind);
    finish_rows(to.narrow, epilogue, to.narrow, rows, stream_);
  }
}

void CudaBackend::embed(Weight table, float scale, Tensor out) {
  embed_rows(link_.view(), at(table).matrix, scale, at(out).wide, bound(at(out).rows), stream_);
  written(out);
}

void CudaBackend::linear(Tensor in, const NormPrologue& norm, std::span<const LinearOutput> outputs) {
  const int rows = bound(at(in).rows);
  const ProductInput input = product_input(in, norm, outputs);
  if (outputs.size() == 1) return project(input, outputs.front(), rows);
  std::vector<ProductOutput> products;
  for (const LinearOutput& output : outputs)
    products.push_back(
        {at(output.weight).matrix, at(output.output).narrow, at(output.output).wide, false, 1});
  products_.multiply(input.rows, products, rows, input.behind);
  for (const LinearOutput& output : outputs) {
    written(output.output);
    const Epilogue epilogue = epilogue_of(output);
    if (epilogue.is_plain()) continue;
    const StoredTensor& to = at(output.output);
    if (to.is_wide()) {
      finish_rows(to.wide, epilogue, to.wide, rows, stream_);
    } else {
      finish_rows(to.narrow, epilogue, to.narrow, rows, stream_);
    }
  }
}

void CudaBackend::gated_linear(Tensor in, const NormPrologue& norm, const GatedWeights& weights, Tensor out) {
  const int rows = bound(at(in).rows);
  GatedOutput output;
  output.gate = at(weights.gate).matrix;
  output.up = at(weights.up).matrix;
  output.gate_bias = vector_of(weights.gate_bias);
  output.up_bias = vector_of(weights.up_bias);
  output.activation = weights.activation;
  output.out = at(out).narrow;
  output.out.columns = output.gate.rows;
  const int stride = stride_of(output.gate.rows + output.up.rows);
  output.gates = {products16_.data, stride, output.gate.rows, products16_.cut};
  output.ups = {products16_.data + output.gate.rows, stride, output.up.rows, products16_.cut};
  const bool joins =
      output.gate.type == output.up.type && !weights.gate_bias.valid() && !weights.up_bias.valid();
  const bool folds = joins && products_.folds_norm(output.gate, rows) && is_prepared(in, norm);
  const ProductInput input = folds ? prepared_input(in) : ProductInput{normed_input(in, norm), {}};
  products_.multiply_gated(input.rows, output, rows, input.behind);
}

void CudaBackend::moe(Tensor in, const NormPrologue& norm, Experts experts, float scale, Tensor residual,
                      Tensor out) {
  const Rows16 x = normed_input(in, norm, true);
  written(out);
  const Rows32 added = residual.valid() ? at(residual).wide : Rows32{};
  const StoredTensor& to = at(out);
  run_moe(moe_layers_[static_cast<std::size_t>(experts.id)], link_.view(), x, scale, added, to.narrow,
          to.wide, bound(to.rows), products_, moe_, stream_);
}

void CudaBackend::norm_add(Tensor in, const NormPrologue& norm, float scale, Tensor residual) {
  cuda::norm_add(at(in).narrow, norm_view(norm), scale, at(residual).wide, bound(at(in).rows), stream_);
  written(residual);
}

void CudaBackend::rope_append(const RopeAppendOp& op, const AttentionSpec& spec, Tensor q, Tensor k,
                              Tensor v) {
  RopeAppendArgs args;
  args.step = link_.view();
  args.kv = kv_.layers()[static_cast<std::size_t>(op.layer)];
  if (op.table.valid()) args.rope = ropes_[static_cast<std::size_t>(op.table.id)];
  if (op.q_norm.weight.valid())
    args.q_norm =
        head_norm(op.q_norm, at(op.q_norm.weight).vector, at(op.q_norm.weight).count, spec.head_dim);
  if (op.k_norm.weight.valid())
    args.k_norm =
        head_norm(op.k_norm, at(op.k_norm.weight).vector, at(op.k_norm.weight).count, spec.head_dim);
  args.q = at(q).narrow;
  args.k = at(k).narrow;
  args.v = at(v).narrow;
  args.heads = spec.heads;
  fresh_ = {};
  const int rows = bound(RowSet::tokens);
  if (link_.segments().empty() && takes_new_tokens(args, rows)) {
    fresh_ = {args.k, args.v, args.rope};
  } else {
    cuda::rope_append(args, rows, stream_);
  }
}

void CudaBackend::attention(const AttentionOp& op, Tensor q, Tensor out) {
  AttentionArgs args;
  args.step = link_.view();
  args.kv = kv_.layers()[static_cast<std::size_t>(op.layer)];
  args.q = at(q).narrow;
  args.out = at(out).narrow;
  args.heads = op.heads;
  args.scale = op.scale;
  args.softcap = op.softcap;
  args.window = op.window;
  args.fresh = std::exchange(fresh_, {});
  const int rows = decode_bound(bound(RowSet::tokens));
  const int multiprocessors = memory_.device().multiprocessors;
  if (planned_ != std::pair{op.kv_heads, op.window}) {
    planned_ = {op.kv_heads, op.window};
    plan_decode(link_.view(), rows, op.kv_heads, op.window, decode_, multiprocessors, stream_);
  }
  decode_attention(args, rows, decode_, multiprocessors, stream_);
  const std::vector<Segment>& segments = link_.segments();
  if (!segments.empty()) prefill_attention(args, segments.data(), static_cast<int>(segments.size()), stream_);
}

void CudaBackend::gather_logit_rows(Tensor in, Tensor out) {
  gather_rows(link_.view(), at(in).wide, at(out).wide, bound(RowSet::logits), stream_);
  written(out);
}

void CudaBackend::sample(Tensor logits) {
  sampled_from_ = at(logits).wide;
  link_.sample(sampled_from_, bound(RowSet::logits));
}

}  // namespace pitwall::cuda
