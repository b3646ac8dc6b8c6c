// SPDX-License-Identifier: GPL-3.0-or-later
// The chats as a list: title and age, last changed first; titles can be edited in place.
#pragma once
#include <QAbstractListModel>
#include <vector>

#include "engine/store/store.h"

namespace pitwall::ui {

class ChatListModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;
  static constexpr int kIdRole = Qt::UserRole + 1;
  static constexpr int kAgeRole = Qt::UserRole + 2;

  void set_chats(std::vector<ChatListItem> chats);
  QModelIndex index_of(qint64 chat) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  void renamed(qint64 chat, const QString& title);

 private:
  std::vector<ChatListItem> chats_;
};

/// "now", "12 min", "3 h", "yesterday", "Nov 24", "Nov 24, 2025".
QString age_text(Nanos then_utc, Nanos now_utc);

}  // namespace pitwall::ui
