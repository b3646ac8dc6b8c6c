// SPDX-License-Identifier: GPL-3.0-or-later
// The languages of the window. Chosen once, before any text is made: a change takes effect at the next start.
#pragma once
#include <QString>
#include <cstdint>
#include <optional>

namespace pitwall::ui {

enum class Language : std::uint8_t { automatic, english, chinese };  ///< automatic: the system's
inline constexpr Language kLanguages[] = {Language::automatic, Language::english, Language::chinese};

QString language_code(Language language);  ///< "auto", "en", "zh_CN"
std::optional<Language> language_of(const QString& code);
QString language_name(Language language);  ///< in that language itself, so that whoever speaks it finds it

/// Texts, Qt's own ones, and the numbers of QLocale() from now on. Needs a QApplication; UI thread.
void speak(Language language);
Language spoken();  ///< english or chinese

}  // namespace pitwall::ui
