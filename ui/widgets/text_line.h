// SPDX-License-Identifier: GPL-3.0-or-later
// TextLine: one line of words in different sizes and colours, for figures that change several times a second.
// While new words take the same room nothing is laid out again, which a QLabel does at each change.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/shell/theme.h"

namespace pitwall::ui {

struct LineWords {
  QString text;
  FontRole role = FontRole::small;
  Colour colour = Colour::muted;
  bool strong = false;
  bool yields = false;  ///< cut where there is no room for all
  bool operator==(const LineWords&) const = default;
};

class TextLine : public QWidget {
  Q_OBJECT

 public:
  explicit TextLine(QWidget* parent = nullptr);
  void set(std::vector<LineWords> words);  ///< from left to right on one baseline; its accessible name too
  void set_muted(bool muted);              ///< all of them: they are no longer true
  bool muted() const { return muted_; }
  QString text() const;  ///< joined by spaces
  QSize sizeHint() const override { return hint_; }
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void measure();
  std::vector<LineWords> words_;
  std::vector<int> widths_;
  bool muted_ = false;
  QSize hint_;
};

}  // namespace pitwall::ui
