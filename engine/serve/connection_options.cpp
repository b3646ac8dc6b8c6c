// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/connection_options.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string_view>

namespace pitwall {
namespace {

constexpr int kSendBuffer = 128 << 10;
// Always there, for every user. BBR, the default of some systems, sets a timer behind every write.
constexpr std::string_view kUnpaced = "reno";

void set(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

bool peer_is_local(int descriptor) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
  const auto is_v4_loopback = [](std::uint32_t address) { return ntohl(address) >> 24 == IN_LOOPBACKNET; };
  if (peer.ss_family == AF_INET)
    return is_v4_loopback(reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr);
  if (peer.ss_family != AF_INET6) return false;
  const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&address)) return IN6_IS_ADDR_LOOPBACK(&address);
  return is_v4_loopback(address.s6_addr32[3]);
}

}  // namespace

void set_connection_options(int descriptor) {
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_SNDBUF, kSendBuffer);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  if (peer_is_local(descriptor))
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, kUnpaced.data(), kUnpaced.size());
}

}  // namespace pitwall
