// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/chat_delegates.h"

#include <QPainter>

#include "ui/chat/chat_list_model.h"
#include "ui/chat/chat_search_model.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr double kLine = 8, kExcerptLine = 4.5;  // units
constexpr int kExcerptLines = 2;

QRect inner_of(const QRect& row) {
  return row.adjusted(units(2.5), 0, -units(2), 0);
}

void paint_ground(QPainter* painter, const QStyleOptionViewItem& option) {
  const QRect& rect = option.rect;
  if (option.state & QStyle::State_Selected) {
    painter->fillRect(rect, ink(Colour::selection));
    painter->fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), ink(Colour::accent));
  }
  painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), ink(Colour::grid));
  if (option.state & QStyle::State_HasFocus) {
    painter->setPen(QPen(ink(Colour::accent), 2));
    painter->drawRect(rect.adjusted(1, 1, -1, -1));
  }
}

/// Draws the age; what is left is the title's.
QRect paint_age(QPainter* painter, const QRect& line, const QString& age) {
  painter->setFont(Theme::current().font(FontRole::small));
  painter->setPen(ink(Colour::muted));
  painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, age);
  return line.adjusted(0, 0, -painter->fontMetrics().horizontalAdvance(age) - units(2), 0);
}

QTextCharFormat hit_mark() {
  QTextCharFormat mark;
  mark.setFontWeight(QFont::DemiBold);
  mark.setBackground(ink(Colour::warn_fill));
  mark.setForeground(ink(Colour::text));
  return mark;
}

/// At most `lines` lines from the top of `rect` on, with what was looked for marked.
void paint_marked(QPainter* painter, const QRect& rect, const QString& text, const QString& wanted,
                  int lines) {
  QTextLayout layout(text, painter->font());
  layout.setFormats(marks_in(text, wanted, hit_mark()));
  layout.beginLayout();
  double height = 0;
  for (int i = 0; i < lines; ++i) {
    QTextLine line = layout.createLine();
    if (!line.isValid()) break;
    line.setLineWidth(rect.width());
    line.setPosition({0, height});
    height += line.height();
  }
  layout.endLayout();
  layout.draw(painter, rect.topLeft());
}

}  // namespace

QSize ChatDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {units(30), units(kLine)};
}

void ChatDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  painter->save();
  paint_ground(painter, option);
  const QRect title =
      paint_age(painter, inner_of(option.rect), index.data(ChatListModel::kAgeRole).toString());
  const bool selected = option.state & QStyle::State_Selected;
  painter->setFont(Theme::current().font(selected ? FontRole::section : FontRole::body));
  painter->setPen(ink(Colour::text));
  painter->drawText(
      title, Qt::AlignLeft | Qt::AlignVCenter,
      painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, title.width()));
  painter->restore();
}

QSize HitDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  const bool in_title = index.data(ChatSearchModel::kExcerptRole).toString().isEmpty();
  return {units(30), units(in_title ? kLine : kLine + kExcerptLines * kExcerptLine)};
}

void HitDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  painter->save();
  paint_ground(painter, option);
  const QRect inner = inner_of(option.rect);
  const QRect line(inner.left(), inner.top(), inner.width(), units(kLine));
  const QRect title = paint_age(painter, line, index.data(ChatSearchModel::kAgeRole).toString());
  painter->setFont(Theme::current().font(FontRole::body));
  painter->setPen(ink(Colour::text));
  const QString wanted = static_cast<const ChatSearchModel*>(index.model())->text();
  const QFontMetrics metrics = painter->fontMetrics();
  const QRect words(title.left(), title.top() + (title.height() - metrics.height()) / 2, title.width(),
                    metrics.height());
  paint_marked(painter, words, metrics.elidedText(index.data().toString(), Qt::ElideRight, title.width()),
               wanted, 1);
  painter->setFont(Theme::current().font(FontRole::small));
  painter->setPen(ink(Colour::muted));
  paint_marked(painter, inner.adjusted(0, units(kLine - 1), 0, 0),
               index.data(ChatSearchModel::kExcerptRole).toString(), wanted, kExcerptLines);
  painter->restore();
}

}  // namespace pitwall::ui
