// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot draws anew: what has changed, and nothing else.
#include <QSignalSpy>
#include <QTest>
#include <map>

#include "tests/support/test_support.h"
#include "ui/serve/serve_charts.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/memory_bar.h"
#include "ui/widgets/text_line.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr Nanos kStart = 1'700'000'000 * kNanosPerSecond;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// Events of one kind that came to a widget.
class Events : public QObject {
 public:
  Events(QWidget* widget, QEvent::Type type) : type_(type) { widget->installEventFilter(this); }
  int count = 0;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == type_) ++count;
    return false;
  }

 private:
  QEvent::Type type_;
};

/// After so many full seconds and a part of one.
std::shared_ptr<Snapshot> serving(int seconds, double part) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->started_utc = kStart;
  snapshot->utc = kStart + seconds * kNanosPerSecond + std::llround(part * kNanosPerSecond);
  snapshot->running = 4;
  for (int i = 0; i < seconds; ++i) {
    SecondRecord second;
    second.utc = kStart + i * kNanosPerSecond;
    second.itl.n = 200;
    second.itl.p50 = second.itl.p90 = second.itl.p99 = second.itl.max = 5 + i;
    snapshot->history.push_back(second);
  }
  return snapshot;
}

}  // namespace

class LiveRedrawTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    Theme::current().set_mode(ThemeMode::light);
  }

  void charts_of_seconds_are_drawn_once_a_second() {
    ServeCharts charts;
    charts.resize(1200, 1600);
    charts.show();
    QVERIFY(QTest::qWaitForWindowExposed(&charts));
    std::map<QString, std::unique_ptr<Events>> paints;
    for (const char* name : {"itl", "ttft", "throughput", "memory", "tpot", "queue", "distribution", "cdf"}) {
      auto* plot = charts.findChild<QWidget*>(QStringLiteral("serve.chart.%1.plot").arg(u8(name)));
      QVERIFY2(plot, name);
      const auto* area = qobject_cast<QAbstractScrollArea*>(plot);
      paints[u8(name)] = std::make_unique<Events>(area ? area->viewport() : plot, QEvent::Paint);
    }
    const auto drawings = charts.drawings();
    const std::vector<StepSpan> no_steps;
    const auto show = [&](const std::shared_ptr<Snapshot>& snapshot) {
      charts.set_snapshot(snapshot, 120, no_steps);
      for (const auto& draw : drawings) draw();
      QCoreApplication::processEvents();
      QStringList drawn;
      for (auto& [name, paint] : paints)
        if (std::exchange(paint->count, 0) > 0) drawn << name;
      return drawn;
    };
    const auto all = static_cast<qsizetype>(paints.size());
    QCOMPARE(show(serving(40, 0.1)).size(), all);
    QCOMPARE(show(serving(40, 0.35)), QStringList());
    QCOMPARE(show(serving(40, 0.85)), QStringList());
    QCOMPARE(show(serving(41, 0.1)).size(), all);
    // A change of a setting is seen at once, and so are the last figures of an engine that has nothing to do.
    auto changed = serving(41, 0.35);
    changed->changes.push_back({changed->utc, "max-num-seqs", "24", "32", ChangedBy::user});
    QCOMPARE(show(changed).size(), all);
    changed = std::make_shared<Snapshot>(*changed);
    changed->running = 0;
    QCOMPARE(show(changed).size(), all);
    // So is another span.
    charts.show_span(static_cast<double>(kStart) / 1e9, static_cast<double>(kStart) / 1e9 + 10);
    QCOMPARE(show(changed).size(), all);
  }

  void a_chart_that_was_hidden_catches_up() {
    ServeCharts charts;
    charts.resize(1200, 1600);
    const auto drawings = charts.drawings();
    const std::vector<StepSpan> no_steps;
    charts.set_snapshot(serving(40, 0.1), 120, no_steps);
    for (const auto& draw : drawings) draw();
    auto* itl = charts.findChild<LineChart*>(u8("serve.chart.itl"));
    QVERIFY(itl->summary().contains(u8("no data yet")));
    charts.show();
    charts.set_snapshot(serving(40, 0.35), 120, no_steps);
    for (const auto& draw : drawings) draw();
    QVERIFY2(itl->summary().contains(u8("44")), qPrintable(itl->summary()));
  }

  void figures_of_the_same_width_lay_nothing_out() {
    QWidget around;
    TextLine line(&around);
    line.set({{u8("1,234"), FontRole::figure, Colour::text}, {u8("tok/s")}});
    around.show();
    QVERIFY(QTest::qWaitForWindowExposed(&around));
    QCoreApplication::processEvents();
    const Events layouts(&around, QEvent::LayoutRequest);
    Events paints(&line, QEvent::Paint);
    line.resize(line.sizeHint());
    QCoreApplication::processEvents();
    paints.count = 0;
    line.set({{u8("1,243"), FontRole::figure, Colour::text}, {u8("tok/s")}});
    QCoreApplication::processEvents();
    QCOMPARE(layouts.count, 0);
    QVERIFY(paints.count > 0);
    QCOMPARE(line.accessibleName(), u8("1,243 tok/s"));
    line.set({{u8("11,243"), FontRole::figure, Colour::text}, {u8("tok/s")}});
    QCoreApplication::processEvents();
    QVERIFY(layouts.count > 0);
    QVERIFY(line.minimumSizeHint() == line.sizeHint());
    line.set({{u8("9"), FontRole::figure, Colour::text},
              {u8("of which many words are told"), FontRole::small, Colour::muted, false, true}});
    QVERIFY(line.minimumSizeHint().width() < line.sizeHint().width());
  }

  void a_table_tells_of_the_cells_that_changed() {
    TableModel model({{u8("Request"), true}, {u8("State")}, {u8("Out"), true}});
    const auto row = [](qint64 key, const QString& state, double out) {
      return TableRow{
          key, {{QString::number(key), static_cast<double>(key)}, {state}, {QString::number(out), out}}};
    };
    model.set_rows({row(2, u8("running"), 10), row(1, u8("length"), std::nan(""))});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.set_rows({row(2, u8("running"), 10), row(1, u8("length"), std::nan(""))});
    QCOMPARE(changed.size(), 0);
    model.set_rows({row(2, u8("running"), 11), row(1, u8("length"), std::nan(""))});
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].toModelIndex(), model.index(0, 2));
    QCOMPARE(changed[0][1].toModelIndex(), model.index(0, 2));
    changed.clear();
    std::vector<TableRow> many;
    for (int i = 0; i < 100; ++i) many.push_back(row(i, u8("running"), i));
    model.set_rows(many);
    changed.clear();
    for (TableRow& one : many) one.cells[2].text = u8("–");
    model.set_rows(many);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(model.index(99, 2).data().toString(), u8("–"));
  }

  void a_memory_bar_is_drawn_when_its_words_change() {
    MemoryBar bar;
    bar.resize(800, 80);
    bar.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bar));
    LedgerSnapshot ledger;
    ledger.device_total = 16 * kGiB;
    ledger.measured = 2 * kGiB;
    ledger.bytes[static_cast<std::size_t>(Category::weights)] = kGiB;
    bar.set_ledger(ledger);
    QCoreApplication::processEvents();
    Events paints(&bar, QEvent::Paint);
    ledger.measured += 4096;
    bar.set_ledger(ledger);
    QCoreApplication::processEvents();
    QCOMPARE(paints.count, 0);
    ledger.measured += 100 * kMiB;
    bar.set_ledger(ledger);
    QCoreApplication::processEvents();
    QVERIFY(paints.count > 0);
  }
};

QTEST_MAIN(LiveRedrawTest)
#include "live_redraw_test.moc"
