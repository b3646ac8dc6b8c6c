// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette of a window, opened by its action.
#pragma once
#include <QAction>
#include <QWidget>

#include "ui/shell/command_palette.h"

namespace pitwall::test {

/// Null where it does not open.
inline ui::CommandPalette* open_palette(const QWidget& window) {
  window.findChild<QAction*>(QStringLiteral("shell.commands"))->trigger();
  for (auto* one : window.findChildren<ui::CommandPalette*>())
    if (one->isVisible()) return one;  // one that has closed may still be there
  return nullptr;
}

}  // namespace pitwall::test
