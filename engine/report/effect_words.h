// SPDX-License-Identifier: GPL-3.0-or-later
// Figures and effects in the words of documents.
#pragma once
#include <string>

#include "engine/bench/effect.h"
#include "engine/report/report_content.h"

namespace pitwall {

std::string figure_label(const std::string& figure);  ///< "TTFT p50, ms"; the name itself where unknown
std::string figure_text(const std::string& figure, double value);  ///< "14.0", "6,030"
std::string effect_label(const Effect& effect);  ///< "+31.0 % ± 6.0", "−0.2 %", "+3.0 exact", "–"
const char* reading_label(Reading reading);      ///< "better", "no change", "no interval"
Tone effect_tone(const Effect& effect);          ///< good and bad only where the interval says so

}  // namespace pitwall
