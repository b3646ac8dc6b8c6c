// SPDX-License-Identifier: GPL-3.0-or-later
// A soak over HTTP: clients that ask for everything the server has, wrong things too, and hang up in between.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "engine/base/units.h"

namespace pitwall::test {

struct SoakCount {
  std::int64_t sent = 0, met = 0;  ///< met: answered as it should be
};
using SoakTable = std::map<std::string, SoakCount>;  ///< by kind of request

/// `clients` threads ask a server of the tiny model for a random mix until `stop`, or until each has asked
/// `most` times. The order of each client's requests follows from the seed.
SoakTable soak_over_http(int port, int clients, std::uint64_t seed, const std::atomic<bool>& stop,
                         std::int64_t most);

/// Of a process.
struct ProcessFigures {
  Bytes resident = 0;
  int files = 0, threads = 0;
};
ProcessFigures figures_of(std::int64_t pid);

/// Nothing runs, waits or holds a block, by /pitwall/snapshot.
bool server_rests(int port);

}  // namespace pitwall::test
