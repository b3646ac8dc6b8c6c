// SPDX-License-Identifier: GPL-3.0-or-later
// The shell's parts by themselves: fuzzy matching, keys and their conflicts, jobs, what is remembered of a
// layout.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "tests/support/accessible_names.h"
#include "tests/support/test_support.h"
#include "ui/shell/about_card.h"
#include "ui/shell/action_registry.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/fuzzy_match.h"
#include "ui/shell/job_list.h"
#include "ui/shell/job_strip.h"
#include "ui/shell/key_field.h"
#include "ui/shell/key_tips.h"
#include "ui/shell/layout_keeper.h"
#include "ui/shell/page.h"
#include "ui/shell/preferences.h"
#include "ui/shell/shortcut_card.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/page_action.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

PaletteEntry entry(PaletteEntry::Kind kind, const char* text, const char* note = "") {
  return {kind, u8(text), u8(text), u8(note), {}, {}};
}

QStringList found(const std::vector<PaletteEntry>& entries, const char* typed) {
  QStringList texts;
  for (const std::size_t at : matches(entries, u8(typed))) texts << entries[at].text;
  return texts;
}

/// A page with two actions that have keys, and one without.
class TwoKeyPage final : public Page {
 public:
  TwoKeyPage() {
    add_page_action(this, u8("two.save"), u8("Save"), {QKeySequence(u8("Ctrl+S"))}, [] {});
    add_page_action(this, u8("two.send"), u8("Send"),
                    {QKeySequence(u8("Ctrl+Return")), QKeySequence(u8("Ctrl+Enter"))}, [] {});
    add_page_action(this, u8("two.other"), u8("Other"), {}, [] {});
    add_page_action(this, u8("two.saveAgain"), u8("Save"), {}, [] {});
  }
  QString id() const override { return u8("two"); }
  QString title() const override { return u8("Two"); }
};

/// A registry over that page and one action that works everywhere.
struct Keys {
  test::TemporaryFolder folder;
  Preferences preferences{folder.path()};
  TwoKeyPage page;
  QAction help{u8("Help")};
  ActionRegistry registry{preferences};
  Keys() {
    help.setObjectName(u8("shell.help"));
    help.setShortcut(Qt::Key_F1);
    registry.add(&help);
    registry.add_page(page);
  }
  QString keys(const char* id) const { return keys_text(*registry.find(u8(id))->action); }
};

/// What LayoutKeeper knows, in one window.
struct Arranged {
  QWidget window;
  QSplitter* splitter = new QSplitter;
  QTabWidget* tabs = new QTabWidget;
  DataTable* table = new DataTable(u8("Numbers"), {{u8("Name")}, {u8("n"), true}});
  QToolButton* fold = new QToolButton;
  explicit Arranged(int parts = 2) {
    splitter->setObjectName(u8("a.splitter"));
    for (int i = 0; i < parts; ++i) splitter->addWidget(new QLabel(u8("part")));
    tabs->setObjectName(u8("a.tabs"));
    for (int i = 0; i < 3; ++i) tabs->addTab(new QLabel(u8("tab")), u8("tab"));
    table->setObjectName(u8("a.table"));
    table->set_rows({{1, {{u8("one")}, {u8("1"), 1}}}});
    fold->setObjectName(u8("a.fold"));
    fold->setCheckable(true);
    fold->setProperty("folds", true);
    auto* column = new QVBoxLayout(&window);
    for (QWidget* part : {static_cast<QWidget*>(splitter), static_cast<QWidget*>(tabs),
                          static_cast<QWidget*>(table), static_cast<QWidget*>(fold)})
      column->addWidget(part);
    window.resize(600, 600);
  }
  void drag_divider(int by) {
    QWidget* handle = splitter->handle(1);
    const QPoint middle = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, Qt::NoModifier, middle);
    QTest::mouseMove(handle, middle + QPoint(by, 0));
    QTest::mouseRelease(handle, Qt::LeftButton, Qt::NoModifier, middle + QPoint(by, 0));
  }
  void drag_column(int column, int by) {
    QWidget* header = table->horizontalHeader()->viewport();
    const int edge = table->horizontalHeader()->sectionViewportPosition(column) +
                     table->horizontalHeader()->sectionSize(column) - 1;
    const QPoint at(edge, header->height() / 2);
    QTest::mouseMove(header, at);
    QTest::mousePress(header, Qt::LeftButton, Qt::NoModifier, at);
    QTest::mouseMove(header, at + QPoint(by, 0));
    QTest::mouseRelease(header, Qt::LeftButton, Qt::NoModifier, at + QPoint(by, 0));
  }
};

}  // namespace

class ShellPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void fuzzy_match_takes_starts_of_words_and_runs();
  void fuzzy_match_puts_the_better_name_first();
  void palette_orders_by_quality_and_recent_use();
  void palette_closes_and_gives_the_focus_back();
  void keys_are_changed_kept_and_reset();
  void keys_in_use_have_a_holder();
  void shortcut_card_names_a_conflict_and_a_way_out();
  void key_field_takes_keys_and_lets_tab_go();
  void tooltips_follow_a_key();
  void jobs_say_share_and_time_left();
  void layout_comes_back();
  void layout_of_another_shape_is_left_out();
  void layout_can_be_forgotten();
  void columns_of_the_user_stay();
  void about_names_the_licences();
};

void ShellPartsTest::initTestCase() {
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void ShellPartsTest::fuzzy_match_takes_starts_of_words_and_runs() {
  for (const char* typed : {"max-num-seqs", "mns", "maxseqs", "seqs", "num", "MAX SEQS", "mxnum"})
    QVERIFY2(fuzzy_score(u8(typed), u8("max-num-seqs")), typed);
  for (const char* typed : {"seqmax", "mqs x", "msz", "xum"})
    QVERIFY2(!fuzzy_score(u8(typed), u8("max-num-seqs")), typed);
  QVERIFY(fuzzy_score(u8("前缀"), u8("转到前缀缓存")));
  QVERIFY(!fuzzy_score(u8("缓前"), u8("转到前缀缓存")));
  QVERIFY(fuzzy_score({}, u8("anything")));
  QVERIFY(!fuzzy_score(u8("a"), {}));
}

void ShellPartsTest::fuzzy_match_puts_the_better_name_first() {
  const auto better = [](const char* typed, const char* first, const char* second) {
    return *fuzzy_score(u8(typed), u8(first)) > *fuzzy_score(u8(typed), u8(second));
  };
  QVERIFY(better("port", "port", "import"));
  QVERIFY(better("port", "port", "port-range"));
  QVERIFY(better("seq", "max-num-seqs", "max-num-some-equal"));
  QVERIFY(better("serve", "Serve", "Go to Serve"));
  QVERIFY(better("block", "block-size", "num-gpu-blocks"));
}

void ShellPartsTest::palette_orders_by_quality_and_recent_use() {
  using Kind = PaletteEntry::Kind;
  const std::vector<PaletteEntry> entries{
      entry(Kind::page, "Reports"),          entry(Kind::action, "Search runs", "Reports"),
      entry(Kind::setting, "max-num-seqs"),  entry(Kind::setting, "max-num-batched-tokens"),
      entry(Kind::run, "R-0147", "SmolLM2"), entry(Kind::run, "R-0014", "SmolLM2")};
  QCOMPARE(found(entries, "reports"), (QStringList{u8("Reports"), u8("Search runs")}));
  QCOMPARE(found(entries, "max seq"), (QStringList{u8("max-num-seqs")}));
  QCOMPARE(found(entries, "r-147"), (QStringList{u8("R-0147")}));
  QCOMPARE(found(entries, "smol"), (QStringList{u8("R-0147"), u8("R-0014")}));
  QCOMPARE(found(entries, "no such command"), QStringList());
  QCOMPARE(found(entries, " ").size(), 6);

  QWidget window;
  window.show();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  auto* palette = new CommandPalette(entries, {u8("run:R-0014"), u8("setting:max-num-seqs")}, &window);
  QAbstractItemModelTester tester(palette->findChild<DataTable*>()->model());
  QSignalSpy accepted(palette, &CommandPalette::accepted);
  palette->open();
  auto* field = palette->findChild<QLineEdit*>();
  QCOMPARE(palette->chosen()->text, u8("R-0014"));
  QTest::keyClick(field, Qt::Key_Down);
  QCOMPARE(palette->chosen()->text, u8("max-num-seqs"));
  QTest::keyClicks(field, u8("mnbt"));
  QCOMPARE(palette->chosen()->text, u8("max-num-batched-tokens"));
  QTest::keyClick(field, Qt::Key_Tab);
  QCOMPARE(field->text(), u8("max-num-batched-tokens"));
  field->setText(u8("zzz"));
  QVERIFY(palette->chosen() == nullptr);
  for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Tab, Qt::Key_Backtab}) QTest::keyClick(field, key);
  QVERIFY(palette->isVisible());
  QCOMPARE(window.focusWidget(), field);
  QCOMPARE(accepted.size(), 0);
  field->setText(u8("seqs"));
  QTest::keyClick(field, Qt::Key_Return);
  QVERIFY(!palette->isVisible());
  QCOMPARE(accepted.size(), 1);
  QCOMPARE(accepted[0][0].value<PaletteEntry>().text, u8("max-num-seqs"));
}

