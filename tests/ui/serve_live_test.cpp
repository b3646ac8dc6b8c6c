// SPDX-License-Identifier: GPL-3.0-or-later
// The live half of the serve page on a tiny model: memory, settings that change, steps, prefixes, goodput,
// loads.
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <cmath>
#include <limits>

#include "tests/ui/serve_session.h"
#include "ui/serve/goodput_card.h"
#include "ui/serve/load_strip.h"
#include "ui/serve/prefix_card.h"
#include "ui/serve/serve_charts.h"
#include "ui/serve/settings_form.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/memory_bar.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/share_bar.h"
#include "ui/widgets/step_chart.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class ServeLiveTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session_.begin(); }
  void init() { session_.open(); }
  void cleanup() { session_.close(); }
  void memory_is_planned_beside_booked();
  void live_settings_change_while_serving();
  void a_live_value_can_be_applied_while_it_is_typed();
  void a_start_leaves_the_settings_where_they_are();
  void changed_settings_are_marked_and_go_back();
  void settings_follow_changes_from_elsewhere();
  void locked_settings_offer_a_restart();
  void steps_are_seen_down_to_one();
  void prefix_hits_have_reasons();
  void goodput_counts_what_was_promised();
  void load_from_the_page_is_a_run();
  void load_can_be_cancelled_and_ends_with_its_engine();
  void a_paused_view_stands_still();
  void charts_share_crosshair_and_span();

 private:
  test::ServeFixture session_;
};

void ServeLiveTest::memory_is_planned_beside_booked() {
  session_.serve();
  auto* table = session_->child<MemoryTable>("serve.memoryTable");
  const auto row = [&](const char* category) {
    for (const QString& line : table->to_csv().split(QLatin1Char('\n')))
      if (line.startsWith(u8(category) + QLatin1Char(','))) return line.split(QLatin1Char(',')).mid(1);
    return QStringList{};
  };
  QVERIFY(QTest::qWaitFor([&] { return !row("Weights").at(0).isEmpty(); }, kPatienceMs));
  for (const char* category : {"Weights", "Activations", "Workspace", "Graphs"})
    QTRY_VERIFY2(row(category).at(0) == row(category).at(1),
                 qPrintable(row(category).join(QLatin1Char(' '))));
  QCOMPARE(row("KV free").at(0), QString());  // how the pool is used, nobody plans
  QCOMPARE(row("KV free").at(1).toLongLong(), session_->engine.snapshot()->ledger.kv_free);
}

void ServeLiveTest::live_settings_change_while_serving() {
  session_.serve();
  const auto type = [this](const char* name, const char* text) {
    auto* field = session_->child<QLineEdit>(name);
    QVERIFY(field->isEnabled());
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u8(text));
    QTest::keyClick(field, Qt::Key_Return);
  };
  const auto* form = session_->child<SettingsForm>("serve.settings");
  auto* apply = session_->child<QPushButton>("serve.settings.apply");
  auto* target = session_->child<QLineEdit>("serve.setting.target-itl-ms");
  QVERIFY(!apply->isVisible());
  // Live ones stand first.
  QVERIFY(target->mapTo(session_->window.get(), QPoint()).y() <
          session_->child<QWidget>("serve.setting.block-size")->mapTo(session_->window.get(), QPoint()).y());
  QCOMPARE(session_->child<QLineEdit>("serve.setting.max-wait-ms")->text(), u8("30,000"));
  type("serve.setting.target-itl-ms", "25");
  QVERIFY(target->property("pending").toBool());
  QCOMPARE(session_->engine.engine()->settings().real("target-itl-ms"), 0.0);
  QCOMPARE(apply->text(), u8("Apply as lap 2"));
  QTest::mouseClick(session_->child<QPushButton>("serve.settings.revert"), Qt::LeftButton);
  QCOMPARE(target->text(), u8("0"));
  QCOMPARE(form->pending(), 0);
  type("serve.setting.target-itl-ms", "25");
  QTest::mouseClick(apply, Qt::LeftButton);
  QTRY_COMPARE(session_->engine.engine()->settings().real("target-itl-ms"), 25.0);
  QTRY_COMPARE(form->pending(), 0);
  QTRY_VERIFY(session_->child<LineChart>("serve.chart.throughput")->summary().contains(u8("Lap 2 at ")));

  type("serve.setting.max-num-seqs", "4000");  // more than the slots of the start
  QTest::keyClick(session_->child<QLineEdit>("serve.setting.max-num-seqs"), Qt::Key_Return,
                  Qt::ControlModifier);
  auto* seqs = session_->child<QLineEdit>("serve.setting.max-num-seqs");
  QTRY_VERIFY2(seqs->accessibleDescription().contains(u8("4000")), qPrintable(seqs->accessibleDescription()));
  session_->engine.stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  QCOMPARE(seqs->text(), count_text(form->settings().integer("max-num-seqs")));
  const auto run = session_->store->run(RunId{1});
  PW_VERIFY(run);
  QCOMPARE(run->changes.size(), std::size_t{1});
  QCOMPARE(run->changes.front().name, std::string("target-itl-ms"));
}

