// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/laps.h"

#include <QStringList>
#include <algorithm>

#include "engine/base/clock.h"

namespace pitwall::ui {

namespace {

QString text_of(const std::vector<SettingChange>& changes) {
  QStringList words;
  for (const SettingChange& change : changes)
    words << QStringLiteral("%1 %2 → %3")
                 .arg(QString::fromStdString(change.name), QString::fromStdString(change.from),
                      QString::fromStdString(change.to));
  return words.join(QStringLiteral(", "));
}

}  // namespace

std::vector<ChartLap> laps_of(const std::vector<SettingChange>& changes) {
  std::vector<ChartLap> laps;
  std::vector<SettingChange> lap;  // of the last one: each setting once, however often it changed
  for (const SettingChange& change : changes) {
    const double at = static_cast<double>(change.utc) / static_cast<double>(kNanosPerSecond);
    if (laps.empty() || at - laps.back().at >= 1) {
      laps.push_back({static_cast<int>(laps.size()) + 2, at, {}});
      lap.clear();
    }
    const auto same =
        std::find_if(lap.begin(), lap.end(), [&](const auto& is) { return is.name == change.name; });
    if (same == lap.end())
      lap.push_back(change);
    else
      same->to = change.to;
    laps.back().text = text_of(lap);
  }
  return laps;
}

}  // namespace pitwall::ui
