// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <cmath>

#include "ui/widgets/cell_delegate.h"

namespace pitwall::ui {

namespace {

QString csv_field(QString text) {
  if (text.contains(QLatin1Char(',')) || text.contains(QLatin1Char('"')) || text.contains(QLatin1Char('\n')))
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
  return text;
}

QString csv_cell(const TableColumn& column, const TableCell& cell) {
  if (!column.number) return csv_field(cell.text);
  return std::isfinite(cell.value) ? QString::number(cell.value, 'g', 10) : QString();
}

/// Of the rows beyond them only longer texts are measured: measuring all of 10,000 takes a second.
constexpr std::size_t kMeasuredRows = 200;
constexpr double kLeastYielded = 26;  // units: less of a name says nothing

/// Changed cells up to this many are painted one by one, and the others of a table are left alone.
constexpr std::ptrdiff_t kToldApart = 64;

bool looks_same(const TableRow& a, const TableRow& b, std::size_t column) {
  if (column >= a.cells.size() || column >= b.cells.size()) return a.cells.size() == b.cells.size();
  const TableCell &x = a.cells[column], &y = b.cells[column];
  return x.text == y.text && (x.value == y.value || (std::isnan(x.value) && std::isnan(y.value))) &&
         x.colour == y.colour && x.strong == y.strong && x.icon.cacheKey() == y.icon.cacheKey();
}

class SortedRows final : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const QVariant a = left.data(TableModel::kSortRole), b = right.data(TableModel::kSortRole);
    if (a.typeId() != QMetaType::Double) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    const double x = a.toDouble(), y = b.toDouble();
    // NaN goes last in either direction.
    if (std::isnan(x) || std::isnan(y)) {
      if (std::isnan(x) && std::isnan(y)) return false;
      return (sortOrder() == Qt::AscendingOrder) == std::isnan(y);
    }
    return x < y;
  }
};

}  // namespace

TableModel::TableModel(std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void TableModel::set_columns(std::vector<TableColumn> columns) {
  beginResetModel();
  columns_ = std::move(columns);
  rows_.clear();
  endResetModel();
}

void TableModel::set_rows(std::vector<TableRow> rows) {
  const int before = rowCount(), after = static_cast<int>(rows.size());
  if (after < before) {
    beginRemoveRows({}, after, before - 1);
    rows_.resize(rows.size());
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows({}, before, after - 1);
    rows_.insert(rows_.end(), std::make_move_iterator(rows.begin() + before),
                 std::make_move_iterator(rows.end()));
    endInsertRows();
  }
  std::vector<QModelIndex> changed;  // what was inserted has told of itself
  for (int row = 0; row < std::min(before, after); ++row) {
    TableRow &old = rows_[static_cast<std::size_t>(row)], &now = rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < columnCount(); ++column)
      if (!looks_same(old, now, static_cast<std::size_t>(column))) changed.push_back(index(row, column));
    old = std::move(now);
  }
  if (std::ssize(changed) > kToldApart)
    Q_EMIT dataChanged(index(changed.front().row(), 0), index(changed.back().row(), columnCount() - 1));
  else
    for (const QModelIndex& cell : changed) Q_EMIT dataChanged(cell, cell);
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const TableRow& row = rows_[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<std::size_t>(index.column());
  const bool number = columns_[column].number;
  if (column >= row.cells.size()) return {};
  const TableCell& cell = row.cells[column];
  switch (role) {
    case Qt::DisplayRole:
      return cell.text;
    case Qt::ToolTipRole:
      return number ? QVariant() : QVariant(cell.text);  // whole, where its column is narrow
    case Qt::DecorationRole:
      return cell.icon.isNull() ? QVariant() : QVariant(cell.icon);
    case Qt::TextAlignmentRole:
      return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return Theme::current().colour(cell.colour);
    case Qt::FontRole: {
      QFont font = Theme::current().font(pitwall::ui::FontRole::small);
      if (cell.strong) font.setWeight(QFont::DemiBold);
      return font;
    }
    case kSortRole:
      return number ? QVariant(cell.value) : QVariant(cell.text);
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const TableColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole && !column.tip.isEmpty()) return column.tip;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

DataTable::DataTable(const QString& accessible_name, std::vector<TableColumn> columns, QWidget* parent)
    : QTableView(parent), model_(new TableModel(std::move(columns), this)), proxy_(new SortedRows(this)) {
  setAccessibleName(accessible_name);
  proxy_->setSourceModel(model_);
  proxy_->setFilterKeyColumn(-1);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  proxy_->setDynamicSortFilter(true);
  setModel(proxy_);
  setItemDelegate(new CellDelegate(*model_, *proxy_, this));
  setProperty("bare", true);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setWordWrap(false);
  setSelectionBehavior(SelectRows);
  setEditTriggers(NoEditTriggers);
  setTabKeyNavigation(false);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  horizontalHeader()->setSortIndicatorClearable(true);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(1);
  horizontalHeader()->setFocusPolicy(Qt::NoFocus);
  verticalHeader()->hide();
  restyle();
  describe();
  connect(&Theme::current(), &Theme::changed, this, &DataTable::restyle);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { Q_EMIT current_changed(current_key()); });
  connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
    if (max_rows_ > 0) updateGeometry();
  });
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int, int width) {
    // Fitting moves columns too; only a drag is the user's wish.
    if (column == stretch_ || QGuiApplication::mouseButtons() != Qt::LeftButton ||
        !horizontalHeader()->underMouse())
      return;
    user_widths_[QString::number(column)] = width;
    Q_EMIT columns_resized();
  });
  connect(this, &QTableView::doubleClicked, this, [this] { Q_EMIT opened(current_key()); });
}

