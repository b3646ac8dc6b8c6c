// SPDX-License-Identifier: GPL-3.0-or-later
// The tune page in the real window: templates, runs in the simulator and on a real tiny engine, decisions,
// undo, a second variable, a failed run, and what is exported.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "engine/base/file.h"
#include "tests/support/accessible_names.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/tune_bench.h"
#include "ui/serve/serve_page.h"
#include "ui/tune/checklist_dialog.h"
#include "ui/tune/item_dialog.h"
#include "ui/tune/item_model.h"
#include "ui/tune/scatter_chart.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;

using Session = test::TuneBench;
using test::kPatienceMs, test::part, test::small_steps, test::u8, test::with_dialog;

class TuneTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    home_ = std::make_unique<test::TemporaryFolder>();
    qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    Theme::current().set_mode(ThemeMode::light);
  }
  void init() {
    data_ = std::make_unique<test::TemporaryFolder>();
    s_ = std::make_unique<Session>(data_->path());
  }
  void cleanup() {
    s_.reset();
    data_.reset();
  }

  void it_begins_with_the_templates() {
    QVERIFY(s_->child<QWidget>("tune.start")->isVisible());
    for (const char* name : {"tune.start.0", "tune.start.1", "tune.start.2", "tune.start.3"})
      QVERIFY(s_->child<QPushButton>(name)->isVisible());
    with_dialog([](QDialog& dialog) {
      QCOMPARE(part<QComboBox>(dialog, "tune.new.template").currentText(),
               QString::fromStdString(checklist_templates()[1].name));
      part<QLineEdit>(dialog, "tune.new.requests").setText(u8("20"));
      QMetaObject::invokeMethod(&part<QLineEdit>(dialog, "tune.new.requests"), "editingFinished");
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.new.create"), Qt::LeftButton);
    });
    QTest::mouseClick(s_->child<QPushButton>("tune.start.1"), Qt::LeftButton);
    QVERIFY(!s_->child<QWidget>("tune.start")->isVisible());
    QCOMPARE(s_->checklist().origin, checklist_templates()[1].origin);
    QCOMPARE(s_->checklist().num_prompts, 20);
    QCOMPARE(s_->text("tune.source"), u8("simulated"));
    // The next start opens it again.
    s_ = std::make_unique<Session>(data_->path());
    QVERIFY(QTest::qWaitFor([&] { return s_->page->session().checklist().has_value(); }, kPatienceMs));
    QCOMPARE(s_->checklist().origin, checklist_templates()[1].origin);
  }

  void items_run_are_judged_and_shown() {
    s_->page->start(small_steps());
    const QAbstractItemModelTester tester(s_->child<QListView>("tune.items")->model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(s_->child<QListView>("tune.items")->model()->rowCount(), 4);
    s_->key(Qt::Key_Return);  // the first alone
    QVERIFY(s_->idle());
    QCOMPARE(s_->item(0).verdict, ItemVerdict::keep);
    QCOMPARE(s_->item(1).verdict, ItemVerdict::planned);
    QTest::mouseClick(s_->child<QPushButton>("tune.sweep"), Qt::LeftButton);
    QVERIFY(s_->page->session().running());
    QVERIFY(!s_->child<QPushButton>("tune.add")->isEnabled());
    QVERIFY(s_->idle());
    for (const Item& item : s_->checklist().items) QCOMPARE(item.verdict, ItemVerdict::keep);
    s_->page->choose(3);
    QVERIFY2(s_->text("tune.verdict").startsWith(u8("Better: tok/s ")), qPrintable(s_->text("tune.verdict")));
    QVERIFY(s_->text("tune.verdictBy").contains(u8("95 %")));
    const ScatterData& scatter = s_->child<ScatterChart>("tune.chart.scatter")->data();
    QCOMPARE(scatter.path.size(), std::size_t{5});
    QCOMPARE(scatter.points.size(), std::size_t{7});  // and two further values
    QVERIFY(!scatter.front.empty());
    // What differs is the item's variable, and what follows from it.
    const auto& rows = s_->child<DataTable>("tune.diff.keys")->table()->rows();
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].cells[0].text, u8("max-num-seqs"));
    QCOMPARE(rows[0].cells[2].text, u8("24"));
    QCOMPARE(rows[1].cells[2].text, u8("24 (follows)"));
    QVERIFY(s_->text("tune.diff.environment").startsWith(u8("✓ Environment equal")));
    QVERIFY(s_->text("tune.diff.variables").startsWith(u8("✓ One variable")));
    QVERIFY(s_->text("tune.recommended").contains(u8("--max-num-seqs 24")));
    QVERIFY(s_->text("tune.recommended").contains(u8("--kv-cache-dtype fp8_e4m3")));
    s_->page->choose(0);
    QVERIFY(s_->text("tune.diff.variables").startsWith(u8("△ Mixed")));
    QTest::mouseClick(s_->child<QPushButton>("tune.copy"), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), s_->text("tune.recommended"));
  }

  void an_empty_checklist_can_be_made_and_changed() {
    with_dialog([](QDialog& dialog) {
      QCOMPARE(part<QComboBox>(dialog, "tune.new.template").currentData().toString(), u8("none"));
      part<QLineEdit>(dialog, "tune.new.name").setText(u8("Mine"));
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.new.create"), Qt::LeftButton);
    });
    QTest::mouseClick(s_->child<QPushButton>("tune.start.4"), Qt::LeftButton);
    QCOMPARE(s_->checklist().name, std::string("Mine"));
    QVERIFY(s_->checklist().items.empty());
    const std::int64_t id = s_->checklist().id;
    with_dialog([](QDialog& dialog) {
      QVERIFY(dialog.findChild<QComboBox*>(u8("tune.new.template")) == nullptr);
      QCOMPARE(part<QLineEdit>(dialog, "tune.new.name").text(), u8("Mine"));
      QVERIFY(test::nameless_focusable_widget(dialog).isEmpty());
      part<QLineEdit>(dialog, "tune.new.name").setText(u8("Yours"));
      part<QLineEdit>(dialog, "tune.new.requests").setText(u8("8"));
      QMetaObject::invokeMethod(&part<QLineEdit>(dialog, "tune.new.requests"), "editingFinished");
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.new.create"), Qt::LeftButton);
    });
    s_->child<QAction>("tune.action.editChecklist")->trigger();
    QCOMPARE(s_->checklist().id, id);
    QCOMPARE(s_->checklist().name, std::string("Yours"));
    QCOMPARE(s_->checklist().num_prompts, 8);
    s_->child<QAction>("tune.undo")->trigger();
    QCOMPARE(s_->checklist().name, std::string("Mine"));
  }

  void what_lost_its_base_is_measured_again() {
    s_->page->start(small_steps());
    s_->page->session().run(open_items(s_->checklist()));
    QVERIFY(s_->idle());
    QVERIFY(!s_->child<QPushButton>("tune.sweep")->isEnabled());
    s_->page->choose(2);
    s_->key(Qt::Key_Delete);
    const QString removed = s_->text("shell.banner.text");
    QVERIFY2(removed.startsWith(u8("Removed ")), qPrintable(removed));
    const auto* model = s_->child<QListView>("tune.items")->model();
    const auto spoken = [&] { return model->index(2, 0).data(Qt::AccessibleTextRole).toString(); };
    QVERIFY2(spoken().contains(u8("measure again")) && !spoken().contains(u8("✓ keep")),
             qPrintable(spoken()));
    // What it buys on its new base nobody knows: the recommended settings leave it out, by name.
    const std::string name = s_->checklist().items[2].name;
    const auto left_out = [&] { return s_->child<QLabel>("tune.outdated"); };
    QVERIFY(left_out()->isVisible() && left_out()->text().endsWith(u8(name.c_str())));
    const ItemChange change = s_->checklist().items[2].changes[0];
    const QString flag = u8(("--" + change.setting + " " + change.to).c_str());
    QVERIFY2(!s_->text("tune.recommended").contains(flag), qPrintable(s_->text("tune.recommended")));
    // Once it is taken back, nothing offers to do so again.
    s_->child<QAction>("tune.undo")->trigger();
    QVERIFY(s_->text("shell.banner.text") != removed || !s_->child<QWidget>("shell.banner")->isVisible());
    QCOMPARE(s_->page->session().to_measure().size(), std::size_t{0});
    s_->page->choose(2);
    s_->key(Qt::Key_Delete);
    QTest::mouseClick(s_->child<QPushButton>("tune.sweep"), Qt::LeftButton);
    QVERIFY(s_->idle());
    QCOMPARE(s_->page->session().result(2).pairs, 3);
    QVERIFY(s_->page->session().to_measure().empty());
    QVERIFY(!left_out()->isVisible());
    QVERIFY2(s_->text("tune.recommended").contains(flag), qPrintable(s_->text("tune.recommended")));
  }

  void a_far_limit_leaves_the_points_apart() {
    Checklist checklist = small_steps();
    checklist.latency = "p50_tpot_ms";
    checklist.limits = "p50_tpot_ms:100000";
    s_->page->start(checklist);
    auto* run_all = s_->child<QPushButton>("tune.sweep");
    run_all->setFocus();
    QTest::mouseClick(run_all, Qt::LeftButton);  // it goes while they run
    QVERIFY(s_->idle());
    auto* plot = s_->child<ScatterView>("tune.chart.scatter.plot");
    double most = 0;
    for (const ScatterPoint& point : plot->data().points) most = std::max(most, point.x.mean);
    QVERIFY(plot->data().limit && plot->x_limits().high < 4 * most);
    // After the run the keys are where the items are.
    QCOMPARE(s_->window->focusWidget(), static_cast<QWidget*>(s_->child<QListView>("tune.items")));
  }

  void keys_decide_and_undo_takes_back() {
    s_->page->start(small_steps());
    s_->page->session().run(open_items(s_->checklist()));
    QVERIFY(s_->idle());
    s_->page->choose(3);
    QCOMPARE(s_->child<QPushButton>("tune.revert")->text(), u8("Revert to 6"));
    s_->key(Qt::Key_R);
    QCOMPARE(s_->item(3).verdict, ItemVerdict::revert);
    QVERIFY(s_->item(3).by_user);
    QVERIFY(s_->text("tune.recommended").contains(u8("--max-num-seqs 6")));
    QVERIFY(s_->text("tune.verdictBy").startsWith(u8("by you")));
    s_->key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(s_->item(3).verdict, ItemVerdict::keep);
    QVERIFY(!s_->page->session().can_undo());
    // A base decided otherwise: what was measured on it before no longer counts, until it is back.
    s_->page->choose(2);
    s_->key(Qt::Key_R);
    QCOMPARE(s_->page->session().result(3).pairs, 0);
    s_->page->choose(3);
    QVERIFY2(s_->text("tune.verdict").contains(u8("another base")), qPrintable(s_->text("tune.verdict")));
    s_->page->choose(2);
    s_->key(Qt::Key_K);
    QCOMPARE(s_->page->session().result(3).pairs, 3);
    s_->page->choose(3);
    s_->key(Qt::Key_Delete);
    QCOMPARE(s_->checklist().items.size(), std::size_t{3});
    s_->child<QAction>("tune.undo")->trigger();
    QCOMPARE(s_->checklist().items.size(), std::size_t{4});
    // Written down each time.
    QCOMPARE(s_->store->checklist(s_->checklist().id)->items.size(), std::size_t{4});
  }

  void a_second_variable_is_refused_data() {
    QTest::addColumn<QString>("button");
    QTest::addColumn<int>("items");
    QTest::addColumn<int>("changes");
    QTest::newRow("split") << "tune.item.split" << 6 << 1;
    QTest::newRow("allowed") << "tune.item.allow" << 5 << 2;
  }

  void a_second_variable_is_refused() {
    QFETCH(QString, button);
    QFETCH(int, items);
    QFETCH(int, changes);
    s_->page->start(small_steps());
    with_dialog([&](QDialog& dialog) {
      part<QComboBox>(dialog, "tune.item.setting.0").setCurrentText(u8("block-size"));
      part<QLineEdit>(dialog, "tune.item.to.0").setText(u8("16"));
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.item.second"), Qt::LeftButton);
      part<QComboBox>(dialog, "tune.item.setting.1").setCurrentText(u8("max-num-batched-tokens"));
      part<QLineEdit>(dialog, "tune.item.to.1").setText(u8("4096"));
      QVERIFY(test::nameless_focusable_widget(dialog).isEmpty());
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.item.save"), Qt::LeftButton);
      QVERIFY(dialog.isVisible());
      const QString trouble = part<QLabel>(dialog, "tune.item.trouble").text();
      QVERIFY2(trouble.contains(u8("second variable")), qPrintable(trouble));
      QTest::mouseClick(dialog.findChild<QPushButton*>(button), Qt::LeftButton);
    });
    s_->key(Qt::Key_Insert);
    QCOMPARE(static_cast<int>(s_->checklist().items.size()), items);
    QCOMPARE(static_cast<int>(s_->item(4).changes.size()), changes);
    QCOMPARE(s_->item(4).changes[0].setting, std::string("block-size"));
    QCOMPARE(s_->item(4).id, std::int64_t{5});
  }

  void nonsense_in_the_dialog_is_said() {
    s_->page->start(small_steps());
    with_dialog([&](QDialog& dialog) {
      part<QLineEdit>(dialog, "tune.item.to.0").setText(u8("none"));
      QTest::mouseClick(&part<QPushButton>(dialog, "tune.item.save"), Qt::LeftButton);
      QVERIFY(part<QLabel>(dialog, "tune.item.trouble").text().contains(u8("max-num-seqs")));
      dialog.reject();
    });
    s_->key(Qt::Key_Insert);
    QCOMPARE(s_->checklist().items.size(), std::size_t{4});
  }

  void a_failed_run_can_be_repeated_or_left() {
    Checklist checklist = small_steps();
    checklist.items.erase(checklist.items.begin(), checklist.items.begin() + 3);
    checklist.items[0].changes = {{"kv-cache-memory-bytes", "auto", "1MiB"}};
    checklist.items[0].also.clear();
    s_->page->start(checklist);
    s_->key(Qt::Key_Return);
    QVERIFY(s_->idle());
    QVERIFY2(s_->text("tune.verdict").startsWith(u8("Run 1 of 3 failed: ")),
             qPrintable(s_->text("tune.verdict")));
    QVERIFY(s_->child<QPushButton>("tune.repeat")->isVisible());
    QCOMPARE(s_->child<QPushButton>("tune.repeat")->text(), u8("Repeat"));
    QVERIFY(!s_->child<QPushButton>("tune.decide")->isVisible());  // no pair to decide with
    QTest::mouseClick(s_->child<QPushButton>("tune.repeat"), Qt::LeftButton);
    QVERIFY(s_->idle());
    QCOMPARE(s_->item(0).repeats, 0);
    // With one pair there is a way to decide.
    Checklist one = s_->checklist();
    one.items[0].changes = {{"max-num-seqs", "1", "6"}};
    one.items[0].repeats = 1;
    one.items[0].error.clear();
    s_->page->session().change(one);
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QCOMPARE(s_->item(0).verdict, ItemVerdict::unclear);  // one pair is not judged
    one = s_->checklist();
    one.items[0].repeats = 3;
    one.items[0].error = "Run 2 of 3 failed: the disk is full";
    s_->page->session().change(one);
    QCOMPARE(s_->child<QPushButton>("tune.decide")->text(), u8("Decide with 1"));
    QTest::mouseClick(s_->child<QPushButton>("tune.decide"), Qt::LeftButton);
    QVERIFY(s_->item(0).error.empty());
    QCOMPARE(s_->item(0).repeats, 1);
  }

  void more_repeats_narrow_the_interval() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QTest::mouseClick(s_->child<QPushButton>("tune.repeat"), Qt::LeftButton);
    QVERIFY(s_->idle());
    QCOMPARE(s_->page->session().result(0).pairs, 6);
  }

  void a_sweep_runs_one_setting_over_values() {
    Checklist checklist = small_steps();
    checklist.items.clear();
    s_->page->start(checklist);
    with_dialog([](QDialog& dialog) {
      QVERIFY(test::nameless_focusable_widget(dialog).isEmpty());
      auto& values = part<QLineEdit>(dialog, "tune.sweep.values");
      auto& start = part<QPushButton>(dialog, "tune.sweep.start");
      values.setText(u8("1"));  // the base's own
      QTest::mouseClick(&start, Qt::LeftButton);
      QVERIFY(part<QLabel>(dialog, "tune.sweep.trouble").isVisible());
      values.setText(u8("4, many"));
      QTest::mouseClick(&start, Qt::LeftButton);
      QVERIFY(part<QLabel>(dialog, "tune.sweep.trouble").text().contains(u8("max-num-seqs")));
      values.setText(u8("2, 4 8"));
      QTest::mouseClick(&start, Qt::LeftButton);
    });
    QTest::mouseClick(s_->child<QPushButton>("tune.runSweep"), Qt::LeftButton);
    QVERIFY(s_->page->session().running());
    QVERIFY(!s_->child<QPushButton>("tune.runSweep")->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return s_->text("tune.progress").contains(u8("runs")); }, kPatienceMs));
    QVERIFY(s_->idle());
    QVERIFY(!s_->child<QLabel>("tune.progress")->isVisible());
    QCOMPARE(s_->item(0).changes.front().to, std::string("2"));
    QCOMPARE(s_->item(0).also, std::string("4,8"));
    QCOMPARE(s_->child<ScatterChart>("tune.chart.scatter")->data().points.size(), std::size_t{4});
    // Static batches of 8 deliver most.
    auto* take = s_->child<QPushButton>("tune.take");
    QCOMPARE(take->text(), u8("Take 8"));
    QTest::mouseClick(take, Qt::LeftButton);
    QCOMPARE(s_->item(0).changes.front().to, std::string("8"));
    QCOMPARE(s_->item(0).verdict, ItemVerdict::keep);
    QVERIFY(!take->isVisible());
    QVERIFY(s_->text("tune.recommended").contains(u8("--max-num-seqs 8")));
    s_->child<QAction>("tune.undo")->trigger();
    QCOMPARE(s_->item(0).changes.front().to, std::string("2"));
  }

  void a_run_can_be_cancelled_and_goes_on() {
    Checklist checklist = small_steps();
    checklist.num_prompts = 64;
    checklist.repeats = 60;
    s_->page->start(checklist);
    QTest::mouseClick(s_->child<QPushButton>("tune.sweep"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return s_->page->session().progress().done >= 2; }, kPatienceMs));
    QTest::mouseClick(s_->child<QPushButton>("tune.cancel"), Qt::LeftButton);
    QVERIFY(s_->idle());
    QCOMPARE(s_->item(0).verdict, ItemVerdict::planned);
    const auto measured = s_->store->checklist_runs(s_->checklist().id)->size();
    QVERIFY(measured >= 2 && measured < 120);
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    QCOMPARE(s_->store->checklist_runs(s_->checklist().id)->size(), std::size_t{120});
  }

  void one_that_was_cut_off_says_so_and_goes_on() {
    Checklist checklist = small_steps();
    s_->page->start(checklist);
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    checklist = s_->checklist();
    checklist.items[1].verdict = ItemVerdict::running;  // as a killed program leaves it
    PW_VERIFY(s_->store->save_checklist(checklist));
    s_ = std::make_unique<Session>(data_->path());
    QVERIFY(QTest::qWaitFor([&] { return banner_button(u8("Go on")) != nullptr; }, kPatienceMs));
    QCOMPARE(s_->item(1).verdict, ItemVerdict::planned);
    const auto before = s_->store->checklist_runs(checklist.id)->size();
    QCOMPARE(before, std::size_t{6});
    QTest::mouseClick(banner_button(u8("Go on")), Qt::LeftButton);
    QVERIFY(s_->idle());
    for (const Item& item : s_->checklist().items) QCOMPARE(item.verdict, ItemVerdict::keep);
    // Base and four items, three repeats each, and two further values of the last item.
    QCOMPARE(s_->store->checklist_runs(checklist.id)->size(), std::size_t(3 * (1 + 4 + 2)));
  }

  void on_an_engine_of_its_own_and_on_the_running_one() {
    const auto model = QString::fromStdString(test::write_tiny_model(data_->path()).string());
    Checklist checklist;
    checklist.name = "tiny";
    checklist.target = TuneTarget::fresh_engine;
    checklist.model = model.toStdString();
    checklist.workload = "chat";
    checklist.num_prompts = 2;
    checklist.repeats = 2;
    checklist.items.resize(1);
    checklist.items[0].id = 1;
    checklist.items[0].name = "sequences";
    checklist.items[0].changes = {{"max-num-seqs", "32", "1"}};
    s_->page->start(checklist);
    QCOMPARE(s_->text("tune.source"), u8("to be measured"));
    s_->key(Qt::Key_Return);
    QVERIFY(s_->idle());
    QCOMPARE(s_->text("tune.source"), u8("measured"));
    QVERIFY2(s_->item(0).error.empty(), s_->item(0).error.c_str());
    QCOMPARE(s_->page->session().result(0).pairs, 2);

    checklist.target = TuneTarget::running_engine;
    s_->page->start(checklist);
    s_->key(Qt::Key_Return);
    QVERIFY(!s_->page->session().running());  // none runs: said in a banner, with the way there
    QVERIFY(banner_button(u8("Go to Serve")) != nullptr);
    QVERIFY2(s_->text("tune.base").contains(u8("the rest as the engine runs")),
             qPrintable(s_->text("tune.base")));
    auto* serve = static_cast<ServePage*>(s_->window->page(u8("serve")));
    serve->choose_model(model);
    PW_VERIFY(serve->set_setting("port", "0"));
    serve->start();
    QVERIFY(QTest::qWaitFor([&] { return s_->engine.state() == EngineState::serving; }, kPatienceMs));
    s_->key(Qt::Key_Return);
    QVERIFY(s_->idle());
    QVERIFY2(s_->item(0).error.empty(), s_->item(0).error.c_str());
    QCOMPARE(s_->page->session().result(0).pairs, 2);
    // The same prompts came twice, and the second time found nothing of the first.
    QVERIFY(s_->page->session().result(0).after.figures.at("prefix_hit_percent").mean < 10);
    QCOMPARE(s_->engine.engine()->settings().integer("max-num-seqs"), std::int64_t{32});
  }

  void the_report_says_what_to_start_with() {
    s_->page->start(small_steps());
    s_->page->session().run(open_items(s_->checklist()));
    QVERIFY(s_->idle());
    const auto written = [&](const char* name) {
      const auto path = data_->path() / name;
      QSignalSpy exported(&s_->page->session(), &TuneSession::exported);
      s_->page->export_to(QString::fromStdString(path.string()));
      if (exported.isEmpty()) (void)exported.wait(kPatienceMs);
      return QString::fromStdString(read_file(path).value());
    };
    const QString html = written("r.html"), markdown = written("r.md"), again = written("r.html");
    QCOMPARE(html, again);
    for (const QString& text : {html, markdown}) {
      QVERIFY(text.contains(u8("--max-num-seqs 24")));
      QVERIFY(text.contains(u8("vllm serve")));
      QVERIFY(text.contains(u8("Batch last")));
      QVERIFY(text.contains(u8("4 of 4 items kept")));
      QVERIFY(text.contains(u8("simulated")));
    }
    QVERIFY(html.contains(u8("<svg")) && !html.contains(u8("<script")) &&
            !html.contains(u8("http://www.w3.org/1999")));
    const QJsonObject json = QJsonDocument::fromJson(written("r.json").toUtf8()).object();
    QCOMPARE(json[u8("items")].toArray().size(), 4);
    QVERIFY(json[u8("recommended")].toObject()[u8("sglang")].toString().contains(
        u8("--max-running-requests 24")));
  }

  void flags_for_other_engines() {
    s_->page->start(small_steps());
    s_->page->session().run(open_items(s_->checklist()));
    QVERIFY(s_->idle());
    with_dialog([](QDialog& dialog) {
      QVERIFY(test::nameless_focusable_widget(dialog).isEmpty());
      auto& engine = part<QComboBox>(dialog, "tune.flags.engine");
      engine.setCurrentIndex(engine.findData(u8("vllm")));
      const QString text = part<QPlainTextEdit>(dialog, "tune.flags.text").toPlainText();
      QVERIFY2(text.contains(u8("--max-num-seqs 24")) && text.contains(u8("--tensor-parallel-size 8")),
               qPrintable(text));
      engine.setCurrentIndex(engine.findData(u8("json")));
      QVERIFY(
          part<QPlainTextEdit>(dialog, "tune.flags.text").toPlainText().contains(u8("\"max-num-seqs\": 24")));
      dialog.accept();
    });
    QTest::mouseClick(s_->child<QPushButton>("tune.flags"), Qt::LeftButton);
  }

  void every_stop_of_tab_has_a_name() {
    s_->page->start(small_steps());
    s_->page->session().run({0});
    QVERIFY(s_->idle());
    const QString nameless = test::nameless_focusable_widget(*s_->page);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
    const QModelIndex first = s_->child<QListView>("tune.items")->model()->index(0, 0);
    const QString spoken = first.data(Qt::AccessibleTextRole).toString();
    QVERIFY2(spoken.contains(u8("Framework first")) && spoken.contains(u8("keep")), qPrintable(spoken));
    QVERIFY(s_->child<QWidget>("tune.chart.scatter.plot")->accessibleDescription().contains(u8("baseline")));
    ChecklistDialog dialog("four-steps", {});
    QVERIFY2(test::nameless_focusable_widget(dialog).isEmpty(),
             qPrintable(test::nameless_focusable_widget(dialog)));
  }

 private:
  /// The button of the banner that is shown; null where it has no such one.
  QPushButton* banner_button(const QString& text) {
    for (auto* one : s_->child<QWidget>("shell.banner")->findChildren<QPushButton*>())
      if (one->text() == text && one->isVisible()) return one;
    return nullptr;
  }
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<Session> s_;
};

QTEST_MAIN(TuneTest)
#include "tune_test.moc"
