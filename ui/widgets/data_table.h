// SPDX-License-Identifier: GPL-3.0-or-later
// DataTable: rows of text and numbers in the window's look: sortable, numbers to the right, Ctrl+C copies
// CSV.
#pragma once
#include <QAbstractTableModel>
#include <QIcon>
#include <QTableView>
#include <QVariantMap>
#include <vector>

#include "ui/shell/theme.h"

class QSortFilterProxyModel;

namespace pitwall::ui {

struct TableColumn {
  QString title;        ///< with the unit: "TTFT ms"
  bool number = false;  ///< right-aligned, sorted by value
  QString tip = {};     ///< what the column means
};
struct TableCell {
  QString text;
  double value = 0;  ///< sort key and CSV value of number columns; NaN sorts last
  Colour colour = Colour::text;
  bool strong = false;  ///< semibold
  QIcon icon = {};
};
struct TableRow {
  qint64 key = 0;  ///< identity: selection follows it over updates
  std::vector<TableCell> cells;
};

class TableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TableModel(std::vector<TableColumn> columns, QObject* parent = nullptr);
  void set_columns(std::vector<TableColumn> columns);  ///< clears the rows
  void set_rows(std::vector<TableRow> rows);
  const std::vector<TableColumn>& columns() const { return columns_; }
  const std::vector<TableRow>& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  static constexpr int kSortRole = Qt::UserRole + 1;

 private:
  std::vector<TableColumn> columns_;
  std::vector<TableRow> rows_;
};

class DataTable : public QTableView {
  Q_OBJECT

 public:
  DataTable(const QString& accessible_name, std::vector<TableColumn> columns, QWidget* parent = nullptr);

  TableModel* table() const { return model_; }
  void set_rows(std::vector<TableRow> rows);  ///< keeps sorting, selection and scroll position
  qint64 current_key() const;                 ///< −1 when no row is current
  std::vector<qint64> selected_keys() const;  ///< in the order shown
  void select_key(qint64 key);
  void set_filter(const QString& text);  ///< rows with the text in any cell
  void set_stretch_column(int column);   ///< takes the room left; the others fit their contents
  /// Its texts are cut in their middle where columns 0 … last_in_sight would not all be in sight.
  void set_yielding_column(int column, int last_in_sight);
  /// Hidden one after another where there is no room for all: what can be read elsewhere too.
  void set_optional_columns(std::vector<int> columns);
  void fit_height(int max_rows);  ///< as tall as its rows, up to max_rows; no inner scrolling below it
  QString to_csv(bool selected_only = false) const;  ///< C locale, header first
  /// Widths that the user gave to columns: index as text → pixels. They stay as they are.
  const QVariantMap& user_widths() const { return user_widths_; }
  void set_user_widths(const QVariantMap& widths);  ///< empty: all fit their contents again

 Q_SIGNALS:
  void current_changed(qint64 key);
  void opened(qint64 key);  ///< Enter or double click
  void columns_resized();   ///< by the user

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 private:
  void restyle();
  void fit_yielding();
  void fit_optional();
  void fit_columns();
  void describe();
  TableModel* model_;
  QSortFilterProxyModel* proxy_;
  int stretch_ = -1, yielding_ = -1, last_in_sight_ = -1, max_rows_ = 0, fitted_rows_ = -1;
  std::vector<int> optional_;
  std::vector<int> widths_;         ///< of the columns, as fitted so far
  std::vector<qsizetype> longest_;  ///< characters of what they were fitted to
  QVariantMap user_widths_;
  QString described_;  ///< what describe() said; another description is its owner's
};

}  // namespace pitwall::ui
