// SPDX-License-Identifier: GPL-3.0-or-later
// ConversationView: the messages of the open chat, the newest at the bottom. Follows a growing reply while
// the end is in view. Long chats show their last messages first.
#pragma once
#include <QScrollArea>
#include <vector>

#include "engine/store/store.h"

class QPushButton;
class QVBoxLayout;

namespace pitwall::ui {

class MessageView;

class ConversationView : public QScrollArea {
  Q_OBJECT

 public:
  explicit ConversationView(QWidget* parent = nullptr);
  /// `live`: the last one is being written.
  void set_messages(const std::vector<ChatMessage>& messages, bool live);
  void grow_last(const QString& text);
  void update_last(const ChatMessage& message, bool live);
  bool find(const QString& text, bool backward);  ///< goes on behind the last hit, around the end

 Q_SIGNALS:
  void prompt_chosen(const QString& prompt);  ///< one of those offered in an empty chat
  void edit_requested(std::size_t message);
  void regenerate_requested();
  void serve_requested();
  void link_activated(const QUrl& url);

 private:
  void build(std::size_t first);
  void clear();
  void add_message(std::size_t index);
  QWidget* make_offers();
  void follow_end(bool follow);
  bool at_end() const;

  std::vector<ChatMessage> messages_;
  bool live_ = false;
  QVBoxLayout* layout_;
  std::vector<MessageView*> views_;  // of messages_[first_] and later
  std::size_t first_ = 0;
  std::size_t found_in_ = 0;  // view that has the last hit
  bool follows_ = true;       // the end was in view before it grew
};

}  // namespace pitwall::ui
