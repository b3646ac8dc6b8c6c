// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/store_damage.h"

#include <QCoreApplication>

#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(StoreDamage)
};

}  // namespace

QString damage_text(const StoreDamage& damage) {
  const QString moved_to = QString::fromStdString(damage.moved_to.string());
  const SalvagedRows& rows = damage.salvaged;
  if (rows.rows == 0)
    return Words::tr(
               "The store is damaged, and nothing in it can be read. It is kept as %1; a new one is begun.")
        .arg(moved_to);
  return Words::tr(
             "The store is damaged. It is kept as %1. %2 rows of it can be read and are in a new store: "
             "runs %3, checklists %4, chats %5.")
      .arg(moved_to, count_text(rows.rows), count_text(rows.runs), count_text(rows.checklists),
           count_text(rows.chats));
}

}  // namespace pitwall::ui
