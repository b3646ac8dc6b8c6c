// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/laps.h"

#include "engine/base/clock.h"

namespace pitwall::ui {

std::vector<ChartLap> laps_of(const std::vector<SettingChange>& changes) {
  std::vector<ChartLap> laps;
  for (const SettingChange& change : changes) {
    const double at = static_cast<double>(change.utc) / static_cast<double>(kNanosPerSecond);
    const QString text = QStringLiteral("%1 %2 → %3")
                             .arg(QString::fromStdString(change.name), QString::fromStdString(change.from),
                                  QString::fromStdString(change.to));
    if (!laps.empty() && at - laps.back().at < 1)
      laps.back().text += QStringLiteral(", ") + text;
    else
      laps.push_back({static_cast<int>(laps.size()) + 2, at, text});
  }
  return laps;
}

}  // namespace pitwall::ui
