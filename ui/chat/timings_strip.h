// SPDX-License-Identifier: GPL-3.0-or-later
// TimingsStrip: what a reply cost, in one line of cells: queue │ TTFT │ TPOT │ worst ITL │ prompt │ out │
// finish.
#pragma once
#include <QString>
#include <QWidget>
#include <vector>

#include "engine/telemetry/records.h"

namespace pitwall::ui {

struct TimingCell {
  QString name, value;
};
std::vector<TimingCell> timing_cells(const RequestRecord& record);
QString finish_text(FinishReason reason);  ///< "stop", "length limit", "stopped", "error"

/// Breaks into more lines where it is narrow.
class TimingsStrip : public QWidget {
  Q_OBJECT

 public:
  explicit TimingsStrip(QWidget* parent = nullptr);
  void set_cells(std::vector<TimingCell> cells);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<QRect> layout(int width) const;
  int cell_width(const TimingCell& cell) const;
  std::vector<TimingCell> cells_;
};

}  // namespace pitwall::ui
