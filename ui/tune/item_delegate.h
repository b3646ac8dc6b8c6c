// SPDX-License-Identifier: GPL-3.0-or-later
// Paints an item: number and name with its verdict, the change, the hypothesis, its measures, a note.
#pragma once
#include <QStyledItemDelegate>

namespace pitwall::ui {

struct ItemRow;

class ItemDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  /// Draws, or with a null painter only measures; returns the height.
  int lay_out(QPainter* painter, const ItemRow& row, const QRect& rect) const;
};

}  // namespace pitwall::ui