void DataTable::restyle() {
  const Theme& theme = Theme::current();
  setFont(theme.font(FontRole::small));
  setIconSize({theme.units(3.5), theme.units(3.5)});
  verticalHeader()->setMinimumSectionSize(theme.units(4));  // bounds the default
  verticalHeader()->setDefaultSectionSize(theme.units(5.75));
  viewport()->update();
}

void DataTable::set_rows(std::vector<TableRow> rows) {
  const qint64 current = current_key();
  const bool unchanged_keys = rows.size() == model_->rows().size() &&
                              std::equal(rows.begin(), rows.end(), model_->rows().begin(),
                                         [](const TableRow& a, const TableRow& b) { return a.key == b.key; });
  if (unchanged_keys) {
    model_->set_rows(std::move(rows));
  } else {
    const std::vector<qint64> selected = selected_keys();
    const int scroll = verticalScrollBar()->value();
    const QSignalBlocker quiet(selectionModel());
    model_->set_rows(std::move(rows));
    selectionModel()->clear();
    for (int row = 0; row < proxy_->rowCount(); ++row) {
      const qint64 key =
          model_->rows()[static_cast<std::size_t>(proxy_->mapToSource(proxy_->index(row, 0)).row())].key;
      if (std::find(selected.begin(), selected.end(), key) != selected.end())
        selectionModel()->select(proxy_->index(row, 0),
                                 QItemSelectionModel::Select | QItemSelectionModel::Rows);
      if (key == current)
        selectionModel()->setCurrentIndex(proxy_->index(row, 0), QItemSelectionModel::NoUpdate);
    }
    verticalScrollBar()->setValue(scroll);
    viewport()->update();
  }
  fit_columns();
  describe();
  if (max_rows_ > 0 && model_->rowCount() != fitted_rows_) {
    fitted_rows_ = model_->rowCount();
    updateGeometry();
  }
}

/// How much there is, and of what.
void DataTable::describe() {
  if (accessibleDescription() != described_) return;
  QStringList titles;
  for (const TableColumn& column : model_->columns())
    if (!column.title.isEmpty()) titles << column.title;
  described_ = tr("Rows: %1. Columns: %2.").arg(model_->rowCount()).arg(titles.join(QStringLiteral(", ")));
  setAccessibleDescription(described_);
}

qint64 DataTable::current_key() const {
  const QModelIndex source = proxy_->mapToSource(currentIndex());
  return source.isValid() ? model_->rows()[static_cast<std::size_t>(source.row())].key : -1;
}

std::vector<qint64> DataTable::selected_keys() const {
  std::vector<qint64> keys;
  for (int row = 0; row < proxy_->rowCount(); ++row)
    if (selectionModel()->isRowSelected(row))
      keys.push_back(
          model_->rows()[static_cast<std::size_t>(proxy_->mapToSource(proxy_->index(row, 0)).row())].key);
  return keys;
}

void DataTable::select_key(qint64 key) {
  for (int row = 0; row < proxy_->rowCount(); ++row)
    if (model_->rows()[static_cast<std::size_t>(proxy_->mapToSource(proxy_->index(row, 0)).row())].key ==
        key) {
      selectRow(row);
      return;
    }
}

void DataTable::set_filter(const QString& text) {
  proxy_->setFilterFixedString(text);
}

void DataTable::set_stretch_column(int column) {
  stretch_ = column;
  horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
}

void DataTable::set_yielding_column(int column, int last_in_sight) {
  yielding_ = column;
  last_in_sight_ = last_in_sight;
  setTextElideMode(Qt::ElideLeft);
  fit_yielding();
}

void DataTable::fit_yielding() {
  if (yielding_ < 0 || std::ssize(widths_) <= last_in_sight_ ||
      user_widths_.contains(QString::number(yielding_)))
    return;
  int others = 0;
  for (int column = 0; column <= last_in_sight_; ++column)
    if (column != yielding_) others += column == stretch_ ? units(kLeastYielded) : columnWidth(column);
  const int natural = widths_[static_cast<std::size_t>(yielding_)];
  setColumnWidth(yielding_,
                 std::clamp(viewport()->width() - others, std::min(units(kLeastYielded), natural), natural));
}

