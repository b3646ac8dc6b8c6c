// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of what the engine says for people, where lupdate finds it; word for word as settings, profiles
// and code of the engine have it. %1 stands for what is filled in there, which may be one of these texts
// again.
#pragma once
#include <span>

namespace pitwall::ui {

std::span<const char* const> profile_texts();  ///< of settings, templates, workloads, deployments and recipes
std::span<const char* const> note_texts();     ///< of phases, notes and costs; the more general further down

}  // namespace pitwall::ui
