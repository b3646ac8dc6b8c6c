// SPDX-License-Identifier: GPL-3.0-or-later
// The split of decode attention, walked as its blocks of threads walk it.
#include "kernels/cuda/decode_plan.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

using namespace pitwall::cuda;

namespace {

constexpr int kNever = std::numeric_limits<int>::max();

std::vector<PlannedRow> seen(const std::vector<int>& positions, int window) {
  std::vector<PlannedRow> rows;
  for (const int position : positions)
    rows.push_back({static_cast<int>(rows.size()), 0, visible_tokens(position, window), 0});
  return rows;
}

struct Walked {
  Piece piece;
  int part;
};

Cut cut_of(const std::vector<PlannedRow>& rows, int heads, int parts) {
  int units = 0, most = 0, least = kNever;
  for (const PlannedRow& row : rows) {
    units += row.tokens.units() * heads;
    most = std::max(most, row.tokens.units());
    least = std::min(least, row.tokens.units());
  }
  return cut_line(static_cast<int>(rows.size()) * heads, units, {least, most}, parts);
}

/// The pieces of all parts, part by part.
std::vector<Walked> walk(std::vector<PlannedRow> rows, int heads, int parts) {
  std::vector<Walked> pieces;
  if (rows.empty()) return pieces;
  const Cut cut = cut_of(rows, heads, parts);
  const int count = static_cast<int>(rows.size());
  int begin = 0;
  for (PlannedRow& row : rows) {
    row.begin = begin;
    begin += (row.tokens.units() + cut.pair_cost) * heads;
  }
  rows.push_back({-1, -1, {}, begin});
  if (begin != cut.total || cut.used > parts) throw std::logic_error("the line is not as long as its cut");
  std::vector<bool> taken(static_cast<std::size_t>(most_pieces(count * heads, parts)));
  for (int part = 0; part < cut.used; ++part) {
    PartWalk walk(cut, part, heads, rows.data(), count);
    Piece piece;
    int announced = -1;
    for (int place = 0; walk.next(piece, place);) {
      if (place != announced) throw std::logic_error("the list of a part is broken");
      announced = piece.next;
      if (place >= 0 && taken.at(static_cast<std::size_t>(place)))
        throw std::logic_error("a place is used twice");
      if (place >= 0) taken[static_cast<std::size_t>(place)] = true;
      pieces.push_back({piece, part});
    }
    if (announced >= 0) throw std::logic_error("the list of a part has no end");
  }
  return pieces;
}

}  // namespace

class DecodePlanTest : public QObject {
  Q_OBJECT
 private slots:
  void visible_range() {
    QCOMPARE(visible_tokens(-1, 0).end, 0);
    QCOMPARE(visible_tokens(-1, 0).units(), 1);
    QCOMPARE(visible_tokens(0, 0).units(), 1);
    QCOMPARE(visible_tokens(63, 0).units(), 1);
    QCOMPARE(visible_tokens(64, 0).units(), 2);
    QCOMPARE(visible_tokens(99, 10).first, 90);
    QCOMPARE(visible_tokens(99, 10).base(), 80);
    QCOMPARE(visible_tokens(9, 10).first, 0);
    QCOMPARE(visible_tokens(10, 10).first, 1);
  }

