// SPDX-License-Identifier: GPL-3.0-or-later
// What the live view is made of, on figures that can be worked out by hand: laps, spikes, steps, stacks,
// goodput, prefixes, notes.
#include <QApplication>
#include <QFile>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/test_support.h"
#include "ui/serve/event_log.h"
#include "ui/serve/figures.h"
#include "ui/serve/goodput_card.h"
#include "ui/serve/laps.h"
#include "ui/serve/load_dialog.h"
#include "ui/serve/memory_card.h"
#include "ui/serve/prefix_card.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/stack_chart.h"
#include "ui/widgets/step_chart.h"
#include "ui/widgets/text_line.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr Nanos kStart = 1'700'000'000 * kNanosPerSecond;  // 2023-11-14T22:13:20Z
constexpr double kStartSeconds = 1'700'000'000;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// Steps of 5 ms, one after another, with four streams.
std::vector<StepSpan> calm_steps(int count) {
  std::vector<StepSpan> steps;
  for (int i = 0; i < count; ++i) {
    const double from = kStartSeconds + 0.005 * i;
    StepSpan step{static_cast<std::uint64_t>(i + 1), from, from + 0.005};
    step.decode = 4;
    steps.push_back(step);
  }
  return steps;
}

RequestRecord ended(std::int64_t arrival_s, double ttft_ms, double tpot_ms, FinishReason finish) {
  RequestRecord request;
  request.arrival_utc = kStart + arrival_s * kNanosPerSecond;
  request.arrival = kNanosPerSecond;
  request.scheduled = request.arrival + 1;
  request.first_token = request.arrival + std::llround(ttft_ms * 1e6);
  request.output_tokens = 11;
  request.last_token = request.first_token + std::llround(10 * tpot_ms * 1e6);
  request.finished = request.last_token;
  request.finish = finish;
  return request;
}

StackData pool_that_fills() {
  StackData data;
  data.x = {kStartSeconds, kStartSeconds + 1, kStartSeconds + 2};
  data.layers = {{u8("KV used"), Colour::kv_used, FillPattern::solid, {1, 2, 3}},
                 {u8("KV free"), Colour::kv_free, FillPattern::dashed_frame, {9, 8, 7}}};
  data.line_name = u8("system says");
  data.line = {4, 5, 6};
  return data;
}

QByteArray contents(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s", qPrintable(path));
  return file.readAll();
}

}  // namespace

class ServePartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void changes_within_a_second_are_one_lap();
  void a_long_step_is_a_spike_once();
  void a_pause_is_no_spike();
  void last_figures_are_muted();
  void events_stand_in_the_order_of_time();
  void lines_between_figures_follow_them();
  void one_large_step_survives_every_zoom();
  void steps_are_chosen_and_zoomed_by_keys();
  void steps_are_exported();
  void a_stack_says_and_exports_what_it_shows();
  void a_stack_is_worked_by_keys();
  void laps_are_said_by_charts();
  void goodput_by_hand();
  void prefix_tokens_by_hand();
  void shares_add_up();
  void notes_say_what_happens_next();
  void a_load_test_on_the_cpu_begins_small();
};

