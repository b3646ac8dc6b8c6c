// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that the user hands in: whole files, and batches of one object a line.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall::ctl {

Result<nlohmann::ordered_json> read_json(const std::string& file);

/// Prints the JSON answer to each line of the file, in order; the first error names the line and ends the
/// batch.
Result<void> answer_lines(
    const std::string& file,
    const std::function<Result<nlohmann::ordered_json>(const nlohmann::ordered_json& line)>& answer);

// Fields of a line: the fallback when the key is absent or null; an error with Error::param = key for another
// type.
Result<std::string> text_field(const nlohmann::ordered_json& object, const char* key,
                               std::string_view fallback = {});
Result<bool> flag_field(const nlohmann::ordered_json& object, const char* key, bool fallback);
Result<std::vector<TokenId>> ids_field(const nlohmann::ordered_json& object, const char* key);
Result<std::vector<TokenId>> ids_of(const nlohmann::ordered_json& value,
                                    std::string_view name);  ///< a list of ids

}  // namespace pitwall::ctl
