// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a document obeys a JSON schema: small, slow and obvious, on its own reading of the keywords that
// guided replies support. Numbers are compared in exact decimal.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pitwall::test {

/// Empty when it does; else the first keyword that is broken. `root`: what $ref refers to. Keywords that are
/// not known here are ignored; oneOf asks for at least one.
std::string broken_keyword(const nlohmann::ordered_json& value, const nlohmann::ordered_json& schema,
                           const nlohmann::ordered_json& root);

}  // namespace pitwall::test
