// SPDX-License-Identifier: GPL-3.0-or-later
// Where a search over all chats found its words, as a list: the chat's title, a piece of the text, the age.
#pragma once
#include <QAbstractListModel>
#include <QTextLayout>
#include <vector>

#include "engine/store/store.h"

namespace pitwall::ui {

class ChatSearchModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;
  static constexpr int kExcerptRole = Qt::UserRole + 1;
  static constexpr int kAgeRole = Qt::UserRole + 2;

  void set_hits(const QString& text, std::vector<ChatHit> hits);
  const ChatHit& hit(const QModelIndex& index) const;
  const QString& text() const { return text_; }  ///< that was looked for

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  QString text_;
  std::vector<ChatHit> hits_;
};

/// Where the words of `wanted` stand in `text`, without regard to case; not overlapping, in order.
QList<QTextLayout::FormatRange> marks_in(const QString& text, const QString& wanted,
                                         const QTextCharFormat& mark);

}  // namespace pitwall::ui
