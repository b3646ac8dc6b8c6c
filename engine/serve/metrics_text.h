// SPDX-License-Identifier: GPL-3.0-or-later
// /metrics: Prometheus text with vLLM's names for what exists, ours under pitwall:.
#pragma once
#include <string>

namespace pitwall {

class Engine;
std::string metrics_text(Engine& engine);

}  // namespace pitwall
