// SPDX-License-Identifier: GPL-3.0-or-later
// Each key of the serve page, pressed where a person would press it.
#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTimer>
#include <cmath>

#include "tests/ui/serve_session.h"
#include "ui/serve/events_card.h"
#include "ui/serve/serve_charts.h"
#include "ui/serve/settings_form.h"
#include "ui/widgets/line_chart.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class ServeKeysTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session_.begin(); }
  void init() {
    session_.open();
    session_->window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  }
  void cleanup() { session_.close(); }

  void f5_starts_and_shift_f5_stops() {
    PW_VERIFY(session_->serve->set_setting("port", "0"));
    PW_VERIFY(session_->serve->set_setting("kv-cache-memory-bytes", "16MiB"));
    session_->serve->choose_model(QString::fromStdString(session_.model().string()));
    press(session_->window.get(), Qt::Key_F5);
    QVERIFY(session_->reaches(EngineState::serving));
    press(session_->window.get(), Qt::Key_F5);  // it serves already
    QCOMPARE(session_->engine.state(), EngineState::serving);
    for (int i = 0; i < 6; ++i) {  // a start asked for while it stops comes after
      press(session_->window.get(), Qt::Key_F5, Qt::ShiftModifier);
      QCOMPARE(session_->engine.state(), EngineState::stopping);
      press(session_->window.get(), Qt::Key_F5);
    }
    QVERIFY(session_->reaches(EngineState::serving));
    press(session_->window.get(), Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(session_->reaches(EngineState::stopped));
  }

  void space_pauses_but_for_a_button() {
    session_.serve();
    auto* pause = session_->serve->findChild<QAction*>(u8("serve.pause"));
    press(plot("serve.chart.itl"), Qt::Key_Space);
    QVERIFY(pause->isChecked());
    press(plot("serve.chart.memory"), Qt::Key_Space);
    QVERIFY(!pause->isChecked());
    auto* tool = session_->child<LineChart>("serve.chart.itl")->findChild<QAbstractButton*>();
    press(tool, Qt::Key_Space);  // a button keeps its key: the table is shown
    QVERIFY(!pause->isChecked());
    QVERIFY(session_->child<LineChart>("serve.chart.itl")->table_shown());
  }

  void brackets_walk_the_spikes_and_l_the_laps() {
    session_.serve();
    session_->generate(40);
    PW_VERIFY(session_->engine.engine()->change("max-num-seqs", "7", ChangedBy::user));
    QTRY_VERIFY(session_->child<LineChart>("serve.chart.itl")->summary().contains(u8("Lap 2 at ")));
    session_->serve->stop();
    QVERIFY(session_->reaches(EngineState::stopped));
    auto* card = session_->window->findChild<EventsCard*>();
    std::vector<ServeEvent> events;
    for (int i = 0; i < 2; ++i)
      events.push_back({ServeEvent::Kind::spike, 100.0 + i, u8("Spike"), u8("step"),
                        static_cast<std::uint64_t>(11 + i), 318});
    events.push_back({ServeEvent::Kind::lap, 103, u8("Lap 2"), u8("max-num-seqs 32 → 7")});
    QVERIFY(card->show_events(events));
    QSignalSpy chosen(card, &EventsCard::chosen);
    const auto last = [&] { return chosen.back().front().value<ServeEvent>(); };
    press(plot("serve.chart.itl"), Qt::Key_BracketRight);
    QCOMPARE(last().step, std::uint64_t{11});
    press(plot("serve.steps"), Qt::Key_BracketRight);
    QCOMPARE(last().step, std::uint64_t{12});
    press(plot("serve.steps"), Qt::Key_BracketLeft);
    QCOMPARE(last().step, std::uint64_t{11});
    QCOMPARE(session_->child<QTabWidget>("serve.tabs")->currentIndex(), 1);
    press(plot("serve.steps"), Qt::Key_L);
    QCOMPARE(last().kind, ServeEvent::Kind::lap);
    QCOMPARE(session_->child<QTabWidget>("serve.tabs")->currentIndex(), 0);
  }

  void charts_zoom_walk_and_turn_into_tables() {
    session_.serve();
    session_->generate(200);
    auto* itl = session_->child<LineChart>("serve.chart.itl");
    QVERIFY(QTest::qWaitFor([&] { return session_->engine.snapshot()->history.size() >= 3; }, kPatienceMs));
    QTRY_VERIFY(itl->series().front().x.size() >= 3);
    session_->serve->findChild<QAction*>(u8("serve.pause"))->trigger();
    auto* charts = session_->window->findChild<ServeCharts*>();
    press(plot("serve.chart.itl"), Qt::Key_Right);
    const double last = itl->crosshair();
    QVERIFY(std::isfinite(last));
    press(plot("serve.chart.itl"), Qt::Key_Left);
    QVERIFY(itl->crosshair() < last);
    press(plot("serve.chart.itl"), Qt::Key_Plus);
    QVERIFY(charts->zoomed());
    press(plot("serve.chart.itl"), Qt::Key_Plus);
    press(plot("serve.chart.itl"), Qt::Key_Minus);
    QVERIFY(charts->zoomed());
    press(plot("serve.chart.itl"), Qt::Key_0);
    QVERIFY(!charts->zoomed());
    press(plot("serve.chart.itl"), Qt::Key_Escape);
    QVERIFY(std::isnan(itl->crosshair()));
    press(plot("serve.chart.itl"), Qt::Key_T);
    QVERIFY(itl->table_shown());
    press(itl->findChild<DataTable*>(), Qt::Key_T);
    QVERIFY(!itl->table_shown());
  }

  void ctrl_e_asks_where_to_export() {
    session_.serve();
    bool asked = false;
    QTimer::singleShot(0, this, [&] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      asked = dialog != nullptr;
      if (dialog) dialog->reject();
    });
    press(plot("serve.chart.throughput"), Qt::Key_E, Qt::ControlModifier);
    QVERIFY(asked);
  }

  void enter_goes_on_and_ctrl_enter_applies() {
    session_.serve();
    auto* seqs = session_->child<QLineEdit>("serve.setting.max-num-seqs");
    seqs->setFocus();
    seqs->selectAll();
    QTest::keyClicks(seqs, u8("7"));
    press(seqs, Qt::Key_Return);
    QWidget* next = session_->window->focusWidget();
    QVERIFY(next != seqs && next->objectName().startsWith(u8("serve.setting.")));
    QCOMPARE(session_->child<SettingsForm>("serve.settings")->pending(), 1);
    press(next, Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE(session_->engine.engine()->settings().integer("max-num-seqs"), 7);
  }

 private:
  QWidget* plot(const char* chart) { return session_->window->findChild<QWidget*>(u8(chart) + u8(".plot")); }
  void press(QWidget* widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    widget->setFocus();
    QTest::keyClick(widget, key, modifiers);
  }
  test::ServeFixture session_;
};

QTEST_MAIN(ServeKeysTest)
#include "serve_keys_test.moc"
