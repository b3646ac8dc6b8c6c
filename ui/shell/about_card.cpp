// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/about_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSysInfo>
#include <QVBoxLayout>

#include "engine/store/store.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/icon.h"

namespace pitwall::ui {

namespace {

struct Part {
  QString name, version, licence;
};

constexpr int kPartsInView = 9;

/// Of the libraries whose version is their package's business only the licence is said.
std::vector<Part> parts() {
  const QString qt = QLatin1String(qVersion());
  const auto q = [](const char* text) { return QString::fromLatin1(text); };
  return {{q("Pitwall"), QApplication::applicationVersion(), q("GPL-3.0-or-later")},
          {q("Qt"), qt, q("LGPL-3.0-only")},
          {q("Qt Charts"), qt, q("GPL-3.0-only")},
          {q("Boost"), {}, q("BSL-1.0")},
          {q("SQLite, SQLiteCpp"), {}, q("blessing, MIT")},
          {q("OpenSSL"), {}, q("Apache-2.0")},
          {q("ICU"), {}, q("Unicode-3.0")},
          {q("PCRE2"), {}, q("BSD-3-Clause")},
          {q("nlohmann/json, md4c, fmt, spdlog"), {}, q("MIT")}};
}

}  // namespace

QString about_text() {
  QStringList lines;
  for (const Part& part : parts())
    lines << (part.version.isEmpty()
                  ? QStringLiteral("%1: %2").arg(part.name, part.licence)
                  : QStringLiteral("%1 %2: %3").arg(part.name, part.version, part.licence));
  lines << QStringLiteral("Records: schema %1").arg(Store::schema_version());
  lines << QStringLiteral("System: %1, %2, %3")
               .arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture(),
                    QApplication::platformName());
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

AboutCard::AboutCard(QWidget* parent)
    : Card(tr("About"), {}, tr("What is this made of, and under which licences?"), parent) {
  setObjectName(QStringLiteral("settings.about"));
  auto* table =
      new DataTable(tr("Parts and licences"), {{tr("Part")}, {tr("Version")}, {tr("Licence")}}, this);
  table->setObjectName(QStringLiteral("settings.about.table"));
  std::vector<TableRow> rows;
  for (const Part& part : parts())
    rows.push_back(
        {static_cast<qint64>(rows.size()), {{part.name}, {part.version}, {part.licence, 0, Colour::muted}}});
  table->set_rows(std::move(rows));
  table->set_stretch_column(2);
  table->fit_height(kPartsInView);
  auto* copy = new QPushButton(icon(QStringLiteral("copy")), tr("Copy"), this);
  copy->setObjectName(QStringLiteral("settings.about.copy"));
  copy->setAccessibleName(tr("Copy versions and licences"));
  auto* row = new QHBoxLayout;
  row->addWidget(copy);
  row->addStretch(1);
  body()->setSpacing(units(2));
  body()->addWidget(table);
  body()->addLayout(row);
  connect(copy, &QPushButton::clicked, this, [] { QApplication::clipboard()->setText(about_text()); });
}

}  // namespace pitwall::ui
