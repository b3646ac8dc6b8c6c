// SPDX-License-Identifier: GPL-3.0-or-later
// A file on a server: what its headers say of it, and its bytes from any place on. Redirects are followed.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/library/fetch_source.h"

namespace pitwall {

struct RemoteFile {
  Bytes size = -1;           ///< of the whole file; -1 when the server does not say
  Bytes start = 0;           ///< where the bytes that follow begin in it
  bool resumes = false;      ///< the server answered a range with a range
  std::string version;       ///< changes when the file does: ETag or Last-Modified; empty when unstated
  std::string sha256;        ///< what the hub states; empty when unstated
  std::string offered_name;  ///< of Content-Disposition, unchecked; empty when unstated
};

struct RemoteRequest {
  std::string url;
  Bytes start = -1;  ///< -1: from the beginning, with no range asked for
  Bytes count = 0;   ///< 0: to the end
  const std::atomic<bool>* cancel = nullptr;
};

/// `on_file` hears what the final answer says, then `on_bytes` its bytes; both as in http_receive. At most 10
/// redirects, never from https to http; the hub's token goes to the hub's origin alone. Errors: io is the
/// connection, busy is a server that may recover (429, 5xx); any other answer that is no file (401, 403, 404,
/// a web page) has another kind. Each says what to do.
Result<void> receive_file(const RemoteRequest& request, const Hub& hub,
                          const std::function<Result<bool>(const RemoteFile& file)>& on_file,
                          const std::function<Result<bool>(std::string_view bytes)>& on_bytes);

}  // namespace pitwall
