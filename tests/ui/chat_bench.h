// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the chat page stand on: a window's worth of real parts.
#pragma once
#include <QAction>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QtTest>

#include "app/common/backend_factory.h"
#include "engine/store/store.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/chat_samples.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/conversation_tree.h"
#include "ui/chat/markdown_view.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"

namespace pitwall::test {

/// One window's worth: a store in a folder of its own, a controller, and the page on top.
struct ChatBench {
  TemporaryFolder folder;
  std::unique_ptr<Store> store;
  ui::Preferences preferences{folder.path()};
  std::unique_ptr<ui::EngineController> engine;
  std::unique_ptr<ui::ChatPage> page;
  std::vector<ui::Banner> banners;

  ChatBench() {
    reopen_store();
    engine = std::make_unique<ui::EngineController>(backend_factory(), store.get());
    open_page();
  }
  void reopen_store() {
    page.reset();  // its worker may be reading the store
    store.reset();
    auto opened = Store::open(folder.path() / "pitwall.db");
    if (!opened) qFatal("%s", opened.error().text().c_str());
    store = std::move(*opened);
  }
  void open_page() {
    page.reset();
    page = std::make_unique<ui::ChatPage>(*engine, *store, preferences);
    QObject::connect(page.get(), &ui::Page::banner_requested, page.get(),
                     [this](const ui::Banner& b) { banners.push_back(b); });
    page->resize(1300, 800);
    page->show();
  }
  bool serve(std::uint32_t context = 2048) {
    TinyModel tiny;
    tiny.context_length = context;
    const auto model = write_tiny_model(folder.path(), tiny);
    Settings settings;
    if (!settings.set("port", "0") || !settings.set("max-num-seqs", "2")) return false;
    engine->start(QString::fromStdString(model.string()), settings);
    const bool serving = QTest::qWaitFor([&] { return engine->state() == EngineState::serving; }, 60'000);
    if (!serving) qWarning("%s", engine->last_error().text().c_str());
    return serving;
  }
  template <class Widget>
  Widget* find(const char* id) const {
    auto* widget = page->findChild<Widget*>(QLatin1String(id));
    if (!widget) qFatal("no %s", id);
    return widget;
  }
  /// Each message has one of these; the visible one counts.
  template <class Widget>
  Widget* visible(const char* id) const {
    for (Widget* widget : page->findChildren<Widget*>(QLatin1String(id)))
      if (widget->isVisible()) return widget;
    return nullptr;
  }
  void trigger(const char* action) const { find<QAction>(action)->trigger(); }
  void write(const char* text) const {
    find<QPlainTextEdit>("chat.input")->setPlainText(QString::fromUtf8(text));
    find<QPushButton>("chat.send")->click();
  }
  std::vector<ChatMessage> stored(std::int64_t chat = 1) const {
    auto messages = store->messages(chat);
    return messages ? *messages : std::vector<ChatMessage>();
  }
  /// The last message of the branch that is shown.
  ChatMessage last_stored(std::int64_t chat = 1) const {
    const auto branch = ui::ConversationTree(stored(chat)).branch();
    return branch.empty() ? ChatMessage() : ChatMessage(branch.back());
  }
  std::string last_state() const { return last_stored().state; }
  /// Messages that answer one another; returns the last one's id.
  std::int64_t tell(std::int64_t chat, std::vector<ChatMessage> messages, std::int64_t parent = 0) const {
    for (ChatMessage& one : messages) {
      one.parent = parent;
      const auto id = store->add_message(chat, one);
      if (!id) qFatal("%s", id.error().text().c_str());
      parent = *id;
    }
    return parent;
  }
  bool idle() const { return find<QPushButton>("chat.send")->text() == QLatin1String("Send"); }
  QList<ui::MarkdownView*> texts() const {
    QList<ui::MarkdownView*> shown;
    for (ui::MarkdownView* view : page->findChildren<ui::MarkdownView*>())
      if (view->isVisible()) shown << view;
    return shown;
  }
};

/// Preferences of one test are not those of the next.
class OwnHome {
 public:
  OwnHome() { qputenv("PITWALL_HOME", QByteArray::fromStdString(folder_.path().string())); }

 private:
  TemporaryFolder folder_;
};

}  // namespace pitwall::test
