// SPDX-License-Identifier: GPL-3.0-or-later
// Versions of messages: the tree alone, and the page with a real engine.
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <random>

#include "tests/ui/chat_bench.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using namespace pitwall::test;

namespace {

ChatMessage node(std::int64_t id, std::int64_t parent, const char* role = "user") {
  ChatMessage one = message(role, "text");
  one.id = id;
  one.parent = parent;
  return one;
}

std::vector<std::int64_t> ids(const std::vector<ShownMessage>& messages) {
  std::vector<std::int64_t> result;
  for (const ShownMessage& one : messages) result.push_back(one.id);
  return result;
}
using Ids = std::vector<std::int64_t>;

struct VersionsBench : ChatBench {
  QStringList versions() const {
    QStringList shown;
    for (const QLabel* label : page->findChildren<QLabel*>(QStringLiteral("chat.version")))
      if (label->isVisible()) shown << label->text();
    return shown;
  }
  QStringList prompts() const {
    QStringList shown;
    for (MarkdownView* view : texts())
      if (view->accessibleName() == QLatin1String("Your message")) shown << view->toPlainText();
    return shown;
  }
  bool ask(const char* text) {
    const std::int64_t before = last_stored().id;
    write(text);
    return QTest::qWaitFor([&] { return last_stored().id > before && last_state() == kComplete && idle(); },
                           60'000);
  }
};

}  // namespace

class ChatVersionsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<OwnHome> home_;

 private Q_SLOTS:
  void initTestCase() { Theme::current().set_mode(ThemeMode::light); }
  void init() { home_ = std::make_unique<OwnHome>(); }

  void a_branch_follows_the_choices() {
    ConversationTree tree({node(1, 0), node(2, 1, "assistant"), node(9, 0, "system"), node(3, 2)});
    QCOMPARE(ids(tree.branch()), (Ids{1, 2, 3}));
    tree.put(node(4, 1, "assistant"));
    QCOMPARE(ids(tree.branch()), (Ids{1, 4}));
    QCOMPARE(tree.branch()[1].version, std::size_t{2});
    QCOMPARE(tree.branch()[1].versions, std::size_t{2});
    QCOMPARE(tree.version_beside(4, -1), std::int64_t{2});
    QCOMPARE(tree.version_beside(4, 1), std::int64_t{0});
    tree.choose(2);
    QCOMPARE(ids(tree.branch()), (Ids{1, 2, 3}));
    tree.remove(2);
    QCOMPARE(ids(tree.branch()), (Ids{1, 4}));  // the newest where none is chosen
    QCOMPARE(tree.all().size(), std::size_t{2});
    QVERIFY(ConversationTree().branch().empty());
  }