void ServeLiveTest::a_live_value_can_be_applied_while_it_is_typed() {
  session_.serve();
  auto* field = session_->child<QLineEdit>("serve.setting.max-num-seqs");
  auto* apply = session_->child<QPushButton>("serve.settings.apply");
  const auto* form = session_->child<SettingsForm>("serve.settings");
  field->setFocus();
  field->selectAll();
  QTest::keyClicks(field, u8("3"));
  QVERIFY(apply->isVisible());
  QVERIFY(field->property("pending").toBool());
  QTest::keyClicks(field, u8("x"));  // no value
  QCOMPARE(form->pending(), 0);
  QTest::keyClick(field, Qt::Key_Backspace);
  QCOMPARE(field->text(), u8("3"));
  QVERIFY(apply->isVisible());
  QVERIFY(session_->window->focusWidget() == field);
  QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
  QTRY_COMPARE(session_->engine.engine()->settings().integer("max-num-seqs"), 3);
  QTRY_VERIFY(!apply->isVisible());
}

void ServeLiveTest::a_start_leaves_the_settings_where_they_are() {
  auto* field = session_->child<QLineEdit>("serve.setting.port");
  const auto* scroll = session_->child<SettingsForm>("serve.settings")->findChild<QScrollArea*>();
  QCoreApplication::processEvents();  // laid out
  session_->child<SettingsForm>("serve.settings")->focus_setting("port");
  QVERIFY(session_->window->focusWidget() == field);
  const int before = scroll->verticalScrollBar()->value();
  PW_VERIFY(session_->serve->set_setting("port", "0"));
  PW_VERIFY(session_->serve->set_setting("kv-cache-memory-bytes", "16MiB"));
  session_->serve->choose_model(QString::fromStdString(session_.model().string()));
  session_->serve->start();
  QCOMPARE(session_->engine.state(), EngineState::loading);
  QVERIFY(!field->isEnabled());
  QCOMPARE(scroll->verticalScrollBar()->value(), before);
  QVERIFY(session_->reaches(EngineState::serving));
  QTRY_VERIFY(session_->window->focusWidget() == field);
  QTRY_VERIFY(!field->visibleRegion().isEmpty());
}

void ServeLiveTest::changed_settings_are_marked_and_go_back() {
  auto* form = session_->child<SettingsForm>("serve.settings");
  auto* defaults = session_->child<QPushButton>("serve.settings.defaults");
  const auto* field = session_->child<QLineEdit>("serve.setting.max-num-seqs");
  const auto marked = [&] {
    QStringList names;
    for (const QLabel* label : form->findChildren<QLabel*>())
      if (label->text().endsWith(u8(" •"))) names << label->text();
    names.sort();
    return names;
  };
  QVERIFY(marked().isEmpty());
  QVERIFY(!defaults->isVisible());
  PW_VERIFY(form->set("max-num-seqs", "8"));
  PW_VERIFY(form->set("block-size", "16"));
  QCOMPARE(marked(), QStringList({u8("block-size •"), u8("max-num-seqs •")}));
  QVERIFY(field->accessibleDescription().contains(u8("Changed; the default is ")));
  QTest::mouseClick(defaults, Qt::LeftButton);
  QVERIFY(marked().isEmpty());
  QVERIFY(!form->settings().changed("max-num-seqs"));
  QVERIFY(!session_->preferences.engine_settings(nullptr).changed("max-num-seqs"));
  QTest::mouseClick(session_->child<QPushButton>("shell.banner.verb"), Qt::LeftButton);
  QCOMPARE(form->settings().integer("max-num-seqs"), 8);
  QCOMPARE(marked().size(), 2);
  QCOMPARE(session_->preferences.engine_settings(nullptr).integer("max-num-seqs"), 8);
}

