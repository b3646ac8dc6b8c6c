// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/kv_demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/plan/amounts.h"

namespace pitwall {

namespace {

/// Whether windows hold no less than other layers.
bool at_full_length(KvLaw law) {
  return law == KvLaw::pitwall || law == KvLaw::full;
}

using Kind = LayerState::Kind;

constexpr std::int64_t kLongest = std::int64_t{1} << 40;
constexpr Bytes kStateBytes = 4, kConvolutionBytes = 2;
constexpr double kRounding = 1e-6;  // of a share that is no binary fraction
constexpr int kVllmBlockUnit = 16;  // to which attention blocks beside states are rounded

bool holds_tokens(const LayerState& layer) {
  return layer.kind != Kind::recurrent && layer.kind != Kind::none;
}
bool grows_always(const LayerState& layer) {
  return layer.kind == Kind::full || layer.kind == Kind::latent;
}

bool same(const LayerState& a, const LayerState& b) {
  return a.kind == b.kind && a.kv_heads == b.kv_heads && a.key_dim == b.key_dim &&
         a.value_dim == b.value_dim && a.window == b.window && a.latent_dim == b.latent_dim &&
         a.latent_rope_dim == b.latent_rope_dim && a.index_dim == b.index_dim &&
         a.recurrent_numbers == b.recurrent_numbers && a.convolution_numbers == b.convolution_numbers &&
         a.draft == b.draft;
}

std::string title_of(const LayerState& layer, int layers) {
  const std::string count =
      fmt::format("{} {}layer{}", layers, layer.draft ? "draft " : "", layers == 1 ? "" : "s");
  switch (layer.kind) {
    case Kind::full:
      return count + ", full attention";
    case Kind::sliding:
      return count + ", window " + format_count(layer.window);
    case Kind::chunked:
      return count + ", chunks of " + format_count(layer.window);
    case Kind::latent:
      return fmt::format("{}, latent rows of {}{}", count, layer.latent_dim + layer.latent_rope_dim,
                         layer.index_dim > 0 ? fmt::format(" and index keys of {}", layer.index_dim) : "");
    case Kind::recurrent:
      return count + ", a state of fixed size";
    case Kind::cross:
      return count + ", cross-attention to " + format_count(layer.window);
    case Kind::none:
      break;
  }
  return count + " without a cache";
}

}  // namespace

LayerKv layer_kv(const LayerState& layer, const KvFormat& format, int tensor_parallel) {
  LayerKv kv;
  switch (layer.kind) {
    case Kind::none:
      return kv;
    case Kind::recurrent:
      kv.state = divided_up(capped_sum(capped_product(layer.recurrent_numbers, kStateBytes),
                                       capped_product(layer.convolution_numbers, kConvolutionBytes)),
                            tensor_parallel);
      return kv;
    case Kind::latent:
      kv.token = format.latent(std::int64_t{layer.latent_dim} + layer.latent_rope_dim) +
                 (layer.index_dim > 0 ? index_key_bytes(layer.index_dim) : 0);
      return kv;
    default:
      break;
  }
  const std::int64_t heads = divided_up(layer.kv_heads, tensor_parallel);
  kv.token = capped_product(heads, format.head(layer.key_dim) + format.head(layer.value_dim));
  kv.scales = capped_product(heads, format.scales(layer.key_dim) + format.scales(layer.value_dim));
  return kv;
}

std::int64_t held_tokens(const LayerState& layer, const KvDemandOptions& options, std::int64_t length) {
  if (length <= 0 || !holds_tokens(layer)) return 0;
  const std::int64_t block = options.law == KvLaw::llama_cpp ? 1 : options.block_size;
  const std::int64_t window = layer.window, step = options.step_tokens;
  if (layer.kind == Kind::cross) return rounded_up(window, block);
  if (grows_always(layer) || at_full_length(options.law)) return rounded_up(length, block);
  switch (options.law) {
    case KvLaw::vllm:
      if (layer.kind == Kind::chunked) return rounded_up(std::min(window + step, length), block);
      return rounded_up(std::min(window - 1 + step, length), block) + block;
    case KvLaw::llama_cpp:
      return std::min(2 * window, length);
    default:
      return rounded_up(std::min(window, length), block);
  }
}

KvDemand::KvDemand(const ModelOutline& model, const KvDemandOptions& options, std::size_t first,
                   std::size_t last)
    : options_(options) {
  add_groups(model, first, last);
  Bytes block = 0;
  for (const Group& group : layers_) {
    state_ = capped_sum(state_, capped_product(group.kv.state, std::int64_t{group.layers}));
    if (holds_tokens(group.layer) && group.layer.kind != Kind::cross)
      per_token_ = capped_sum(per_token_, capped_product(group.kv.token, std::int64_t{group.layers}));
    uniform_ = uniform_ && (grows_always(group.layer) || at_full_length(options.law)) && group.kv.state == 0;
  }
  block = capped_product(per_token_, std::int64_t{options.block_size});
  if (uniform_) {
    unit_ = options.law == KvLaw::llama_cpp ? per_token_ : block;
  } else if (options.law == KvLaw::vllm) {
    equalise();
  } else if (options.law == KvLaw::window_pool && state_ == 0) {
    unit_ = paired_unit();
  }
  describe();
}

/// A block of the layers without windows, and what the windows' pool has beside it.
Bytes KvDemand::paired_unit() const {
  double token = 0;
  for (const Group& group : layers_) {
    token += static_cast<double>(group.kv.token) * group.layers *
             (grows_always(group.layer) ? 1 : options_.window_share);
  }
  return static_cast<Bytes>(std::ceil(token * options_.block_size));
}

void KvDemand::add_groups(const ModelOutline& model, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const LayerState& layer = model.layers[i];
    if ((layer.draft && !options_.draft_layers) || layer.kind == Kind::none) continue;
    const auto found = std::find_if(layers_.begin(), layers_.end(),
                                    [&](const Group& group) { return same(group.layer, layer); });
    if (found != layers_.end()) {
      ++found->layers;
    } else {
      layers_.push_back({layer, layer_kv(layer, options_.format, options_.tensor_parallel), 1});
    }
  }
}

