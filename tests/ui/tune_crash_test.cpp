// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is killed while its window measures a sweep: what was measured is kept, and the next start
// goes on where it stopped. The killed one is this program, started with a folder.
#include <QApplication>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <csignal>

#include "app/common/backend_factory.h"
#include "engine/bench/checklist_template.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/tune/tune_page.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr int kPatienceMs = 120'000;

struct Session {
  explicit Session(const std::filesystem::path& folder)
      : preferences(folder),
        store(*Store::open(folder / "pitwall.db")),
        engine(backend_factory(), store.get()) {
    window =
        compose_window(engine, *store, preferences, [](const std::string& name) { return find_gpu(name); });
    window->show();
    window->show_page(QStringLiteral("tune"));
    page = static_cast<TunePage*>(window->page(QStringLiteral("tune")));
  }
  Preferences preferences;
  std::unique_ptr<Store> store;
  EngineController engine;
  std::unique_ptr<MainWindow> window;
  TunePage* page = nullptr;
};

/// One setting over four values, so many times that a kill meets it in the middle.
Checklist long_sweep() {
  Checklist checklist = checklist_templates().front();
  checklist.num_prompts = 64;
  checklist.repeats = 12;
  Item sweep = checklist.items.back();
  sweep.also = "8,12,16";
  checklist.items = {sweep};
  return checklist;
}
constexpr std::size_t kRuns = std::size_t{12} * 5;  // the base and four values

int measure_until_killed(const std::filesystem::path& folder) {
  Session session(folder);
  session.page->start(long_sweep());
  session.page->session().run({0});
  return QApplication::exec();
}

}  // namespace

class TuneCrashTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_killed_sweep_goes_on() {
    const test::TemporaryFolder folder;
    const auto runs = [](Store& store) { return store.checklist_runs(1)->size(); };
    QProcess child;
    child.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--measure"), QString::fromStdString(folder.path().string())});
    QVERIFY(child.waitForStarted(kPatienceMs));
    {
      auto store = Store::open(folder.path() / "pitwall.db");
      PW_VERIFY(store);
      QVERIFY(QTest::qWaitFor([&] { return !(*store)->checklists()->empty() && runs(**store) >= 3; },
                              kPatienceMs));
    }
    QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
    QVERIFY(child.waitForFinished(kPatienceMs));
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);

    Session session(folder.path());
    const auto go_on = [&]() -> QPushButton* {
      for (QPushButton* one : session.window->findChildren<QPushButton*>())
        if (one->text() == QStringLiteral("Go on") && one->isVisible()) return one;
      return nullptr;
    };
    QVERIFY(QTest::qWaitFor([&] { return go_on() != nullptr; }, kPatienceMs));
    const std::size_t kept = runs(*session.store);
    QVERIFY2(kept >= 3 && kept < kRuns, qPrintable(QString::number(kept)));
    std::vector<std::int64_t> before;
    const auto found = session.store->checklist_runs(1);
    for (const ChecklistRun& run : *found) before.push_back(run.run.value);
    QTest::mouseClick(go_on(), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return !session.page->session().running(); }, kPatienceMs));
    QCOMPARE(runs(*session.store), kRuns);
    // What was there is there still, and was not measured again.
    const auto after = session.store->checklist_runs(1);
    for (const std::int64_t run : before)
      QVERIFY(std::any_of(after->begin(), after->end(),
                          [run](const ChecklistRun& one) { return one.run.value == run; }));
    const Item& item = session.page->session().checklist()->items.front();
    QVERIFY2(item.error.empty(), item.error.c_str());
    QVERIFY(item.verdict != ItemVerdict::planned && item.verdict != ItemVerdict::running);
  }
};

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc == 3 && std::string_view(argv[1]) == "--measure") return measure_until_killed(argv[2]);
  TuneCrashTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "tune_crash_test.moc"
