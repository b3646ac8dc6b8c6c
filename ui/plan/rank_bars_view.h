// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing inside RankBars.
#pragma once
#include <QSet>
#include <QWidget>

#include "ui/plan/rank_bars.h"

namespace pitwall::ui {

/// Click or ↑ and ↓ choose an alternative; Enter, or a click on its second line, unfolds ranks that differ.
class RankBarsView : public QWidget {
  Q_OBJECT

 public:
  explicit RankBarsView(QWidget* parent = nullptr);
  void set_entries(const std::vector<RankBarEntry>* entries);  ///< not owned; again after each change
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void chosen(qint64 key);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;  ///< tooltips
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }

 private:
  /// One bar: a rank as planned, or what was measured.
  struct Line {
    const RankBarEntry* entry;
    std::size_t rank = 0;
    bool first = true, measured = false;
    double top = 0;
  };
  struct Segment {
    MemoryPart part;
    QRectF rect;
  };
  struct Caption {
    QString strong, plain;
    Colour colour;  ///< of the strong part
  };
  std::vector<Line> lines() const;
  std::vector<MemoryPart> parts_of(const Line& line) const;
  std::vector<Segment> segments(const Line& line) const;
  double line_height() const;
  double bar_left() const;
  double scale() const;  ///< pixels a byte
  QRectF bar_rect(const Line& line) const;
  void draw_line(QPainter& painter, const Line& line) const;
  void draw_name(QPainter& painter, const Line& line) const;
  QRectF draw_limit(QPainter& painter, const Line& line) const;
  void draw_caption(QPainter& painter, const Line& line, const QRectF& limit_label) const;
  Caption caption_of(const Line& line) const;
  double limit_x(const Line& line) const;
  double drawn_right(const Line& line) const;
  void unfold(const RankBarEntry& entry);

  const std::vector<RankBarEntry>* entries_ = nullptr;
  QSet<qint64> unfolded_;
};

/// For a segment's label: in its middle, or on the side of the limit's line that has more room. Empty where
/// it has no room.
QRectF label_rect(const QRectF& segment, double label_width, double limit_x);

}  // namespace pitwall::ui
