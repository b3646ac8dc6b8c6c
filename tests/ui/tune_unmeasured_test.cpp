// SPDX-License-Identifier: GPL-3.0-or-later
// The tune page before anything is measured: what can be decided and recommended, and a model that nobody
// knows.
#include <QAction>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "tests/support/test_support.h"
#include "tests/ui/tune_bench.h"
#include "ui/shell/command_palette.h"

using namespace pitwall;
using namespace pitwall::ui;
using Session = test::TuneBench;
using test::kPatienceMs, test::part, test::small_steps, test::u8, test::with_dialog;

class TuneUnmeasuredTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    home_ = std::make_unique<test::TemporaryFolder>();
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  }
  void init() {
    data_ = std::make_unique<test::TemporaryFolder>();
    s_ = std::make_unique<Session>(data_->path());
  }
  void cleanup() {
    s_.reset();
    data_.reset();
  }

  void templates_wait_for_the_store() {
    s_->page->start(small_steps());
    s_.reset();
    Preferences preferences(data_->path());
    const auto store = *Store::open(data_->path() / "pitwall.db");
    EngineController engine(backend_factory(), store.get());
    TunePage page(engine, *store, [](const std::string& name) { return find_gpu(name); });
    page.show();
    const auto* start = page.findChild<QWidget*>(u8("tune.start"));
    QVERIFY(!start->isVisible());  // not before the store says that there is none
    QTRY_VERIFY_WITH_TIMEOUT(page.session().checklist().has_value(), kPatienceMs);
    QVERIFY(!start->isVisible());
    QVERIFY(page.findChild<QWidget*>(u8("tune.items"))->isVisible());
    page.session().remove();
    QTRY_VERIFY_WITH_TIMEOUT(start->isVisible(), kPatienceMs);
  }

  void what_is_not_measured_is_not_decided() {
    s_->page->start(small_steps());
    for (const Qt::Key key : {Qt::Key_R, Qt::Key_K}) {
      s_->key(key);
      QCOMPARE(s_->item(0).verdict, ItemVerdict::planned);
      QVERIFY2(s_->text("shell.banner.text").endsWith(u8("is not measured yet. Run it, then decide.")),
               qPrintable(s_->text("shell.banner.text")));
    }
    QVERIFY(!s_->page->session().can_undo());
    QTest::mouseClick(s_->child<QPushButton>("shell.banner.verb"), Qt::LeftButton);
    QVERIFY(s_->idle());
    QVERIFY(s_->page->session().result(0).pairs > 0);
    s_->key(Qt::Key_R);
    QCOMPARE(s_->item(0).verdict, ItemVerdict::revert);
  }

  void nothing_is_recommended_before_it_is_measured() {
    s_->page->start(small_steps());
    QCOMPARE(s_->text("tune.recommended"), u8("Nothing is measured yet."));
    QVERIFY(!s_->child<QWidget>("tune.copy")->isVisible());
    QVERIFY(!s_->child<QWidget>("tune.flags")->isVisible());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QVERIFY(s_->text("tune.recommended").contains(u8("pitwallctl serve")));
    QVERIFY(s_->child<QWidget>("tune.copy")->isVisible());
  }

  void an_unknown_model_is_mended_where_it_is_named() {
    Checklist checklist = small_steps();
    checklist.model = "qwen72";  // as a file brings it
    s_->page->start(checklist);
    s_->key(Qt::Key_Return);
    QVERIFY(!s_->page->session().running());
    QVERIFY(s_->item(0).error.empty());
    const QString said = s_->text("shell.banner.text");
    QVERIFY2(said.contains(u8("take a near name: ")) && said.size() < 250, qPrintable(said));
    with_dialog([](QDialog& dialog) {
      part<QLineEdit>(dialog, "tune.new.model").setText(u8("llama-3.1-8b"));
      part<QPushButton>(dialog, "tune.new.create").click();
    });
    QTest::mouseClick(s_->child<QPushButton>("shell.banner.verb"), Qt::LeftButton);
    QCOMPARE(s_->checklist().model, std::string("llama-3.1-8b"));
  }

  void all_are_run_from_the_palette() {
    s_->page->start(small_steps());
    QString chosen;
    with_dialog([&chosen](QDialog& dialog) {
      auto& palette = static_cast<CommandPalette&>(dialog);
      auto& field = part<QLineEdit>(dialog, "shell.palette.field");
      field.setText(u8("no such thing"));
      QVERIFY(part<QLabel>(dialog, "shell.palette.nothing").isVisible());
      field.setText(u8("run all"));
      QVERIFY(!part<QLabel>(dialog, "shell.palette.nothing").isVisible());
      chosen = full_id(*palette.chosen());
      palette.accept();
    });
    s_->child<QAction>("shell.commands")->trigger();
    QCOMPARE(chosen, u8("action:tune.action.runAll"));
    QVERIFY(s_->page->session().running());
    QVERIFY(!s_->child<QAction>("tune.action.runAll")->isEnabled());
    QVERIFY(s_->idle());
    QVERIFY(s_->page->session().to_measure().empty());
  }

 private:
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<Session> s_;
};

QTEST_MAIN(TuneUnmeasuredTest)
#include "tune_unmeasured_test.moc"
