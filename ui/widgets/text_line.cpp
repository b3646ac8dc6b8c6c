// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/text_line.h"

#include <QPainter>
#include <algorithm>
#include <utility>

namespace pitwall::ui {

namespace {

constexpr double kGap = 1;  // units

QFont font_of(const LineWords& words) {
  QFont font = Theme::current().font(words.role);
  if (words.strong) font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

TextLine::TextLine(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(&Theme::current(), &Theme::changed, this, &TextLine::measure);
}

void TextLine::set(std::vector<LineWords> words) {
  std::erase_if(words, [](const LineWords& one) { return one.text.isEmpty(); });
  if (words == words_) return;
  words_ = std::move(words);
  setAccessibleName(text());
  measure();
}

void TextLine::set_muted(bool muted) {
  if (std::exchange(muted_, muted) != muted) update();
}

void TextLine::measure() {
  QSize wanted(0, 0);
  widths_.clear();
  for (const LineWords& words : words_) {
    const QFontMetrics metrics(font_of(words));
    widths_.push_back(metrics.horizontalAdvance(words.text));
    wanted.rwidth() += widths_.back() + (widths_.size() > 1 ? units(kGap) : 0);
    wanted.setHeight(std::max(wanted.height(), metrics.height()));
  }
  update();
  if (wanted == hint_) return;
  hint_ = wanted;
  updateGeometry();
}

QString TextLine::text() const {
  QStringList all;
  for (const LineWords& words : words_) all << words.text;
  return all.join(QLatin1Char(' '));
}

QSize TextLine::minimumSizeHint() const {
  QSize least = hint_;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (words_[i].yields) least.rwidth() -= widths_[i];
  return least;
}

void TextLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  int ascent = 0, left = 0;
  for (const LineWords& words : words_) ascent = std::max(ascent, QFontMetrics(font_of(words)).ascent());
  const int baseline = (height() - hint_.height()) / 2 + ascent;
  const int missing = std::max(0, hint_.width() - width());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const LineWords& words = words_[i];
    painter.setFont(font_of(words));
    painter.setPen(ink(muted_ ? Colour::muted : words.colour));
    const bool cut = missing > 0 && words.yields;
    const int width = cut ? std::max(0, widths_[i] - missing) : widths_[i];
    painter.drawText(left, baseline,
                     cut ? painter.fontMetrics().elidedText(words.text, Qt::ElideRight, width) : words.text);
    left += width + units(kGap);
  }
}

}  // namespace pitwall::ui
