// SPDX-License-Identifier: GPL-3.0-or-later
// Why a connection ends: a label of the metrics, and words for the request's record.
#pragma once

namespace pitwall {

struct SessionEnd {
  const char* label;
  const char* text;
};
inline constexpr SessionEnd kHungUp{"client_hung_up", "The client hung up"};
inline constexpr SessionEnd kSlowReader{"slow_reader",
                                        "The client reads too slowly: 256 KiB of its stream wait unsent"};
inline constexpr SessionEnd kStalled{"stalled", "The client has read nothing for too long"};
inline constexpr SessionEnd kStopping{"server_stopping", "The server is stopping"};
inline constexpr SessionEnd kIdle{"idle", "The connection was idle"};
inline constexpr SessionEnd kReplied{"replied", "The reply is out"};
inline constexpr SessionEnd kNoHandshake{"no_handshake", "The TLS handshake failed"};

}  // namespace pitwall
