// SPDX-License-Identifier: GPL-3.0-or-later
// The tuning recipe in the window: the real simulation, its table, and steps that become alternatives.
#include <QAccessible>
#include <QApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>

#include "engine/bench/recipe_comparison.h"
#include "engine/plan/gpu_profile.h"
#include "tests/support/test_support.h"
#include "tests/ui/plan_session.h"
#include "ui/plan/recipe_dialog.h"
#include "ui/plan/recipe_rows.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using pitwall::test::kPatienceMs;
using pitwall::test::u8;

namespace {

template <class T>
T* part(const QWidget& dialog, const char* name) {
  return dialog.findChild<T*>(u8("plan.recipe.") + u8(name));
}

bool played_all(const QWidget& dialog) {
  auto* bar = part<QProgressBar>(dialog, "progress");
  return QTest::qWaitFor(
      [&] {
        return bar->value() == bar->maximum() &&
               part<QPushButton>(dialog, "run")->text() == u8("Simulate again");
      },
      kPatienceMs);
}

}  // namespace

class RecipeDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void steps_are_played_beside_their_source();
  void it_says_what_gains_are_against();
  void a_cancelled_run_keeps_its_rows_and_runs_again();
  void closing_while_it_runs_ends_it();
  void a_step_becomes_an_alternative();
  void every_stop_of_tab_has_a_name();

 private:
  test::TemporaryFolder home_;
};

