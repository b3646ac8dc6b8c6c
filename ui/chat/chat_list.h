// SPDX-License-Identifier: GPL-3.0-or-later
// The left panel: New chat, search, and the list of chats. Del deletes, F2 renames, Enter opens.
#pragma once
#include "ui/widgets/card.h"

class QLineEdit;
class QListView;
class QPushButton;
class QSortFilterProxyModel;

namespace pitwall::ui {

class ChatListModel;

class ChatList : public Card {
  Q_OBJECT

 public:
  explicit ChatList(QWidget* parent = nullptr);
  ChatListModel* model() const { return model_; }
  void set_current(qint64 chat);  ///< 0 clears the selection
  void focus_search();
  qint64 current() const;  ///< 0 when none

 Q_SIGNALS:
  void new_requested();
  void opened(qint64 chat);
  void delete_requested(qint64 chat);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_count();
  ChatListModel* model_;
  QSortFilterProxyModel* shown_;
  QPushButton* new_;
  QLineEdit* search_;
  QListView* view_;
  bool selecting_ = false;  // the selection follows the page, not the other way round
};

}  // namespace pitwall::ui
