// SPDX-License-Identifier: GPL-3.0-or-later
// The names of memory categories with their fills, in one line; what has no room is left out.
#pragma once
#include <QWidget>
#include <vector>

#include "ui/widgets/memory_parts.h"

namespace pitwall::ui {

class PartLegend : public QWidget {
  Q_OBJECT

 public:
  explicit PartLegend(std::vector<MemoryPart> parts, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<MemoryPart> parts_;
};

}  // namespace pitwall::ui
