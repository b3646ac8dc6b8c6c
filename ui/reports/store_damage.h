// SPDX-License-Identifier: GPL-3.0-or-later
// What to say about a store that was damaged.
#pragma once
#include <QString>

#include "engine/store/store.h"

namespace pitwall::ui {

/// Where the damaged file is now, and what came over from it.
QString damage_text(const StoreDamage& damage);

}  // namespace pitwall::ui