  /// The tree in the window and the one in the store are told the same and say the same.
  void tree_and_store_agree() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    TemporaryFolder folder;
    const auto store = Store::open(folder.path() / "pitwall.db");
    PW_VERIFY(store);
    const auto chat = *(*store)->create_chat("c");
    ConversationTree tree;
    for (int round = 0; round < 200; ++round) {
      const auto& all = tree.all();
      const std::int64_t any = all.empty() ? 0 : all[random() % all.size()].id;
      const auto action = any == 0 ? 0u : random() % 4;
      if (action <= 1) {
        ChatMessage one = node(0, random() % 4 == 0 ? 0 : any);
        one.id = *(*store)->add_message(chat, one);
        tree.put(one);
      } else if (action == 2) {
        // A choice is made among the messages that are shown.
        const auto branch = tree.branch();
        const auto beside = tree.version_beside(branch[random() % branch.size()].id, random() % 2 ? 1 : -1);
        if (beside == 0) continue;
        PW_VERIFY((*store)->choose_message(beside));
        tree.choose(beside);
      } else {
        PW_VERIFY((*store)->remove_message(any));
        tree.remove(any);
      }
      QCOMPARE(ids(ConversationTree(*(*store)->messages(chat)).branch()), ids(tree.branch()));
    }
  }

  void regenerating_keeps_the_reply_that_was_there() {
    VersionsBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(12);
    bench.find<QLineEdit>("chat.seed")->setText(QStringLiteral("1"));
    QVERIFY(bench.ask("First"));
    QVERIFY(bench.versions().isEmpty());
    const ChatMessage first = bench.last_stored();
    bench.trigger("chat.action.regenerate");
    QTRY_VERIFY(bench.last_stored().id > first.id && bench.last_state() == kComplete);
    QTRY_VERIFY(bench.idle());
    QCOMPARE(bench.last_stored().content, first.content);  // the same seed
    QTRY_COMPARE(bench.versions(), QStringList{QStringLiteral("2 of 2")});
    QVERIFY(bench.ask("Second"));
    QCOMPARE(bench.prompts(), (QStringList{QStringLiteral("First"), QStringLiteral("Second")}));

    bench.trigger("chat.action.earlierVersion");
    QTRY_COMPARE(bench.versions(), QStringList{QStringLiteral("1 of 2")});
    QCOMPARE(bench.prompts(), QStringList{QStringLiteral("First")});
    bench.trigger("chat.action.earlierVersion");  // there is none
    QCOMPARE(bench.versions(), QStringList{QStringLiteral("1 of 2")});
    bench.open_page();  // the choice is remembered
    bench.page->open_chat(1);
    QTRY_COMPARE(bench.versions(), QStringList{QStringLiteral("1 of 2")});
    bench.trigger("chat.action.laterVersion");
    QTRY_COMPARE(bench.prompts(), (QStringList{QStringLiteral("First"), QStringLiteral("Second")}));
    QCOMPARE(bench.stored().size(), std::size_t{5});
  }

  void editing_keeps_the_message_that_was_there() {
    VersionsBench bench;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    QVERIFY(bench.ask("First"));
    QVERIFY(bench.ask("Second"));
    auto* input = bench.find<QPlainTextEdit>("chat.input");
    input->setPlainText(QStringLiteral("a draft"));
    bench.visible<QToolButton>("chat.edit")->click();
    QCOMPARE(input->toPlainText(), QStringLiteral("First"));
    QTest::keyClick(input, Qt::Key_Escape);
    QCOMPARE(input->toPlainText(), QStringLiteral("a draft"));
    bench.visible<QToolButton>("chat.edit")->click();
    QVERIFY(!bench.idle());  // "Send again"
    QVERIFY(bench.ask("Changed"));
    QCOMPARE(input->toPlainText(), QStringLiteral("a draft"));
    QCOMPARE(bench.prompts(), QStringList{QStringLiteral("Changed")});
    QCOMPARE(bench.versions(), QStringList{QStringLiteral("2 of 2")});
    QCOMPARE(bench.stored().size(), std::size_t{6});
    QTest::keyClick(input, Qt::Key_Left, Qt::AltModifier);
    QTRY_COMPARE(bench.prompts(), (QStringList{QStringLiteral("First"), QStringLiteral("Second")}));
    QTest::keyClick(input, Qt::Key_Right, Qt::AltModifier);
    QTRY_COMPARE(bench.prompts(), QStringList{QStringLiteral("Changed")});
  }

  void a_reply_without_text_is_begun_again() {
    VersionsBench bench;
    bench.write("Anyone?");
    QTRY_VERIFY(failure_of(bench.last_state()).has_value());
    QTRY_VERIFY(bench.idle());
    const auto failed = bench.last_stored().id;
    QVERIFY(bench.serve());
    bench.find<QSpinBox>("chat.maxTokens")->setValue(8);
    QTRY_VERIFY(bench.visible<QPushButton>("chat.tryAgain") != nullptr);
    bench.visible<QPushButton>("chat.tryAgain")->click();
    QTRY_COMPARE(bench.last_state(), std::string(kComplete));
    QCOMPARE(bench.last_stored().id, failed);
    QCOMPARE(bench.last_stored().model, std::string("tiny"));
    QVERIFY(bench.versions().isEmpty());
  }

  void a_deleted_message_comes_back() {
    VersionsBench bench;
    const auto chat = bench.store->create_chat("c");
    const auto second =
        bench.tell(*chat, {message("user", "one"), message("assistant", "two"), message("user", "three")});
    bench.page->open_chat(*chat);
    QTRY_COMPARE(bench.texts().size(), 3);
    bench.texts()[1]->parentWidget()->findChild<QToolButton*>(QStringLiteral("chat.delete"))->click();
    QTRY_COMPARE(bench.texts().size(), 1);
    QVERIFY(bench.banners.back().text.contains(QStringLiteral("2 messages")));
    QTRY_COMPARE(bench.stored(*chat).size(), std::size_t{1});
    bench.trigger("chat.action.undo");
    QTRY_COMPARE(bench.texts().size(), 3);
    QCOMPARE(bench.stored(*chat).back().id, second);
  }

  void nothing_changes_while_a_reply_is_written() {
    VersionsBench bench;
    QVERIFY(bench.serve(60'000));
    bench.find<QSpinBox>("chat.maxTokens")->setValue(0);
    bench.write("Never end");
    QTRY_VERIFY(bench.texts().size() == 2 && !bench.texts()[1]->source().empty());
    for (const char* action : {"chat.edit", "chat.regenerate", "chat.delete"})
      QVERIFY2(!bench.visible<QToolButton>(action)->isEnabled(), action);
    QTest::keyClick(bench.find<QPlainTextEdit>("chat.input"), Qt::Key_Escape);
    QTRY_VERIFY(bench.visible<QToolButton>("chat.regenerate")->isEnabled());
  }
};

QTEST_MAIN(ChatVersionsTest)
#include "chat_versions_test.moc"
