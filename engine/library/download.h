// SPDX-License-Identifier: GPL-3.0-or-later
// One file from a server into a folder: resumed, retried, verified.
#pragma once
#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/library/fetch.h"
#include "engine/library/fetch_source.h"

namespace pitwall {

/// Bytes gather in NAME.partial, beside NAME.partial.json which says what they are of; they stay there when
/// the connection is cut 5 times in a row or the caller cancels, and the next download goes on from them if
/// the file is the same and the server can. `label`: put behind the phases ("", " part 2 of 3").
Result<std::filesystem::path> download_file(const FetchSource& source, const std::filesystem::path& folder,
                                            const Hub& hub, const FetchOptions& options,
                                            const std::string& label);

}  // namespace pitwall
