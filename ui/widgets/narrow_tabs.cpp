// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/narrow_tabs.h"

namespace pitwall::ui {

NarrowTabs::NarrowTabs(const QString& id, const QString& accessible_name, const QStringList& tabs,
                       QWidget* parent)
    : QTabBar(parent) {
  setObjectName(id);
  setAccessibleName(accessible_name);
  setDrawBase(false);
  setExpanding(false);
  for (const QString& tab : tabs) addTab(tab);
  hide();
}

void NarrowTabs::arrange(bool narrow, QWidget* first, QWidget* second) {
  setVisible(narrow);
  first->setVisible(!narrow || currentIndex() == 0);
  second->setVisible(!narrow || currentIndex() == 1);
}

}  // namespace pitwall::ui