void RecipeDialogTest::initTestCase() {
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_.path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

// What the table shows is what the engine's own play comes to.
void RecipeDialogTest::steps_are_played_beside_their_source() {
  RecipeDialog dialog;
  dialog.show();
  QVERIFY(played_all(dialog));
  const TuningRecipe recipe = find_recipe("article").value();
  const GpuCount gpus = parse_gpu_count(recipe.gpus.front()).value();
  const auto played =
      play(recipe, {read_outline(recipe.model).value(), find_gpu(gpus.name).value(), gpus.count});
  PW_VERIFY(played);
  const auto steps = compare(recipe, *played);
  const auto& rows = part<DataTable>(dialog, "steps")->table()->rows();
  QCOMPARE(rows.size(), recipe.steps.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    QCOMPARE(rows[i].cells.size(), recipe_columns().size());
    QCOMPARE(rows[i].cells[3].value, steps[i].tokens_per_s.simulated);
    QCOMPARE(rows[i].cells[8].value, steps[i].ttft_ms.simulated / 1000);
  }
  QCOMPARE(rows[1].cells[0].text, u8("Continuous batching"));
  QVERIFY2(rows[1].cells[1].text.contains(u8("max-num-seqs 1 → 6")), qPrintable(rows[1].cells[1].text));
  QCOMPARE(rows[0].cells[2].text, u8("9"));  // the article's
  QCOMPARE(rows[3].cells[2].text, u8("–"));  // which states none for this step
  QCOMPARE(rows[5].cells[2].text, u8("276"));
  QVERIFY(rows[1].cells[9].text.contains(u8("agrees: tok/s")));
  QVERIFY(rows[3].cells[9].text.contains(u8("agrees: TTFT")));
  // On other GPUs it is played anew.
  auto* box = part<QComboBox>(dialog, "gpus");
  QCOMPARE(box->count(), 2);
  box->setCurrentIndex(1);
  QVERIFY(played_all(dialog));
  QVERIFY(part<DataTable>(dialog, "steps")->table()->rows()[5].cells[3].value !=
          steps[5].tokens_per_s.simulated);
  QVERIFY(part<QLabel>(dialog, "deployment")->text().contains(u8("8 × A800")));
}

void RecipeDialogTest::it_says_what_gains_are_against() {
  RecipeDialog dialog;
  dialog.show();
  QVERIFY(played_all(dialog));
  const QString said = part<QLabel>(dialog, "summary")->text();
  QVERIFY2(said.contains(u8("9 → 276 tok/s is against the first step, “Batches of one”: 30.7 ×")),
           qPrintable(said));
  QVERIFY2(said.contains(u8("no throughput for “Prefix cache”")), qPrintable(said));
  QCOMPARE(part<DataTable>(dialog, "steps")->accessibleDescription(), said);
  const QString notes = part<QPlainTextEdit>(dialog, "notes")->toPlainText();
  const TuningRecipe recipe = find_recipe("article").value();
  for (const std::string& note : recipe.notes) QVERIFY(notes.contains(QString::fromStdString(note)));
}

void RecipeDialogTest::a_cancelled_run_keeps_its_rows_and_runs_again() {
  RecipeDialog dialog;
  dialog.show();
  auto* run = part<QPushButton>(dialog, "run");
  auto* bar = part<QProgressBar>(dialog, "progress");
  QCOMPARE(run->text(), u8("Cancel"));
  QTRY_VERIFY_WITH_TIMEOUT(bar->value() >= 1, kPatienceMs);
  const int done = bar->value();
  if (done == bar->maximum()) QSKIP("the simulation was over before anybody could end it");
  run->click();
  QCOMPARE(run->text(), u8("Simulate again"));
  const auto& rows = part<DataTable>(dialog, "steps")->table()->rows();
  QVERIFY(rows.front().cells[3].value > 0);
  QVERIFY(!(rows.back().cells[3].value > 0));
  run->click();
  QVERIFY(played_all(dialog));
  QVERIFY(rows.back().cells[3].value > 0);
}

void RecipeDialogTest::closing_while_it_runs_ends_it() {
  for (int i = 0; i < 3; ++i) {
    auto dialog = std::make_unique<RecipeDialog>();
    dialog->show();
    if (i > 0) QCoreApplication::processEvents();
    dialog->reject();
  }
  QCoreApplication::processEvents();
}

void RecipeDialogTest::a_step_becomes_an_alternative() {
  test::TemporaryFolder data;
  test::PlanSession session(data.path());
  QVERIFY(session.child<QPushButton>("plan.start.recipe")->isVisible());
  bool driven = false;
  QTimer::singleShot(0, this, [&] {
    auto* dialog = QApplication::activeModalWidget();
    QVERIFY(dialog != nullptr);
    auto* table = part<DataTable>(*dialog, "steps");
    for (const qint64 step : {2, 5}) {
      table->select_key(step);
      QTest::keyClick(table, Qt::Key_Return);
    }
    driven = true;
    dialog->close();
  });
  session.child<QPushButton>("plan.start.recipe")->click();
  QVERIFY(driven);
  QVERIFY(session.answers());
  QCOMPARE(session.rows(), 2);
  QCOMPARE(session.asked().name, std::string("24 sequences"));
  QCOMPARE(session.asked().max_num_seqs, 24);
  QVERIFY(session.asked().engine == "vllm");
  QVERIFY(session.answer()->verdict == Verdict::fits);
  QVERIFY(session.answer()->predicted.asked.tokens_per_s > 0);
  // A draft beside them is kept too.
  session.type("plan.maxSequences", "25");
  QVERIFY(session.answers());
  QCOMPARE(session.rows(), 3);
  QTimer::singleShot(0, this, [&] {
    auto* dialog = QApplication::activeModalWidget();
    QVERIFY(dialog != nullptr);
    part<DataTable>(*dialog, "steps")->select_key(6);
    part<QPushButton>(*dialog, "put")->click();
    dialog->close();
  });
  session.window->findChild<QAction*>(u8("plan.recipe"))->trigger();
  QVERIFY(session.answers());
  QCOMPARE(session.rows(), 4);
}

void RecipeDialogTest::every_stop_of_tab_has_a_name() {
  RecipeDialog dialog;
  dialog.show();
  QVERIFY(QTest::qWaitForWindowActive(&dialog));
  QStringList seen;
  QWidget* first = dialog.focusWidget();
  for (int i = 0; i < 30 && !(i > 0 && dialog.focusWidget() == first); ++i) {
    QWidget* stop = dialog.focusWidget();
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(stop);
    QVERIFY2(face && !face->text(QAccessible::Name).isEmpty(), qPrintable(stop->objectName()));
    seen << stop->objectName();
    QTest::keyClick(stop, Qt::Key_Tab);
  }
  QCOMPARE(dialog.focusWidget(), first);
  for (const char* stop : {"name", "gpus", "steps", "notes", "run", "put"})
    QVERIFY2(seen.contains(u8("plan.recipe.") + u8(stop)), qPrintable(seen.join(u' ')));
}

QTEST_MAIN(RecipeDialogTest)
#include "recipe_dialog_test.moc"
