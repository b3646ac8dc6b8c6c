// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine says for people (settings, profiles, phases, notes) in the window's language. The engine
// knows English alone; its errors stay so, since they are searched for and passed on.
#pragma once
#include <QString>
#include <string_view>

namespace pitwall::ui {

/// `english` itself where it is none of the engine's fixed texts, such as a name that the user gave.
QString engine_words(std::string_view english);

}  // namespace pitwall::ui
