// SPDX-License-Identifier: GPL-3.0-or-later
// Settings → back end: the composition that both programs and the tests share.
#pragma once
#include "engine/serve/engine.h"
#include "kernels/backends.h"

namespace pitwall {

BackendOptions backend_options(const Settings& settings);
BackendFactory backend_factory();

}  // namespace pitwall
