// SPDX-License-Identifier: GPL-3.0-or-later
// How decode attention is split. The visible tokens of all rows, in units of 64, lie in one line: row after
// row, within a row the units of kv head 0, then of head 1 and so on. The line is cut into equal parts, one
// for each block of threads; a part holds pieces of one or more (row, head) pairs, and a pair whose pieces
// lie in several parts is merged from their partial results. Plain arithmetic, the same on host and device.
// The line must be shorter than 2^31 units.
#pragma once
#include <cstdint>

#if defined(__CUDACC__)
#define PITWALL_HOST_DEVICE __host__ __device__
#else
#define PITWALL_HOST_DEVICE
#endif

namespace pitwall::cuda {

inline constexpr int kTileTokens = 16;  ///< a tile begins at a multiple of it, so it lies in one block
inline constexpr int kUnitTokens = 64;
inline constexpr int kLeastUnits = 2;  ///< of a part: shorter ones cost more to merge than to read
/// Of a part of a multiprocessor's work there are as many as blocks of threads lie on it: enough copies must
/// be on their way, while each piece costs its time. Bytes need more hands to widen them.
PITWALL_HOST_DEVICE constexpr int parts_per_multiprocessor(int number_bytes) {
  return number_bytes == 1 ? 2 : 2;
}
inline constexpr int kMostPartsPerMultiprocessor = 4, kMostParts = 1024;

/// Parts of a device, and so the grid of decode attention. number_bytes: of KV as stored.
PITWALL_HOST_DEVICE constexpr int decode_parts(int multiprocessors, int number_bytes) {
  const int parts = parts_per_multiprocessor(number_bytes) * multiprocessors;
  return parts < kMostParts ? parts : kMostParts;
}

/// The positions [first, end) that a row sees.
struct VisibleTokens {
  std::int32_t first = 0, end = 0;
  /// Where its first unit begins.
  PITWALL_HOST_DEVICE constexpr std::int32_t base() const { return first / kTileTokens * kTileTokens; }
  /// Units of each head; a row that sees nothing has one too, whose result is zeros.
  PITWALL_HOST_DEVICE constexpr std::int32_t units() const {
    const std::int32_t count = (end - base() + kUnitTokens - 1) / kUnitTokens;
    return count > 0 ? count : 1;
  }
};

/// Of a row at `position` (below 0: nothing); window 0 = all positions.
PITWALL_HOST_DEVICE constexpr VisibleTokens visible_tokens(std::int32_t position, std::int32_t window) {
  if (position < 0) return {};
  const std::int32_t end = position + 1;
  return {window > 0 && end > window ? end - window : 0, end};
}

/// How a line is cut: the first `larger` parts have share + 1 units, all others `share`.
struct Cut {
  std::int32_t share = kLeastUnits, larger = 0;
  PITWALL_HOST_DEVICE constexpr std::int32_t begin(std::int32_t part) const {
    return part * share + (part < larger ? part : larger);
  }
  PITWALL_HOST_DEVICE constexpr std::int32_t part_of(std::int32_t unit) const {
    return unit < larger * (share + 1) ? unit / (share + 1) : (unit - larger) / share;
  }
};

/// How many of `parts` get something of a line of `total` units, above 0; the first ones do.
PITWALL_HOST_DEVICE constexpr std::int32_t used_parts(std::int32_t total, std::int32_t parts) {
  const std::int32_t most = total > kLeastUnits ? total / kLeastUnits : 1;
  return most < parts ? most : parts;
}
PITWALL_HOST_DEVICE constexpr Cut cut_line(std::int32_t total, std::int32_t used) {
  return {total / used, total % used};
}

/// A decode row with its place in the line.
struct PlannedRow {
  std::int32_t row = 0, slot = -1;
  VisibleTokens tokens;
  std::int32_t begin = 0;  ///< of its head 0
};

/// Where a part begins.
struct PlannedPart {
  PlannedRow row;
  std::int32_t index = 0;  ///< of that row among the planned ones
  std::int32_t begin = 0, end = 0;  ///< none: the part has nothing to do
  Cut cut;
};

/// Units [first, end) of one head of a row, all in one part.
struct Piece {
  std::int32_t head = 0, first = 0, end = 0;
  std::int32_t first_part = 0, parts = 1;  ///< over which the row's head is spread
  PITWALL_HOST_DEVICE constexpr bool is_whole() const { return parts == 1; }
};

/// The piece that begins `at` units from the start of the line, in the part that ends at `part_end`.
PITWALL_HOST_DEVICE constexpr Piece piece_at(const PlannedRow& row, std::int32_t at, std::int32_t part_end,
                                             const Cut& cut) {
  const std::int32_t units = row.tokens.units();
  Piece piece;
  piece.head = (at - row.begin) / units;
  const std::int32_t begin = row.begin + piece.head * units;
  piece.first = at - begin;
  piece.end = part_end - begin < units ? part_end - begin : units;
  piece.first_part = cut.part_of(begin);
  piece.parts = cut.part_of(begin + units - 1) - piece.first_part + 1;
  return piece;
}

/// The place for a partial result: a part has at most two, of the pair that came in from the part before and
/// of the one that goes on in the next.
PITWALL_HOST_DEVICE constexpr std::int32_t partial_place(std::int32_t part, std::int32_t first_part) {
  return 2 * part + (part == first_part ? 1 : 0);
}

}  // namespace pitwall::cuda
