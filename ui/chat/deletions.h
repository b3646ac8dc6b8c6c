// SPDX-License-Identifier: GPL-3.0-or-later
// Deletions: what people delete on the chat page (chats, messages, presets), each with its way back.
#pragma once
#include <QObject>

#include "ui/shell/page.h"

namespace pitwall::ui {

class ChatPreferences;
class ChatSession;
class PresetBox;
class UndoList;
struct ChatPreset;

class Deletions : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  Deletions(ChatSession& session, PresetBox& presets, ChatPreferences& preferences, QObject* parent);
  void delete_chat(qint64 chat);
  void delete_message(std::size_t message);  ///< with all that follow it; not while a reply is being written
  void delete_preset(const ChatPreset& preset);
  void undo_last();  ///< a chat of an earlier start where nothing was deleted since

 Q_SIGNALS:
  void banner_requested(const pitwall::ui::Banner& banner);
  void banner_outdated(const QString& text);

 private:
  void keep_presets(std::vector<ChatPreset> presets);
  ChatSession& session_;
  PresetBox& presets_;
  ChatPreferences& preferences_;
  UndoList* undo_;
};

}  // namespace pitwall::ui
