// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cell_delegate.h"

#include <QPainter>
#include <QRegularExpression>
#include <QSortFilterProxyModel>

#include "ui/widgets/data_table.h"

namespace pitwall::ui {

QString elided_text(const QString& text, const QFontMetrics& metrics, Qt::TextElideMode mode, int width) {
  const QString cut = metrics.elidedText(text, mode, width);
  static const QRegularExpression rest_of_word(QStringLiteral("^…[^\\s=,:，：-]*[\\s-]+"));
  if (mode != Qt::ElideLeft || !cut.startsWith(QChar(0x2026))) return cut;
  const QChar before = text.at(text.size() - cut.size());
  if (before.isSpace() || before == QLatin1Char('-')) return cut;
  const QRegularExpressionMatch found = rest_of_word.match(cut);
  return found.hasMatch() ? QChar(0x2026) + cut.mid(found.capturedLength()) : cut;
}

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
    cell.icon.paint(painter, QRect({place.left(), place.top() + (place.height() - size.height()) / 2}, size));
    place.setLeft(place.left() + size.width() + margin);
  }
  QFont font = Theme::current().font(FontRole::small);
  if (cell.strong) font.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(font);
  int width = metrics.horizontalAdvance(cell.text);
  QString text = cell.text;
  if (width > place.width()) {
    text = elided_text(text, metrics, option.textElideMode, place.width());
    width = metrics.horizontalAdvance(text);
  }
  const int left = model_.columns()[column].number ? place.right() + 1 - width : place.left();
  painter->setFont(font);
  painter->setPen(Theme::current().colour(cell.colour));
  painter->drawText(left, place.top() + (place.height() - metrics.height()) / 2 + metrics.ascent(), text);
}

}  // namespace pitwall::ui
