// SPDX-License-Identifier: GPL-3.0-or-later
// The settings that a checklist's target can measure, to choose one from.
#pragma once
#include <QComboBox>

#include "engine/telemetry/checklist.h"

namespace pitwall::ui {

/// Its text is the setting's name; each has its help as a tooltip.
QComboBox* make_setting_box(const QString& id, TuneTarget target, QWidget* parent);

}  // namespace pitwall::ui
