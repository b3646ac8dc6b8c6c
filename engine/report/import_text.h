// SPDX-License-Identifier: GPL-3.0-or-later
// What all readers of imported files share.
#pragma once
#include <cstddef>
#include <string>

namespace pitwall {

std::string sum_of(const std::string& text);  ///< 32 hex digits: a uuid for what brings none
std::string line_and_column(const std::string& text, std::size_t byte);  ///< "line 3, column 14"; byte from 1

}  // namespace pitwall
