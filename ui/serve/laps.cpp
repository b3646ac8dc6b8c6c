// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/laps.h"

#include <QCoreApplication>

#include "engine/base/clock.h"
#include "engine/telemetry/laps.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Laps)
};

/// "max-num-seqs 24 → 32, by the user"
QString with_maker(const QString& change, ChangedBy by) {
  switch (by) {
    case ChangedBy::user:
      return Words::tr("%1, by the user").arg(change);
    case ChangedBy::sweep:
      return Words::tr("%1, by a sweep").arg(change);
    case ChangedBy::checklist:
      return Words::tr("%1, by a checklist").arg(change);
    case ChangedBy::client:
      return Words::tr("%1, by an HTTP client").arg(change);
    case ChangedBy::unknown:
      break;
  }
  return change;
}

}  // namespace

std::vector<ChartLap> laps_of(const std::vector<SettingChange>& changes, int first) {
  std::vector<ChartLap> drawn;
  for (const Lap& lap : laps(changes, first)) {
    QStringList texts;
    for (const SettingChange& change : lap.changes)
      texts << with_maker(QStringLiteral("%1 %2 → %3")
                              .arg(QString::fromStdString(change.name), QString::fromStdString(change.from),
                                   QString::fromStdString(change.to)),
                          change.by);
    drawn.push_back({lap.number, static_cast<double>(lap.utc()) / static_cast<double>(kNanosPerSecond),
                     texts.join(QStringLiteral(", "))});
  }
  return drawn;
}

}  // namespace pitwall::ui
