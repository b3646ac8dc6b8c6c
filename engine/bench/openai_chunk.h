// SPDX-License-Identifier: GPL-3.0-or-later
// What one chunk of an OpenAI stream says, as far as a measurement needs it: one pass over its bytes, no JSON
// document.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

struct ChunkFacts {
  bool choice = false;             ///< `choices` is not empty
  bool content = false;            ///< text of the reply that is not empty
  bool reasoning = false;          ///< reasoning or a tool-call delta that is not empty
  bool usage = false;              ///< an object, not null
  bool error = false;              ///< `error` is there and not null
  std::int32_t token_ids = -1;     ///< entries of the first choice's `token_ids`; −1 = not stated
  std::string_view finish_reason;  ///< of the first choice; points into the data
  std::string_view id;             ///< of the reply; points into the data
};

/// Empty when the data is not a JSON object with sound nesting. Looks at the first choice alone.
std::optional<ChunkFacts> read_chunk(std::string_view data);

/// Numbers of a usage object; −1 = not stated.
struct ChunkUsage {
  std::int32_t prompt_tokens = -1, completion_tokens = -1, cached_tokens = -1;
};

// Rare chunks, parsed in full.
std::optional<ChunkUsage> chunk_usage(std::string_view data);
std::string chunk_text(std::string_view data);     ///< content and reasoning of the first choice
std::string error_message(std::string_view data);  ///< of an error chunk or body; cut, for a person

}  // namespace pitwall
