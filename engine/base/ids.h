// SPDX-License-Identifier: GPL-3.0-or-later
// Strong ids: numbers that cannot be mixed up.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace pitwall {

template <class Tag, class Rep>
struct StrongId {
  Rep value{};
  auto operator<=>(const StrongId&) const = default;
};

using TokenId = std::int32_t;                                  ///< index into a vocabulary; -1 means none
using RequestId = StrongId<struct RequestTag, std::uint64_t>;  ///< unique for the life of an engine, from 1
using BlockId = StrongId<struct BlockTag, std::int32_t>;       ///< index into the KV pool
using HostBlockId = StrongId<struct HostBlockTag, std::int32_t>;  ///< index into the swap space
using SlotId = StrongId<struct SlotTag, std::int32_t>;  ///< row of StepState, 0 … max_num_seqs − 1
using RunId = StrongId<struct RunTag, std::int64_t>;    ///< row of the store; 0 means none

}  // namespace pitwall

template <class Tag, class Rep>
struct std::hash<pitwall::StrongId<Tag, Rep>> {
  std::size_t operator()(const pitwall::StrongId<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