void ServeLiveTest::settings_follow_changes_from_elsewhere() {
  session_.serve();
  auto* seqs = session_->child<QLineEdit>("serve.setting.max-num-seqs");
  auto* tokens = session_->child<QLineEdit>("serve.setting.max-num-batched-tokens");
  tokens->selectAll();
  QTest::keyClicks(tokens, u8("512"));
  QTest::keyClick(tokens, Qt::Key_Return);
  PW_VERIFY(session_->engine.engine()->change("max-num-seqs", "7",
                                              ChangedBy::client));  // as POST /pitwall/settings does
  QTRY_COMPARE(seqs->text(), u8("7"));
  QCOMPARE(tokens->text(), u8("512"));  // what waits here stays
  QCOMPARE(session_->child<SettingsForm>("serve.settings")->pending(), 1);
  QTRY_COMPARE(session_->child<QPushButton>("serve.settings.apply")->text(), u8("Apply as lap 3"));
  auto* events = session_->child<DataTable>("serve.eventTable");
  QTRY_COMPARE(events->model()->index(0, 0).data().toString(),
               u8("Lap 2: max-num-seqs 32 → 7, by an HTTP client"));
}

void ServeLiveTest::locked_settings_offer_a_restart() {
  session_.serve();
  auto* restart = session_->child<QPushButton>("serve.settings.restart");
  QVERIFY(!restart->isVisible());
  auto* length = session_->child<QLineEdit>("serve.setting.max-model-len");
  length->selectAll();
  QTest::keyClicks(length, u8("256"));
  QTest::keyClick(length, Qt::Key_Return);
  QVERIFY(restart->isVisible());
  QVERIFY(!session_->child<QPushButton>("serve.settings.apply")->isVisible());
  QTest::mouseClick(restart, Qt::LeftButton);
  const auto length_in_force = [this] {
    Engine* engine = session_->engine.engine();
    return engine != nullptr ? engine->max_model_len() : 0;
  };
  QTRY_COMPARE_WITH_TIMEOUT(length_in_force(), 256, kPatienceMs);
  QVERIFY(!restart->isVisible());
}

void ServeLiveTest::steps_are_seen_down_to_one() {
  session_.serve();
  for (int i = 0; i < 3; ++i) session_->generate(40);
  auto* batch = session_->child<StepChart>("serve.chart.batch");
  QTRY_VERIFY2(batch->summary().contains(u8(" decode and ")), qPrintable(batch->summary()));
  session_->child<QTabWidget>("serve.tabs")->setCurrentIndex(1);
  auto* steps = session_->child<StepChart>("serve.steps");
  QTRY_VERIFY2(steps->summary().startsWith(u8("Steps: 1")), qPrintable(steps->summary()));  // 12x of them
  auto* plot = session_->child<QWidget>("serve.steps.plot");
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_Home);  // the first step: the first prompt
  auto* said = session_->child<QLabel>("serve.stepText");
  QVERIFY2(said->text().contains(u8("Step 1: ")) || said->text().contains(u8("Step 0: ")),
           qPrintable(said->text()));
  QVERIFY2(said->text().contains(u8("3 prefill tokens")), qPrintable(said->text()));
  QVERIFY2(said->text().contains(u8("1 joined")), qPrintable(said->text()));
  const auto whole = steps->span();
  for (int i = 0; i < 40; ++i) QTest::keyClick(plot, Qt::Key_Plus);
  QVERIFY(steps->span().second - steps->span().first < (whole.second - whole.first) / 20);
  QTest::keyClick(plot, Qt::Key_T);
  QVERIFY(steps->table_shown());
  QVERIFY(steps->findChild<DataTable*>()->model()->rowCount() <= 2);
}

