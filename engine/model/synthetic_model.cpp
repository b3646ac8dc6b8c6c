// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/synthetic_model.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "engine/model/quantized_linear.h"

namespace pitwall {

namespace {

/// Whole pages, and whole blocks of Q4_0: windows into repetitions keep both.
constexpr std::int64_t kUnit = 4096 * 9;
constexpr std::int64_t kPatternBytes = kUnit * 1820;  // 64 MiB
static_assert(kUnit % static_cast<std::int64_t>(sizeof(BlockQ4_0)) == 0);

constexpr float kSpread = 0.02f;  ///< of a weight, as models are initialised

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  float number() {  ///< of spread kSpread and mean 0
    const auto bits = static_cast<std::int32_t>(next() >> 40);
    return kSpread * 1.7320508f * (static_cast<float>(bits) / 8388608.0f - 1);
  }

 private:
  std::uint64_t state_;
};

/// A pattern in memory, mapped one after another until `bytes` are covered.
class Pattern {
 public:
  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (base_ != nullptr) munmap(base_, static_cast<std::size_t>(mapped_));
  }

  template <class Fill>
  Result<void> make(std::int64_t bytes, const Fill& fill) {
    const int file = memfd_create("pitwall-synthetic", MFD_CLOEXEC);
    const bool made = file >= 0 && ftruncate(file, kPatternBytes) == 0 && map(file, bytes);
    const int reason = errno;
    if (file >= 0) close(file);
    if (!made) {
      return Error{Error::Kind::out_of_memory, "The pattern of synthetic weights could not be mapped",
                   std::strerror(reason), "Free memory, or raise the limit on mappings (vm.max_map_count)",
                   ""};
    }
    fill(base_);
    return {};
  }

  const std::byte* window(std::int64_t offset) const { return base_ + offset; }

