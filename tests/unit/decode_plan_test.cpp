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

std::vector<PlannedRow> planned(const std::vector<int>& positions, int window, int heads) {
  std::vector<PlannedRow> rows;
  int begin = 0;
  for (const int position : positions) {
    PlannedRow row{static_cast<int>(rows.size()), 0, visible_tokens(position, window), begin};
    begin += row.tokens.units() * heads;
    rows.push_back(row);
  }
  return rows;
}

struct Walked {
  Piece piece;
  int part;
};

Line line_of(const std::vector<PlannedRow>& rows, int heads) {
  Line line{0, static_cast<int>(rows.size()) * heads, 0};
  int most = 0, least = kNever;
  for (const PlannedRow& row : rows) {
    line.total += row.tokens.units() * heads;
    most = std::max(most, row.tokens.units());
    least = std::min(least, row.tokens.units());
  }
  if (most == least) line.units = most;
  return line;
}

/// The pieces of all parts in the order of their computation.
std::vector<Walked> walk(const std::vector<PlannedRow>& rows, int heads, int parts) {
  std::vector<Walked> pieces;
  if (rows.empty()) return pieces;
  const Line line = line_of(rows, heads);
  const Cut cut = cut_line(line, parts);
  std::vector<bool> taken(static_cast<std::size_t>(most_pieces(line.pairs, parts)));
  for (int part = 0; part < cut.used; ++part) {
    PartWalk walk(cut, part, heads, rows.data(), static_cast<int>(rows.size()));
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
      const bool are_equal = random() % 3 == 0;
      const auto most = std::vector<unsigned>{2, 100, 5000}[random() % 3];
      std::vector<int> positions(random() % 40);
      for (int& position : positions) position = static_cast<int>(random() % most) - 1;
      if (are_equal) std::fill(positions.begin(), positions.end(), static_cast<int>(random() % most) - 1);
      const std::vector<PlannedRow> rows = planned(positions, window, heads);
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

  void parts_share_evenly() {
    const std::vector<PlannedRow> rows = planned({4095, 17, 70000, 900}, 0, 8);
    std::map<int, int> units;
    for (const auto& [piece, part] : walk(rows, 8, 396))
      units[part] += (piece.end - piece.first + kUnitTokens - 1) / kUnitTokens;
    QCOMPARE(units.size(), 396u);
    const auto [least, most] = std::minmax_element(
        units.begin(), units.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    QVERIFY(most->second - least->second <= 1);
  }

  /// What goes on in the next part comes first.
  void open_pieces_come_first() {
    const std::vector<PlannedRow> rows = planned({700, 1300, 900}, 0, 2);
    int part = -1;
    for (const Walked& walked : walk(rows, 2, 3)) {
      const bool goes_on = walked.piece.end <= walked.piece.last;
      QVERIFY(!goes_on || walked.part != part);
      part = walked.part;
    }
  }

  /// Equal pairs are whole, or cut alike, where that takes most parts.
  void equal_pairs_stay_whole() {
    const auto pieces_of = [](int rows, int tokens, int parts) {
      const std::vector<PlannedRow> same =
          planned(std::vector<int>(static_cast<std::size_t>(rows), tokens - 1), 0, 8);
      std::set<int> found;
      for (const Walked& walked : walk(same, 8, parts)) found.insert(walked.piece.parts);
      return found;
    };
    QCOMPARE(pieces_of(64, 1152, 264), std::set<int>{1});
    QCOMPARE(pieces_of(65, 1152, 264), std::set<int>{1});
    QCOMPARE(pieces_of(32, 1100, 264), std::set<int>{1});
    QCOMPARE(pieces_of(8, 1152, 264), std::set<int>{4});
    QCOMPARE(pieces_of(1, 1152, 264), std::set<int>{9});
    QVERIFY(pieces_of(20, 1152, 264).size() > 1);
  }

  /// Of a short line few parts are used, and none is shorter than a part should be.
  void short_lines() {
    for (int total = 1; total < 40; ++total) {
      const Cut cut = cut_line({total, 3, 0}, 12);
      QCOMPARE(cut.begin(0), 0);
      QCOMPARE(cut.begin(cut.used), total);
      for (int part = 0; part < cut.used; ++part) {
        QVERIFY(cut.begin(part + 1) - cut.begin(part) >= std::min(total, kLeastUnits));
        QCOMPARE(cut.part_of(cut.begin(part)), part);
        QCOMPARE(cut.part_of(cut.begin(part + 1) - 1), part);
      }
    }
  }
};

QTEST_APPLESS_MAIN(DecodePlanTest)
#include "decode_plan_test.moc"
