// SPDX-License-Identifier: GPL-3.0-or-later
// "Flags for other engines…": what a checklist recommends, as each engine is told it.
#pragma once
#include "engine/bench/checklist.h"

class QWidget;

namespace pitwall::ui {

/// `results`: one an item.
void show_recommended_flags(const Checklist& checklist, const std::vector<ItemResult>& results,
                            QWidget* parent);

}  // namespace pitwall::ui