/// vLLM gives all layers pages of one size and cuts each kind into groups of equally many layers
/// (vllm/v1/core/kv_cache_utils.py): what is not filled is padding.
void KvDemand::equalise() {
  Bytes token = 0, state = 0;
  for (const Group& group : layers_) {
    token = std::max(token, group.kv.token);
    state = std::max(state, group.kv.state);
  }
  if (token == 0) return;  // states alone: bytes as they are
  if (state > 0) {
    options_.block_size = static_cast<int>(std::min<std::int64_t>(
        std::max(std::int64_t{options_.block_size}, rounded_up(divided_up(state, token), kVllmBlockUnit)),
        1 << 24));
  }
  unit_layers_ = group_size();
  unit_ = capped_product(token, std::int64_t{options_.block_size}, unit_layers_);
}

std::int64_t KvDemand::group_size() const {
  std::int64_t least = kLongest, most = 0;
  for (const Group& group : layers_) {
    least = std::min<std::int64_t>(least, group.layers);
    most = std::max<std::int64_t>(most, group.layers);
  }
  return 4 * most < 5 * least ? most : least;
}

std::int64_t KvDemand::units(std::int64_t tokens) const {
  if (tokens <= 0 || unit_ == 0) return 0;
  if (uniform_) return options_.law == KvLaw::llama_cpp ? tokens : divided_up(tokens, options_.block_size);
  if (options_.law == KvLaw::window_pool) return paired_units(tokens);
  std::int64_t total = 0;
  for (const Group& group : layers_) {
    const std::int64_t groups = divided_up(group.layers, unit_layers_);
    const std::int64_t pages =
        group.kv.state > 0 ? 1 : held_tokens(group.layer, options_, tokens) / options_.block_size;
    total = capped_sum(total, capped_product(groups, pages));
  }
  return total;
}

/// What takes most of its pool: the whole sequence, or a window of the smaller one.
std::int64_t KvDemand::paired_units(std::int64_t tokens) const {
  std::int64_t blocks = divided_up(tokens, options_.block_size);
  for (const Group& group : layers_) {
    if (grows_always(group.layer)) continue;
    const double held = static_cast<double>(held_tokens(group.layer, options_, tokens)) /
                        (options_.window_share * options_.block_size);
    blocks = std::max(blocks, static_cast<std::int64_t>(std::ceil(held - kRounding)));
  }
  return blocks;
}

Bytes KvDemand::tokens_part(std::int64_t tokens) const {
  if (uniform_ && unit_ > 0) return capped_product(units(tokens), unit_);
  Bytes total = 0;
  for (const Group& group : layers_) {
    total = capped_sum(total, capped_product(group.kv.token, held_tokens(group.layer, options_, tokens),
                                             std::int64_t{group.layers}));
  }
  return total;
}

Bytes KvDemand::sequence(std::int64_t tokens) const {
  return unit_ > 0 ? capped_product(units(tokens), unit_) : capped_sum(tokens_part(tokens), state_);
}

