// SPDX-License-Identifier: GPL-3.0-or-later
// Where a chart's note stands.
#include <QImage>
#include <QTest>

#include "ui/shell/theme.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class ChartNoteTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_note_stands_above_lines_and_flags();
};

void ChartNoteTest::a_note_stands_above_lines_and_flags() {
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), {}, true});
  chart.set_series({{u8("p50"), Colour::itl, Stroke::solid, 2, {0, 1, 2}, {5, 500, 5}}});
  chart.set_laps({{2, 1, u8("max-num-seqs 8 → 16")}});
  chart.resize(300, 200);
  chart.show();
  const auto top = [&] {  // of the lap's flag, which stands at the plot's
    const QImage plot = chart.findChild<QWidget*>(u8("test.chart.plot"))->grab().toImage();
    const QColor ink = Theme::current().colour(Colour::text);
    for (int y = 0; y < plot.height(); ++y)
      for (int x = 0, run = 0; x < plot.width(); ++x) {
        run = plot.pixelColor(x, y) == ink ? run + 1 : 0;
        if (run == 8) return y;
      }
    return -1;
  };
  const int line = QFontMetrics(Theme::current().font(FontRole::small)).height();
  QVERIFY(top() >= 0 && top() < line);
  chart.set_note(u8("n = 42: no p99 until n ≥ 100, and more than one line of words has room for here"));
  QVERIFY(top() >= line);
  chart.set_note({});
  QVERIFY(top() < line);
}

QTEST_MAIN(ChartNoteTest)
#include "chart_note_test.moc"
