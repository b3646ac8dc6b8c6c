// SPDX-License-Identifier: GPL-3.0-or-later
// What Linux tells about TCP sockets of this machine: who listens on a port, and whether a loopback peer
// still has its end open. Elsewhere nothing is known.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace pitwall {

struct PortOwner {
  int pid = 0;
  std::string name;
};
/// The process that listens on `port`, where /proc shows it (own processes, or all for root).
std::optional<PortOwner> port_owner(std::uint16_t port);

/// Peers on this machine. The kernel's table is read for all of them at once, at most ten times a second and
/// never for more than a tenth of the time: it grows with every socket of the machine. Thread-safe.
class LoopbackPeers {
 public:
  using Clock = std::chrono::steady_clock;
  /// The peer at `peer_port`, connected to our `own_port`: has its program closed the socket? A half-closed
  /// one is still open. False when it cannot be known, or the table has not been read since `since`.
  bool closed(std::uint16_t own_port, std::uint16_t peer_port, Clock::time_point since);

 private:
  void read();
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, bool>
      held_;  // by own port and peer port: a program holds the peer's socket
  Clock::time_point read_{}, next_{};
};

}  // namespace pitwall
