// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a load against an OpenAI server: one thread, thousands of streams at once.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/bench/load.h"

namespace pitwall {

struct HttpLoadTarget {
  std::string url;  ///< of the endpoint: http://127.0.0.1:8080/v1/completions; https too
  std::vector<std::pair<std::string, std::string>> headers;  ///< may hold keys: never in messages or records
  /// The JSON that requests[index] posts; called on the playing thread, before the start as far as memory
  /// allows.
  std::function<std::string(std::size_t index)> body;
  Nanos silence = 600 * kNanosPerSecond;  ///< a request with no byte for so long has timed out
  bool keep_text = false;                 ///< replies are kept; each chunk is parsed in full then
};

/// Blocks until every request has ended. Fails only where nothing can be played: a bad address, a name that
/// does not resolve. Each chunk is stamped as soon as it is read. Connections are kept and used again, the
/// one that was used last first; where a kept one turns out closed before any byte of the answer, the request
/// goes out once more over a new one.
Result<PlayedLoad> play_over_http(const Load& load, const HttpLoadTarget& target);

}  // namespace pitwall
