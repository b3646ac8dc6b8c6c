// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_page.h"

namespace pitwall::ui {

struct ChatPage::State {
  EngineController& engine;
  Store& store;
};

ChatPage::ChatPage(EngineController& engine, Store& store, QWidget* parent)
    : Page(parent), state_(new State{engine, store}) {
  setObjectName(id());
}

ChatPage::~ChatPage() = default;

QString ChatPage::id() const { return QStringLiteral("chat"); }
QString ChatPage::title() const { return tr("Chat"); }
void ChatPage::activated() {}
void ChatPage::open_chat(qint64) {}

}  // namespace pitwall::ui
