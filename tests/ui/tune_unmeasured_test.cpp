// SPDX-License-Identifier: GPL-3.0-or-later
// The tune page before anything is measured: what can be decided and recommended, and a model that nobody
// knows.
#include <QAction>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QWindow>

#include "tests/support/test_support.h"
#include "tests/ui/open_palette.h"
#include "tests/ui/tune_bench.h"
#include "ui/tune/item_model.h"

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

  void the_focus_is_on_the_first_template() {
    const auto* first = s_->child<QWidget>("tune.start.0");
    for (const char* page : {"serve", "tune"}) s_->window->show_page(u8(page));
    QCOMPARE(s_->window->focusWidget(), first);
    QVERIFY(first->isVisible());
    s_->page->start(small_steps());
    QCOMPARE(s_->window->focusWidget(), s_->child<QListView>("tune.items"));
    s_->page->session().remove();
    QTRY_COMPARE_WITH_TIMEOUT(s_->window->focusWidget(), first, kPatienceMs);
  }

  void tab_follows_the_eye() {
    s_->window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(s_->window.get()));
    auto* first = s_->child<QWidget>("tune.start.0");
    s_->window->show_page(u8("serve"));
    s_->child<QWidget>("shell.rail.serve")->setFocus();
    QTest::keyClick(s_->window.get(), Qt::Key_5, Qt::ControlModifier);
    QCOMPARE(QApplication::focusWidget(), first);
    QStringList stops;
    for (QWidget* now = first; stops.size() < 100;) {
      stops << now->objectName();
      QVERIFY2(now->isVisible(), qPrintable(stops.join(u8(", "))));
      QTest::keyClick(now, Qt::Key_Tab);
      now = QApplication::focusWidget();
      if (now == first) break;
    }
    const auto at = [&stops](const char* stop) { return stops.indexOf(u8(stop)); };
    const QString all = stops.join(u8(", "));
    for (int i = 1; s_->window->findChild<QWidget*>(u8("tune.start.%1").arg(i)) != nullptr; ++i)
      QVERIFY2(stops.indexOf(u8("tune.start.%1").arg(i)) == i, qPrintable(all));
    QVERIFY2(at("shell.rail.tune") > 0 && at("shell.rail.serve") < 0, qPrintable(all));  // the current page's
    QVERIFY2(at("tune.template") == stops.size() - 1, qPrintable(all));  // the top bar stands before the page
    QVERIFY2(at("tune.template") > at("shell.rail.tune"), qPrintable(all));
    QTest::keyClick(first, Qt::Key_Backtab, Qt::ShiftModifier);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
    QCOMPARE(QApplication::focusWidget(), s_->child<QWidget>("shell.rail.tune"));
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

  void a_banner_goes_when_it_is_no_longer_true() {
    s_->page->start(small_steps());
    const auto* banner = s_->child<QWidget>("shell.banner");
    s_->key(Qt::Key_K);
    QVERIFY(s_->text("shell.banner.text").contains(u8("is not measured yet")));
    s_->page->session().run(s_->page->session().to_measure());
    QVERIFY(!banner->isVisible());  // it runs
    QVERIFY(s_->idle());
    QVERIFY2(s_->text("shell.banner.text").contains(u8(" decided")),
             qPrintable(s_->text("shell.banner.text")));
    s_->page->session().repeat(0);
    QVERIFY(!banner->isVisible());  // nor is that the latest word
    QVERIFY(s_->idle());
    QVERIFY(banner->isVisible());
  }

  void what_a_simulation_had_stands_beside_the_command() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    const QString notes = s_->text("tune.recommended.notes");
    QVERIFY2(notes.contains(u8("Measured in the simulator on 8 x A100-80G")), qPrintable(notes));
    QVERIFY2(notes.contains(u8("fetch Qwen/Qwen2.5-72B-Instruct-AWQ")), qPrintable(notes));
    with_dialog([&](QDialog& dialog) {
      QCOMPARE(part<QLabel>(dialog, "tune.flags.notes").text().replace(u8("\n"), u8(" · ")), notes);
      dialog.reject();
    });
    s_->child<QPushButton>("tune.flags")->click();
  }

  void a_pair_that_stands_alone_is_called_so() {
    Checklist checklist = small_steps();
    checklist.repeats = 1;
    s_->page->start(checklist);
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QCOMPARE(s_->text("tune.verdictBy"), u8("by one pair of runs, without an interval"));
    const auto row = [this] { return item_row(s_->checklist(), 0, s_->page->session().result(0)); };
    QVERIFY2(!row().note.contains(u8("pairs of runs")), qPrintable(row().note));
    ItemResult more = s_->page->session().result(0);
    more.before.runs.push_back(99);  // its own second run was cancelled
    Checklist twice = s_->checklist();
    twice.repeats = 2;
    const QString note = item_row(twice, 0, more).note;
    QVERIFY2(note.contains(u8("The figures are those of 1 of 2 pairs of runs")), qPrintable(note));
  }

  void a_new_empty_checklist_names_no_runs() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    const auto says = [this](const QString& words) {
      const QList<QLabel*> labels = s_->child<QWidget>("tune.itemDetail")->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(),
                         [&](const QLabel* label) { return label->text().contains(words); });
    };
    QVERIFY(says(u8("before R-")));
    Checklist empty = small_steps();
    empty.items.clear();
    s_->page->start(empty);
    QVERIFY(!says(u8("before R-")));
  }

  void words_on_a_wrong_field_go_when_it_is_changed() {
    with_dialog([](QDialog& dialog) {
      auto& model = part<QLineEdit>(dialog, "tune.new.model");
      const auto is_wrong = [&model] { return model.property("wrong").toBool(); };
      model.setText(u8("nonsense"));
      part<QPushButton>(dialog, "tune.new.create").click();
      QVERIFY(is_wrong());
      QTest::keyClick(&model, Qt::Key_X);
      QVERIFY(!is_wrong());
      const QList<QLabel*> labels = dialog.findChildren<QLabel*>();
      QVERIFY(std::none_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(u8("nonsense"));
      }));
      dialog.reject();
    });
    s_->child<QAction>("tune.template")->trigger();
  }

  void a_store_that_refuses_leaves_no_item_running() {
    s_->page->start(small_steps());
    s_.reset();
    s_ = std::make_unique<Session>(data_->path(), *Store::stand_in(data_->path() / "pitwall.db"));
    QTRY_VERIFY_WITH_TIMEOUT(s_->page->session().checklist().has_value(), kPatienceMs);
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QVERIFY(s_->child<QWidget>("shell.banner")->isVisible());
    QCOMPARE(s_->item(0).verdict, ItemVerdict::planned);
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
    auto* palette = test::open_palette(*s_->window);
    auto* field = s_->child<QLineEdit>("shell.palette.field");
    field->setText(u8("no such thing"));
    QVERIFY(s_->child<QLabel>("shell.palette.nothing")->isVisible());
    field->setText(u8("run all"));
    QVERIFY(!s_->child<QLabel>("shell.palette.nothing")->isVisible());
    QCOMPARE(full_id(*palette->chosen()), u8("action:tune.action.runAll"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(s_->page->session().running());
    QVERIFY(!s_->child<QAction>("tune.action.runAll")->isEnabled());
    QVERIFY(s_->idle());
    QVERIFY(s_->page->session().to_measure().empty());
  }

  /// A busy desktop gives a dialog its focus late, and sends what is typed until then to the window.
  void keys_do_nothing_to_the_page_behind_a_dialog() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    s_->page->choose(0);
    s_->child<QListView>("tune.items")->setFocus();
    const ItemVerdict before = s_->item(0).verdict;
    QVERIFY(before != ItemVerdict::revert);
    const auto type = [this] {
      for (const Qt::Key key : {Qt::Key_R, Qt::Key_Delete}) {
        QApplication::setActiveWindow(s_->window.get());
        QCOMPARE(QApplication::focusWidget(), s_->child<QListView>("tune.items"));
        QTest::keyClick(s_->window->windowHandle(), key);
      }
    };
    with_dialog([&](QDialog& dialog) {
      type();
      dialog.reject();
    });
    s_->child<QAction>("tune.template")->trigger();
    QCOMPARE(s_->checklist().items.size(), small_steps().items.size());
    QCOMPARE(s_->item(0).verdict, before);
    type();  // without a dialog they act
    QCOMPARE(s_->checklist().items.size(), small_steps().items.size() - 1);
  }

  void what_is_typed_after_the_palettes_key_is_the_palettes() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    s_->window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(s_->window.get()));
    auto* items = s_->child<QListView>("tune.items");
    items->setFocus();
    const ItemVerdict before = s_->item(0).verdict;
    QWindow* desktop = s_->window->windowHandle();
    QTest::keyClick(desktop, Qt::Key_K, Qt::ControlModifier);
    for (const Qt::Key key : {Qt::Key_R, Qt::Key_E, Qt::Key_P, Qt::Key_Space, Qt::Key_Delete})
      QTest::keyClick(desktop, key);
    QCOMPARE(s_->child<QLineEdit>("shell.palette.field")->text(), u8("rep "));
    for (const Qt::Key key : {Qt::Key_F5, Qt::Key_2, Qt::Key_Z})
      QTest::keyClick(desktop, key, Qt::ControlModifier);
    QCOMPARE(s_->window->current_page()->id(), u8("tune"));
    QTest::keyClick(desktop, Qt::Key_Escape);
    QCOMPARE(s_->window->focusWidget(), items);
    QCOMPARE(s_->checklist().items.size(), small_steps().items.size());
    QCOMPARE(s_->item(0).verdict, before);
    QTest::keyClick(desktop, Qt::Key_Delete);  // a key of the page again
    QCOMPARE(s_->checklist().items.size(), small_steps().items.size() - 1);
  }

 private:
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<Session> s_;
};

QTEST_MAIN(TuneUnmeasuredTest)
#include "tune_unmeasured_test.moc"
