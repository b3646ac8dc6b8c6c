// SPDX-License-Identifier: GPL-3.0-or-later
// "Flags for other engines…": what a checklist recommends, as each engine is told it.
#pragma once
#include "engine/telemetry/checklist.h"

class QWidget;

namespace pitwall::ui {

void show_recommended_flags(const Checklist& checklist, QWidget* parent);

}  // namespace pitwall::ui