void ServePartsTest::initTestCase() {
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void ServePartsTest::changes_within_a_second_are_one_lap() {
  QVERIFY(laps_of({}).empty());
  const auto laps = laps_of({{kStart, "max-num-seqs", "32", "24"},
                             {kStart + kNanosPerSecond / 2, "target-itl-ms", "0", "25"},
                             {kStart + 9 * kNanosPerSecond, "max-num-seqs", "24", "32"}});
  QCOMPARE(laps.size(), std::size_t{2});
  QCOMPARE(laps[0].number, 2);
  QCOMPARE(laps[0].text, u8("max-num-seqs 32 → 24, target-itl-ms 0 → 25"));
  QCOMPARE(laps[1].number, 3);
  QCOMPARE(laps[1].at, kStartSeconds + 9);
}

void ServePartsTest::a_long_step_is_a_spike_once() {
  std::vector<StepSpan> steps = calm_steps(40);
  StepSpan slow{41, steps.back().to, steps.back().to + 0.318};
  slow.decode = 31;
  slow.prefill = 2048;
  steps.push_back(slow);
  Snapshot snapshot;
  snapshot.started_utc = kStart;
  EventLog log;
  log.take(snapshot, steps);
  log.take(snapshot, steps);
  QCOMPARE(log.events().size(), std::size_t{1});
  const ServeEvent& event = log.events().front();
  QCOMPARE(event.kind, ServeEvent::Kind::spike);
  QCOMPARE(event.title, u8("Spike 318 ms"));
  QCOMPARE(event.detail, u8("step 41 made 31 wait, 2,048 prefill tokens"));
  QCOMPARE(event.step, std::uint64_t{41});
  // Another start of the engine counts its steps, and its laps, from the beginning.
  snapshot.started_utc += kNanosPerSecond;
  snapshot.changes = {{kStart, "max-num-seqs", "32", "24"}};
  log.take(snapshot, steps);
  QCOMPARE(log.events().size(), std::size_t{3});
}

void ServePartsTest::events_stand_in_the_order_of_time() {
  EventLog log;
  for (const double at : {1.0, 5.0, 3.0, 5.0, 4.0}) log.add({ServeEvent::Kind::lap, at, {}, {}});
  QVERIFY(std::is_sorted(log.events().begin(), log.events().end(),
                         [](const ServeEvent& a, const ServeEvent& b) { return a.at < b.at; }));
  QCOMPARE(log.events().size(), std::size_t{5});
}

/// The part of a widget that was painted last.
class Painted : public QObject {
 public:
  explicit Painted(QWidget* widget) { widget->installEventFilter(this); }
  QRect last;

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) last |= static_cast<QPaintEvent*>(event)->region().boundingRect();
    return false;
  }
};

void ServePartsTest::lines_between_figures_follow_them() {
  FigureStrip strip;
  strip.resize(1400, strip.sizeHint().height());
  strip.show();
  QVERIFY(QTest::qWaitForWindowExposed(&strip));
  Snapshot snapshot;
  strip.show_snapshot(snapshot, {});
  QCoreApplication::processEvents();
  Painted painted(&strip);
  snapshot.output_tokens_per_s = 123456;
  strip.show_snapshot(snapshot, {});
  QTRY_COMPARE(painted.last, strip.rect());
}

void ServePartsTest::last_figures_are_muted() {
  FigureStrip strip;
  strip.show_snapshot({}, {});
  const auto strong = [&strip] {
    const auto lines = strip.findChildren<TextLine*>();
    return std::count_if(lines.begin(), lines.end(), [](const TextLine* line) { return !line->muted(); });
  };
  QVERIFY(strong() > 0);
  strip.show_ended(true);
  QCOMPARE(strong(), 0);
  QVERIFY(strip.accessibleDescription().contains(u8("has stopped")));
  strip.show_ended(false);
  QVERIFY(strong() > 0);
}

void ServePartsTest::a_pause_is_no_spike() {
  std::vector<StepSpan> steps = calm_steps(40);
  StepSpan later{41, steps.back().to + 60, steps.back().to + 60.005};  // nobody was there in between
  later.decode = 4;
  steps.push_back(later);
  EventLog log;
  log.take({}, steps);
  QVERIFY(log.events().empty());
  // The same length with work waiting is one.
  later.step = 42;
  later.gap = 0.2;
  steps.push_back(later);
  log.take({}, steps);
  QCOMPARE(log.events().size(), std::size_t{1});
  QCOMPARE(log.events().front().title, u8("Spike 205 ms"));
}

