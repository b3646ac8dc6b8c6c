// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

CommandPalette::CommandPalette(std::vector<Command> commands, QWidget* parent)
    : QDialog(parent), commands_(std::move(commands)) {
  setObjectName(QStringLiteral("shell.palette"));
  setWindowTitle(tr("Commands"));
  field_ = new QLineEdit(this);
  field_->setAccessibleName(tr("Command"));
  field_->setPlaceholderText(tr("An action, a page, a setting"));
  field_->installEventFilter(this);
  table_ = new DataTable(tr("Commands"), {{tr("Command")}, {tr("Where")}, {tr("Key")}}, this);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setFocusPolicy(Qt::NoFocus);
  std::vector<TableRow> rows;
  for (const Command& command : commands_) {
    const QString key = command.action->shortcut().toString(QKeySequence::NativeText);
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{command.action->text()}, {command.where, 0, Colour::muted}, {key, 0, Colour::muted}}});
  }
  table_->set_rows(std::move(rows));
  table_->set_stretch_column(0);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(2), units(2), units(2), units(2));
  column->setSpacing(units(1.5));
  column->addWidget(field_);
  column->addWidget(table_, 1);
  resize(units(130), units(90));
  connect(field_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(field_, &QLineEdit::returnPressed, this, [this] {
    if (chosen()) accept();
  });
  connect(table_, &DataTable::opened, this, &QDialog::accept);
  filter({});
}

const Command* CommandPalette::chosen() const {
  const qint64 key = table_->current_key();
  return key >= 0 ? &commands_[static_cast<std::size_t>(key)] : nullptr;
}

void CommandPalette::filter(const QString& text) {
  table_->set_filter(text.trimmed());
  table_->selectRow(0);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
      QCoreApplication::sendEvent(table_, event);
      return true;
    }
    if (key == Qt::Key_Tab && chosen()) {
      field_->setText(chosen()->action->text());
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace pitwall::ui
