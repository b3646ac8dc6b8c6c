// SPDX-License-Identifier: GPL-3.0-or-later
// /metrics: Prometheus text with vLLM's names, labels and bucket edges for what exists, ours under pitwall:.
#pragma once
#include <string>

#include "engine/serve/http_statistics.h"

namespace pitwall {

class Engine;
std::string metrics_text(Engine& engine, const HttpStatistics& http);

}  // namespace pitwall
