// SPDX-License-Identifier: GPL-3.0-or-later
// One setting's value: text in, checked against its row, and back.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/settings/settings.h"

namespace pitwall {

/// Error::param is the setting's name.
Result<SettingValue> parse_setting(const SettingInfo& info, std::string_view text);
/// parse_setting reads it back as the same value.
std::string setting_text(const SettingInfo& info, const SettingValue& value);
/// "a|b|c" → a, b, c; nothing for "".
std::vector<std::string_view> split_choices(std::string_view choices);

}  // namespace pitwall
