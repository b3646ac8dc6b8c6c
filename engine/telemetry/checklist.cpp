// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/checklist.h"

#include <limits>

namespace pitwall {

Item::Item() {
  effect = effect_low = effect_high = percent = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pitwall