 private:
  bool map(int file, std::int64_t bytes) {
    // One pattern more than asked for: windows begin anywhere in the first.
    mapped_ = (bytes / kPatternBytes + 2) * kPatternBytes;
    void* place =
        mmap(nullptr, static_cast<std::size_t>(mapped_), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return false;
    base_ = static_cast<std::byte*>(place);
    for (std::int64_t at = 0; at < mapped_; at += kPatternBytes) {
      if (mmap(base_ + at, static_cast<std::size_t>(kPatternBytes), PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
        return false;
    }
    return true;
  }

  std::byte* base_ = nullptr;
  std::int64_t mapped_ = 0;
};

void fill_bf16(std::byte* place, Random& random) {
  auto* numbers = reinterpret_cast<std::uint16_t*>(place);
  for (std::int64_t i = 0; i < kPatternBytes / 2; ++i) numbers[i] = float_to_bfloat(random.number());
}

void fill_scales(std::byte* place, Random& random) {
  auto* numbers = reinterpret_cast<std::uint16_t*>(place);
  for (std::int64_t i = 0; i < kPatternBytes / 2; ++i)
    numbers[i] =
        float_to_half(kSpread / 4.6f * (0.75f + static_cast<float>(random.next() >> 40) / 33554432.0f));
}

void fill_bits(std::byte* place, Random& random) {
  auto* words = reinterpret_cast<std::uint64_t*>(place);
  for (std::int64_t i = 0; i < kPatternBytes / 8; ++i) words[i] = random.next();
}

void fill_q4_0(std::byte* place, Random& random) {
  auto* blocks = reinterpret_cast<BlockQ4_0*>(place);
  for (std::int64_t i = 0; i < kPatternBytes / static_cast<std::int64_t>(sizeof(BlockQ4_0)); ++i) {
    blocks[i].d = float_to_half(kSpread / 4.6f);
    for (std::uint8_t& byte : blocks[i].q) byte = static_cast<std::uint8_t>(random.next() >> 32);
  }
}

class SyntheticModel final : public Model {
 public:
  SyntheticModel(const ModelSpec& spec, SyntheticWeights kind, std::uint64_t seed)
      : kind_(kind), random_(seed) {
    spec_ = spec;
    format_ = "synthetic";
    path_ = "synthetic-" + spec.name;
  }

  Result<void> build() {
    if (auto ok = make_patterns(); !ok) return ok;
    for (const LayerSpec& layer : spec_.layers) weights_.layers.push_back(layer_weights(layer));
    weights_.embedding = plain_matrix("embedding", spec_.vocabulary, spec_.hidden);
    weights_.output_norm = vector("output_norm", spec_.hidden);
    weights_.output =
        spec_.tied_embeddings ? weights_.embedding : plain_matrix("output", spec_.vocabulary, spec_.hidden);
    for (const auto& [type, count] : counts_) type_counts_.push_back(count);
    return state_;
  }

 private:
  Result<void> make_patterns() {
    std::int64_t largest = std::int64_t{spec_.vocabulary} * spec_.hidden;
    for (const LayerSpec& layer : spec_.layers) {
      const std::int64_t width =
          std::max(layer.mlp.intermediate, layer.attention.heads * layer.attention.head_dim);
      largest = std::max(largest, width * spec_.hidden);
    }
    auto made = numbers_.make(2 * largest, [&](std::byte* place) { fill_bf16(place, random_); });
    if (made && kind_ == SyntheticWeights::q4_0)
      made = codes_.make(largest, [&](std::byte* place) { fill_q4_0(place, random_); });
    if (made && kind_ == SyntheticWeights::awq_g128) {
      made = codes_.make(largest, [&](std::byte* place) { fill_bits(place, random_); });
      if (made) made = scales_.make(largest, [&](std::byte* place) { fill_scales(place, random_); });
    }
    return made;
  }

  void count(TensorType type, std::int64_t numbers, std::int64_t bytes) {
    TypeCount& count = counts_.try_emplace(type, TypeCount{type, 0, 0, 0}).first->second;
    ++count.tensors;
    count.bytes += bytes;
    count.parameters += numbers;
    weight_bytes_ += bytes;
    parameters_ += numbers;
  }

  /// Where a tensor begins in the pattern, at a multiple of `unit` bytes.
  std::int64_t place(std::int64_t unit) {
    return static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(kPatternBytes / unit)) *
           unit;
  }

  TensorView view(std::string name, TensorType type, std::int64_t rows, std::int64_t columns,
                  const Pattern& pattern) {
    TensorView result;
    result.name = std::move(name);
    result.type = type;
    result.rows = rows;
    result.columns = columns;
    result.bytes = tensor_bytes(type, rows * columns);
    result.data = pattern.window(place(tensor_type_info(type).block_bytes));
    count(type, rows * columns, result.bytes);
    return result;
  }

  TensorView vector(std::string name, std::int64_t columns) {
    return view(std::move(name), TensorType::bf16, 1, columns, numbers_);
  }

  /// Embedding and output: 4 bits only where everything is.
  TensorView plain_matrix(std::string name, std::int64_t rows, std::int64_t columns) {
    if (kind_ == SyntheticWeights::q4_0) return matrix(std::move(name), rows, columns);
    return view(std::move(name), TensorType::bf16, rows, columns, numbers_);
  }

  TensorView matrix(std::string name, std::int64_t rows, std::int64_t columns) {
    switch (kind_) {
      case SyntheticWeights::bf16:
        return view(std::move(name), TensorType::bf16, rows, columns, numbers_);
      case SyntheticWeights::q4_0:
        if (columns % 32 != 0) refuse(name, columns, 32);
        return view(std::move(name), TensorType::q4_0, rows, columns, codes_);
      case SyntheticWeights::awq_g128:
        return awq_matrix(std::move(name), rows, columns);
    }
    return {};
  }

  TensorView awq_matrix(std::string name, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kGroup = 128;
    if (columns % kGroup != 0) refuse(name, columns, kGroup);
    if (rows % 8 != 0) refuse(name, rows, 8);
    auto linear = std::make_shared<QuantizedLinear>();
    linear->name = name;
    linear->rows = rows;
    linear->columns = columns;
    linear->codes = codes_.window(place(4));
    linear->scales = scales_.window(place(2));
    linear->groups = columns / kGroup;
    linear->group_columns = kGroup;
    linear->row_stride = 1;
    linear->group_stride = rows;
    linear->zero_layout = QuantizedLinear::Zeros::awq;
    linear->zeros = codes_.window(place(4));
    TensorView result;
    result.name = std::move(name);
    result.type = TensorType::i4;
    result.rows = rows;
    result.columns = columns;
    result.bytes = rows * columns / 2 + rows * linear->groups * 2 + rows * linear->groups / 2;
    result.quantized = std::move(linear);
    count(TensorType::i4, rows * columns, result.bytes);
    return result;
  }

  void refuse(const std::string& name, std::int64_t size, std::int64_t unit) {
    if (!state_) return;
    state_ = Error{
        Error::Kind::unsupported, "Tensor " + name + " has a side of " + std::to_string(size) + " numbers",
        "the format stores multiples of " + std::to_string(unit), "Choose bf16", "synthetic-weights"};
  }

  MlpWeights mlp(int intermediate) {
    MlpWeights result;
    result.gate = matrix("gate", intermediate, spec_.hidden);
    result.up = matrix("up", intermediate, spec_.hidden);
    result.down = matrix("down", spec_.hidden, intermediate);
    return result;
  }

  LayerWeights layer_weights(const LayerSpec& layer) {
    const AttentionSpec& attention = layer.attention;
    const std::int64_t q = std::int64_t{attention.heads} * attention.head_dim;
    const std::int64_t kv = std::int64_t{attention.kv_heads} * attention.head_dim;
    LayerWeights result;
    result.attention_norm = vector("attention_norm", spec_.hidden);
    result.q = matrix("q", q, spec_.hidden);
    result.k = matrix("k", kv, spec_.hidden);
    result.v = matrix("v", kv, spec_.hidden);
    result.o = matrix("o", spec_.hidden, q);
    if (attention.qkv_bias) {
      result.q_bias = vector("q_bias", q);
      result.k_bias = vector("k_bias", kv);
      result.v_bias = vector("v_bias", kv);
    }
    if (attention.output_bias) result.o_bias = vector("o_bias", spec_.hidden);
    if (attention.qk_norm != QkNorm::none) {
      const bool own = attention.qk_norm == QkNorm::per_head;
      result.q_norm = vector("q_norm", own ? q : attention.head_dim);
      result.k_norm = vector("k_norm", own ? kv : attention.head_dim);
    }
    if (!layer.parallel) result.mlp_norm = vector("mlp_norm", spec_.hidden);
    if (layer.post_norms) {
      result.post_attention_norm = vector("post_attention_norm", spec_.hidden);
      result.post_mlp_norm = vector("post_mlp_norm", spec_.hidden);
    }
    add_mlp(layer.mlp, result);
    return result;
  }

  void add_mlp(const MlpSpec& spec, LayerWeights& result) {
    if (!spec.moe) {
      result.mlp = mlp(spec.intermediate);
    } else {
      result.router = view("router", TensorType::bf16, spec.moe->experts, spec_.hidden, numbers_);
      for (int e = 0; e < spec.moe->experts; ++e) result.experts.push_back(mlp(spec.moe->intermediate));
      if (spec.moe->shared_intermediate > 0) result.mlp = mlp(spec.moe->shared_intermediate);
      if (spec.moe->shared_gate) result.shared_gate = vector("shared_gate", spec_.hidden);
    }
    if (spec.bias) {
      result.mlp.gate_bias = vector("gate_bias", spec.intermediate);
      result.mlp.up_bias = vector("up_bias", spec.intermediate);
      result.mlp.down_bias = vector("down_bias", spec_.hidden);
    }
  }

  const SyntheticWeights kind_;
  Random random_;
  Pattern numbers_, codes_, scales_;
  std::map<TensorType, TypeCount> counts_;
  Result<void> state_;
};

}  // namespace

std::optional<SyntheticWeights> find_synthetic_weights(std::string_view name) {
  if (name == "bf16") return SyntheticWeights::bf16;
  if (name == "awq-g128") return SyntheticWeights::awq_g128;
  if (name == "q4_0") return SyntheticWeights::q4_0;
  return std::nullopt;
}

Result<std::shared_ptr<const Model>> make_synthetic_model(const ModelSpec& spec, SyntheticWeights weights,
                                                          std::uint64_t seed) {
  if (auto ok = spec.check(); !ok) return std::move(ok).error();
  auto model = std::make_shared<SyntheticModel>(spec, weights, seed);
  if (auto ok = model->build(); !ok) return std::move(ok).error();
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace pitwall
