// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cell_delegate.h"

#include <QPainter>
#include <QSortFilterProxyModel>

#include "ui/widgets/data_table.h"

namespace pitwall::ui {

CellDelegate::CellDelegate(const TableModel& model, const QSortFilterProxyModel& rows, QObject* parent)
    : QStyledItemDelegate(parent), model_(model), rows_(rows) {}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const QStyle& style = *option.widget->style();
  style.drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
  const QModelIndex source = rows_.mapToSource(index);
  const TableRow& row = model_.rows()[static_cast<std::size_t>(source.row())];
  const auto column = static_cast<std::size_t>(source.column());
  if (column >= row.cells.size()) return;
  const TableCell& cell = row.cells[column];
  const int margin = style.pixelMetric(QStyle::PM_FocusFrameHMargin, &option, option.widget) + 1;
  QRect place = option.rect.adjusted(margin, 0, -margin, 0);
  if (!cell.icon.isNull()) {
    const QSize size = option.decorationSize;
    cell.icon.paint(painter, QRect({place.left(), place.top()}, QSize(size.width(), place.height())));
    place.setLeft(place.left() + size.width() + margin);
  }
  QFont font = Theme::current().font(FontRole::small);
  if (cell.strong) font.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(font);
  int width = metrics.horizontalAdvance(cell.text);
  QString text = cell.text;
  if (width > place.width()) {
    text = metrics.elidedText(text, option.textElideMode, place.width());
    width = metrics.horizontalAdvance(text);
  }
  const int left = model_.columns()[column].number ? place.right() + 1 - width : place.left();
  painter->setFont(font);
  painter->setPen(Theme::current().colour(cell.colour));
  painter->drawText(left, place.top() + (place.height() - metrics.height()) / 2 + metrics.ascent(), text);
}

}  // namespace pitwall::ui