void ServeLiveTest::prefix_hits_have_reasons() {
  session_.serve();
  session_->generate(4, 200);
  session_->generate(4, 200);  // the same prompt
  auto* bar = session_->child<ShareBar>("serve.prefixCache.bar");
  QTRY_VERIFY2(bar->accessibleDescription().contains(u8("first seen ")),
               qPrintable(bar->accessibleDescription()));
  const PrefixTokens tokens = prefix_tokens(session_->engine.snapshot()->requests);
  QCOMPARE(tokens.prompt, 400);
  QCOMPARE(tokens.hit, session_->engine.snapshot()->totals.prefix_hit_tokens);
  std::int64_t sum = tokens.hit;
  for (const std::int64_t missed : tokens.missed) sum += missed;
  QCOMPARE(sum, tokens.prompt);
  QTRY_VERIFY(bar->accessibleDescription().startsWith(u8("hit ")));
}

void ServeLiveTest::goodput_counts_what_was_promised() {
  session_.serve();
  session_->generate(8);
  auto* field = session_->child<QLineEdit>("serve.slo");
  const auto type = [&](const char* words) {
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, u8(words));
    QTest::keyClick(field, Qt::Key_Return);
  };
  type("ttft:nonsense");
  QVERIFY(field->property("wrong").toBool());
  type("ttft:600000 tpot:600000");
  QVERIFY(!field->property("wrong").toBool());
  Objectives easy, hard;
  easy.ttft = 600'000;
  hard.ttft = 1e-6;
  QTRY_COMPARE(goodput_of(*session_->engine.snapshot(), easy).good, 1);
  QCOMPARE(goodput_of(*session_->engine.snapshot(), hard).good, 0);
  QCOMPARE(goodput_of(*session_->engine.snapshot(), hard).late_ttft, 1);
  QCOMPARE(session_->preferences.objectives(), u8("ttft:600000 tpot:600000"));
  // A lap starts anew.
  PW_VERIFY(session_->engine.engine()->change("max-num-seqs", "7", ChangedBy::user));
  QTRY_COMPARE(goodput_of(*session_->engine.snapshot(), easy).requests, 0);
  QCOMPARE(goodput_of(*session_->engine.snapshot(), easy).lap, 2);
}

void ServeLiveTest::load_from_the_page_is_a_run() {
  session_.serve();
  auto* strip = session_->child<LoadStrip>("serve.load");
  QVERIFY(!strip->isVisible());
  LoadWish wish;
  wish.workload = "chat";
  wish.requests = 6;
  wish.at_once = 3;
  wish.per_second = std::numeric_limits<double>::infinity();
  QSignalSpy ended(strip, &LoadStrip::ended);
  strip->start(wish);
  QVERIFY(strip->isVisible());
  QVERIFY(!session_->serve->findChild<QAction*>(u8("serve.loadTest"))->isEnabled());
  QVERIFY(QTest::qWaitFor([&] { return ended.count() == 1; }, kPatienceMs));
  QVERIFY(!strip->isVisible());
  QVERIFY(session_->banner->current()->verb == u8("Open R-0002"));
  const auto run = session_->store->run(RunId{2});
  PW_VERIFY(run);
  QCOMPARE(run->header.kind, std::string("bench"));
  QCOMPARE(run->summary.status, RunStatus::finished);
  QCOMPARE(run->requests.size(), std::size_t{6});
  QTest::mouseClick(session_->child<QPushButton>("shell.banner.verb"), Qt::LeftButton);
  QCOMPARE(session_->window->current_page()->id(), u8("reports"));
}

