// SPDX-License-Identifier: GPL-3.0-or-later
// Icons from resources/icons, drawn in the theme's colours at any size.
#pragma once
#include <QIcon>

#include "ui/shell/theme.h"

namespace pitwall::ui {

/// `name` without folder and suffix ("copy"). Follows the theme: text colour, muted when disabled, accent
/// when on.
QIcon icon(const QString& name);
QIcon icon(const QString& name, Colour colour);  ///< in that token's colour

}  // namespace pitwall::ui
