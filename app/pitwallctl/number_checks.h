// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of numbers for CLI11: empty, or what is wrong, in words that fit behind the flag's name.
#pragma once
#include <string>

namespace pitwall::ctl {

bool positive_number(const std::string& text);  ///< also "inf"
std::string check_above_zero(const std::string& text);
std::string check_from_zero(const std::string& text);
std::string check_request_rate(const std::string& text);

}  // namespace pitwall::ctl