void ShellPartsTest::palette_closes_and_gives_the_focus_back() {
  QWidget window;
  window.resize(900, 700);
  QLineEdit before(&window), other(&window);
  window.show();
  before.setFocus();
  const auto open = [&window] {
    auto* palette = new CommandPalette({entry(PaletteEntry::Kind::page, "Reports")}, {}, &window);
    palette->open();
    return QPointer<CommandPalette>(palette);
  };
  auto palette = open();
  window.resize(1000, 800);
  QCOMPARE(palette->size(), window.size());
  QTest::mouseClick(palette, Qt::LeftButton, {}, palette->rect().center());  // in it
  QVERIFY(palette->isVisible());
  QTest::mouseClick(palette, Qt::LeftButton, {}, {3, 3});  // beside it
  QCOMPARE(window.focusWidget(), &before);
  QTRY_VERIFY(palette.isNull());
  palette = open();
  QTest::keyClick(window.focusWidget(), Qt::Key_Escape);
  QCOMPARE(window.focusWidget(), &before);
  QTRY_VERIFY(palette.isNull());
  palette = open();
  other.setFocus();
  QCOMPARE(window.focusWidget(), &other);
  QTRY_VERIFY(palette.isNull());
}

void ShellPartsTest::keys_are_changed_kept_and_reset() {
  Keys keys;
  QCOMPARE(keys.registry.actions().size(), std::size_t{4});  // the second "Save" is the first one's button
  QCOMPARE(keys.keys("two.send"), u8("Ctrl+Return, Ctrl+Enter"));
  keys.registry.set_key(u8("two.send"), QKeySequence(u8("F9")));
  keys.registry.set_key(u8("two.save"), {});
  QCOMPARE(keys.keys("two.send"), u8("F9"));
  QCOMPARE(keys.keys("two.save"), QString());
  QVERIFY(keys.registry.is_changed(u8("two.send")));

  TwoKeyPage later;  // of the next start
  Preferences preferences(keys.folder.path());
  ActionRegistry registry(preferences);
  registry.add_page(later);
  QCOMPARE(keys_text(*registry.find(u8("two.send"))->action), u8("F9"));
  QCOMPARE(keys_text(*registry.find(u8("two.save"))->action), QString());
  registry.reset(u8("two.send"));
  QCOMPARE(keys_text(*registry.find(u8("two.send"))->action), u8("Ctrl+Return, Ctrl+Enter"));
  registry.reset_all();
  QCOMPARE(keys_text(*registry.find(u8("two.save"))->action), u8("Ctrl+S"));
  QVERIFY(!registry.is_changed(u8("two.save")));
}

void ShellPartsTest::keys_in_use_have_a_holder() {
  Keys keys;
  const auto holder = [&](const char* key, const char* id) {
    const RegisteredAction* held = keys.registry.holder(QKeySequence(u8(key)), u8(id));
    return held ? held->id() : QString();
  };
  QCOMPARE(holder("Ctrl+S", "two.other"), u8("two.save"));
  QCOMPARE(holder("Ctrl+Enter", "two.other"), u8("two.send"));  // its second key
  QCOMPARE(holder("F1", "two.other"), u8("shell.help"));
  QCOMPARE(holder("Ctrl+S", "shell.help"), u8("two.save"));
  QCOMPARE(holder("Ctrl+S", "two.save"), QString());
  QCOMPARE(holder("F7", "two.other"), QString());
  TwoKeyPage elsewhere;  // another page may have the same key
  elsewhere.setObjectName(u8("elsewhere"));
  keys.registry.take_key(u8("two.other"), QKeySequence(u8("Ctrl+S")));
  QCOMPARE(keys.keys("two.other"), u8("Ctrl+S"));
  QCOMPARE(keys.keys("two.save"), QString());
}

