// SPDX-License-Identifier: GPL-3.0-or-later
// SimExecutor under a whole engine: a back end without a model whose steps last, by the real clock, as long
// as a StepTimeModel says.
#pragma once
#include <memory>

#include "engine/execute/backend.h"

namespace pitwall::test {

/// Sampled are tokens of [first, first + count). `model` is not owned.
std::unique_ptr<Backend> make_simulated_backend(const StepTimeModel& model, TokenId first, TokenId count);

}  // namespace pitwall::test
