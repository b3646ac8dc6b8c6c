// SPDX-License-Identifier: GPL-3.0-or-later
// CellDelegate: a DataTable's cell, icon and one line of text. The usual delegate asks for each role by
// itself and lays the text out anew; hundreds of cells change at once while an engine serves.
#pragma once
#include <QStyledItemDelegate>

class QSortFilterProxyModel;

namespace pitwall::ui {

class TableModel;

/// Cut with … where there is no room; at its beginning between words, as long as the value after = stays.
QString elided_text(const QString& text, const QFontMetrics& metrics, Qt::TextElideMode mode, int width);

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /// Neither is owned; both outlive it.
  CellDelegate(const TableModel& model, const QSortFilterProxyModel& rows, QObject* parent);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const TableModel& model_;
  const QSortFilterProxyModel& rows_;
};

}  // namespace pitwall::ui