namespace {

struct Shares {
  std::int64_t own = 0, shared = 0;  // units or bytes
};

std::int64_t most_of(std::int64_t pool, const Shares& shares) {
  if (pool < shares.shared + shares.own) return 0;
  return (pool - shares.shared) / std::max<std::int64_t>(shares.own, 1);
}

}  // namespace

Bytes KvDemand::of_requests(std::int64_t requests, std::int64_t tokens, std::int64_t shared) const {
  if (requests <= 0) return 0;
  const Bytes whole = sequence(tokens), once = shared_bytes(tokens, shared);
  return capped_sum(once, capped_product(requests, whole - once));
}

/// Whole blocks at the front that every layer keeps: windows hold the newest tokens and share nothing.
Bytes KvDemand::shared_bytes(std::int64_t tokens, std::int64_t shared) const {
  const std::int64_t block = options_.law == KvLaw::llama_cpp ? 1 : options_.block_size;
  const std::int64_t blocks = std::min(shared, tokens - 1) / block;
  if (blocks <= 0 || options_.law == KvLaw::llama_cpp) return 0;
  if (uniform_ || (options_.law == KvLaw::window_pool && unit_ > 0)) return capped_product(blocks, unit_);
  Bytes total = 0;
  for (const Group& group : layers_) {
    if (!grows_always(group.layer)) continue;
    total = capped_sum(total,
                       unit_ > 0 ? capped_product(blocks, divided_up(group.layers, unit_layers_), unit_)
                                 : capped_product(blocks, block, group.kv.token, std::int64_t{group.layers}));
  }
  return total;
}

std::int64_t KvDemand::most(Bytes pool, std::int64_t tokens, std::int64_t shared) const {
  const Bytes whole = sequence(tokens), once = shared_bytes(tokens, shared);
  if (whole <= 0 || pool <= 0) return 0;
  if (unit_ == 0) return most_of(pool, {whole - once, once});
  const std::int64_t null_block = options_.law == KvLaw::vllm ? 1 : 0;
  return most_of(pool / unit_ - null_block, {(whole - once) / unit_, once / unit_});
}

Bytes KvDemand::shared_context(std::int64_t slots, std::int64_t tokens) const {
  Bytes total = capped_product(state_, slots);
  for (const Group& group : layers_) {
    const std::int64_t held = held_tokens(group.layer, options_, tokens);
    const std::int64_t all = grows_always(group.layer) ? held
                             : group.layer.kind == Kind::cross
                                 ? capped_product(held, slots)
                                 : std::min(capped_product(held, slots), tokens);
    total = capped_sum(total, capped_product(group.kv.token, all, std::int64_t{group.layers}));
  }
  return total;
}

std::int64_t KvDemand::longest(Bytes pool) const {
  if (unit_ > 0 && uniform_) {
    const std::int64_t units = pool / unit_;
    return std::min(
        kLongest,
        capped_product(units, std::int64_t{options_.law == KvLaw::llama_cpp ? 1 : options_.block_size}));
  }
  std::int64_t fits = 0, too_long = kLongest;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (sequence(middle) <= pool ? fits : too_long) = middle;
  }
  return fits;
}

void KvDemand::describe() {
  for (const Group& group : layers_) {
    KvGroup out;
    out.layers = group.layers;
    out.title = title_of(group.layer, group.layers);
    const std::int64_t layers = group.layers;
    const std::int64_t padded = unit_layers_ > 0 ? rounded_up(layers, unit_layers_) : layers;
    const Bytes page = unit_layers_ > 0 ? unit_ / unit_layers_ / options_.block_size : group.kv.token;
    out.scales = capped_product(group.kv.scales, layers);
    if (group.kv.state > 0) {
      const Bytes own = capped_product(group.kv.state, layers);
      out.fixed = unit_layers_ > 0 ? capped_product(divided_up(layers, unit_layers_), unit_) : own;
      out.padding = out.fixed - own;
    } else {
      const Bytes own = capped_product(group.kv.token, layers);
      const bool apart = options_.law == KvLaw::window_pool && unit_ > 0 && !grows_always(group.layer);
      const Bytes slope =
          unit_layers_ > 0 ? capped_product(page, padded)
          : apart          ? static_cast<Bytes>(std::ceil(static_cast<double>(own) * options_.window_share))
                           : own;
      out.padding = std::max<Bytes>(slope - own, 0);
      const std::int64_t end = held_tokens(group.layer, options_, kLongest);
      const bool ends = !grows_always(group.layer) && !at_full_length(options_.law) && !apart;
      if (group.layer.kind == Kind::cross) {
        out.fixed = capped_product(slope, end);
      } else {
        out.slope = slope;
        out.until = ends ? end : 0;
      }
    }
    groups_.push_back(std::move(out));
  }
}

}  // namespace pitwall
