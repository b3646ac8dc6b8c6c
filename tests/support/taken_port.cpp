// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/taken_port.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace pitwall::test {

TakenPort::TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 1) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    std::fprintf(stderr, "no port could be taken\n");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
}

TakenPort::~TakenPort() {
  ::close(socket_);
}

}  // namespace pitwall::test