void DataTable::set_optional_columns(std::vector<int> columns) {
  optional_ = std::move(columns);
  fit_optional();
}

void DataTable::fit_optional() {
  if (widths_.size() != static_cast<std::size_t>(model_->columnCount())) return;
  int missing = -viewport()->width();
  for (int column = 0; column < model_->columnCount(); ++column)
    missing += std::max(widths_[static_cast<std::size_t>(column)],
                        user_widths_.value(QString::number(column)).toInt());
  for (const int column : optional_) {
    setColumnHidden(column, missing > 0);
    missing -= widths_[static_cast<std::size_t>(column)];
  }
}

void DataTable::fit_height(int max_rows) {
  max_rows_ = max_rows;
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  updateGeometry();
}

/// Columns grow to their contents and keep that width: figures that change in place must not make columns
/// dance.
void DataTable::fit_columns() {
  QFont strong = font();
  strong.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(font()), strong_metrics(strong);
  const int padding = units(3.5);
  widths_.resize(static_cast<std::size_t>(model_->columnCount()));
  longest_.resize(widths_.size());
  for (int column = 0; column < model_->columnCount(); ++column) {
    if (column == stretch_ || user_widths_.contains(QString::number(column))) continue;
    int width = horizontalHeader()->sectionSizeHint(column);
    for (std::size_t i = 0; i < model_->rows().size(); ++i) {
      const TableRow& row = model_->rows()[i];
      const auto index = static_cast<std::size_t>(column);
      if (index >= row.cells.size()) continue;
      const TableCell& cell = row.cells[index];
      // Figures are as wide as they are long, and so nearly are words: of many rows only longer ones are
      // measured.
      const qsizetype length = cell.text.size() + (cell.strong ? 1 : 0);
      const bool told_by_length = model_->columns()[index].number || i >= kMeasuredRows;
      if (told_by_length && length <= longest_[index]) continue;
      longest_[index] = std::max(longest_[index], length);
      const int mark = cell.icon.isNull() ? 0 : units(3.5) + units(1.5);
      const int text = (cell.strong ? strong_metrics : metrics).horizontalAdvance(cell.text);
      width = std::max(width, text + padding + mark);
    }
    if (width > widths_[static_cast<std::size_t>(column)]) {
      widths_[static_cast<std::size_t>(column)] = width;
      setColumnWidth(column, width);
    }
  }
  fit_yielding();
  fit_optional();
}

void DataTable::set_user_widths(const QVariantMap& widths) {
  user_widths_ = widths;
  for (auto [column, width] : user_widths_.asKeyValueRange())
    setColumnWidth(column.toInt(), std::max(width.toInt(), units(4)));
  widths_.clear();
  longest_.clear();
  fit_columns();
}

QString DataTable::to_csv(bool selected_only) const {
  QStringList lines, fields;
  for (const TableColumn& column : model_->columns()) fields << csv_field(column.title);
  lines << fields.join(QLatin1Char(','));
  for (int row = 0; row < proxy_->rowCount(); ++row) {
    if (selected_only && !selectionModel()->isRowSelected(row)) continue;
    const TableRow& source =
        model_->rows()[static_cast<std::size_t>(proxy_->mapToSource(proxy_->index(row, 0)).row())];
    fields.clear();
    for (std::size_t column = 0; column < source.cells.size(); ++column)
      fields << csv_cell(model_->columns()[column], source.cells[column]);
    lines << fields.join(QLatin1Char(','));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void DataTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QApplication::clipboard()->setText(to_csv(selectionModel()->hasSelection()));
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
    Q_EMIT opened(current_key());
    return;
  }
  // Rows are what is walked here: Home and End go to the first and the last, not along one.
  if ((event->key() == Qt::Key_Home || event->key() == Qt::Key_End) && proxy_->rowCount() > 0 &&
      event->modifiers() == Qt::NoModifier) {
    selectRow(event->key() == Qt::Key_Home ? 0 : proxy_->rowCount() - 1);
    return;
  }
  QTableView::keyPressEvent(event);
}

void DataTable::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  widths_.clear();
  longest_.clear();
  for (const int column : optional_) setColumnHidden(column, false);  // a hidden one's title is not measured
  fit_columns();
}

void DataTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit_yielding();
  fit_optional();
}

void DataTable::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (!hasFocus()) return;
  QPainter painter(viewport());
  painter.setPen(QPen(Theme::current().colour(Colour::accent), 2));
  painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
}

QSize DataTable::sizeHint() const {
  if (max_rows_ == 0) return QTableView::sizeHint();
  const int rows = std::clamp(model_->rowCount(), 1, max_rows_);
  const int bar = horizontalScrollBar()->maximum() > 0 ? horizontalScrollBar()->sizeHint().height() : 0;
  return {QTableView::sizeHint().width(),
          horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() + bar + 1};
}

QSize DataTable::minimumSizeHint() const {
  return max_rows_ > 0 ? sizeHint() : QSize(Theme::current().units(20), Theme::current().units(14));
}

}  // namespace pitwall::ui
