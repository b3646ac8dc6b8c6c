// SPDX-License-Identifier: GPL-3.0-or-later
// Where the words of a plot stand: off its lines and off each other.
#include <QTest>

#include "ui/widgets/label_room.h"

using namespace pitwall::ui;

class LabelRoomTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void labels_keep_off_lines_and_each_other();
  void names_of_close_lines_keep_off_them_all();
};

void LabelRoomTest::labels_keep_off_lines_and_each_other() {
  const QRectF area(0, 0, 400, 200);
  LabelRoom room(area);
  const QPolygonF flat({{0, 100}, {400, 100}}), steep({{0, 200}, {400, 0}});
  room.block_line(flat);
  room.block_line(steep);
  std::vector<QRectF> placed;
  for (const QPolygonF& line : {flat, steep}) placed.push_back(room.place_along(line, {60, 12}, 4));
  placed.push_back(room.place_beside({200, 100}, {60, 12}, 6));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    QVERIFY(area.contains(placed[i]));
    QVERIFY(placed[i].bottom() < 100 || placed[i].top() > 100);  // over the flat line nowhere
    for (std::size_t j = 0; j < i; ++j) QVERIFY(!placed[i].intersects(placed[j]));
  }
  // Where lines are everywhere, words go over them rather than over words.
  LabelRoom crowded(QRectF(0, 0, 200, 60));
  for (int y = 0; y <= 60; y += 5) crowded.block_line(QPolygonF({{0, y + 0.0}, {200, y + 0.0}}));
  const QRectF first = crowded.place_beside({100, 30}, {60, 12}, 6);
  QVERIFY(!crowded.place_beside({100, 30}, {60, 12}, 6).intersects(first));
  // Where nothing is free, the words still lie inside.
  LabelRoom full(QRectF(0, 0, 50, 10));
  QVERIFY(QRectF(0, 0, 50, 10).contains(full.place_beside({49, 9}, {40, 8}, 4)));
}

void LabelRoomTest::names_of_close_lines_keep_off_them_all() {
  const QRectF area(0, 0, 400, 200);
  LabelRoom close(area);
  std::vector<QPolygonF> bundle;
  for (int i = 0; i < 8; ++i) bundle.push_back(QPolygonF({{0, 60 + 4.0 * i}, {400, 80 + 4.0 * i}}));
  for (const QPolygonF& line : bundle) close.block_line(line);
  std::vector<QRectF> names;
  for (const QPolygonF& line : bundle) names.push_back(close.place_along(line, {150, 12}, 4));
  for (std::size_t i = 0; i < names.size(); ++i) {
    QVERIFY(area.contains(names[i]));
    for (const QPolygonF& line : bundle)
      for (double x = names[i].left(); x <= names[i].right(); ++x)
        QVERIFY(!names[i].adjusted(3, 1, -3, -1).contains({x, line.front().y() + x / 20}));
    for (std::size_t j = 0; j < i; ++j) QVERIFY(!names[i].intersects(names[j]));
  }
}

QTEST_MAIN(LabelRoomTest)
#include "label_room_test.moc"