void ServePartsTest::one_large_step_survives_every_zoom() {
  std::vector<StepSpan> steps = calm_steps(100'000);
  steps[77'777].prefill = 2000;
  StepChart chart(u8("test.steps"), u8("Steps"), u8("What?"));
  chart.resize(600, 240);
  chart.show();
  chart.set_steps(&steps);
  auto* plot = chart.findChild<QWidget*>(u8("test.steps.plot"));
  const QRgb prefill = Theme::current().colour(Colour::ttft).rgb();
  const double at = (steps[77'777].from + steps[77'777].to) / 2;
  for (const double half : {1000.0, 100.0, 5.0, 0.5, 0.05, 0.004}) {
    chart.show_span(at - half, at + half);
    const QImage picture = plot->grab().toImage();
    bool seen = false;
    for (int x = 0; x < picture.width() && !seen; ++x)
      seen = picture.pixel(x, picture.height() / 2) == prefill;  // far above what decode reaches
    QVERIFY2(seen, qPrintable(QString::number(half)));
  }
  QVERIFY2(chart.summary().contains(u8("0 preempted")), qPrintable(chart.summary()));
}

void ServePartsTest::steps_are_chosen_and_zoomed_by_keys() {
  std::vector<StepSpan> steps = calm_steps(100);
  StepChart chart(u8("test.steps"), u8("Steps"), u8("What?"));
  chart.resize(600, 240);
  chart.show();
  chart.set_steps(&steps);
  QSignalSpy chosen(&chart, &StepChart::step_chosen);
  auto* plot = chart.findChild<QWidget*>(u8("test.steps.plot"));
  QTest::keyClick(plot, Qt::Key_Left);  // the newest first
  QTest::keyClick(plot, Qt::Key_Left);
  QTest::keyClick(plot, Qt::Key_Home);
  QCOMPARE(chosen.size(), 3);
  QCOMPARE(chosen[0][0].toULongLong(), 100u);
  QCOMPARE(chosen[1][0].toULongLong(), 99u);
  QCOMPARE(chosen[2][0].toULongLong(), 1u);
  const auto all = chart.span();
  QCOMPARE(all.first, steps.front().from);
  QCOMPARE(all.second, steps.back().to);
  QTest::keyClick(plot, Qt::Key_Plus);
  QVERIFY(std::abs((chart.span().second - chart.span().first) - (all.second - all.first) / 2) < 1e-6);
  QTest::keyClick(plot, Qt::Key_0);
  QCOMPARE(chart.span(), all);
  chart.set_steps(&steps, 10);
  QCOMPARE(chart.span().first, steps[90].from);
  QTest::keyClick(plot, Qt::Key_T);
  QVERIFY(chart.table_shown());
  QCOMPARE(chart.findChild<DataTable*>()->model()->rowCount(), 10);
}

void ServePartsTest::steps_are_exported() {
  std::vector<StepSpan> steps = calm_steps(2);
  steps[1].preempted = 3;
  StepChart chart(u8("test.steps"), u8("Steps"), u8("Who <waits>?"));
  chart.set_source(u8("R-0147"));
  chart.resize(600, 240);
  chart.show();
  chart.set_steps(&steps);
  const test::TemporaryFolder folder;
  const QString base = QString::fromStdString((folder.path() / "steps").string());
  for (const char* suffix : {".csv", ".svg", ".png"}) QCOMPARE(chart.export_to(base + u8(suffix)), QString());
  const QList<QByteArray> lines = contents(base + u8(".csv")).split('\n');
  QCOMPARE(lines[0], QByteArray("# Steps | tokens | Who <waits>? | R-0147"));
  QVERIFY2(lines[2].startsWith("1,2023-11-14T22:13:20.000Z,5.0") ||
               lines[2].startsWith("1,2023-11-14T22:13:20.000Z,4.99"),
           lines[2].constData());
  QVERIFY2(lines[3].endsWith(",0,4,0,0,0,3,0"), lines[3].constData());
  const QByteArray drawing = contents(base + u8(".svg"));
  QVERIFY(drawing.contains("<svg") && !drawing.contains("<waits>"));
  QCOMPARE(QImage(base + u8(".png")).width(), 2 * chart.width());
}

void ServePartsTest::a_stack_says_and_exports_what_it_shows() {
  StackChart chart(u8("test.stack"), u8("Memory over time"), u8("What grows?"));
  chart.resize(600, 240);
  chart.show();
  QCOMPARE(chart.summary(), u8("Memory over time: no data yet."));
  chart.set_time_range(kStartSeconds, kStartSeconds + 2);
  chart.set_limits({{u8("limit 12 GiB"), 12}});
  chart.set_data(pool_that_fills(), u8("GiB"));
  QCOMPARE(chart.summary(),
           u8("Memory over time, GiB: KV used 3.00 (was 1.00), KV free 7.00 (was 9.00), system says 6.00."));
  QCOMPARE(chart.findChild<QWidget*>(u8("test.stack.plot"))->accessibleDescription(), chart.summary());
  chart.show_table(true);
  auto* table = chart.findChild<DataTable*>();
  QCOMPARE(table->model()->rowCount(), 3);
  QCOMPARE(table->model()->columnCount(), 4);
  chart.show_table(false);
  const test::TemporaryFolder folder;
  const QString base = QString::fromStdString((folder.path() / "stack").string());
  for (const char* suffix : {".csv", ".svg", ".png"}) QCOMPARE(chart.export_to(base + u8(suffix)), QString());
  const QList<QByteArray> lines = contents(base + u8(".csv")).split('\n');
  QCOMPARE(lines[1], QByteArray("time_utc,KV used,KV free,system says"));
  QCOMPARE(lines[3], QByteArray("2023-11-14T22:13:21.000Z,2,8,5"));
  QVERIFY(contents(base + u8(".svg")).contains("+ KV free"));
}

void ServePartsTest::a_stack_is_worked_by_keys() {
  StackChart chart(u8("test.stack"), u8("Memory"), u8("What grows?"));
  chart.resize(600, 240);
  chart.show();
  chart.set_time_range(kStartSeconds, kStartSeconds + 2);
  chart.set_data(pool_that_fills(), u8("GiB"));
  QSignalSpy moved(&chart, &StackChart::crosshair_moved), spans(&chart, &StackChart::span_chosen);
  auto* plot = chart.findChild<QWidget*>(u8("test.stack.plot"));
  QTest::keyClick(plot, Qt::Key_Home);
  QCOMPARE(chart.crosshair(), kStartSeconds);
  QTest::keyClick(plot, Qt::Key_Right);
  QCOMPARE(chart.crosshair(), kStartSeconds + 1);
  QTest::keyClick(plot, Qt::Key_Escape);
  QVERIFY(std::isnan(chart.crosshair()));
  QCOMPARE(moved.size(), 3);
  // A drag from the first sample to the last.
  const auto mouse = [&](QEvent::Type type, double x, Qt::MouseButtons held) {
    const QPointF at(x, plot->height() / 2.0);
    QMouseEvent event(type, at, plot->mapToGlobal(at), Qt::LeftButton, held, {});
    QApplication::sendEvent(plot, &event);
  };
  mouse(QEvent::MouseButtonPress, plot->width() * 0.1, Qt::LeftButton);
  mouse(QEvent::MouseMove, plot->width() - 1.0, Qt::LeftButton);
  mouse(QEvent::MouseButtonRelease, plot->width() - 1.0, {});
  QCOMPARE(spans.size(), 1);
  QCOMPARE(spans[0][0].toDouble(), kStartSeconds);
  QCOMPARE(spans[0][1].toDouble(), kStartSeconds + 2);
}

void ServePartsTest::laps_are_said_by_charts() {
  LineChart chart({u8("test.chart"), u8("ITL"), u8("ms"), u8("Any stutter?"), true});
  chart.set_series({{u8("p50"), Colour::itl, Stroke::solid, 2, {kStartSeconds, kStartSeconds + 1}, {5, 6}}});
  chart.set_laps(laps_of({{kStart, "max-num-seqs", "32", "24"}}));
  chart.set_series({{u8("p50"), Colour::itl, Stroke::solid, 2, {kStartSeconds, kStartSeconds + 1}, {5, 6}}});
  QVERIFY2(chart.summary().contains(u8(" Lap 2 at ")), qPrintable(chart.summary()));
}

void ServePartsTest::goodput_by_hand() {
  Objectives limits;
  limits.ttft = 200;
  limits.tpot = 50;
  Snapshot snapshot;
  snapshot.requests = {ended(1, 100, 20, FinishReason::stop),  ended(2, 200, 50, FinishReason::length),
                       ended(3, 201, 20, FinishReason::stop),  ended(4, 100, 51, FinishReason::stop),
                       ended(5, 100, 20, FinishReason::error), ended(6, 100, 20, FinishReason::cancelled),
                       ended(7, 100, 20, FinishReason::none)};
  Goodput now = goodput_of(snapshot, limits);
  QCOMPARE(now.requests, 5);
  QCOMPARE(now.good, 2);
  QCOMPARE(now.late_ttft, 1);
  QCOMPARE(now.late_tpot, 1);
  QCOMPARE(now.failed, 1);
  QCOMPARE(now.lap, 1);
  snapshot.changes = {{kStart + 2 * kNanosPerSecond, "max-num-seqs", "32", "24"}};
  now = goodput_of(snapshot, limits);
  QCOMPARE(now.requests, 4);
  QCOMPARE(now.good, 1);
  QCOMPARE(now.lap, 2);
}

void ServePartsTest::prefix_tokens_by_hand() {
  const auto looked_up = [](int prompt, int cached, MissReason miss) {
    RequestRecord request;
    request.scheduled = 1;
    request.prompt_tokens = prompt;
    request.cached_tokens = cached;
    request.miss = miss;
    return request;
  };
  RequestRecord waits = looked_up(1000, 0, MissReason::none);
  waits.scheduled = 0;
  const PrefixTokens tokens = prefix_tokens(
      {looked_up(100, 0, MissReason::cold), looked_up(100, 96, MissReason::none),
       looked_up(100, 64, MissReason::diverged), looked_up(100, 0, MissReason::disabled), waits});
  QCOMPARE(tokens.requests, 3);
  QCOMPARE(tokens.prompt, 300);
  QCOMPARE(tokens.hit, 160);
  QCOMPARE(tokens.missed[static_cast<std::size_t>(MissReason::cold)], 100);
  QCOMPARE(tokens.missed[static_cast<std::size_t>(MissReason::none)], 4);
  QCOMPARE(tokens.missed[static_cast<std::size_t>(MissReason::diverged)], 36);
}

void ServePartsTest::shares_add_up() {
  ShareBar bar(u8("Shares"));
  bar.set_shares({{u8("hit"), Colour::kv_used, FillPattern::solid, 3},
                  {u8("evicted"), Colour::graphs, FillPattern::solid, 0},
                  {u8("first seen"), Colour::kv_cached, FillPattern::slashes, 1}});
  QCOMPARE(bar.accessibleDescription(), u8("hit 75.0 %, first seen 25.0 %"));
  bar.resize(bar.sizeHint());
  QVERIFY(!bar.grab().isNull());
  bar.set_shares({});
  QVERIFY(!bar.grab().isNull());
}

void ServePartsTest::notes_say_what_happens_next() {
  Snapshot snapshot;
  LedgerSnapshot& ledger = snapshot.ledger;
  ledger.bytes[static_cast<std::size_t>(Category::kv)] = kGiB;
  ledger.measured = kGiB;
  ledger.kv_free = 100 * kMiB;
  QVERIFY2(memory_note(snapshot).startsWith(u8("The KV pool has a fixed size")),
           qPrintable(memory_note(snapshot)));
  for (int i = 0; i <= 10; ++i) {
    SecondRecord second;
    second.utc = kStart + i * kNanosPerSecond;
    second.kv_free = (200 - 10 * i) * kMiB;
    snapshot.history.push_back(second);
  }
  QVERIFY2(
      memory_note(snapshot).startsWith(u8("Free KV blocks last about 10.0 s at 10.0 MiB/s; then the oldest "
                                          "cached blocks are reused. Not an out-of-memory risk.")),
      qPrintable(memory_note(snapshot)));
  ledger.kv_free = 0;
  ledger.kv_used = kGiB;
  snapshot.waiting = 3;
  QVERIFY2(memory_note(snapshot).startsWith(u8("No KV block is free: waiting requests start")),
           qPrintable(memory_note(snapshot)));
  ledger.measured = 2 * kGiB;
  QVERIFY2(memory_note(snapshot).contains(u8("1.00 GiB are not booked: this program itself")),
           qPrintable(memory_note(snapshot)));
  ledger.measured = kGiB / 2;
  QVERIFY2(memory_note(snapshot).endsWith(
               u8("0.50 GiB of what is booked was not touched yet: the system gives pages at first use.")),
           qPrintable(memory_note(snapshot)));
}

void ServePartsTest::a_load_test_on_the_cpu_begins_small() {
  QCOMPARE(LoadDialog({}, 32, true).wish().requests, 10);
  QCOMPARE(LoadDialog({}, 32, false).wish().requests, 100);
  LoadWish last;
  last.requests = 50;
  QCOMPARE(LoadDialog(last, 32, true).wish().requests, 50);
}

QTEST_MAIN(ServePartsTest)
#include "serve_parts_test.moc"
