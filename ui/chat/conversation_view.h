// SPDX-License-Identifier: GPL-3.0-or-later
// ConversationView: the messages of the open chat, the newest at the bottom. Follows a growing reply while
// the end is in view. Long chats show their last messages first. Finds text in all of them.
#pragma once
#include <QScrollArea>
#include <QTextCursor>
#include <optional>
#include <vector>

#include "ui/chat/conversation_tree.h"
#include "ui/chat/reply_timings.h"

class QPushButton;
class QVBoxLayout;

namespace pitwall::ui {

class MessageView;

class ConversationView : public QScrollArea {
  Q_OBJECT

 public:
  explicit ConversationView(QWidget* parent = nullptr);
  /// `live`: the last one is being written.
  void set_messages(const std::vector<ShownMessage>& messages, bool live);
  void grow_last(const QString& text);
  void time_last(const ReplyTimings& timings);
  void update_last(const ShownMessage& message, bool live);
  void reveal(std::size_t message);            ///< scrolls to its beginning
  std::optional<std::size_t> focused() const;  ///< the message that has the focus
  void set_search(const QString& text);        ///< marks all hits; empty: none
  void step_hit(bool backward);                ///< to the next hit, around the end

 Q_SIGNALS:
  void prompt_chosen(const QString& prompt);  ///< one of those offered in an empty chat
  void version_requested(std::size_t message, int step);
  void edit_requested(std::size_t message);
  void regenerate_requested(std::size_t message);
  void shorten_requested(std::size_t message);
  void delete_requested(std::size_t message);
  void serve_requested();
  void steps_requested(const pitwall::RequestRecord& record);
  void link_activated(const QUrl& url);
  void hits_changed(int current, int count);  ///< current from 1, 0: none

 private:
  struct Hit {
    std::size_t view;
    QTextCursor cursor;
  };
  void build(std::size_t first);
  void clear();
  void add_message(std::size_t index);
  QWidget* make_offers();
  void follow_end(bool follow);
  bool at_end() const;
  void find_hits();
  void show_hits();

  std::vector<ShownMessage> messages_;
  bool live_ = false;
  QVBoxLayout* layout_;
  std::vector<MessageView*> views_;  // of messages_[first_] and later
  std::size_t first_ = 0;
  bool follows_ = true;  // the end was in view before it grew
  QString search_;
  std::vector<Hit> hits_;
  int current_hit_ = -1;
};

}  // namespace pitwall::ui
