// SPDX-License-Identifier: GPL-3.0-or-later
// How decode attention is split into parts, one for each block of threads. A part holds pieces of one or more
// (row, head) pairs; a pair whose pieces lie in several parts is merged from their partial results. Pairs of
// about the same length are dealt like cards, whole or each in as many pieces. Of others the visible tokens,
// in units of 64, lie in one line: row after row, within a row the units of kv head 0, then of head 1 and so
// on; the line is cut into parts of the same size. Plain arithmetic, the same on host and device. The line
// must be shorter than 2^31 units.
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
/// Blocks of threads on a multiprocessor, where registers and shared memory allow, with a part each: what one
/// of them waits for, the other has.
inline constexpr int kPartsPerMultiprocessor = 2, kMostParts = 512;

/// Parts of a device, and so the grid of decode attention.
PITWALL_HOST_DEVICE constexpr int decode_parts(int multiprocessors) {
  const int parts = kPartsPerMultiprocessor * multiprocessors;
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

/// pieces > 0: pairs are dealt to `used` parts, each in so many pieces; part p takes piece p % pieces of pair
/// p / pieces, or of whole pairs every used-th. 0: a line in `used` parts, whose sizes differ by one unit at
/// most. pair_cost: units that each pair takes in the line ahead of its tokens, for the time that its
/// beginning and end take; a part that would begin in them begins with the pair.
struct Cut {
  std::int32_t total = 0, used = 0, pieces = 0, pair_cost = 0;
  PITWALL_HOST_DEVICE constexpr std::int32_t begin(std::int32_t part) const {
    return static_cast<std::int32_t>(std::int64_t{part} * total / used);
  }
  PITWALL_HOST_DEVICE constexpr std::int32_t part_of(std::int32_t unit) const {
    return static_cast<std::int32_t>((std::int64_t{unit + 1} * used - 1) / total);
  }
};

/// Of a pair of some pairs.
struct UnitRange {
  std::int32_t least = 0, most = 0;
};

/// Of `pairs`, above 0, that have `units` in all. Merging costs more than parts that stand idle, if there are
/// few of those: so pairs of about the same length are dealt where that takes nine parts of ten.
PITWALL_HOST_DEVICE constexpr Cut cut_line(std::int32_t pairs, std::int32_t units, const UnitRange& each,
                                           std::int32_t parts) {
  const bool are_alike = 6 * each.least >= 5 * each.most;
  if (are_alike && pairs > parts) {
    const std::int32_t turns = (pairs + parts - 1) / parts;
    if (10 * (pairs / turns) >= 9 * parts) return {units, (pairs + turns - 1) / turns, 1, 0};
  } else if (are_alike) {
    const std::int32_t most = each.least > kLeastUnits ? each.least / kLeastUnits : 1;
    const std::int32_t pieces = parts / pairs < most ? parts / pairs : most;
    if (pieces == most || 10 * pieces * pairs >= 9 * parts) return {units, pieces * pairs, pieces, 0};
  }
  constexpr std::int32_t kPairCost = 2;
  const std::int32_t total = units + pairs * kPairCost, least = kLeastUnits + kPairCost;
  const std::int32_t most = total > least ? total / least : 1;
  return {total, most < parts ? most : parts, 0, kPairCost};
}

/// A decode row with its place in the line.
struct PlannedRow {
  std::int32_t row = 0, slot = -1;
  VisibleTokens tokens;
  std::int32_t begin = 0;  ///< of its head 0
};

/// Positions [first, end) of one kv head of a row, all in one part; `first` begins a unit.
struct alignas(16) Piece {
  std::int32_t row = 0, slot = -1, head = 0;
  std::int32_t first = 0, end = 0;
  std::int32_t seen = 0, last = -1;        ///< first and last position that the row sees
  std::int32_t first_part = 0, parts = 0;  ///< over which the row's head is spread; 0: no piece
  std::int32_t next = -1;                  ///< piece of the part; below 0: there is none
  PITWALL_HOST_DEVICE constexpr bool is_whole() const { return parts == 1; }
};

/// Pieces of `pairs` pairs in `parts` parts, without the first one of each part.
PITWALL_HOST_DEVICE constexpr std::int32_t most_pieces(std::int32_t pairs, std::int32_t parts) {
  return pairs + parts;
}

/// Index of the row, of `count`, that holds a unit.
PITWALL_HOST_DEVICE constexpr std::int32_t row_of(const PlannedRow* rows, std::int32_t count,
                                                  std::int32_t unit) {
  std::int32_t low = 0, high = count;  // rows[low].begin <= unit < rows[high].begin
  while (high - low > 1) {
    const std::int32_t middle = (low + high) / 2;
    (rows[middle].begin <= unit ? low : high) = middle;
  }
  return low;
}

/// The pieces of a part, one after the other.
class PartWalk {
 public:
  /// `rows`: `count` of them, and one that ends the line.
  PITWALL_HOST_DEVICE constexpr PartWalk(const Cut& cut, std::int32_t part, std::int32_t kv_heads,
                                         const PlannedRow* rows, std::int32_t count)
      : cut_(cut), part_(part), kv_heads_(kv_heads), pairs_(count * kv_heads), rows_(rows) {
    if (cut.pieces > 0) {
      pair_ = part / cut.pieces;
      return;
    }
    end_ = cut.begin(part + 1);
    const std::int32_t at = cut.begin(part), row = row_of(rows, count, at);
    pair_ = row * kv_heads + (at - rows[row].begin) / (rows[row].tokens.units() + cut.pair_cost);
    from_ = at - pair_begin() - cut.pair_cost;
    if (from_ < 0) from_ = 0;
  }

  /// Whether there is another; `place`: where it lies among the most_pieces(), −1 of the part's first.
  PITWALL_HOST_DEVICE constexpr bool next(Piece& piece, std::int32_t& place) {
    if (!goes_on()) return false;
    place = place_;
    const PlannedRow& row = rows_[pair_ / kv_heads_];
    piece.row = row.row;
    piece.slot = row.slot;
    piece.head = pair_ % kv_heads_;
    piece.seen = row.tokens.first;
    piece.last = row.tokens.end - 1;
    cut_.pieces > 0 ? deal(piece, row.tokens) : cut_out(piece, row.tokens);
    piece.next = goes_on() ? place_ : -1;
    return true;
  }

 private:
  PITWALL_HOST_DEVICE static constexpr void set_units(Piece& piece, const VisibleTokens& tokens,
                                                      std::int32_t from, std::int32_t to) {
    const std::int32_t end = tokens.base() + to * kUnitTokens;
    piece.first = tokens.base() + from * kUnitTokens;
    piece.end = end < tokens.end ? end : tokens.end;
  }
  PITWALL_HOST_DEVICE constexpr void deal(Piece& piece, const VisibleTokens& tokens) {
    const std::int32_t units = tokens.units(), index = part_ % cut_.pieces;
    set_units(piece, tokens, units * index / cut_.pieces, units * (index + 1) / cut_.pieces);
    piece.first_part = part_ - index;
    piece.parts = cut_.pieces;
    pair_ += cut_.used;
    place_ = pair_;
  }
  PITWALL_HOST_DEVICE constexpr void cut_out(Piece& piece, const VisibleTokens& tokens) {
    const std::int32_t units = tokens.units(), begin = pair_begin() + cut_.pair_cost;
    const std::int32_t left = end_ - begin, to = left < units ? left : units;
    set_units(piece, tokens, from_, to);
    piece.first_part = cut_.part_of(begin);
    piece.parts = cut_.part_of(begin + units - 1) - piece.first_part + 1;
    from_ = 0;
    if (to < units) end_ = begin;  // the pair goes on in the next part
    ++pair_;
    place_ = pair_ + part_;  // those of a part end before those of the next one begin
  }

  PITWALL_HOST_DEVICE constexpr std::int32_t pair_begin() const {
    const PlannedRow& row = rows_[pair_ / kv_heads_];
    return row.begin + pair_ % kv_heads_ * (row.tokens.units() + cut_.pair_cost);
  }
  PITWALL_HOST_DEVICE constexpr bool goes_on() const {
    if (pair_ >= pairs_) return false;
    return cut_.pieces > 0 || end_ - pair_begin() - cut_.pair_cost > from_;
  }

  Cut cut_;
  std::int32_t part_, kv_heads_, pairs_;
  const PlannedRow* rows_;
  std::int32_t pair_ = 0;            ///< at hand
  std::int32_t end_ = 0, from_ = 0;  ///< of the line: where the part ends; unit of the pair
  std::int32_t place_ = -1;
};

/// The place for a partial result: a part has at most two, of the pair that came in from the part before and
/// of the one that goes on in the next.
PITWALL_HOST_DEVICE constexpr std::int32_t partial_place(std::int32_t part, std::int32_t first_part) {
  return 2 * part + (part == first_part ? 1 : 0);
}

}  // namespace pitwall::cuda
