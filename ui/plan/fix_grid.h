// SPDX-License-Identifier: GPL-3.0-or-later
// FixGrid: the cards of FixList in as many columns as its width has room for, each row as high as its texts.
#pragma once
#include <QWidget>
#include <cstddef>
#include <vector>

namespace pitwall::ui {

class FixButton;

class FixGrid : public QWidget {
  Q_OBJECT

 public:
  explicit FixGrid(std::size_t most, QWidget* parent = nullptr);
  const std::vector<FixButton*>& cards() const { return cards_; }  ///< made once: Tab meets them here
  void show_first(std::size_t count);                              ///< after their texts were set
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int columns_in(int width) const;
  std::vector<QRect> places_in(int width) const;  ///< of the cards that are shown
  void place();
  std::vector<FixButton*> cards_;
  std::size_t shown_ = 0;
};

}  // namespace pitwall::ui
