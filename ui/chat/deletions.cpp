// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/deletions.h"

#include <utility>
#include <vector>

#include "ui/chat/chat_preferences.h"
#include "ui/chat/chat_session.h"
#include "ui/chat/preset_box.h"
#include "ui/chat/undo_list.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

std::vector<ChatPreset> without(std::vector<ChatPreset> presets, const ChatPreset& preset) {
  std::erase_if(presets, [&preset](const ChatPreset& one) { return one.name == preset.name; });
  return presets;
}

}  // namespace

Deletions::Deletions(ChatSession& session, PresetBox& presets, ChatPreferences& preferences, QObject* parent)
    : QObject(parent),
      session_(session),
      presets_(presets),
      preferences_(preferences),
      undo_(new UndoList(this)) {
  connect(undo_, &UndoList::banner_requested, this, &Deletions::banner_requested);
  connect(undo_, &UndoList::banner_outdated, this, &Deletions::banner_outdated);
}

void Deletions::delete_chat(qint64 chat) {
  QString title;
  for (const ChatListItem& item : session_.chats())
    if (item.id == chat) title = QString::fromStdString(item.title);
  session_.delete_chat(chat);
  undo_->add(tr("Deleted the chat “%1”.").arg(title), [this, chat] { session_.restore_chat(chat); });
}

void Deletions::delete_message(std::size_t message) {
  if (message >= session_.messages().size() || session_.generating()) return;
  const qint64 chat = session_.chat(), id = session_.messages()[message].id;
  const qint64 gone = static_cast<qint64>(session_.messages().size() - message);
  session_.delete_message(message);
  undo_->add(gone == 1 ? tr("Deleted the message.")
                       : tr("Deleted the message and what followed it: %1 messages.").arg(count_text(gone)),
             [this, chat, id] { session_.restore_message(chat, id); });
}

void Deletions::delete_preset(const ChatPreset& preset) {
  keep_presets(without(presets_.presets(), preset));
  undo_->add(tr("Deleted the preset “%1”.").arg(preset.name), [this, preset] {
    auto presets = without(presets_.presets(), preset);
    presets.push_back(preset);
    keep_presets(std::move(presets));
  });
}

void Deletions::keep_presets(std::vector<ChatPreset> presets) {
  preferences_.set_presets(presets);
  presets_.set_presets(std::move(presets));
}

void Deletions::undo_last() {
  if (!undo_->undo_last()) session_.restore_last_chat();
}

}  // namespace pitwall::ui
