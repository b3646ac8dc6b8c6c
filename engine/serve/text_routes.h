// SPDX-License-Identifier: GPL-3.0-or-later
// POST /tokenize and /detokenize, in vLLM's shapes.
#pragma once
#include "engine/serve/http_routes.h"

namespace pitwall {

/// {"prompt"} or {"messages", …}, "add_special_tokens", "return_token_strs"
/// → {"count", "max_model_len", "tokens", "token_strs"}
HttpReply tokenize_route(const RouteInput& input);
/// {"tokens": [ids]} → {"prompt": text}
HttpReply detokenize_route(const RouteInput& input);

}  // namespace pitwall
