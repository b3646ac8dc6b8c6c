// SPDX-License-Identifier: GPL-3.0-or-later
// The split of decode attention, walked as its blocks of threads walk it.
#include "kernels/cuda/decode_plan.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace pitwall::cuda;

namespace {

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
  int index;
  Piece piece;
  int part;
};

std::vector<Walked> walk(const std::vector<PlannedRow>& rows, int heads, int parts) {
  std::vector<Walked> pieces;
  if (rows.empty()) return pieces;
  const int total = rows.back().begin + rows.back().tokens.units() * heads;
  const int used = used_parts(total, parts);
  const Cut cut = cut_line(total, used);
  for (int part = 0; part < used; ++part) {
    const int end = cut.begin(part + 1);
    std::size_t index = 0;
    while (index + 1 < rows.size() && rows[index + 1].begin <= cut.begin(part)) ++index;
    for (int at = cut.begin(part); at < end;) {
      if (at == rows[index].begin + rows[index].tokens.units() * heads) ++index;
      const Piece piece = piece_at(rows[index], at, end, cut);
      pieces.push_back({static_cast<int>(index), piece, part});
      at += piece.end - piece.first;
    }
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
    for (int round = 0; round < 400; ++round) {
      const int heads = std::vector<int>{1, 2, 3, 8, 32}[random() % 5];
      const int window = std::vector<int>{0, 0, 1, 17, 64, 1000}[random() % 6];
      const int parts =
          decode_parts(std::vector<int>{1, 2, 20, 132, 400}[random() % 5], random() % 2 == 0 ? 1 : 2);
      QVERIFY(parts <= kMostParts);
      std::vector<int> positions(random() % 40);
      for (int& position : positions)
        position = static_cast<int>(random() % std::vector<unsigned>{2, 100, 5000}[random() % 3]) - 1;
      const std::vector<PlannedRow> rows = planned(positions, window, heads);
      std::map<std::pair<int, int>, std::vector<Walked>> pairs;
      std::set<int> places;
      for (const Walked& walked : walk(rows, heads, parts)) {
        QVERIFY(walked.piece.first < walked.piece.end);
        QVERIFY(walked.piece.head < heads);
        pairs[{walked.index, walked.piece.head}].push_back(walked);
        if (walked.piece.is_whole()) continue;
        const int place = partial_place(walked.part, walked.piece.first_part);
        QVERIFY2(place >= 0 && place < 2 * parts && places.insert(place).second, "a place is used twice");
      }
      QCOMPARE(pairs.size(), rows.size() * static_cast<std::size_t>(heads));
      for (const auto& [pair, pieces] : pairs) {
        const VisibleTokens tokens = rows[static_cast<std::size_t>(pair.first)].tokens;
        int next_unit = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
          QCOMPARE(pieces[i].piece.first, next_unit);
          QCOMPARE(pieces[i].piece.parts, static_cast<int>(pieces.size()));
          QCOMPARE(pieces[i].part, pieces[i].piece.first_part + static_cast<int>(i));
          next_unit = pieces[i].piece.end;
        }
        QCOMPARE(next_unit, tokens.units());
        QVERIFY(tokens.base() <= tokens.first);
        QVERIFY(tokens.base() + next_unit * kUnitTokens >= tokens.end);
      }
    }
  }

  void parts_share_evenly() {
    const std::vector<PlannedRow> rows = planned({4095, 17, 70000, 900}, 0, 8);
    std::map<int, int> units;
    for (const Walked& walked : walk(rows, 8, 396))
      units[walked.part] += walked.piece.end - walked.piece.first;
    QCOMPARE(units.size(), 396u);
    for (const auto& [part, count] : units)
      QVERIFY(count == units.begin()->second || count == units.rbegin()->second);
    QVERIFY(units.begin()->second - units.rbegin()->second <= 1);
  }

  /// Of a short line few parts are used, and none is shorter than a part should be.
  void short_lines() {
    for (int total = 1; total < 40; ++total) {
      const int used = used_parts(total, 12);
      const Cut cut = cut_line(total, used);
      QCOMPARE(cut.begin(0), 0);
      QCOMPARE(cut.begin(used), total);
      for (int part = 0; part < used; ++part) {
        QVERIFY(cut.begin(part + 1) - cut.begin(part) >= std::min(total, kLeastUnits));
        QCOMPARE(cut.part_of(cut.begin(part)), part);
        QCOMPARE(cut.part_of(cut.begin(part + 1) - 1), part);
      }
    }
  }
};

QTEST_APPLESS_MAIN(DecodePlanTest)
#include "decode_plan_test.moc"
