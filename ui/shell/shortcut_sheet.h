// SPDX-License-Identifier: GPL-3.0-or-later
// F1: every key that works here, read from the actions themselves. Accepted: the user wants to change them.
#pragma once
#include <QAction>
#include <QDialog>

namespace pitwall::ui {

class Page;

class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  ShortcutSheet(const QList<QAction*>& everywhere, const Page* page, QWidget* parent);
};

}  // namespace pitwall::ui
