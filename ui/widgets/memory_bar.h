// SPDX-License-Identifier: GPL-3.0-or-later
// MemoryBar and MemoryTable: where the device's memory is, as a drawing and as figures.
#pragma once
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/widgets/memory_parts.h"

namespace pitwall::ui {

/// Full width = the device, with the limit as a line. Where this process takes a small share of it, a strip
/// shows the device and the bar below magnifies the process.
class MemoryBar : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryBar(QWidget* parent = nullptr);
  void set_ledger(const LedgerSnapshot& ledger);
  void set_full(Bytes full);  ///< bytes at full width of a magnified bar, for bars to compare; 0 = its own
  QString summary() const;    ///< the accessible description
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;  ///< tooltips

 private:
  struct Segment {
    std::size_t part;
    QRectF rect;
  };
  bool magnified() const;
  double scale() const;  ///< bytes at full width of the bar
  QRectF strip_rect() const;
  QRectF bar_rect() const;
  std::vector<Segment> segments() const;
  void draw_strip(QPainter& painter) const;
  void draw_limit(QPainter& painter, const QRectF& bar,
                  double full) const;  ///< not magnified: with its label
  void draw_labels(QPainter& painter, const std::vector<Segment>& segments) const;

  LedgerSnapshot ledger_;
  Bytes full_ = 0;
  std::vector<MemoryPart> parts_;
};

/// Three columns of four categories, fewer where they have no room: swatch, name, planned, booked and their
/// difference, which is amber above 2 % of the device. Ctrl+C copies CSV.
class MemoryTable : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryTable(QWidget* parent = nullptr);
  void set_ledger(const LedgerSnapshot& ledger);
  /// By category, KV as the whole pool; none = nothing was planned.
  void set_planned(const std::optional<std::array<Bytes, kCategoryCount>>& planned);
  QString to_csv() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }

 private:
  struct Row {
    MemoryPart part;
    std::optional<Bytes> planned;
  };
  struct Figures {
    QString name, planned, booked, difference;
    bool far = false;  ///< booked and planned lie too far apart
    bool operator==(const Figures&) const = default;
  };
  enum FigureColumn { kPlanned, kBooked, kDifference, kFigureColumns };
  void fill();
  void widen_figures();
  Figures figures_of(const Row& row) const;
  void draw_row(QPainter& painter, const QRect& line, const Row& row, const Figures& figures) const;
  int row_height() const;
  int figure_room(int from) const;
  int columns() const;
  int rows_of_column() const;
  bool too_far(Bytes difference) const;
  LedgerSnapshot ledger_;
  std::optional<std::array<Bytes, kCategoryCount>> planned_;
  std::vector<Row> rows_;
  std::vector<Figures> figures_;  ///< of the rows, as they are drawn
  std::array<int, kFigureColumns> widths_{};
  int columns_ = 3;
};

}  // namespace pitwall::ui
