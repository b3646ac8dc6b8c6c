// SPDX-License-Identifier: GPL-3.0-or-later
// What Linux tells about TCP sockets of this machine: who listens on a port, and whether a loopback peer
// still has its end open. Elsewhere nothing is known.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace pitwall {

struct PortOwner {
  int pid = 0;
  std::string name;
};
/// The process that listens on `port`, where /proc shows it (own processes, or all for root).
std::optional<PortOwner> port_owner(std::uint16_t port);

/// A peer on this machine is at `peer_port` and connected to our `own_port`: has its program closed the
/// socket? A half-closed one is still open. False when it cannot be known.
bool loopback_peer_closed(std::uint16_t own_port, std::uint16_t peer_port);

}  // namespace pitwall