void ShellPartsTest::shortcut_card_names_a_conflict_and_a_way_out() {
  Keys keys;
  ShortcutCard card(keys.registry);
  card.show();
  auto* table = card.findChild<DataTable*>(u8("settings.shortcuts.table"));
  QAbstractItemModelTester tester(table->model());
  auto* search = card.findChild<QLineEdit*>(u8("settings.shortcuts.search"));
  auto* field = card.findChild<KeyField*>(u8("settings.shortcuts.key"));
  auto* conflict = card.findChild<QLabel*>(u8("settings.shortcuts.conflict"));
  const auto press = [&](const char* id) {
    QTest::mouseClick(card.findChild<QPushButton*>(u8(id)), Qt::LeftButton);
  };
  QTest::keyClicks(search, u8("other"));
  QCOMPARE(table->model()->rowCount(), 1);
  QVERIFY(!conflict->isVisible());
  QTest::keyClick(field, Qt::Key_S, Qt::ControlModifier);
  QVERIFY(conflict->isVisible());
  QCOMPARE(conflict->text(), u8("△ Ctrl+S is the key of “Save” on Two."));
  QCOMPARE(keys.keys("two.other"), QString());
  press("settings.shortcuts.leave");
  QVERIFY(!conflict->isVisible());
  QCOMPARE(field->text(), QString());
  QTest::keyClick(field, Qt::Key_F1);
  QCOMPARE(conflict->text(), u8("△ F1 is the key of “Help”."));
  press("settings.shortcuts.take");
  QCOMPARE(keys.keys("two.other"), u8("F1"));
  QCOMPARE(keys.keys("shell.help"), QString());
  QVERIFY(!conflict->isVisible());
  QTest::keyClick(field, Qt::Key_F6);  // free: no question
  QCOMPARE(keys.keys("two.other"), u8("F6"));
  press("settings.shortcuts.none");
  QCOMPARE(keys.keys("two.other"), QString());
  press("settings.shortcuts.resetAll");
  QCOMPARE(keys.keys("shell.help"), u8("F1"));
  QVERIFY(!card.findChild<QPushButton*>(u8("settings.shortcuts.resetAll"))->isEnabled());
  QCOMPARE(test::nameless_focusable_widget(card), QString());
}

void ShellPartsTest::key_field_takes_keys_and_lets_tab_go() {
  QWidget window;
  auto* column = new QVBoxLayout(&window);
  auto* field = new KeyField;
  auto* next = new QLineEdit;
  column->addWidget(field);
  column->addWidget(next);
  QAction save(u8("Save"));
  save.setShortcut(QKeySequence::Save);
  window.addAction(&save);
  window.show();
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  field->setFocus();
  QSignalSpy saved(&save, &QAction::triggered), pressed(field, &KeyField::pressed);
  QTest::keyClick(field, Qt::Key_S, Qt::ControlModifier);  // shown, not done
  QCOMPARE(saved.size(), 0);
  QCOMPARE(field->text(), u8("Ctrl+S"));
  QTest::keyClick(field, Qt::Key_Shift, Qt::ShiftModifier);
  QTest::keyClick(field, Qt::Key_Question, Qt::ShiftModifier);
  QCOMPARE(field->text(), u8("?"));
  QTest::keyClick(field, Qt::Key_Delete);
  QCOMPARE(field->text(), u8("Del"));
  QCOMPARE(pressed.size(), 3);
  QTest::keyClick(field, Qt::Key_Tab);
  QVERIFY(next->hasFocus());
  QCOMPARE(pressed.size(), 3);
}