void ServeLiveTest::load_can_be_cancelled_and_ends_with_its_engine() {
  session_.serve();
  auto* strip = session_->child<LoadStrip>("serve.load");
  QSignalSpy ended(strip, &LoadStrip::ended);
  std::vector<Job> told;
  connect(strip, &LoadStrip::job_went_on, this, [&](const Job& job) { told.push_back(job); });
  LoadWish wish;
  wish.requests = 100'000;
  wish.at_once = 2;
  strip->start(wish);
  QCOMPARE(told.size(), std::size_t{1});
  QCOMPARE(told.front().name, u8("Load chat, warming up"));
  QVERIFY(std::isnan(told.front().share));  // no "0 %" of what is not begun
  QCOMPARE(strip->findChild<QProgressBar*>()->maximum(), 0);
  QTRY_VERIFY(session_->store->runs()->size() == 2);
  QTRY_VERIFY(!std::isnan(told.back().share));
  QTest::mouseClick(session_->child<QPushButton>("serve.load.cancel"), Qt::LeftButton);
  QVERIFY(QTest::qWaitFor([&] { return ended.count() == 1; }, kPatienceMs));
  QVERIFY(!strip->running());
  strip->start(wish);
  QTRY_VERIFY(session_->store->runs()->size() == 3);
  session_->serve->stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  QVERIFY(QTest::qWaitFor([&] { return ended.count() == 2; }, kPatienceMs));
  for (const std::int64_t id : {2, 3})
    QCOMPARE(session_->store->run(RunId{id})->summary.status, RunStatus::cancelled);
}

void ServeLiveTest::a_paused_view_stands_still() {
  session_.serve();
  auto* pause = session_->serve->findChild<QAction*>(u8("serve.pause"));
  auto* figures = session_->child<QWidget>("serve.figures");
  const auto said = [&] {
    QStringList words;
    for (QWidget* cell : figures->findChildren<QWidget*>()) words << cell->accessibleDescription();
    return words.join(QLatin1Char('|'));
  };
  session_->generate(8);
  QTRY_VERIFY(said().contains(u8("of prompt tokens")));
  pause->trigger();
  const QString before = session_->child<LineChart>("serve.chart.throughput")->summary();
  QSignalSpy snapshots(&session_->engine, &EngineController::snapshot_ready);
  session_->generate(40);
  QVERIFY(QTest::qWaitFor([&] { return snapshots.count() >= 6; }, kPatienceMs));
  QCOMPARE(session_->child<LineChart>("serve.chart.throughput")->summary(), before);
  pause->trigger();
  QTRY_VERIFY(session_->child<LineChart>("serve.chart.throughput")->summary() != before);
}

void ServeLiveTest::charts_share_crosshair_and_span() {
  session_.serve();
  session_->generate(200);
  auto* itl = session_->child<LineChart>("serve.chart.itl");
  auto* ttft = session_->child<LineChart>("serve.chart.ttft");
  auto* memory = session_->child<StackChart>("serve.chart.memory");
  QVERIFY(QTest::qWaitFor([&] { return session_->engine.snapshot()->history.size() >= 3; }, kPatienceMs));
  QTRY_VERIFY(itl->series().front().x.size() >= 3);
  session_->serve->findChild<QAction*>(u8("serve.pause"))->trigger();
  auto* plot = session_->child<QWidget>("serve.chart.itl.plot");
  QTest::keyClick(plot, Qt::Key_End);
  QVERIFY(std::isfinite(itl->crosshair()));
  QCOMPARE(ttft->crosshair(), itl->crosshair());
  QCOMPARE(memory->crosshair(), itl->crosshair());
  QTest::keyClick(session_->child<QWidget>("serve.chart.memory.plot"), Qt::Key_Escape);
  QVERIFY(std::isnan(itl->crosshair()));
  auto* charts = session_->window->findChild<ServeCharts*>();
  QVERIFY(!charts->zoomed());
  QTest::keyClick(plot, Qt::Key_Plus);
  QVERIFY(charts->zoomed());
  QTest::keyClick(plot, Qt::Key_0);
  QVERIFY(!charts->zoomed());
}

QTEST_MAIN(ServeLiveTest)
#include "serve_live_test.moc"
