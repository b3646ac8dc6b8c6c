// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

namespace {

constexpr double kDigits = 1e4;  // of a share: finer than 16 MiB on the largest GPU

/// A share's base and what it has to hold beside KV; none for settings that are no share.
struct ShareOf {
  Bytes base = 0, beside = 0;
  std::string_view what, whom;
};
std::optional<ShareOf> share_of(std::string_view setting, const MemoryTerms& terms) {
  if (setting == "memory-share-of-total")
    return ShareOf{terms.total, terms.loaded(), "of the GPU's total", "for everything"};
  if (setting == "memory-share-static")
    return ShareOf{terms.total, terms.weights, "of the GPU's total", "for weights and KV alone"};
  if (setting == "memory-share-of-free")
    return ShareOf{terms.total - terms.loaded(), 0, "of what is free after loading", "for KV alone"};
  if (setting == "memory-share-after-weights")
    return ShareOf{terms.total - terms.weights, 0, "of what the weights leave", "for KV alone"};
  return std::nullopt;
}

Bytes share_bytes(double share, Bytes base) {
  return std::llround(share * static_cast<double>(base));
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Saturates: token counts come from people.
Bytes times(Bytes a, Bytes b) {
  Bytes product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::int64_t{1} << 62 : product;
}

}  // namespace

MemoryTerms memory_terms_of(const DeploymentPlan& plan) {
  const RankPlan& rank = plan.worst_rank();
  Bytes held = 0;
  for (const Bytes bytes : rank.bytes) held += bytes;
  const Bytes weights = rank.of(Category::weights);
  return {.total = rank.device_total,
          .weights = weights,
          .working = held - weights - rank.of(Category::kv),
          .kv_per_token = rank.kv_bytes_per_token};
}

const std::vector<std::string_view>& memory_settings() {
  static const std::vector<std::string_view> names = {"kv-cache-memory-bytes",
                                                      "kv-blocks",
                                                      "kv-tokens",
                                                      "memory-limit",
                                                      "memory-share-of-total",
                                                      "memory-share-static",
                                                      "memory-share-of-free",
                                                      "memory-share-after-weights",
                                                      "memory-margin"};
  return names;
}

std::optional<Bytes> kv_bytes_of(std::string_view setting, std::string_view value, const MemoryTerms& terms,
                                 int block_size) {
  if (const auto share = share_of(setting, terms))
    return share_bytes(number_of<double>(value), share->base) - share->beside;
  const auto number = number_of<std::int64_t>(value);
  if (setting == "kv-cache-memory-bytes") return number;
  if (setting == "memory-limit") return number - terms.loaded();
  if (setting == "memory-margin") return terms.total - terms.loaded() - number;
  if (terms.kv_per_token <= 0) return std::nullopt;
  if (setting == "kv-tokens") return times(number, terms.kv_per_token);
  if (setting == "kv-blocks") return times(times(number, block_size), terms.kv_per_token);
  return std::nullopt;
}

std::optional<Bytes> kv_bytes_of(const EngineSettings& settings, const MemoryTerms& terms, int block_size) {
  std::optional<Bytes> least;
  for (const std::string_view name : memory_settings()) {
    const std::string* value = settings.find(name);
    if (value == nullptr) continue;
    const auto kv = kv_bytes_of(name, *value, terms, block_size);
    if (kv && (!least || *kv < *least)) least = kv;
    // These two are said to replace the share, not to cap it.
    if (kv && (name == "kv-cache-memory-bytes" || name == "kv-blocks")) return kv;
  }
  return least;
}

std::optional<std::string> memory_value_for(std::string_view setting, Bytes kv, const MemoryTerms& terms,
                                            int block_size) {
  if (kv <= 0) return std::nullopt;
  if (const auto share = share_of(setting, terms)) {
    if (share->base <= 0) return std::nullopt;
    const double exact = static_cast<double>(kv + share->beside) / static_cast<double>(share->base);
    const double rounded = std::floor(exact * kDigits + 1e-6) / kDigits;
    if (rounded <= 0 || rounded > 1) return std::nullopt;
    return fmt::format("{}", rounded);
  }
  Bytes number = 0;
  if (setting == "kv-cache-memory-bytes") number = kv;
  if (setting == "memory-limit") number = kv + terms.loaded();
  if (setting == "memory-margin") number = terms.total - terms.loaded() - kv;
  if (terms.kv_per_token > 0) {
    if (setting == "kv-tokens") number = kv / terms.kv_per_token;
    if (setting == "kv-blocks") number = kv / times(terms.kv_per_token, block_size);
  }
  if (number <= 0) return std::nullopt;
  return fmt::format("{}", number);
}

std::string memory_meaning(std::string_view setting, std::string_view value,
                           const std::optional<MemoryTerms>& terms, int block_size) {
  if (const auto share = share_of(setting, terms.value_or(MemoryTerms{}))) {
    std::string text = fmt::format("{}, {}", share->what, share->whom);
    if (!terms) return text;
    const Bytes bytes = share_bytes(number_of<double>(value), share->base);
    text += fmt::format(": {} × {} = {}", value, format_bytes(share->base), format_bytes(bytes));
    if (share->beside <= 0) return text;
    const Bytes left = bytes - share->beside;
    return text +
           (left > 0
                ? fmt::format("; less {} leaves {} for KV", format_bytes(share->beside), format_bytes(left))
                : fmt::format("; {} are needed beside KV: it does not start", format_bytes(share->beside)));
  }
  const std::string_view title = find_engine_setting(setting)->title;
  if (setting == "kv-tokens" || setting == "kv-blocks") {
    std::string text = fmt::format("{} {}", format_count(number_of<std::int64_t>(value)), title);
    const auto kv = terms ? kv_bytes_of(setting, value, *terms, block_size) : std::nullopt;
    return kv ? text + fmt::format(" = {}", format_bytes(*kv)) : text;
  }
  std::string text = fmt::format("{} of {}", format_bytes(number_of<std::int64_t>(value)), title);
  if (!terms || setting == "kv-cache-memory-bytes") return text;
  const auto kv = kv_bytes_of(setting, value, *terms, block_size);
  return text + fmt::format("; leaves {} for KV", format_bytes(std::max<Bytes>(kv.value_or(0), 0)));
}

}  // namespace pitwall
