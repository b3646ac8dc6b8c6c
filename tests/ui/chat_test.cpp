// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QtTest>

#include "tests/support/accessible_names.h"
#include "tests/ui/chat_bench.h"
#include "ui/chat/timings_strip.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using namespace pitwall::test;

class ChatTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<OwnHome> home_;

 private Q_SLOTS:
  void initTestCase() { Theme::current().set_mode(ThemeMode::light); }
  void init() { home_ = std::make_unique<OwnHome>(); }

  // ---- the page, without an engine ----

  void every_focusable_widget_has_a_name() {
    ChatBench bench;
    bench.write("hello");
    QTRY_VERIFY(!bench.last_state().empty());
    const QString nameless = test::nameless_focusable_widget(*bench.page);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless));
  }

  void an_empty_chat_offers_three_prompts() {
    ChatBench bench;
    auto* empty = bench.find<QWidget>("chat.empty");
    const auto offers = empty->findChildren<QPushButton*>();
    QCOMPARE(offers.size(), 3);
    offers[1]->click();
    QVERIFY(bench.find<QPlainTextEdit>("chat.input")->toPlainText().size() > 1000);
    QVERIFY(bench.stored().empty());
  }

  void an_empty_chat_shows_its_beginning_where_it_does_not_fit() {
    ChatBench bench;
    bench.page->resize(1000, 900);
    auto* bar = bench.find<QScrollArea>("chat.view")->verticalScrollBar();
    QTRY_COMPARE(bar->maximum(), 0);
    bench.page->resize(1000, 360);
    QTRY_VERIFY(bar->maximum() > 0);
    QCOMPARE(bar->value(), 0);
    bench.open_page();
    bench.page->resize(1000, 360);
    bar = bench.find<QScrollArea>("chat.view")->verticalScrollBar();
    QTRY_VERIFY(bar->maximum() > 0);
    QCOMPARE(bar->value(), 0);
  }

  void choosing_the_page_again_is_for_writing() {
    ChatBench bench;
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    auto* search = bench.find<QLineEdit>("chat.search");
    bench.page->activated();
    QCOMPARE(bench.page->focusWidget(), input);
    search->setFocus();
    bench.page->hide();
    bench.page->show();
    bench.page->activated();
    QCOMPARE(bench.page->focusWidget(), search);
    bench.page->activated();
    QCOMPARE(bench.page->focusWidget(), input);
  }

  void letters_go_to_the_message() {
    ChatBench bench;
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    const auto chat = bench.store->create_chat("hello");
    PW_VERIFY(chat);
    bench.page->activated();
    auto* list = bench.find<QListView>("chat.list");
    QTRY_COMPARE(list->model()->rowCount(), 1);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Space);
    QCOMPARE(bench.page->focusWidget(), list);
    QTest::keyClick(list, Qt::Key_H);
    QCOMPARE(bench.page->focusWidget(), input);
    for (const char letter : {'e', 'l', 'l', 'o'}) QTest::keyClick(bench.page->focusWidget(), letter);
    QCOMPARE(input->toPlainText(), QLatin1String("hello"));
    for (const char* place : {"chat.view", "chat.new"}) {
      auto* focused = bench.find<QWidget>(place);
      focused->setFocus();
      QTest::keyClick(focused, Qt::Key_X);
      QCOMPARE(bench.page->focusWidget(), input);
    }
    QCOMPARE(input->toPlainText(), QLatin1String("helloxx"));
  }

  void what_another_window_wrote_is_shown() {
    ChatBench bench;
    const auto chat = bench.store->create_chat("Shared");
    PW_VERIFY(chat);
    const auto asked = bench.tell(*chat, {message("user", "Why?"), message("assistant", "Because.")});
    bench.page->open_chat(*chat);
    const auto last_text = [&bench] {
      const auto texts = bench.texts();
      return texts.isEmpty() ? QString() : texts.back()->toPlainText().trimmed();
    };
    QTRY_COMPARE(last_text(), QLatin1String("Because."));
    // The other window begins a chat, and writes another reply in this one.
    const auto other = Store::open(bench.folder.path() / "pitwall.db");
    PW_VERIFY(other);
    PW_VERIFY((*other)->create_chat("Elsewhere"));
    ChatMessage again = message("assistant", "For another reason.");
    again.parent = (*other)->messages(*chat)->front().id;
    const auto added = (*other)->add_message(*chat, again);
    PW_VERIFY(added);
    PW_VERIFY((*other)->choose_message(*added));
    QEvent entered(QEvent::WindowActivate);
    QApplication::sendEvent(bench.page.get(), &entered);
    QTRY_COMPARE(bench.find<QListView>("chat.list")->model()->rowCount(), 2);
    QTRY_COMPARE(last_text(), QLatin1String("For another reason."));
    QVERIFY(asked != *added);
    // What is being edited stays.
    bench.trigger("chat.action.edit");
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    QCOMPARE(input->toPlainText(), QLatin1String("Why?"));
    PW_VERIFY((*other)->choose_message(asked));
    PW_VERIFY((*other)->create_chat("A third"));
    QApplication::sendEvent(bench.page.get(), &entered);
    QTRY_COMPARE(bench.find<QListView>("chat.list")->model()->rowCount(), 3);
    QCOMPARE(input->toPlainText(), QLatin1String("Why?"));
    QTest::keyClick(input, Qt::Key_Escape);
    QApplication::sendEvent(bench.page.get(), &entered);
    QTRY_COMPARE(last_text(), QLatin1String("Because."));
  }

  void what_is_sent_without_a_model_is_kept() {
    ChatBench bench;
    QSignalSpy asked(bench.page.get(), &ChatPage::page_requested);
    QVERIFY(bench.find<QLabel>("chat.hint")->isVisible());
    bench.find<QPushButton>("chat.goToServe")->click();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("serve"));
    bench.write("Is anyone there?\nSecond line");
    QTRY_VERIFY(bench.last_state().starts_with(kErrorPrefix));
    const auto stored = bench.stored();
    QCOMPARE(stored.size(), std::size_t{2});
    QCOMPARE(stored[0].content, std::string("Is anyone there?\nSecond line"));
    QTRY_VERIFY(bench.visible<QLabel>("chat.trouble") != nullptr);
    QVERIFY(bench.visible<QLabel>("chat.trouble")->text().contains(QStringLiteral("No model is serving")));
    QVERIFY(bench.visible<QPushButton>("chat.tryAgain") != nullptr);
    QTRY_COMPARE(bench.find<QListView>("chat.list")->model()->rowCount(), 1);
    QCOMPARE(bench.find<QListView>("chat.list")->model()->index(0, 0).data().toString(),
             QStringLiteral("Is anyone there?"));
    QCOMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QString());
  }

  void text_not_sent_outlives_the_window() {
    ChatBench bench;
    bench.find<QPlainTextEdit>("chat.input")->setPlainText(QStringLiteral("half a thought"));
    bench.open_page();
    QCOMPARE(bench.find<QPlainTextEdit>("chat.input")->toPlainText(), QStringLiteral("half a thought"));
  }

  void a_reply_cut_off_by_a_kill_is_shown_as_incomplete() {
    ChatBench bench;
    const auto chat = bench.store->create_chat("killed");
    PW_VERIFY(chat);
    bench.tell(*chat, {message("user", "Go on"), message("assistant", "Once upon", kStreaming)});
    bench.reopen_store();
    bench.open_page();
    bench.page->open_chat(*chat);
    QTRY_COMPARE(bench.texts().size(), 2);
    QCOMPARE(bench.texts()[1]->toPlainText(), QStringLiteral("Once upon"));
    QStringList states;
    for (const QLabel* tag : bench.page->findChildren<QLabel*>(QStringLiteral("chat.state")))
      if (tag->isVisible()) states << tag->text();
    QCOMPARE(states, QStringList{QStringLiteral("△ incomplete: cut off")});
  }

  void deleted_chats_come_back() {
    ChatBench bench;
    const auto first = bench.store->create_chat("first");
    bench.tell(*first, {message("user", "one")});
    PW_VERIFY(bench.store->create_chat("second"));
    bench.page->activated();
    auto* list = bench.find<QListView>("chat.list");
    QTRY_COMPARE(list->model()->rowCount(), 2);
    bench.page->open_chat(*first);
    QTRY_COMPARE(bench.texts().size(), 1);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QCOMPARE(bench.banners.back().verb, QStringLiteral("Undo"));
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(list->model()->rowCount(), 0);
    // By the key, and the banner that offered it goes; then by the other's banner.
    QSignalSpy outdated(bench.page.get(), &ui::Page::banner_outdated);
    bench.trigger("chat.action.undo");
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QCOMPARE(outdated.last().front().toString(), bench.banners.back().text);
    bench.banners.back().action();  // too late: nothing happens
    QCOMPARE(outdated.size(), 1);
    bench.banners.front().action();
    QTRY_COMPARE(list->model()->rowCount(), 2);
    QTRY_COMPARE(bench.texts().size(), 1);
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    bench.open_page();  // the window was closed meanwhile
    list = bench.find<QListView>("chat.list");
    QTRY_COMPARE(list->model()->rowCount(), 1);
    bench.trigger("chat.action.undo");
    QTRY_COMPARE(list->model()->rowCount(), 2);
  }

  void links_are_shown_before_they_are_opened() {
    ChatBench bench;
    const auto chat = bench.store->create_chat("links");
    PW_VERIFY(
        bench.store->add_message(*chat, message("assistant", "[safe bank](https://evil.example/?q=1)")));
    bench.page->open_chat(*chat);
    QTRY_COMPARE(bench.texts().size(), 1);
    Q_EMIT bench.texts()[0]->anchorClicked(QUrl(QStringLiteral("https://evil.example/?q=1")));
    QVERIFY(bench.banners.back().text.contains(QStringLiteral("https://evil.example/?q=1")));
    QVERIFY(!bench.banners.back().verb.isEmpty());
    Q_EMIT bench.texts()[0]->anchorClicked(QUrl(QStringLiteral("file:///etc/passwd")));
    QVERIFY(bench.banners.back().verb.isEmpty());
  }

  void a_long_chat_shows_its_end_first() {
    ChatBench bench;
    const auto chat = bench.store->create_chat("long");
    std::vector<ChatMessage> messages;
    for (int i = 0; i < 100; ++i) messages.push_back(message(i % 2 ? "assistant" : "user", "text"));
    bench.tell(*chat, messages);
    bench.page->open_chat(*chat);
    QTRY_VERIFY(bench.texts().size() >= 40);
    QVERIFY(bench.texts().size() < 100);
    bench.trigger("chat.action.find");
    bench.find<QLineEdit>("chat.find")->setText(QStringLiteral("text"));
    QTRY_COMPARE(bench.texts().size(), 100);
  }

  void both_themes_and_a_narrow_window() {
    ChatBench bench;
    const auto chat = bench.store->create_chat("looks");
    ChatMessage reply = message("assistant", kReply);
    reply.timings_json = timings_to_json({record()});
    bench.tell(*chat, {message("user", "What is it?"), reply});
    bench.page->open_chat(*chat);
    QTRY_COMPARE(bench.texts().size(), 2);
    for (const ThemeMode mode : {ThemeMode::dark, ThemeMode::light}) {
      Theme::current().set_mode(mode);
      QTRY_COMPARE(bench.page->palette().color(QPalette::Window), Theme::current().colour(Colour::window));
      const QImage picture = bench.page->grab().toImage();
      QCOMPARE(picture.pixelColor(1, 1), Theme::current().colour(Colour::window));
      QVERIFY(bench.texts()[1]->toPlainText().contains(QStringLiteral("End.")));
    }
    QVERIFY(bench.find<QWidget>("chat.sampling")->isVisible());
    bench.page->resize(Theme::current().units(260), 700);
    QVERIFY(!bench.find<QWidget>("chat.sampling")->isVisible());
    bench.find<QToolButton>("chat.showSampling")->click();
    QVERIFY(bench.find<QWidget>("chat.sampling")->isVisible());
  }

  // ---- the page, with an engine ----

  void a_reply_streams_and_survives() {
    ChatBench bench;
    QVERIFY(bench.serve());
    QTRY_VERIFY(!bench.find<QLabel>("chat.hint")->isVisible());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(24);
    bench.find<QPlainTextEdit>("chat.systemPrompt")->setPlainText(QStringLiteral("Be brief."));
    bench.find<QPlainTextEdit>("chat.input")->setPlainText(QStringLiteral("Hello"));
    QTest::keyClick(bench.find<QPlainTextEdit>("chat.input"), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(bench.last_state() == kComplete && bench.stored().size() == 3);
    const auto stored = bench.stored();
    const ChatMessage reply = bench.last_stored();
    QCOMPARE(reply.model, std::string("tiny"));
    const auto timings = timings_from_json(reply.timings_json);
    QVERIFY(timings.has_value());
    QVERIFY(timings->record.prompt_tokens > 20);
    QVERIFY(timings->record.output_tokens > 0 && timings->record.output_tokens <= 24);
    QVERIFY(timings->record.ttft_ms() > 0);
    QVERIFY(std::any_of(stored.begin(), stored.end(),
                        [](const ChatMessage& m) { return m.role == "system" && m.content == "Be brief."; }));
    QTRY_VERIFY(bench.find<QToolButton>("chat.regenerate")->isEnabled());
    QVERIFY(
        bench.page->findChildren<TimingsStrip*>().back()->accessibleName().contains(QStringLiteral("TTFT")));

    bench.engine->stop();
    QTRY_COMPARE(bench.engine->state(), EngineState::stopped);
    bench.page.reset();
    bench.engine.reset();
    bench.reopen_store();
    bench.engine = std::make_unique<EngineController>(backend_factory(), bench.store.get());
    bench.open_page();
    bench.page->open_chat(1);
    QTRY_COMPARE(bench.texts().size(), 2);
    MarkdownView expected;
    expected.set_markdown(reply.content);
    QCOMPARE(bench.texts()[1]->toPlainText(), expected.toPlainText());
    QVERIFY(
        bench.page->findChildren<TimingsStrip*>().back()->accessibleName().contains(QStringLiteral("TTFT")));
    QCOMPARE(bench.find<QPlainTextEdit>("chat.systemPrompt")->toPlainText(), QStringLiteral("Be brief."));
  }

  void stop_keeps_what_came() {
    ChatBench bench;
    QVERIFY(bench.serve(60'000));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(0);
    bench.write("Never end");
    QTRY_VERIFY(bench.texts().size() == 2 && !bench.texts()[1]->source().empty());
    // Written before it was asked for, and saved while it grows.
    QCOMPARE(bench.stored().size(), std::size_t{2});
    QTRY_VERIFY(!bench.stored()[1].content.empty());
    QTest::keyClick(bench.find<QPlainTextEdit>("chat.input"), Qt::Key_Escape);
    QTRY_VERIFY(bench.last_state() != kStreaming);
    QVERIFY(bench.last_state() == kStopped || bench.last_state() == kComplete);
    QCOMPARE(bench.stored()[1].content, bench.texts()[1]->source());
    QTRY_VERIFY(bench.engine->engine()->snapshot()->running == 0);
  }

  void the_engine_stops_under_a_reply() {
    ChatBench bench;
    QVERIFY(bench.serve(60'000));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(0);
    bench.write("Never end");
    QTRY_VERIFY(bench.texts().size() == 2 && !bench.texts()[1]->source().empty());
    bench.engine->stop();
    QTRY_COMPARE(bench.engine->state(), EngineState::stopped);
    QTRY_VERIFY(bench.last_state() != kStreaming);
    QTRY_COMPARE(bench.find<QPushButton>("chat.send")->text(), QStringLiteral("Send"));
  }

  void a_message_brings_back_a_chat_that_another_window_deleted() {
    ChatBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(4);
    bench.write("One");
    QTRY_VERIFY(bench.last_state() == kComplete && bench.idle());
    PW_VERIFY(bench.store->remove_chat(1));  // as the other window does
    bench.write("Two");
    QTRY_VERIFY(bench.stored().size() == 4 && bench.last_state() == kComplete);
    QCOMPARE(bench.store->chats()->size(), std::size_t{1});
    QVERIFY(bench.store->removed_chats()->empty());
    QTRY_COMPARE(bench.page->palette_entries().size(), std::size_t{1});
  }

  /// The row that was current goes, and the view has the focus: the page stays where it is.
  void a_chat_that_another_window_deleted_stays_in_sight() {
    ChatBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(4);
    bench.write("One");
    QTRY_VERIFY(bench.last_state() == kComplete && bench.idle());
    bench.trigger("chat.action.new");
    QTRY_VERIFY(bench.find<QWidget>("chat.empty")->isVisible());
    bench.write("Two");
    QTRY_VERIFY(bench.stored(2).size() == 2 && bench.last_state() == kComplete && bench.idle());
    auto* list = bench.find<QListView>("chat.list");
    QTRY_COMPARE(list->model()->rowCount(), 2);
    list->setFocus();
    QTRY_VERIFY(list->hasFocus());
    PW_VERIFY(bench.store->remove_chat(2));  // as the other window does
    QEvent activated(QEvent::WindowActivate);
    QApplication::sendEvent(bench.page.get(), &activated);
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QTRY_VERIFY(bench.idle());
    QCOMPARE(bench.texts()[0]->source(), std::string("Two"));
    QVERIFY(!list->currentIndex().isValid());
  }

  void two_chats_write_at_once() {
    ChatBench bench;
    QVERIFY(bench.serve(60'000));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(0);
    bench.write("One");
    QTRY_VERIFY(bench.texts().size() == 2 && !bench.texts()[1]->source().empty());
    bench.trigger("chat.action.new");
    QTRY_VERIFY(bench.find<QWidget>("chat.empty")->isVisible());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    bench.write("Two");
    QTRY_VERIFY(bench.stored(2).size() == 2 && bench.stored(2)[1].state == kComplete);
    bench.page->open_chat(1);
    QTRY_VERIFY(bench.texts().size() == 2 && bench.texts()[0]->source() == "One");
    QTest::keyClick(bench.find<QPlainTextEdit>("chat.input"), Qt::Key_Escape);
    QTRY_VERIFY(bench.stored(1)[1].state != kStreaming);
    QTRY_COMPARE(bench.stored(1)[1].content, bench.texts()[1]->source());
  }

  void closing_the_window_keeps_what_came() {
    ChatBench bench;
    QVERIFY(bench.serve(60'000));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(0);
    bench.write("Never end");
    QTRY_VERIFY(bench.texts().size() == 2 && !bench.texts()[1]->source().empty());
    const std::string seen = bench.texts()[1]->source();
    bench.page.reset();
    QVERIFY(bench.stored()[1].content.starts_with(seen));
    QVERIFY(bench.last_state() == kStopped || bench.last_state() == kComplete);
    QTRY_VERIFY(bench.engine->engine()->snapshot()->running == 0);
  }

  void the_starter_model_answers() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model has not been fetched");
    ChatBench bench;
    Settings settings;
    PW_VERIFY(settings.set("port", "0"));
    PW_VERIFY(settings.set("max-model-len", "2048"));
    PW_VERIFY(settings.set("max-num-seqs", "2"));
    bench.engine->start(QString::fromStdString(model->string()), settings);
    QTRY_COMPARE_WITH_TIMEOUT(bench.engine->state(), EngineState::serving, 120'000);
    bench.find<QDoubleSpinBox>("chat.temperature")->setValue(0);
    bench.find<QSpinBox>("chat.maxTokens")->setValue(48);
    bench.write("What is the capital of France?");
    QTRY_VERIFY_WITH_TIMEOUT(bench.last_state() == kComplete, 120'000);
    const ChatMessage reply = bench.last_stored();
    QVERIFY2(reply.content.find("Paris") != std::string::npos, reply.content.c_str());
    const auto timings = timings_from_json(reply.timings_json);
    QVERIFY(timings && timings->record.finish == FinishReason::stop);  // the template's end token
  }
};

QTEST_MAIN(ChatTest)
#include "chat_test.moc"
