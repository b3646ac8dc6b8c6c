// SPDX-License-Identifier: GPL-3.0-or-later
// Checklists as files: exported with their runs from one window, imported into another.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QListView>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "app/common/backend_factory.h"
#include "engine/base/file.h"
#include "engine/bench/checklist_template.h"
#include "engine/report/checklist_import.h"
#include "engine/report/report.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"
#include "ui/reports/reports_page.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/tune/tune_page.h"

using namespace pitwall;
using namespace pitwall::ui;
namespace fs = std::filesystem;

namespace {

constexpr int kPatienceMs = 120'000;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

struct Session {
  explicit Session(const fs::path& home)
      : preferences(home), store(*Store::open(home / "pitwall.db")), engine(backend_factory(), store.get()) {
    window =
        compose_window(engine, *store, preferences, [](const std::string& name) { return find_gpu(name); });
    window->resize(1440, 900);
    window->show();
    page = static_cast<TunePage*>(window->page(u8("tune")));
    for (Page* one : window->findChildren<Page*>())
      QObject::connect(one, &Page::banner_requested, one,
                       [this](const Banner& banner) { said << banner.text; });
    (void)QTest::qWaitFor([&] { return page->session().listed(); }, kPatienceMs);
  }
  bool has_said(const QString& words) const {
    return std::any_of(said.begin(), said.end(), [&](const QString& one) { return one.contains(words); });
  }
  const Checklist& checklist() const { return *page->session().checklist(); }
  QString tag() const { return window->findChild<QLabel*>(u8("tune.source"))->text(); }

  Preferences preferences;
  std::unique_ptr<Store> store;
  EngineController engine;
  std::unique_ptr<MainWindow> window;
  TunePage* page = nullptr;
  QStringList said;
};

Checklist two_items() {
  Checklist checklist = checklist_templates().front();
  checklist.num_prompts = 12;
  checklist.repeats = 2;
  checklist.items.resize(2);
  return checklist;
}

}  // namespace

class ChecklistFileTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString file_ = QString::fromStdString((folder_.path() / "list.json").string());

  fs::path home(const char* name) {
    fs::create_directories(folder_.path() / name);
    return folder_.path() / name;
  }

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    Session here(home("here"));
    here.page->start(two_items());
    here.page->session().run({0, 1});
    QVERIFY(QTest::qWaitFor([&] { return !here.page->session().running(); }, kPatienceMs));
    here.page->export_to(file_);
    QTRY_VERIFY_WITH_TIMEOUT(here.has_said(u8("Saved to")), kPatienceMs);
    QVERIFY(!here.tag().contains(u8("imported")));
  }

  void it_comes_back_with_verdicts_and_runs() {
    Session there(home("there"));
    there.window->open_path(file_);  // as a drop on the window does
    QTRY_VERIFY_WITH_TIMEOUT(there.has_said(u8("Imported list.json")), kPatienceMs);
    QCOMPARE(there.window->current_page()->id(), u8("tune"));
    QTRY_VERIFY(there.page->session().checklist().has_value());
    const auto here = Store::open(home("here") / "pitwall.db").value();
    const Checklist before = *here->checklist(1);
    const Checklist& after = there.checklist();
    QCOMPARE(after.uuid, before.uuid);
    QVERIFY(after.imported_utc > 0 && before.imported_utc == 0);
    QVERIFY2(there.tag().contains(u8("imported")), qPrintable(there.tag()));
    QTRY_VERIFY(
        there.window->findChild<QComboBox*>(u8("tune.checklist"))->currentText().contains(u8("imported")));
    QCOMPARE(after.items.size(), before.items.size());
    for (std::size_t i = 0; i < after.items.size(); ++i) {
      QCOMPARE(after.items[i].verdict, before.items[i].verdict);
      QCOMPARE(after.items[i].effect, before.items[i].effect);
      QVERIFY(there.page->session().result(i).pairs == 2);
    }
    const auto runs = there.store->checklist_runs(after.id);
    QCOMPARE(runs->size(), here->checklist_runs(1)->size());
    Run original = *here->run(here->checklist_runs(1)->front().run),
        copy = *there.store->run(runs->front().run);
    copy.id = original.id;
    copy.imported_utc = 0;
    QCOMPARE(run_json(copy), run_json(original));

    there.window->open_path(file_);
    QTRY_VERIFY(there.has_said(u8("list.json is here already")));
    QCOMPARE(there.store->checklists()->size(), std::size_t{1});
    QCOMPARE(there.store->runs()->size(), runs->size());
  }

  void the_reports_page_hands_it_over() {
    Session there(home("by reports"));
    static_cast<ReportsPage*>(there.window->page(u8("reports")))->import_files({file_});
    QTRY_VERIFY_WITH_TIMEOUT(there.has_said(u8("Imported list.json")), kPatienceMs);
    QCOMPARE(there.window->current_page()->id(), u8("tune"));
  }

  void its_runs_may_be_here_already() {
    auto store = Store::open(home("runs first") / "pitwall.db").value();
    const auto read = parse_checklist_file(*read_file(file_.toStdString()), "list.json");
    PW_VERIFY(read);
    PW_VERIFY(store->import_run(read->runs.front()));
    const auto kept = store->import_checklist(read->checklist, read->runs);
    PW_VERIFY(kept);
    QCOMPARE(store->runs()->size(), read->runs.size());
    QCOMPARE(store->checklist_runs(kept->id)->size(), read->runs.size());
  }

  void a_bad_one_says_where_and_changes_nothing_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("said");
    QTest::newRow("cut off") << "cut"
                             << "It is not JSON at line ";
    QTest::newRow("a run is of another checklist") << "foreign"
                                                   << "\"runs[1]\": it belongs to another checklist";
    QTest::newRow("a run twice") << "twice"
                                 << "\"runs[1].header.uuid\"";
    QTest::newRow("a run is no run") << "no run"
                                     << "\"runs[0]\"";
    QTest::newRow("a run has a wrong value") << "value"
                                             << "requests[0].arrival";
    QTest::newRow("an item of no setting") << "setting"
                                           << "no-such-setting";
    QTest::newRow("an unknown key") << "key"
                                    << "surprise";
    QTest::newRow("a newer format") << "version"
                                    << "version 99";
  }

  void a_bad_one_says_where_and_changes_nothing() {
    QFETCH(QString, what);
    QFETCH(QString, said);
    const std::string whole = *read_file(file_.toStdString());
    auto json = nlohmann::ordered_json::parse(whole);
    if (what == u8("foreign"))
      for (auto& entry : json["runs"][1]["header"]["config"])
        if (entry["name"] == "checklist.id") entry["value"] = "another";
    if (what == u8("twice")) json["runs"][1] = json["runs"][0];
    if (what == u8("no run")) json["runs"][0] = "text";
    if (what == u8("value")) json["runs"][0]["requests"][0]["arrival"] = "soon";
    if (what == u8("setting")) json["items"][0]["changes"][0]["setting"] = "no-such-setting";
    if (what == u8("key")) json["surprise"] = 1;
    if (what == u8("version")) json["version"] = 99;
    const std::string text = what == u8("cut") ? whole.substr(0, whole.size() / 2) : json.dump(2);
    const fs::path bad = folder_.path() / "bad.json";
    PW_VERIFY(write_file_atomic(bad, text));
    Session there(home("bad"));
    there.window->open_path(QString::fromStdString(bad.string()));
    QTRY_VERIFY2(there.has_said(said), qPrintable(there.said.join(QLatin1Char('\n'))));
    QVERIFY(there.has_said(u8("bad.json")));
    QVERIFY(there.store->runs()->empty() && there.store->checklists()->empty());
  }

  void three_hundred_strange_items() {
    Checklist checklist = two_items();
    const std::string names[] = {"first\nsecond", "🦭 e\u0301", "שלום \u202Eabc", std::string(10'000, 'W'),
                                 "<b>%1 &amp; %2</b> | `x`"};
    checklist.name = names[0] + names[2];
    checklist.note = checklist.source = names[3];
    const Item like = checklist.items.front();
    checklist.items.clear();
    for (int i = 0; i < 300; ++i) {
      Item item = like;
      item.id = i + 1;
      item.name = item.hypothesis = item.expected = names[i % 5];
      item.verdict = static_cast<ItemVerdict>(i % 2 == 0 ? ItemVerdict::unclear : ItemVerdict::planned);
      item.effect = item.percent = i % 3 == 0 ? NAN : INFINITY;
      checklist.items.push_back(std::move(item));
    }
    Session here(home("strange"));
    here.window->show_page(u8("tune"));
    here.page->start(two_items());
    const int usual = here.page->minimumSizeHint().width();
    here.page->start(checklist);
    auto* items = here.window->findChild<QListView*>(u8("tune.items"));
    QCOMPARE(items->model()->rowCount(), 300);
    QAbstractItemModelTester tester(items->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const int item : {0, 2, 3, 299}) {
      here.page->choose(item);
      QVERIFY(!here.window->grab().isNull());
    }
    const int strange = here.page->minimumSizeHint().width();
    QVERIFY2(strange <= usual, qPrintable(QStringLiteral("%1 and %2").arg(strange).arg(usual)));
    for (const char* suffix : {"html", "md", "json"}) {
      const QString path = file_ + u8(".strange.") + u8(suffix);
      here.page->export_to(path);
      QTRY_VERIFY2(here.has_said(u8("Saved to %1").arg(path)), suffix);
    }
    const auto back =
        parse_checklist_file(*read_file((file_ + u8(".strange.json")).toStdString()), "strange");
    PW_VERIFY(back);
    QCOMPARE(back->checklist.items.size(), std::size_t{300});
    QCOMPARE(back->checklist.items[3].name, names[3]);
    QCOMPARE(back->checklist.name, checklist.name);
  }

  void two_windows_do_not_write_over_each_other() {
    const fs::path shared = home("shared");
    Session first(shared);
    first.page->start(two_items());
    Session second(shared);
    QTRY_VERIFY(second.page->session().checklist().has_value());
    second.page->session().decide(0, ItemVerdict::keep);
    QCOMPARE(second.checklist().items[0].verdict, ItemVerdict::keep);
    first.page->session().decide(1, ItemVerdict::revert);
    QVERIFY2(first.has_said(u8("is not saved")), qPrintable(first.said.join(QLatin1Char('\n'))));
    QTRY_COMPARE(first.checklist().items[0].verdict, ItemVerdict::keep);  // what is there now
    first.page->session().decide(1, ItemVerdict::revert);
    const Checklist both = *first.store->checklist(1);
    QCOMPARE(both.items[0].verdict, ItemVerdict::keep);
    QCOMPARE(both.items[1].verdict, ItemVerdict::revert);
    PW_VERIFY(first.store->remove_checklist(1));
    second.page->session().decide(0, ItemVerdict::revert);
    QVERIFY2(second.has_said(u8("There is no checklist 1")), qPrintable(second.said.join(QLatin1Char('\n'))));
    QVERIFY(!second.page->session().checklist().has_value());
  }
};

QTEST_MAIN(ChecklistFileTest)
#include "checklist_file_test.moc"
