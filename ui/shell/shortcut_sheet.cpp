// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/action_registry.h"
#include "ui/shell/page.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

ShortcutSheet::ShortcutSheet(const QList<QAction*>& everywhere, const Page* page, QWidget* parent)
    : QDialog(parent) {
  setObjectName(QStringLiteral("shell.shortcutSheet"));
  setWindowTitle(tr("Shortcuts"));
  auto* table = new DataTable(tr("Shortcuts"), {{tr("Key")}, {tr("Does")}, {tr("Where")}}, this);
  std::vector<TableRow> rows;
  const auto add = [&](const QString& key, const QString& does, const QString& where) {
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{key, 0, Colour::text, true}, {does}, {where, 0, Colour::muted}}});
  };
  const auto add_actions = [&](const QList<QAction*>& actions, const QString& where) {
    for (const QAction* action : actions)
      if (!action->shortcut().isEmpty()) add(keys_text(*action), action->text(), where);
  };
  add_actions(everywhere, tr("everywhere"));
  if (page) {
    QList<QAction*> own = page->actions();
    for (QAction* action : page->findChildren<QAction*>())
      if (!own.contains(action)) own << action;
    add_actions(own, page->title());
  }
  add(tr("←, →, Home, End"), tr("Move the crosshair"), tr("charts"));
  add(QStringLiteral("T"), tr("Chart as a table"), tr("charts"));
  add(QStringLiteral("Ctrl+E"), tr("Export the chart"), tr("charts"));
  add(QStringLiteral("Ctrl+C"), tr("Copy as CSV"), tr("tables"));
  add(QStringLiteral("Esc"), tr("Dismiss the banner, free the crosshair"), tr("everywhere"));
  table->set_rows(std::move(rows));
  table->set_stretch_column(1);

  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  buttons->button(QDialogButtonBox::Close)->setText(tr("Close"));
  buttons->addButton(tr("Change…"), QDialogButtonBox::AcceptRole)
      ->setObjectName(QStringLiteral("shell.shortcutSheet.change"));
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(units(3), units(3), units(3), units(3));
  column->setSpacing(units(2));
  column->addWidget(table, 1);
  column->addWidget(buttons);
  resize(units(110), units(110));
}

}  // namespace pitwall::ui
