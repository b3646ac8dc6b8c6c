// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/form_grid.h"

#include <QGridLayout>
#include <algorithm>

#include "ui/widgets/card.h"
#include "ui/widgets/number_field.h"

namespace pitwall::ui {

namespace {

constexpr int kColumns = 3;

QList<NumberField*> numbers_of(QWidget* field) {
  QList<NumberField*> numbers = field->findChildren<NumberField*>();
  if (auto* own = qobject_cast<NumberField*>(field)) numbers << own;
  return numbers;
}

/// Of several in one line the first: it is the one that is typed into.
QWidget* first_of(QWidget* field) {
  QWidget* first = field->layout() != nullptr ? field->layout()->itemAt(0)->widget() : nullptr;
  return first != nullptr ? first : field;
}

void set_wrong(QWidget* field, bool wrong) {
  if (field->property("wrong").toBool() == wrong) return;
  field->setProperty("wrong", wrong);
  field->update();
}

}  // namespace

FormGrid::FormGrid(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(units(1.5));
  grid_->setVerticalSpacing(units(0.75));
  grid_->setColumnStretch(0, 1);
  grid_->setColumnMinimumWidth(0, units(27));  // fields of grids below each other begin at one line
  grid_->setColumnMinimumWidth(1, units(23));
}

void FormGrid::add_title(const QString& text) {
  const int row = grid_->rowCount();
  if (!rows_.empty()) grid_->setRowMinimumHeight(row, units(6.5));
  grid_->addWidget(new Label(text, FontRole::section, Colour::text, this), row, 0, 1, kColumns,
                   Qt::AlignBottom);
}

Label* FormGrid::add_trouble() {
  auto* trouble = new Label({}, FontRole::small, Colour::bad, this);
  trouble->setWordWrap(true);
  trouble->hide();
  grid_->addWidget(trouble, grid_->rowCount(), 0, 1, kColumns);
  return trouble;
}

void FormGrid::add_field(const QStringList& params, QWidget* field, Label* trouble,
                         std::vector<QWidget*> words) {
  rows_.push_back({params, field, trouble, std::move(words)});
  for (NumberField* number : numbers_of(field))
    connect(number, &NumberField::refused, trouble, [number, trouble] {
      trouble->setText(number->trouble());
      trouble->show();
    });
}

void FormGrid::add_row(const QString& name, QWidget* field, const QString& unit, const QStringList& params) {
  const int row = grid_->rowCount();
  auto* label = new Label(name, FontRole::small, Colour::text, this);
  label->setBuddy(field);
  grid_->addWidget(label, row, 0);
  // Numbers end at one line, units or not.
  const bool wide = unit.isEmpty() && qobject_cast<NumberField*>(field) == nullptr;
  grid_->addWidget(field, row, 1, 1, wide ? 2 : 1);
  has_units_ = has_units_ || !unit.isEmpty();
  std::vector<QWidget*> words{label};
  if (!unit.isEmpty()) {
    words.push_back(new Label(unit, FontRole::small, Colour::muted, this));
    grid_->addWidget(words.back(), row, 2);
  }
  add_field(params, field, add_trouble(), std::move(words));
}

void FormGrid::add_wide_row(const QString& name, QWidget* field, const QStringList& params) {
  auto* label = new Label(name, FontRole::small, Colour::muted, this);
  label->setBuddy(field);
  add_widget(label);
  add_widget(field);
  add_field(params, field, add_trouble(), {label});
}

void FormGrid::add_widget(QWidget* widget) {
  grid_->addWidget(widget, grid_->rowCount(), 0, 1, kColumns);
}

void FormGrid::widen_fields() {
  grid_->setColumnStretch(0, 0);
  grid_->setColumnStretch(1, 1);
}

void FormGrid::end() {
  grid_->setRowStretch(grid_->rowCount(), 1);
  if (has_units_) return;
  for (const Row& row : rows_) {  // nothing stands behind the numbers: they end where the other fields do
    if (qobject_cast<NumberField*>(row.field) == nullptr) continue;
    int at = 0, column = 0, rows = 0, columns = 0;
    grid_->getItemPosition(grid_->indexOf(row.field), &at, &column, &rows, &columns);
    if (column != 1) continue;  // below its name, as wide as the form
    grid_->removeWidget(row.field);
    grid_->addWidget(row.field, at, 1, 1, 2);
  }
}

QWidget* FormGrid::mark(const QString& param, const QString& reason) {
  for (const Row& row : rows_) {
    if (!row.params.contains(param)) continue;
    row.trouble->setText(reason);
    row.trouble->show();
    const QList<NumberField*> numbers = numbers_of(row.field);
    for (NumberField* number : numbers) number->set_trouble(reason);
    if (numbers.isEmpty()) set_wrong(first_of(row.field), true);
    return first_of(row.field);
  }
  return nullptr;
}

void FormGrid::set_row_visible(QWidget* field, bool visible) {
  for (const Row& row : rows_) {
    if (row.field != field) continue;
    field->setVisible(visible);
    for (QWidget* word : row.words) word->setVisible(visible);
  }
}

void FormGrid::clear_marks() {
  for (const Row& row : rows_) {
    const QList<NumberField*> numbers = numbers_of(row.field);
    for (NumberField* number : numbers) number->set_trouble({});
    if (numbers.isEmpty()) set_wrong(first_of(row.field), false);
    row.trouble->setVisible(std::any_of(numbers.begin(), numbers.end(),
                                        [](const NumberField* number) { return number->is_wrong(); }));
  }
}

bool FormGrid::has_wrong_field() const {
  const QList<NumberField*> fields = findChildren<NumberField*>();
  return std::any_of(fields.begin(), fields.end(),
                     [](const NumberField* field) { return field->is_wrong(); });
}

QWidget* side_by_side(const std::vector<QWidget*>& fields, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(units(1));
  for (QWidget* field : fields) row->addWidget(field, 1);
  return box;
}

}  // namespace pitwall::ui
