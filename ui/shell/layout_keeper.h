// SPDX-License-Identifier: GPL-3.0-or-later
// Brings back what the user arranged: dividers, tabs, columns and folded sections, all by object name.
#pragma once
#include <QObject>

class QWidget;

namespace pitwall::ui {

class Preferences;

/// Watches each named QSplitter, QTabWidget, QTabBar and DataTable, and each named button with the dynamic
/// property "folds" (true), and writes each of their changes through. What was kept for another number of
/// parts, tabs or columns is not used. UI thread only.
class LayoutKeeper : public QObject {
  Q_OBJECT

 public:
  /// Outlive it; `root` is complete, and looks as it does at first.
  LayoutKeeper(QWidget& root, Preferences& preferences, QObject* parent = nullptr);
  void restore();
  void forget();  ///< back to the first look, dividers at the next start

 private:
  template <class Widget>
  QList<Widget*> named() const;
  void watch();
  QWidget& root_;
  Preferences& preferences_;
};

}  // namespace pitwall::ui