void ShellPartsTest::tooltips_follow_a_key() {
  QPushButton button;
  QAction action(u8("Find"));
  action.setShortcut(QKeySequence(u8("Ctrl+F")));
  follow_key(&button, &action, u8("Find in this chat"));
  QCOMPARE(button.toolTip(), u8("Find in this chat (Ctrl+F)"));
  action.setShortcut(Qt::Key_F3);
  QCOMPARE(button.toolTip(), u8("Find in this chat (F3)"));
  action.setShortcut({});
  QCOMPARE(button.toolTip(), u8("Find in this chat"));

  Keys keys;
  const KeyTips tips(keys.registry);
  auto* inside = new QPushButton(&keys.page);
  inside->setToolTip(u8("Keeps it (Ctrl+S)"));
  QCOMPARE(tips.tip_of(*inside), u8("Keeps it (Ctrl+S)"));
  keys.registry.set_key(u8("two.save"), QKeySequence(u8("F6")));
  QCOMPARE(tips.tip_of(*inside), u8("Keeps it (F6)"));
  keys.registry.set_key(u8("two.save"), {});
  QCOMPARE(tips.tip_of(*inside), u8("Keeps it"));
  inside->setToolTip(u8("发送（Ctrl+Enter）"));
  keys.registry.set_key(u8("two.send"), QKeySequence(u8("F7")));
  QCOMPARE(tips.tip_of(*inside), u8("发送（F7）"));
  button.setToolTip(u8("Keeps it (Ctrl+S)"));  // of no page: another action's
  QCOMPARE(tips.tip_of(button), u8("Keeps it (Ctrl+S)"));
}

void ShellPartsTest::jobs_say_share_and_time_left() {
  VirtualClock clock;
  JobList jobs(clock);
  QSignalSpy changed(&jobs, &JobList::changed);
  bool cancelled = false;
  jobs.post({u8("a"), u8("Load chat"), 0, [&] { cancelled = true; }});
  QCOMPARE(job_text(jobs), u8("Load chat, 0 %"));
  QVERIFY(std::isnan(jobs.seconds_left()));
  clock.advance(30 * kNanosPerSecond);
  jobs.post({u8("a"), u8("Load chat"), 0.25, [&] { cancelled = true; }});
  QCOMPARE(jobs.seconds_left(), 90.0);
  QCOMPARE(job_text(jobs), u8("Load chat, 25 %, 2 min left"));
  clock.advance(60 * kNanosPerSecond);
  jobs.post({u8("a"), u8("Load chat"), 0.25, [&] { cancelled = true; }});  // no news of the share
  QCOMPARE(job_text(jobs), u8("Load chat, 25 %, 30 s left"));
  clock.advance(30 * kNanosPerSecond);
  QCOMPARE(job_text(jobs), u8("Load chat, 25 %"));  // it takes longer than its pace said
  jobs.post({u8("a"), u8("Load chat"), 0.5, [&] { cancelled = true; }});
  QCOMPARE(job_text(jobs), u8("Load chat, 50 %, 2 min left"));
  jobs.post({u8("b"), u8("Fetch"), std::nan(""), {}});
  QCOMPARE(job_text(jobs), u8("Load chat, 50 %, 2 min left, 1 more"));
  jobs.oldest().cancel();
  QVERIFY(cancelled);
  jobs.end(u8("a"));
  QCOMPARE(job_text(jobs), u8("Fetch"));
  jobs.end(u8("b"));
  jobs.end(u8("nothing"));
  QVERIFY(jobs.empty());
  QCOMPARE(changed.size(), 7);

  // A sweep that goes on: what was measured before took no time.
  jobs.post({u8("c"), u8("Sweep"), 0, {}});
  jobs.post({u8("c"), u8("Sweep"), 0.5, {}});
  QVERIFY(std::isnan(jobs.seconds_left()));
  clock.advance(20 * kNanosPerSecond);
  jobs.post({u8("c"), u8("Sweep"), 0.75, {}});
  QCOMPARE(jobs.seconds_left(), 20.0);

  JobStrip strip;
  strip.jobs().post({u8("a"), u8("Load chat"), 0, [&] { cancelled = false; }});
  QVERIFY(!strip.isHidden());
  auto* cancel = strip.findChild<QPushButton*>(u8("shell.jobs.cancel"));
  QCOMPARE(cancel->accessibleName(), u8("Cancel Load chat"));
  QTest::mouseClick(cancel, Qt::LeftButton);
  QVERIFY(!cancelled);
  strip.jobs().end(u8("a"));
  QVERIFY(strip.isHidden());
}

