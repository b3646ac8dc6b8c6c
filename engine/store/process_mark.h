// SPDX-License-Identifier: GPL-3.0-or-later
// A name for a process that no later process can have: boot, pid and start time.
#pragma once
#include <string>

namespace pitwall {

std::string own_process_mark();

/// False when the process has ended, also if its pid is in use again or the machine was started anew.
bool process_lives(const std::string& mark);

}  // namespace pitwall
