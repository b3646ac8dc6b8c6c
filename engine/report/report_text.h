// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as reports print them: C locale, real minus, en dash where a number does not exist.
#pragma once
#include <cstdint>
#include <string>

#include "engine/base/units.h"

namespace pitwall {

inline constexpr const char* kUndefined = "–";

std::string ms_text(double ms);  ///< "5.20", "318", "12,400": three significant digits, whole above 100
std::string rate_text(double per_second);         ///< "38.4", "412", "6,030": to the ten above 1,000
std::string size_text(Bytes bytes);               ///< "1.50 GiB", "0", "−64.0 MiB"
std::string share_text(Bytes part, Bytes whole);  ///< "12.5 %"
std::string span_text(Nanos duration);            ///< "850 ms", "42.0 s", "3 min 05 s", "2 h 10 min"
std::string minus_text(std::string number);       ///< a leading "-" as "−"

}  // namespace pitwall
