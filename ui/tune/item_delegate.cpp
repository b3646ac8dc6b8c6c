// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/item_delegate.h"

#include <QAbstractItemView>
#include <QPainter>
#include <algorithm>

#include "ui/tune/item_model.h"
#include "ui/widgets/line_height.h"

namespace pitwall::ui {

namespace {

QFont face(FontRole role, bool strong = false) {
  QFont font = Theme::current().font(role);
  if (strong) font.setWeight(QFont::DemiBold);
  return font;
}

/// A pen with a place on the page: text is drawn or only measured.
class Line {
 public:
  Line(QPainter* painter, const QRect& rect) : painter_(painter), rect_(rect), x_(rect.left()) {}

  void word(const QString& text, const QFont& font, Colour colour) {
    const QFontMetrics metrics(font);
    const int room = rect_.right() - x_;
    const QString shown = metrics.elidedText(text, Qt::ElideRight, std::max(room, 0));
    if (painter_ != nullptr)
      draw(shown, font, colour, QRect(x_, rect_.top(), room, rect_.height()), Qt::AlignLeft);
    x_ += metrics.horizontalAdvance(shown);
  }
  void space(int width) { x_ += width; }
  void cell(const QString& text, const QFont& font, Colour colour, int left, int width, Qt::Alignment side) {
    if (painter_ != nullptr)
      draw(QFontMetrics(font).elidedText(text, Qt::ElideRight, width), font, colour,
           QRect(left, rect_.top(), width, rect_.height()), side);
  }

 private:
  void draw(const QString& text, const QFont& font, Colour colour, const QRect& where, Qt::Alignment side) {
    painter_->setFont(font);
    painter_->setPen(ink(colour));
    painter_->drawText(where, static_cast<int>(side | Qt::AlignVCenter), text);
  }
  QPainter* painter_;
  QRect rect_;
  int x_;
};

/// Sentences stand whole, on as many lines as they need.
int sentence_height(const QString& text, const QFont& font, int width) {
  const QRect room(0, 0, width, QWIDGETSIZE_MAX);
  return std::max(line_height(font), QFontMetrics(font).boundingRect(room, Qt::TextWordWrap, text).height());
}

void draw_sentence(QPainter* painter, const QString& text, const QFont& font, Colour colour,
                   const QRect& rect) {
  if (painter == nullptr) return;
  painter->setFont(font);
  painter->setPen(ink(colour));
  painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text);
}

int draw_tag(QPainter* painter, const VerdictTag& tag, const QRect& line) {
  const QFont font = face(FontRole::small);
  const QFontMetrics metrics(font);
  const int width = metrics.horizontalAdvance(tag.text) + units(3.5), height = metrics.height() + units(0.75);
  if (painter == nullptr) return width;
  const QRectF box(line.right() - width, line.top() + (line.height() - height) / 2.0, width, height);
  const Tag::Look colours = Tag::look_of(tag.kind);
  painter->setPen(QPen(ink(colours.ink), 1));
  painter->setBrush(ink(colours.fill));
  painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), units(0.75), units(0.75));
  painter->setFont(font);
  painter->drawText(box, Qt::AlignCenter, tag.text);
  return width;
}

}  // namespace

int ItemDelegate::lay_out(QPainter* painter, const ItemRow& row, const QRect& rect) const {
  const int indent = units(6.5), gap = units(0.25);
  const QFont small = face(FontRole::small), strong = face(FontRole::small, true);
  int top = rect.top() + units(2);
  const int left = rect.left() + units(3), right = rect.right() - units(3);
  const auto next_line = [&](int height) {
    const QRect line(left + indent, top, right - left - indent, height);
    top += height + gap;
    return line;
  };
  const int title_height = QFontMetrics(face(FontRole::section)).height() + units(1);
  const int height = line_height(small);
  const QRect title = next_line(title_height);
  const int tag_width = draw_tag(painter, row.tag, title);
  Line(painter, QRect(left, title.top(), indent, title_height))
      .word(row.number, face(FontRole::section), Colour::text);
  Line(painter, title.adjusted(0, 0, -tag_width - units(2), 0))
      .word(row.name, face(FontRole::section), Colour::text);
  for (const ItemChange& change : row.changes) {
    Line line(painter, next_line(height));
    line.word(QString::fromStdString(change.setting), face(FontRole::code), Colour::text);
    line.space(units(2));
    line.word(QString::fromStdString(change.from), small, Colour::muted);
    line.word(QStringLiteral(" → "), small, Colour::text);
    line.word(QString::fromStdString(change.to), strong, Colour::text);
  }
  if (!row.hypothesis.isEmpty())
    draw_sentence(painter, row.hypothesis, small, Colour::muted,
                  next_line(sentence_height(row.hypothesis, small, right - left - indent)));
  for (const ItemLine& one : row.lines) {
    const QRect line = next_line(height);
    Line columns(painter, line);
    const int width = line.width(), first = width * 36 / 100, number = width * 14 / 100;
    columns.cell(one.measure, small, Colour::text, line.left(), first, Qt::AlignLeft);
    columns.cell(one.before + QStringLiteral(" →"), small, Colour::muted, line.left() + first,
                 number + units(3), Qt::AlignRight);
    columns.cell(one.after, strong, Colour::text, line.left() + first + number + units(3), number,
                 Qt::AlignRight);
    const int effect = first + 2 * number + units(5.5);
    columns.cell(one.effect, small, one.colour, line.left() + effect, width - effect, Qt::AlignLeft);
  }
  if (!row.note.isEmpty())
    draw_sentence(painter, row.note, small, row.failed ? Colour::bad : Colour::muted,
                  next_line(sentence_height(row.note, small, right - left - indent)));
  return top + units(2) - rect.top();
}

QSize ItemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* model = qobject_cast<const ItemModel*>(index.model());
  if (model == nullptr) return {};
  const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
  const int width = std::max(view != nullptr ? view->viewport()->width() : 0, units(40));
  return {units(40), lay_out(nullptr, model->row(index.row()), QRect(0, 0, width, 0))};
}

void ItemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const auto* model = qobject_cast<const ItemModel*>(index.model());
  if (model == nullptr) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const QRect& rect = option.rect;
  if (option.state & QStyle::State_Selected) {
    painter->fillRect(rect, ink(Colour::selection));
    painter->fillRect(QRect(rect.left(), rect.top(), units(0.75), rect.height()), ink(Colour::accent));
  }
  painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), ink(Colour::grid));
  lay_out(painter, model->row(index.row()), rect);
  if (option.state & QStyle::State_HasFocus) {
    painter->setPen(QPen(ink(Colour::accent), 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(rect.adjusted(1, 1, -1, -1));
  }
  painter->restore();
}

}  // namespace pitwall::ui
