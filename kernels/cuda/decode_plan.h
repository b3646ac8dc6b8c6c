// SPDX-License-Identifier: GPL-3.0-or-later
// How decode attention is split. The visible tokens of all rows, in units of 64, lie in one line: row after
// row, within a row the units of kv head 0, then of head 1 and so on. The line is cut into parts of the same
// size, one for each block of threads; a part holds pieces of one or more (row, head) pairs, and a pair whose
// pieces lie in several parts is merged from their partial results. Plain arithmetic, the same on host and
// device. The line must be shorter than 2^31 units.
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
inline constexpr int kMostPartsPerMultiprocessor = 4, kMostParts = 512;

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

/// Units of all pairs. `units`: of each pair, where all have as many; else 0.
struct Line {
  std::int32_t total = 0, pairs = 0, units = 0;
};

/// A line in `used` parts that begin at multiples of `grain` units; their sizes differ by one grain at most.
struct Cut {
  std::int32_t total = 0, used = 0, grain = 1;
  PITWALL_HOST_DEVICE constexpr std::int32_t begin(std::int32_t part) const {
    return static_cast<std::int32_t>(std::int64_t{part} * (total / grain) / used) * grain;
  }
  PITWALL_HOST_DEVICE constexpr std::int32_t part_of(std::int32_t unit) const {
    return static_cast<std::int32_t>((std::int64_t{unit / grain + 1} * used - 1) / (total / grain));
  }
};

/// Merging costs more than parts that stand idle, if there are few of those: so pairs that are equal stay
/// whole, or are cut into as many pieces each, where that takes nine parts of ten.
PITWALL_HOST_DEVICE constexpr Cut cut_line(const Line& line, std::int32_t parts) {
  const auto takes_most = [parts](std::int32_t share) { return 10 * share >= 9 * parts; };
  const std::int32_t most = line.total > kLeastUnits ? line.total / kLeastUnits : 1;
  const Cut even{line.total, most < parts ? most : parts, 1};
  if (line.units == 0) return even;
  if (line.pairs > parts) {
    const std::int32_t each = (line.pairs + parts - 1) / parts;
    return takes_most(line.pairs / each) ? Cut{line.total, (line.pairs + each - 1) / each, line.units} : even;
  }
  const std::int32_t at_most = line.units > kLeastUnits ? line.units / kLeastUnits : 1;
  const std::int32_t pieces = parts / line.pairs < at_most ? parts / line.pairs : at_most;
  return pieces == at_most || takes_most(pieces * line.pairs) ? Cut{line.total, pieces * line.pairs, 1}
                                                              : even;
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

/// The pieces of a part, one after the other: first the one that goes on in the next part, so that its pair
/// is complete before the last whole ones are.
class PartWalk {
 public:
  PITWALL_HOST_DEVICE constexpr PartWalk(const Cut& cut, std::int32_t part, std::int32_t kv_heads,
                                         const PlannedRow* rows, std::int32_t count)
      : cut_(cut),
        part_(part),
        kv_heads_(kv_heads),
        rows_(rows),
        at_(cut.begin(part)),
        end_(cut.begin(part + 1)) {
    index_ = row_of(rows, count, at_);
    const std::int32_t last = row_of(rows, count, end_ - 1), units = rows[last].tokens.units();
    const std::int32_t open = rows[last].begin + (end_ - 1 - rows[last].begin) / units * units;
    next_place_ = index_ * kv_heads + (at_ - rows[index_].begin) / rows[index_].tokens.units() + part;
    if (open <= at_ || open + units == end_) return;
    later_at_ = at_;
    later_end_ = open;
    later_index_ = index_;
    at_ = open;
    index_ = last;
  }

  /// Whether there is another; `place`: where it lies among the most_pieces(), −1 of the part's first.
  PITWALL_HOST_DEVICE constexpr bool next(Piece& piece, std::int32_t& place) {
    if (at_ >= end_) return false;
    if (at_ == rows_[index_].begin + rows_[index_].tokens.units() * kv_heads_) ++index_;
    const PlannedRow& row = rows_[index_];
    const std::int32_t units = row.tokens.units(), base = row.tokens.base();
    const std::int32_t head = (at_ - row.begin) / units, begin = row.begin + head * units;
    const std::int32_t stop = end_ < begin + units ? end_ : begin + units;
    const std::int32_t end = base + (stop - begin) * kUnitTokens;
    piece.row = row.row;
    piece.slot = row.slot;
    piece.head = head;
    piece.first = base + (at_ - begin) * kUnitTokens;
    piece.end = end < row.tokens.end ? end : row.tokens.end;
    piece.seen = row.tokens.first;
    piece.last = row.tokens.end - 1;
    piece.first_part = cut_.part_of(begin);
    piece.parts = cut_.part_of(begin + units - 1) - piece.first_part + 1;
    at_ = stop;
    if (at_ == end_ && later_end_ > later_at_) {
      at_ = later_at_;
      end_ = later_end_;
      index_ = later_index_;
      later_end_ = later_at_;
    }
    place = place_;
    place_ = ++next_place_;  // those of a part end before those of the next one begin
    piece.next = at_ < end_ ? place_ : -1;
    return true;
  }

 private:
  Cut cut_;
  std::int32_t part_, kv_heads_;
  const PlannedRow* rows_;
  std::int32_t index_ = 0, at_, end_;
  std::int32_t later_at_ = 0, later_end_ = 0, later_index_ = 0;
  std::int32_t place_ = -1, next_place_ = 0;
};

/// The place for a partial result: a part has at most two, of the pair that came in from the part before and
/// of the one that goes on in the next.
PITWALL_HOST_DEVICE constexpr std::int32_t partial_place(std::int32_t part, std::int32_t first_part) {
  return 2 * part + (part == first_part ? 1 : 0);
}

}  // namespace pitwall::cuda
