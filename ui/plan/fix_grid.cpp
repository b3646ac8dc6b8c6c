// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/fix_grid.h"

#include <algorithm>

#include "ui/plan/fix_button.h"
#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr double kCardUnits = 46, kBetweenColumns = 2, kBetweenRows = 1;

}  // namespace

FixGrid::FixGrid(std::size_t most, QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  for (std::size_t i = 0; i < most; ++i) {
    cards_.push_back(new FixButton(this));
    cards_.back()->hide();
  }
}

void FixGrid::show_first(std::size_t count) {
  shown_ = std::min(count, cards_.size());
  for (std::size_t i = 0; i < cards_.size(); ++i) cards_[i]->setVisible(i < shown_);
  place();
  updateGeometry();
}

int FixGrid::columns_in(int width) const {
  const int room = (width + units(kBetweenColumns)) / units(kCardUnits + kBetweenColumns);
  return std::clamp(room, 1, std::max(1, static_cast<int>(shown_)));
}

std::vector<QRect> FixGrid::places_in(int width) const {
  const auto columns = static_cast<std::size_t>(columns_in(width));
  const int gap = units(kBetweenColumns), wide = (width + gap) / static_cast<int>(columns) - gap;
  std::vector<QRect> places;
  int top = 0;
  for (std::size_t first = 0; first < shown_; first += columns) {
    const std::size_t end = std::min(first + columns, shown_);
    int high = 0;
    for (std::size_t i = first; i < end; ++i) high = std::max(high, cards_[i]->heightForWidth(wide));
    for (std::size_t i = first; i < end; ++i)
      places.emplace_back(static_cast<int>(i - first) * (wide + gap), top, wide, high);
    top += high + units(kBetweenRows);
  }
  return places;
}

void FixGrid::place() {
  const std::vector<QRect> places = places_in(width());
  for (std::size_t i = 0; i < places.size(); ++i) cards_[i]->setGeometry(places[i]);
}

QSize FixGrid::sizeHint() const {
  const int wide = static_cast<int>(std::max<std::size_t>(shown_, 1)) * units(kCardUnits + kBetweenColumns);
  return {wide, heightForWidth(wide)};
}

QSize FixGrid::minimumSizeHint() const {
  return {units(kCardUnits), 0};
}

int FixGrid::heightForWidth(int width) const {
  const std::vector<QRect> places = places_in(width);
  return places.empty() ? 0 : places.back().bottom() + 1;
}

void FixGrid::resizeEvent(QResizeEvent*) {
  place();
}

}  // namespace pitwall::ui
