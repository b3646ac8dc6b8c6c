// SPDX-License-Identifier: GPL-3.0-or-later
// TimingsStrip: what a reply cost, in one line of cells: queue │ TTFT │ TPOT │ ITL p99 │ out │ cached │
// preempted. A button: it leads to the request's steps.
#pragma once
#include <QAbstractButton>
#include <QString>
#include <vector>

#include "ui/chat/reply_timings.h"

namespace pitwall::ui {

struct TimingCell {
  QString name, value;
};
/// What has not happened yet is left out. Fewer gaps than a p99 needs: the worst one stands for it.
std::vector<TimingCell> timing_cells(const ReplyTimings& timings);

/// Breaks into more lines where it is narrow.
class TimingsStrip : public QAbstractButton {
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
