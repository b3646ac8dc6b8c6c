// SPDX-License-Identifier: GPL-3.0-or-later
// ShareBar: what parts a whole has: one bar, and below it each part with its percentage.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/widgets/memory_parts.h"

namespace pitwall::ui {

struct Share {
  QString name;
  Colour colour = Colour::text;
  FillPattern pattern = FillPattern::solid;
  double value = 0;  ///< in any unit, not negative
  bool operator==(const Share&) const = default;
};

class ShareBar : public QWidget {
  Q_OBJECT

 public:
  ShareBar(const QString& accessible_name, QWidget* parent = nullptr);
  void set_shares(std::vector<Share> shares);  ///< those of 0 keep their line, so that nothing jumps
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int row_height() const;
  double total() const;
  std::vector<Share> shares_;
};

}  // namespace pitwall::ui
