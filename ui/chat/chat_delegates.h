// SPDX-License-Identifier: GPL-3.0-or-later
// How the rows of the chat list and of a search are drawn.
#pragma once
#include <QStyledItemDelegate>

namespace pitwall::ui {

/// Of a ChatListModel: title, semibold when open, and at the right its age.
class ChatDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// Of a ChatSearchModel: title and age, and below them the piece of text; what was looked for is marked.
class HitDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace pitwall::ui
