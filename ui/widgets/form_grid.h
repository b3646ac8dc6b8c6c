// SPDX-License-Identifier: GPL-3.0-or-later
// FormGrid: named fields with units, one below the other, each with room for what is wrong with it.
#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

class QGridLayout;

namespace pitwall::ui {

class Label;
class NumberField;

class FormGrid : public QWidget {
  Q_OBJECT

 public:
  explicit FormGrid(QWidget* parent = nullptr);

  void add_title(const QString& text);
  /// Name, field and unit in a line. `params`: settings whose errors belong to it.
  void add_row(const QString& name, QWidget* field, const QString& unit, const QStringList& params);
  void add_wide_row(const QString& name, QWidget* field,
                    const QStringList& params);  ///< the name above the field
  void add_widget(QWidget* widget);              ///< as wide as the form
  void widen_fields();                           ///< room left beside goes to the fields, not to the names
  void end();                                    ///< after the last row: room left goes below

  /// Marks the field of that setting and returns it; null where none is known.
  QWidget* mark(const QString& param, const QString& reason);
  void set_row_visible(QWidget* field, bool visible);  ///< the field with its name and unit
  void clear_marks();  ///< nonsense that still stands in a number field keeps its mark
  bool has_wrong_field() const;

 private:
  struct Row {
    QStringList params;
    QWidget* field;
    Label* trouble;
    std::vector<QWidget*> words;  ///< name and unit
  };
  Label* add_trouble();
  void add_field(const QStringList& params, QWidget* field, Label* trouble, std::vector<QWidget*> words);
  QGridLayout* grid_;
  bool has_units_ = false;
  std::vector<Row> rows_;
};

/// Fields in one line, as one field of a row.
QWidget* side_by_side(const std::vector<QWidget*>& fields, QWidget* parent);

}  // namespace pitwall::ui
