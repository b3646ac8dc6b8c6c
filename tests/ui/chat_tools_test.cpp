// SPDX-License-Identifier: GPL-3.0-or-later
// What the chat page offers around the conversation: search, find, files, presets, exports, and what it does
// while a model loads or a conversation is too long.
#include <sys/stat.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>

#include "engine/base/file.h"
#include "tests/support/accessible_names.h"
#include "tests/ui/chat_bench.h"
#include "ui/chat/attachment.h"
#include "ui/chat/chat_preferences.h"
#include "ui/chat/message_input.h"
#include "ui/chat/timings_strip.h"
#include "ui/serve/live_view.h"
#include "ui/shell/compose.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using namespace pitwall::test;

namespace {

struct ToolsBench : ChatBench {
  QString file(const char* name, const std::string& content) const {
    const auto path = folder.path() / name;
    if (!write_file_atomic(path, content)) qFatal("%s", path.c_str());
    return QString::fromStdString(path.string());
  }
  QStringList chips() const {
    QStringList shown;
    for (const QWidget* chip : page->findChildren<QWidget*>(QStringLiteral("chat.attachment")))
      if (chip->isVisible()) shown << chip->accessibleName();
    return shown;
  }
  QString notice() const { return find<QLabel>("chat.notice")->text(); }
};

}  // namespace

class ChatToolsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<OwnHome> home_;

 private Q_SLOTS:
  void initTestCase() { Theme::current().set_mode(ThemeMode::light); }
  void init() { home_ = std::make_unique<OwnHome>(); }

  // ---- search and find ----

  void a_search_finds_a_message_in_another_branch_and_opens_it() {
    ToolsBench bench;
    const auto rivers = *bench.store->create_chat("Rivers");
    ChatMessage reply = message("assistant", "The delta of the Nile");
    const auto first = bench.tell(rivers, {message("user", "Where does it end?")});
    const auto hidden = bench.tell(rivers, {reply}, first);
    bench.tell(rivers, {message("assistant", "In the sea")}, first);
    PW_VERIFY(bench.store->create_chat("The Nile"));
    bench.page->activated();
    auto* results = bench.find<QListView>("chat.results");
    QAbstractItemModelTester tester(results->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    bench.trigger("chat.action.search");
    auto* search = bench.find<QLineEdit>("chat.search");
    search->setText(QStringLiteral("nile"));
    QTRY_COMPARE(results->model()->rowCount(), 2);
    QVERIFY(results->isVisible());
    QVERIFY(bench.find<QWidget>("chat.empty")->isVisible());  // nothing is opened by looking
    QCOMPARE(results->model()->index(0, 0).data().toString(), QStringLiteral("The Nile"));
    QVERIFY(results->model()
                ->index(1, 0)
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("delta")));
    const QString nameless = nameless_focusable_widget(*bench.page);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
    QTest::keyClick(search, Qt::Key_Down);
    results->setCurrentIndex(results->model()->index(1, 0));
    QTest::keyClick(results, Qt::Key_Return);
    QTRY_COMPARE(bench.texts().size(), 2);
    QCOMPARE(bench.texts()[1]->toPlainText(), QStringLiteral("The delta of the Nile"));
    QCOMPARE(bench.last_stored(rivers).id, hidden);
    search->setText(QStringLiteral("zebra"));
    QTRY_VERIFY(bench.find<QLabel>("chat.nothingFound")->isVisible());
    QVERIFY(bench.find<QLabel>("chat.nothingFound")->text().contains(QStringLiteral("zebra")));
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(bench.find<QListView>("chat.list")->isVisible());
  }

  void find_counts_marks_and_goes_around() {
    ToolsBench bench;
    const auto chat = *bench.store->create_chat("c");
    bench.tell(chat, {message("user", "copy the cat"),
                      message("assistant", "A **cat**.\n\n```sh\ncat file\n```\n")});
    bench.page->open_chat(chat);
    QTRY_COMPARE(bench.texts().size(), 2);
    bench.trigger("chat.action.find");
    auto* field = bench.find<QLineEdit>("chat.find");
    auto* count = bench.find<QLabel>("chat.findCount");
    field->setText(QStringLiteral("CAT"));
    QCOMPARE(count->text(), QStringLiteral("0 of 3"));
    QCOMPARE(bench.texts()[1]->extraSelections().size(), 2);
    for (const char* shown : {"1 of 3", "2 of 3", "3 of 3", "1 of 3"}) {
      QTest::keyClick(field, Qt::Key_Return);
      QCOMPARE(count->text(), QLatin1String(shown));
    }
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(count->text(), QStringLiteral("3 of 3"));
    Theme::current().set_mode(ThemeMode::dark);  // lays everything out anew
    QTRY_COMPARE(bench.texts()[1]->extraSelections().size(), 2);
    Theme::current().set_mode(ThemeMode::light);
    field->setText(QStringLiteral("copy"));  // the link in the head of the code is no text of the chat
    QCOMPARE(count->text(), QStringLiteral("0 of 1"));
    field->setText(QStringLiteral("dog"));
    QCOMPARE(count->text(), QStringLiteral("not in this chat"));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!field->isVisible());
    QVERIFY(bench.texts()[1]->extraSelections().isEmpty());
  }

  // ---- files ----

  void files_that_are_no_text_are_refused_in_words_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("word");
    QTest::newRow("binary") << QByteArray("a\0b", 3) << QStringLiteral("not a text file");
    QTest::newRow("Latin-1") << QByteArray("caf\xe9") << QStringLiteral("not UTF-8");
    QTest::newRow("too large") << QByteArray(kLargestAttachment + 1, 'x') << QStringLiteral("up to 1.00 MiB");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("empty");
  }
  void files_that_are_no_text_are_refused_in_words() {
    QFETCH(QByteArray, content);
    QFETCH(QString, word);
    ToolsBench bench;
    bench.page->attach({bench.file("some.txt", content.toStdString())});
    QTRY_VERIFY(bench.chips().isEmpty());
    QVERIFY2(bench.notice().contains(word) && bench.notice().contains(QStringLiteral("some.txt")),
             qPrintable(bench.notice()));
  }

  void what_is_no_file_is_refused_and_the_window_goes_on() {
    ToolsBench bench;
    const auto pipe = bench.folder.path() / "pipe.txt";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);  // nobody ever writes into it
    bench.page->attach({QString::fromStdString(pipe.string())});
    QTRY_VERIFY2(bench.notice().contains(QStringLiteral("It is a pipe")), qPrintable(bench.notice()));
    bench.page->attach({QStringLiteral("/nowhere/at-all.txt")});
    QTRY_VERIFY2(bench.notice().contains(QStringLiteral("/nowhere/at-all.txt")), qPrintable(bench.notice()));
    QTRY_VERIFY(bench.chips().isEmpty());
  }

  void a_message_waits_for_its_files() {
    ToolsBench bench;
    const QString slow = bench.file("slow.txt", "text");
    bench.find<QPlainTextEdit>("chat.input")->setPlainText(QStringLiteral("Read it"));
    QVERIFY(bench.find<QPushButton>("chat.send")->isEnabled());
    bench.page->attach({slow});
    QCOMPARE(bench.chips(), QStringList{QStringLiteral("slow.txt · reading…")});
    QVERIFY(!bench.find<QPushButton>("chat.send")->isEnabled());
    bench.trigger("chat.action.send");
    QVERIFY(bench.stored().empty());
    bench.visible<QToolButton>("chat.removeAttachment")->click();  // it is not waited for any more
    QVERIFY(bench.find<QPushButton>("chat.send")->isEnabled());
    bench.page->attach({slow});
    bench.open_page();  // the window goes while it is read
    QTRY_COMPARE(bench.chips(), QStringList{QStringLiteral("slow.txt · 4 B")});
    QVERIFY(bench.find<QPushButton>("chat.send")->isEnabled());
  }

  void what_is_being_written_counts_in_the_context() {
    ToolsBench bench;
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    auto* context = bench.find<QLabel>("chat.context");
    input->setPlainText(QString(1000, QLatin1Char('x')));  // a byte a token
    QVERIFY(bench.serve());
    QTRY_COMPARE(context->text(), QStringLiteral("1,000 of 2,048 tokens in context with this message"));
    bench.page->attach({bench.file("more.txt", std::string(1200, 'y'))});
    QTRY_COMPARE(context->text(),
                 QStringLiteral("△ 2,200 tokens with this message, more than the 2,048 of the context"));
    bench.visible<QToolButton>("chat.removeAttachment")->click();
    QTRY_COMPARE(context->text(), QStringLiteral("1,000 of 2,048 tokens in context with this message"));
    input->clear();
    QTRY_COMPARE(context->text(), QStringLiteral("2,048 tokens of context"));
  }

  void a_file_goes_with_its_message() {
    ToolsBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    const QString steps = bench.file("steps.csv", "\xEF\xBB\xBFstep,ms\n1,5.2\n");
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(steps), QUrl::fromLocalFile(bench.file("b.txt", "```\nfenced"))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(bench.page.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(bench.page.get(), &drop);
    QTRY_COMPARE(bench.chips(), (QStringList{QStringLiteral("steps.csv · 14 B · 14 tokens"),
                                             QStringLiteral("b.txt · 10 B · 10 tokens")}));
    bench.page->attach({steps});
    QVERIFY(bench.notice().contains(QStringLiteral("attached already")));
    bench.visible<QToolButton>("chat.removeAttachment")->click();
    QTRY_COMPARE(bench.chips(), QStringList{QStringLiteral("b.txt · 10 B · 10 tokens")});
    bench.page->attach({steps});
    bench.open_page();  // what is being written outlives the window
    QTRY_COMPARE(bench.chips().size(), 2);
    QTRY_COMPARE(bench.chips().filter(QStringLiteral("tokens")).size(), 2);  // both are read
    bench.write("What is in it?");
    QTRY_VERIFY(bench.last_state() == kComplete && bench.idle());
    const auto stored = bench.stored();
    QCOMPARE(stored[0].attachments.size(), std::size_t{2});
    QCOMPARE(stored[0].attachments[1].content, std::string("step,ms\n1,5.2\n"));
    QCOMPARE(stored[0].attachments[1].tokens, std::int64_t{14});
    QTRY_COMPARE(bench.chips().size(), 2);  // now of the message
    const auto timings = timings_from_json(bench.last_stored().timings_json);
    QVERIFY(timings && timings->record.prompt_tokens > 50);  // a byte a token: the files were read
    // Another version of the message has them too.
    bench.trigger("chat.action.edit");
    QTRY_COMPARE(bench.chips().size(), 4);
  }

  void a_model_is_not_attached_by_dropping_it() {
    ToolsBench bench;
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/model.gguf"))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QApplication::sendEvent(bench.page.get(), &enter);
    QVERIFY(!enter.isAccepted());
  }

  // ---- presets ----

  void presets_are_chosen_saved_renamed_and_deleted() {
    ToolsBench bench;
    auto* choice = bench.find<QComboBox>("chat.preset");
    auto* temperature = bench.find<QDoubleSpinBox>("chat.temperature");
    QCOMPARE(choice->currentText(), QStringLiteral("Balanced"));
    const auto choose = [&](const char* name) {
      const int index = choice->findText(QLatin1String(name));
      choice->setCurrentIndex(index);
      Q_EMIT choice->activated(index);
    };
    choose("Precise");
    QCOMPARE(temperature->value(), 0.0);
    temperature->setValue(0.3);
    QCOMPARE(choice->currentText(), QStringLiteral("own settings"));
    bench.find<QPlainTextEdit>("chat.systemPrompt")->setPlainText(QStringLiteral("Be kind."));
    const auto save_as = [&](const char* name) {
      bench.find<QLineEdit>("chat.presetName")->setText(QLatin1String(name));
      bench.find<QPushButton>("chat.takePresetName")->click();
    };
    bench.find<QPushButton>("chat.savePreset")->click();
    save_as("balanced");
    QVERIFY(bench.find<QLabel>("chat.presetRefusal")->text().contains(QStringLiteral("balanced")));
    save_as("Mine");
    QCOMPARE(choice->currentText(), QStringLiteral("Mine"));
    choose("Code");
    QVERIFY(!bench.find<QPushButton>("chat.deletePreset")->isVisible());  // shipped
    QVERIFY(bench.find<QPlainTextEdit>("chat.systemPrompt")->toPlainText() != QLatin1String("Be kind."));
    bench.open_page();
    choice = bench.find<QComboBox>("chat.preset");
    temperature = bench.find<QDoubleSpinBox>("chat.temperature");
    QCOMPARE(choice->currentText(), QStringLiteral("Code"));
    choose("Mine");
    QCOMPARE(temperature->value(), 0.3);
    QCOMPARE(bench.find<QPlainTextEdit>("chat.systemPrompt")->toPlainText(), QStringLiteral("Be kind."));
    bench.find<QPushButton>("chat.renamePreset")->click();
    save_as("Yours");
    QCOMPARE(choice->currentText(), QStringLiteral("Yours"));
    bench.find<QPushButton>("chat.deletePreset")->click();
    QCOMPARE(choice->findText(QStringLiteral("Yours")), -1);
    QCOMPARE(choice->currentText(), QStringLiteral("own settings"));
    bench.trigger("chat.action.undo");
    QCOMPARE(choice->currentText(), QStringLiteral("Yours"));
    QCOMPARE(ChatPreferences().presets().size(), std::size_t{1});
  }

  void lines_stay_short_on_a_wide_screen() {
    ToolsBench bench;
    bench.page->resize(3840, 1200);
    QTRY_VERIFY(bench.find<QWidget>("chat.view")->width() <= units(260));
    QVERIFY(bench.find<QWidget>("chat.input")->width() <= units(260));
    bench.page->resize(1300, 800);
    QTRY_VERIFY(bench.find<QWidget>("chat.view")->width() > units(140));
  }

  // ---- sending ----

  void enter_sends_where_it_is_set() {
    ToolsBench bench;
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    input->setPlainText(QStringLiteral("one"));
    input->moveCursor(QTextCursor::End);
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(input->toPlainText(), QStringLiteral("one\n"));
    bench.preferences.set_send_key(SendKey::enter);
    bench.page->activated();
    QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(bench.stored().empty() && !input->toPlainText().isEmpty());
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(input->toPlainText(), QString());
    QTRY_COMPARE(bench.stored().size(), std::size_t{2});
    QCOMPARE(Preferences(bench.folder.path()).send_key(), SendKey::enter);
  }

  void what_is_sent_while_a_model_loads_goes_when_it_serves() {
    ToolsBench bench;
    const auto model = write_tiny_model(bench.folder.path(), TinyModel());
    Settings settings;
    PW_VERIFY(settings.set("port", "0"));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    bench.engine->start(QString::fromStdString(model.string()), settings);
    QCOMPARE(bench.engine->state(), EngineState::loading);
    QVERIFY(bench.find<QLabel>("chat.hint")->text().startsWith(QStringLiteral("Loading")));
    bench.write("Are you there?");
    QCOMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QStringLiteral("Are you there?"));
    QTRY_COMPARE_WITH_TIMEOUT(bench.last_state(), std::string(kComplete), 60'000);
    QCOMPARE(bench.stored()[0].content, std::string("Are you there?"));
    QCOMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QString());
  }

  void each_chat_has_a_draft_of_its_own() {
    ToolsBench bench;
    const auto a = *bench.store->create_chat("A"), b = *bench.store->create_chat("B");
    bench.tell(a, {message("user", "in A"), message("assistant", "yes")});
    bench.tell(b, {message("user", "in B")});
    const auto written = [&] { return bench.find<QPlainTextEdit>("chat.input")->toPlainText(); };
    const auto type = [&](const char* text) {
      bench.find<QPlainTextEdit>("chat.input")->setPlainText(QString::fromUtf8(text));
    };
    type("of the new one");
    bench.page->open_chat(a);
    QTRY_COMPARE(bench.texts().size(), 2);
    QCOMPARE(written(), QString());
    type("A's draft");
    bench.page->attach({bench.file("a.txt", "text")});
    bench.page->open_chat(b);  // while its file is read
    QTRY_COMPARE(bench.texts().size(), 1);
    QCOMPARE(written(), QString());
    QVERIFY(bench.chips().isEmpty());
    bench.visible<QToolButton>("chat.edit")->click();
    QCOMPARE(written(), QStringLiteral("in B"));
    bench.page->open_chat(a);  // an edit ends, and is nobody's draft
    QTRY_COMPARE(written(), QStringLiteral("A's draft"));
    QTRY_COMPARE(bench.chips(), QStringList{QStringLiteral("a.txt · 4 B")});
    bench.trigger("chat.action.new");
    QCOMPARE(written(), QStringLiteral("of the new one"));
    QVERIFY(bench.chips().isEmpty());
    bench.open_page();  // over a start too
    QCOMPARE(written(), QStringLiteral("of the new one"));
    bench.page->open_chat(b);
    QTRY_COMPARE(bench.texts().size(), 1);
    QCOMPARE(written(), QString());
    bench.page->open_chat(a);
    QTRY_COMPARE(written(), QStringLiteral("A's draft"));
    QTRY_COMPARE(bench.chips(), QStringList{QStringLiteral("a.txt · 4 B")});
  }

  void what_is_typed_after_a_new_chats_first_message_stays_with_it() {
    ToolsBench bench;
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    bench.write("Begin");
    input->setPlainText(QStringLiteral("and then"));
    QTRY_COMPARE(bench.stored().size(), std::size_t{2});
    QTRY_VERIFY(bench.idle());
    bench.trigger("chat.action.new");
    QCOMPARE(input->toPlainText(), QString());
    bench.page->open_chat(1);
    QTRY_COMPARE(input->toPlainText(), QStringLiteral("and then"));
  }

  void a_refusal_is_said_until_a_message_is_written() {
    ToolsBench bench;
    QSignalSpy outdated(bench.page.get(), &Page::banner_outdated);
    SQLite::Database disk((bench.folder.path() / "pitwall.db").string(), SQLite::OPEN_READWRITE);
    disk.exec("CREATE TRIGGER no_room BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'full'); END");
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    bench.write("Kept");
    QTRY_COMPARE(bench.banners.size(), std::size_t{1});
    QTRY_COMPARE(input->toPlainText(), QStringLiteral("Kept"));
    QVERIFY(outdated.isEmpty());
    disk.exec("DROP TRIGGER no_room");
    bench.trigger("chat.action.send");
    QTRY_COMPARE(outdated.size(), 1);
    QCOMPARE(outdated[0][0].toString(), bench.banners[0].text);
  }

  void a_message_that_waits_for_a_model_does_not_go_into_another_chat() {
    ToolsBench bench;
    const auto other = *bench.store->create_chat("Other");
    bench.tell(other, {message("user", "one"), message("assistant", "two")});
    const auto model = write_tiny_model(bench.folder.path(), TinyModel());
    Settings settings;
    PW_VERIFY(settings.set("port", "0"));
    bench.page->open_chat(other);
    QTRY_COMPARE(bench.texts().size(), 2);
    bench.find<QPlainTextEdit>("chat.input")->setPlainText(QStringLiteral("kept"));
    bench.trigger("chat.action.new");
    bench.engine->start(QString::fromStdString(model.string()), settings);
    bench.write("Are you there?");
    bench.page->open_chat(other);
    QTRY_COMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QStringLiteral("kept"));
    QTRY_COMPARE_WITH_TIMEOUT(bench.engine->state(), EngineState::serving, 60'000);
    QVERIFY(!bench.find<QPushButton>("chat.cancel")->isVisible());
    QCOMPARE(bench.stored(other).size(), std::size_t{2});
    bench.trigger("chat.action.new");
    QCOMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QStringLiteral("Are you there?"));
  }

  void a_conversation_that_is_too_long_is_shortened_on_request() {
    ToolsBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    bench.write("Early");
    QTRY_VERIFY(bench.last_state() == kComplete && bench.idle());
    bench.write(std::string(5000, 'x').c_str());  // a byte a token; the context has 2,048
    QTRY_VERIFY(bench.last_state().starts_with(kTooLongPrefix));
    QTRY_VERIFY(bench.visible<QLabel>("chat.trouble") != nullptr);
    QVERIFY2(bench.visible<QLabel>("chat.trouble")->text().contains(QStringLiteral("2,048")),
             qPrintable(bench.visible<QLabel>("chat.trouble")->text()));
    QTRY_VERIFY(bench.idle());
    bench.page->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(bench.page.get()));
    bench.visible<QPushButton>("chat.shorten")->setFocus();
    bench.visible<QPushButton>("chat.shorten")->click();
    QVERIFY(bench.find<QPlainTextEdit>("chat.input")->hasFocus());  // the button has gone
    QTRY_COMPARE(bench.last_state(), std::string(kComplete));
    const auto timings = timings_from_json(bench.last_stored().timings_json);
    QVERIFY(timings.has_value());
    QCOMPARE(timings->left_out_messages, std::int64_t{2});
    QVERIFY(timings->left_out_characters > 3000);
    QVERIFY(timings->record.prompt_tokens > 1000);
    QCOMPARE(bench.stored()[2].content.size(), std::size_t{5000});  // the chat itself is whole
    QTRY_VERIFY(bench.page->findChildren<TimingsStrip*>().back()->accessibleName().contains(
        QStringLiteral("messages left out 2")));
  }

  void timings_lead_to_the_steps_of_their_request() {
    ToolsBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(130);
    bench.find<QPlainTextEdit>("chat.systemPrompt")->setPlainText(QStringLiteral("Be brief."));
    bench.write("Go on");
    QTRY_VERIFY(bench.last_state() == kComplete && bench.idle());
    QSignalSpy asked(bench.page.get(), &ChatPage::steps_requested);
    auto* strip = bench.page->findChildren<TimingsStrip*>().back();
    QTRY_VERIFY(strip->isVisible());
    QTest::keyClick(strip, Qt::Key_Space);
    QCOMPARE(asked.size(), 1);
    const auto record = asked[0][0].value<RequestRecord>();
    QVERIFY(record.output_tokens > 0 && record.scheduled > 0);
    const auto timings = timings_from_json(bench.last_stored().timings_json);
    QCOMPARE(std::isnan(timings->itl_p99_ms), record.output_tokens <= 100);
    QVERIFY(bench.find<QWidget>("chat.prefix")->isVisible());
  }

  void a_click_on_timings_shows_the_first_step_of_the_request() {
    ChatBench bench;  // its own page stands aside
    const auto window =
        compose_window(*bench.engine, *bench.store, bench.preferences, [](const std::string&) {
          return Result<GpuProfile>(Error{Error::Kind::not_found, "no GPU", {}, {}, {}});
        });
    window->show();
    QVERIFY(bench.serve());
    window->show_page(QStringLiteral("chat"));
    auto* page = static_cast<ChatPage*>(window->current_page());
    page->findChild<QSpinBox*>(QStringLiteral("chat.maxTokens"))->setValue(8);
    page->findChild<QPlainTextEdit*>(QStringLiteral("chat.input"))->setPlainText(QStringLiteral("Hello"));
    page->findChild<QPushButton*>(QStringLiteral("chat.send"))->click();
    QTRY_COMPARE(bench.last_state(), std::string(kComplete));
    QSignalSpy chosen(window->findChild<LiveView*>(), &LiveView::step_chosen);
    const auto click = [&] {
      page->findChildren<TimingsStrip*>().back()->click();
      return !chosen.isEmpty();
    };
    QVERIFY(QTest::qWaitFor(click, 20'000));  // the serve page looks at the engine four times a second
    QCOMPARE(window->current_page()->id(), QStringLiteral("serve"));
    const std::uint64_t step = chosen.back()[0].toULongLong();
    bool joined = false;
    for (const StepRecord& record : bench.engine->engine()->recorder().last_steps(100))
      if (record.step == step) joined = record.joined > 0;
    QVERIFY(joined);
  }

  // ---- exports ----

  void exports_hold_what_they_say() {
    ToolsBench bench;
    const auto chat = *bench.store->create_chat("Why <b>?");
    ChatMessage prompt = message("user", "<script>alert(1)</script> why?");
    prompt.attachments = {{"a.txt", "file & text", 3}};
    const auto first = bench.tell(chat, {prompt});
    ChatMessage reply = message(
        "assistant",
        "**Bold** <img src=x onerror=alert(1)> [bad](javascript:alert(1)) ![p](https://e.org/p.png)\n");
    reply.timings_json = timings_to_json({record(), 9.5});
    bench.tell(chat, {message("assistant", "older")}, first);
    bench.tell(chat, {reply}, first);
    bench.page->activated();
    QTRY_COMPARE(bench.find<QListView>("chat.list")->model()->rowCount(), 1);
    bench.page->open_chat(chat);
    QTRY_COMPARE(bench.texts().size(), 2);
    const auto exported = [&](const char* name) {
      const auto path = bench.folder.path() / name;
      bench.page->export_to(QString::fromStdString(path.string()));
      const auto text = read_file(path);
      return text ? QString::fromStdString(*text) : QString();
    };
    const QString html = exported("chat.html");
    QVERIFY(html.contains(QStringLiteral("Content-Security-Policy")));
    QVERIFY(html.contains(QStringLiteral("<strong>Bold</strong>")));
    QVERIFY(html.contains(QStringLiteral("&lt;script&gt;")) &&
            html.contains(QStringLiteral("file &amp; text")));
    for (const char* never : {"<script", "<img", "href=\"javascript"})
      QVERIFY2(!html.contains(QLatin1String(never)), never);
    QVERIFY(html.contains(QStringLiteral("ITL p99 9.50 ms")));
    QVERIFY(html.contains(QStringLiteral("2 of 2")) && !html.contains(QStringLiteral("older")));

    const QJsonObject json = QJsonDocument::fromJson(exported("chat.json").toUtf8()).object();
    const QJsonArray messages = json[QStringLiteral("messages")].toArray();
    QCOMPARE(messages.size(), 3);
    QCOMPARE(json[QStringLiteral("shown")].toArray().size(), 2);
    QCOMPARE(messages[2][QStringLiteral("timings")][QStringLiteral("itl_p99_ms")].toDouble(), 9.5);
    QCOMPARE(messages[1][QStringLiteral("chosen")].toBool(true), false);
    QCOMPARE(messages[0][QStringLiteral("attachments")].toArray().size(), 1);

    const QString markdown = exported("chat.md");
    QVERIFY(markdown.startsWith(QStringLiteral("# Why <b>?\n\n## You\n\n<script>")));
    QVERIFY(markdown.contains(QStringLiteral("a.txt:\n```\nfile & text\n```")));
    bench.page->export_to(QStringLiteral("/tmp/chat.doc"));
    QVERIFY(bench.banners.back().text.contains(QStringLiteral(".json")));
  }

  void a_reply_is_copied_as_markdown() {
    ToolsBench bench;
    const auto chat = *bench.store->create_chat("c");
    bench.tell(chat, {message("assistant", "**Bold**\n")});
    bench.page->open_chat(chat);
    QTRY_COMPARE(bench.texts().size(), 1);
    bench.visible<QToolButton>("chat.copy")->click();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("**Bold**\n"));
  }
};

QTEST_MAIN(ChatToolsTest)
#include "chat_tools_test.moc"