void ShellPartsTest::layout_comes_back() {
  const test::TemporaryFolder folder;
  Preferences preferences(folder.path());
  QList<int> sizes;
  int width = 0;
  {
    Arranged first;
    LayoutKeeper keeper(first.window, preferences);
    keeper.restore();
    first.window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&first.window));
    first.drag_divider(-150);
    first.tabs->setCurrentIndex(2);
    first.drag_column(0, 60);
    first.fold->setChecked(true);
    sizes = first.splitter->sizes();
    width = first.table->columnWidth(0);
    QVERIFY(sizes[0] < sizes[1] - 100);
  }
  Arranged second;
  QSignalSpy moved(second.splitter, &QSplitter::splitterMoved);
  LayoutKeeper keeper(second.window, preferences);
  keeper.restore();
  second.window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&second.window));
  QCOMPARE(second.splitter->sizes(), sizes);
  QCOMPARE(moved.size(), 1);
  QCOMPARE(second.tabs->currentIndex(), 2);
  QCOMPARE(second.table->columnWidth(0), width);
  QVERIFY(second.fold->isChecked());
}

void ShellPartsTest::layout_of_another_shape_is_left_out() {
  const test::TemporaryFolder folder;
  Preferences preferences(folder.path());
  preferences.set_layout(u8("a.splitter"),
                         QVariantMap{{u8("count"), 2}, {u8("value"), QVariantList{10, 90}}});
  preferences.set_layout(u8("a.tabs"), QVariantMap{{u8("count"), 9}, {u8("value"), 8}});
  preferences.set_layout(u8("a.table"), u8("nonsense"));
  preferences.set_layout(u8("a.fold"), QVariantMap{{u8("count"), 1}, {u8("value"), u8("true")}});
  Arranged three(3);
  QSignalSpy moved(three.splitter, &QSplitter::splitterMoved);
  LayoutKeeper keeper(three.window, preferences);
  keeper.restore();
  QCOMPARE(moved.size(), 0);
  QCOMPARE(three.tabs->currentIndex(), 0);
  QVERIFY(three.table->user_widths().isEmpty());
  QVERIFY(three.fold->isChecked());
}

void ShellPartsTest::layout_can_be_forgotten() {
  const test::TemporaryFolder folder;
  Preferences preferences(folder.path());
  Arranged one;
  LayoutKeeper keeper(one.window, preferences);
  keeper.restore();
  one.tabs->setCurrentIndex(1);
  one.fold->setChecked(true);
  QVERIFY(preferences.layout(u8("a.tabs")).isValid());
  keeper.forget();
  QCOMPARE(one.tabs->currentIndex(), 0);
  QVERIFY(!one.fold->isChecked());
  QVERIFY(!preferences.layout(u8("a.tabs")).isValid());
  QVERIFY(!preferences.layout(u8("a.fold")).isValid());
}

void ShellPartsTest::columns_of_the_user_stay() {
  DataTable table(u8("Numbers"), {{u8("Name")}, {u8("n"), true}});
  table.set_rows({{1, {{u8("one")}, {u8("1"), 1}}}});
  const int fitted = table.columnWidth(0);
  table.set_user_widths({{u8("0"), 44}});
  table.set_rows({{1, {{u8("a name that would need far more room")}, {u8("1"), 1}}}});
  QCOMPARE(table.columnWidth(0), 44);
  table.set_user_widths({});
  QVERIFY(table.columnWidth(0) > fitted);
}

void ShellPartsTest::about_names_the_licences() {
  AboutCard card;
  QTest::mouseClick(card.findChild<QPushButton*>(u8("settings.about.copy")), Qt::LeftButton);
  const QString copied = QApplication::clipboard()->text();
  QCOMPARE(copied, about_text());
  for (const QString& said : {u8("GPL-3.0-or-later"), u8("Qt Charts ") + QLatin1String(qVersion()),
                              u8("GPL-3.0-only"), u8("System: ")})
    QVERIFY2(copied.contains(said), qPrintable(copied));
}

QTEST_MAIN(ShellPartsTest)
#include "shell_parts_test.moc"
