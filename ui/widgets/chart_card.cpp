// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_card.h"

#include <QBuffer>
#include <QFileDialog>
#include <QKeyEvent>
#include <QPainter>
#include <QPointer>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/base/file.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

ChartCard::ChartCard(const Words& words, QWidget* parent)
    : Card(words.title, words.unit, words.question, parent),
      words_(words),
      table_(new DataTable(tr("%1, table").arg(words.title), {}, this)),
      stack_(new QStackedWidget(this)) {
  setObjectName(words.id);
  table_->setObjectName(words.id + QStringLiteral(".table"));
  table_->installEventFilter(this);
  table_->setSizePolicy(QSizePolicy::Ignored,
                        QSizePolicy::Ignored);  // the drawing says how large the card is
  stack_->addWidget(table_);
  body()->addWidget(stack_, 1);
  QToolButton* table = add_tool(QStringLiteral("table"), tr("Show %1 as a table (T)").arg(words.title));
  table->setCheckable(true);
  connect(table, &QToolButton::toggled, this, &ChartCard::show_table);
  QToolButton* save = add_tool(QStringLiteral("export"), tr("Export %1 (Ctrl+E)").arg(words.title));
  connect(save, &QToolButton::clicked, this, &ChartCard::ask_export);
  connect(stack_, &QStackedWidget::currentChanged, table,
          [this, table] { table->setChecked(table_shown()); });
}

void ChartCard::set_drawing(QWidget* drawing) {
  drawing_ = drawing;
  stack_->insertWidget(0, drawing);
  stack_->setCurrentWidget(drawing);
}

void ChartCard::set_columns(std::vector<TableColumn> columns) {
  table_->table()->set_columns(std::move(columns));
}

void ChartCard::refresh_table() {
  if (table_shown()) table_->set_rows(table_rows());
}

bool ChartCard::table_shown() const {
  return stack_->currentWidget() == table_;
}

void ChartCard::show_table(bool table) {
  if (table == table_shown()) return;
  if (table) table_->set_rows(table_rows());
  const bool focus = drawing_->hasFocus() || table_->hasFocus();
  stack_->setCurrentWidget(table ? table_ : drawing_);
  if (focus) stack_->currentWidget()->setFocus();
}

QString ChartCard::export_to(const QString& path) const {
  QByteArray bytes;
  if (path.endsWith(QLatin1String(".csv"))) {
    bytes = csv();
  } else if (path.endsWith(QLatin1String(".svg"))) {
    bytes = svg();
  } else if (path.endsWith(QLatin1String(".png"))) {
    constexpr int kScale = 2;
    const int footer = source_.isEmpty() ? 0 : fontMetrics().height();
    QImage image(QSize(width(), height() + footer) * kScale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kScale);
    image.fill(ink(Colour::panel));
    QPainter painter(&image);
    const_cast<ChartCard*>(this)->render(&painter);
    painter.setFont(Theme::current().font(FontRole::caption));
    painter.setPen(ink(Colour::muted));
    painter.drawText(QRect(units(2.5), height(), width(), footer), Qt::AlignVCenter, source_);
    painter.end();
    QBuffer buffer(&bytes);
    image.save(&buffer, "PNG");
  } else {
    return tr("%1 ends in none of .png, .svg and .csv.").arg(path);
  }
  const auto written = write_file_atomic(path.toStdString(), bytes.toStdString());
  return written ? QString() : QString::fromStdString(written.error().text());
}

void ChartCard::ask_export() {
  const QString name =
      (source_.isEmpty() ? QString() : source_ + QLatin1Char('-')) + words_.title + QStringLiteral(".png");
  const QString path = QFileDialog::getSaveFileName(this, tr("Export %1").arg(words_.title), name,
                                                    tr("Picture (*.png);;Drawing (*.svg);;Table (*.csv)"));
  if (!path.isEmpty()) export_or_tell(path);
}

void ChartCard::export_or_tell(const QString& path) {
  const QString trouble = export_to(path);
  if (trouble.isEmpty()) return;
  const auto again = [card = QPointer(this)] {
    if (card) card->ask_export();
  };
  for (QWidget* around = parentWidget(); around != nullptr; around = around->parentWidget())
    if (auto* page = qobject_cast<Page*>(around))
      return Q_EMIT page->banner_requested(
          {Banner::Severity::bad, trouble, tr("Export elsewhere…"), again, {}});
}

bool ChartCard::take_key(const QKeyEvent& event) {
  if (event.key() == Qt::Key_T && event.modifiers() == Qt::NoModifier) {
    show_table(!table_shown());
  } else if (event.key() == Qt::Key_E && event.modifiers() == Qt::ControlModifier) {
    ask_export();
  } else {
    return false;
  }
  return true;
}

void ChartCard::keyPressEvent(QKeyEvent* event) {
  if (!take_key(*event)) Card::keyPressEvent(event);
}

bool ChartCard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress && take_key(*static_cast<QKeyEvent*>(event))) return true;
  return Card::eventFilter(watched, event);
}

}  // namespace pitwall::ui
