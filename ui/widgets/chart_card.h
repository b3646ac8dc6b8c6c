// SPDX-License-Identifier: GPL-3.0-or-later
// ChartCard: a card that shows a drawing, the same as a table in its place, and writes both to files.
#pragma once
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"

class QKeyEvent;
class QStackedWidget;

namespace pitwall::ui {

/// Keys inside: T table, Ctrl+E export.
class ChartCard : public Card {
  Q_OBJECT

 public:
  bool table_shown() const;
  void show_table(bool table);
  void set_source(const QString& source) { source_ = source; }  ///< run id or what was planned, for exports
  /// By suffix: .png (2×), .svg, .csv. Empty on success, else what went wrong.
  QString export_to(const QString& path) const;
  void export_or_tell(const QString& path);  ///< a failure is a banner of the page around it

 protected:
  struct Words {
    QString id;  ///< object name: "serve.chart.itl"
    QString title, unit, question;
  };
  ChartCard(const Words& words, QWidget* parent);
  void set_drawing(QWidget* drawing);  ///< once, in the constructor
  void set_columns(std::vector<TableColumn> columns);
  void refresh_table();  ///< after each change of the data; costs nothing while the table is hidden
  const QString& source() const { return source_; }
  const Words& words() const { return words_; }

  virtual std::vector<TableRow> table_rows() const = 0;
  virtual QByteArray csv() const = 0;
  virtual QByteArray svg() const = 0;

  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< the table's T is no search for a row

 private:
  bool take_key(const QKeyEvent& event);
  void ask_export();

  Words words_;
  QString source_;
  QWidget* drawing_ = nullptr;
  DataTable* table_;
  QStackedWidget* stack_;
};

}  // namespace pitwall::ui
