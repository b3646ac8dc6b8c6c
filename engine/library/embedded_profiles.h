// SPDX-License-Identifier: GPL-3.0-or-later
// The files of profiles/models as they were at build time; CMake writes the definition.
#pragma once
#include <span>
#include <string_view>

namespace pitwall {

std::span<const std::string_view> embedded_model_profiles();  ///< one JSON text a file, sorted by file name

}  // namespace pitwall
