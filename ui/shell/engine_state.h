// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's state as the window says it: word, sign and colour always together.
#pragma once
#include <QString>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

QString state_word(EngineState state);  ///< "Serving"
QString state_sign(EngineState state);  ///< "●"
Colour state_colour(EngineState state);
Tag::Kind state_tag(EngineState state);

}  // namespace pitwall::ui
