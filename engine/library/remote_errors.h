// SPDX-License-Identifier: GPL-3.0-or-later
// What a server's refusal means for the person who waits for a file.
#pragma once
#include "engine/base/result.h"
#include "engine/library/fetch_source.h"
#include "engine/library/http_client.h"
#include "engine/library/http_url.h"

namespace pitwall {

/// `asked`: the address as the person gave it, whose query and token stay out of the message. Error::busy for
/// what passes by itself (429, 500, 502, 503, 504).
Error refusal(const HttpResponse& answer, const HttpUrl& asked, const Hub& hub);

}  // namespace pitwall
