// SPDX-License-Identifier: GPL-3.0-or-later
// The left panel: New chat, search, and the list of chats or of what the search found. Del deletes, F2
// renames, Enter opens.
#pragma once
#include <vector>

#include "engine/store/store.h"
#include "ui/widgets/card.h"

class QLineEdit;
class QListView;
class QPushButton;
class QStackedWidget;

namespace pitwall::ui {

class ChatListModel;
class ChatSearchModel;

class ChatList : public Card {
  Q_OBJECT

 public:
  explicit ChatList(QWidget* parent = nullptr);
  ChatListModel* model() const { return model_; }
  ChatSearchModel* hits() const { return hits_; }
  void show_chats(std::vector<ChatListItem> chats, qint64 current);  ///< opens none
  void set_current(qint64 chat);                                     ///< 0 clears the selection
  void focus_search();
  void show_hits(const QString& text, const std::vector<ChatHit>& hits);  ///< the answer to a search
  qint64 current() const;                                                 ///< 0 when none

 Q_SIGNALS:
  void new_requested();
  void opened(qint64 chat);
  void hit_opened(qint64 chat, qint64 message);  ///< message 0: the title
  void delete_requested(qint64 chat);
  void search_requested(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QListView* make_view(const char* id, const QString& name, const QString& description);
  void connect_search();
  void show_count();
  void open_hit();
  ChatListModel* model_;
  ChatSearchModel* hits_;
  QPushButton* new_;
  QLineEdit* search_;
  QStackedWidget* stack_;
  QListView *view_, *results_;
  Label *nothing_, *foot_;
  bool selecting_ = false;  // the selection follows the page, not the other way round
};

}  // namespace pitwall::ui
