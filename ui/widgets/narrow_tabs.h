// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs that stand for two columns where a page is too narrow to show both side by side.
#pragma once
#include <QTabBar>

namespace pitwall::ui {

/// Units of a page in a window of 320 units, less the rail: below them the right column is a tab.
inline constexpr double kNarrowPageUnits = 299;

class NarrowTabs : public QTabBar {
  Q_OBJECT

 public:
  NarrowTabs(const QString& id, const QString& accessible_name, const QStringList& tabs, QWidget* parent);
  /// Shows the tabs and of the columns the chosen one, or both columns and no tabs.
  void arrange(bool narrow, QWidget* first, QWidget* second);
};

}  // namespace pitwall::ui
