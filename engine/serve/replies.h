// SPDX-License-Identifier: GPL-3.0-or-later
// Requests sent to the engine in this process, and everything that came back.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/serve/engine.h"

namespace pitwall {

struct Reply {
  std::string text;
  std::vector<TokenId> tokens;
  OutputEvent last;  ///< with reason, record and logits
};

using EventSink = std::function<void(const OutputEvent& event)>;  ///< on the output thread

/// Submits all at once and waits for all; replies in the order of the requests. The first failure of a
/// request is the error. `sink`, where given, hears the events of all requests.
Result<std::vector<Reply>> run_requests(Engine& engine, std::vector<GenerationRequest> requests,
                                        const EventSink& sink = {});

/// Of a request with prompt_logits: the logits of its `rows` positions, `columns` each, in order; a long
/// prompt comes back in several slices.
Result<std::vector<float>> prompt_logits(const Reply& reply, std::size_t rows, std::size_t columns);

}  // namespace pitwall
