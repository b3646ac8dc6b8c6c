// SPDX-License-Identifier: GPL-3.0-or-later
// A back end without a model: steps take the time that they are told to and every slice that samples gets the
// token that is asked of it. What a server does around a model can be measured with it.
#pragma once
#include <functional>
#include <memory>

#include "engine/execute/backend.h"

namespace pitwall::test {

/// `publish` is called for each step when its time is over, and returns the token that all its slices sample.
/// A step ends `interval` after the one before it, or at once where that is 0.
std::unique_ptr<Backend> make_instant_backend(Nanos interval, std::function<TokenId(Nanos at)> publish);

}  // namespace pitwall::test