  /// Every visible token in exactly one piece, pieces of a pair in order and counted, places of partial
  /// results used once and within the workspace.
  void every_token_once() {
    std::mt19937 random(20);
    for (int round = 0; round < 600; ++round) {
      const int heads = std::vector<int>{1, 2, 3, 8, 32}[random() % 5];
      const int window = std::vector<int>{0, 0, 1, 17, 64, 1000}[random() % 6];
      const int parts = decode_parts(std::vector<int>{1, 2, 20, 132, 400}[random() % 5]);
      QVERIFY(parts <= kMostParts);
      const bool are_alike = random() % 3 == 0;
      const auto most = std::vector<unsigned>{2, 100, 5000}[random() % 3];
      std::vector<int> positions(random() % 40);
      for (int& position : positions) position = static_cast<int>(random() % most) - 1;
      if (are_alike) {
        const int least = static_cast<int>(random() % most) - 1, spread = std::max(least / 6, 1);
        for (int& position : positions)
          position = least + static_cast<int>(random() % static_cast<unsigned>(spread));
      }
      const std::vector<PlannedRow> rows = seen(positions, window);
      std::map<std::pair<int, int>, std::map<int, Piece>> pairs;
      std::set<int> places;
      for (const auto& [piece, part] : walk(rows, heads, parts)) {
        QVERIFY(piece.head < heads);
        const bool is_new = pairs[{piece.row, piece.head}].emplace(part, piece).second;
        QVERIFY2(is_new, "a part has two pieces of a pair");
        if (piece.is_whole()) continue;
        const int place = partial_place(part, piece.first_part);
        QVERIFY2(place >= 0 && place < 2 * parts && places.insert(place).second, "a place is used twice");
      }
      QCOMPARE(pairs.size(), rows.size() * static_cast<std::size_t>(heads));
      for (const auto& [pair, pieces] : pairs) {
        const VisibleTokens tokens = rows[static_cast<std::size_t>(pair.first)].tokens;
        int next = tokens.base(), next_part = pieces.begin()->second.first_part;
        for (const auto& [part, piece] : pieces) {
          QCOMPARE(part, next_part++);
          QCOMPARE(piece.first_part, pieces.begin()->first);
          QCOMPARE(piece.parts, static_cast<int>(pieces.size()));
          QCOMPARE(piece.seen, tokens.first);
          QCOMPARE(piece.last, tokens.end - 1);
          QCOMPARE(piece.first, next);
          QVERIFY(piece.end > piece.first || tokens.end == 0);
          next = piece.end;
        }
        QCOMPARE(next, tokens.end);
        QVERIFY(tokens.base() <= tokens.first);
      }
    }
  }

  /// A pair counts two units more than it has.
  void parts_share_evenly() {
    const std::vector<PlannedRow> rows = seen({4095, 17, 70000, 900}, 0);
    std::map<int, int> units;
    for (const auto& [piece, part] : walk(rows, 8, 396))
      units[part] += (piece.end - piece.first + kUnitTokens - 1) / kUnitTokens + (piece.first == 0 ? 2 : 0);
    QCOMPARE(units.size(), 396u);
    const auto [least, most] = std::minmax_element(
        units.begin(), units.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    QVERIFY(most->second - least->second <= 3);
  }

  /// Equal pairs are whole, or cut alike, where that takes most parts.
  void equal_pairs_stay_whole() {
    const auto pieces_of = [](int rows, int tokens, int parts) {
      const std::vector<int> positions(static_cast<std::size_t>(rows), tokens - 1);
      std::set<int> found;
      for (const Walked& walked : walk(seen(positions, 0), 8, parts)) found.insert(walked.piece.parts);
      return found;
    };
    QCOMPARE(pieces_of(64, 1152, 264), std::set<int>{1});
    QCOMPARE(pieces_of(65, 1152, 264), std::set<int>{1});
    QCOMPARE(pieces_of(32, 1100, 264), std::set<int>{1});
    QCOMPARE(pieces_of(8, 1152, 264), std::set<int>{4});
    QCOMPARE(pieces_of(1, 1152, 264), std::set<int>{9});
    QVERIFY(pieces_of(20, 1152, 264).size() > 1);
  }

  /// Requests that came in one after the other: long and short ones meet in a part.
  void alike_pairs_are_dealt() {
    std::vector<int> positions;
    for (int i = 0; i < 128; ++i) positions.push_back(1280 - i);
    std::map<int, int> tokens;
    for (const auto& [piece, part] : walk(seen(positions, 0), 8, 264)) {
      QVERIFY(piece.is_whole());
      tokens[part] += piece.end - piece.first;
    }
    QCOMPARE(tokens.size(), 256u);
    const auto [least, most] = std::minmax_element(
        tokens.begin(), tokens.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    QVERIFY(10 * least->second > 9 * most->second);
  }

  /// Of a short line few parts are used, and none is shorter than a part should be.
  void short_lines() {
    for (int units = 1; units < 40; ++units) {
      const Cut cut = cut_line(3, units, {1, 40}, 12);
      QCOMPARE(cut.begin(0), 0);
      QCOMPARE(cut.begin(cut.used), cut.total);
      for (int part = 0; part < cut.used; ++part) {
        QVERIFY(cut.begin(part + 1) - cut.begin(part) >= std::min(cut.total, kLeastUnits));
        QCOMPARE(cut.part_of(cut.begin(part)), part);
        QCOMPARE(cut.part_of(cut.begin(part + 1) - 1), part);
      }
    }
  }
};

QTEST_APPLESS_MAIN(DecodePlanTest)
#include "decode_plan_test.moc"
