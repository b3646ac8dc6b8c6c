// SPDX-License-Identifier: GPL-3.0-or-later
// A port of 127.0.0.1 that somebody listens on, as another server would.
#pragma once

namespace pitwall::test {

class TakenPort {
 public:
  TakenPort();
  ~TakenPort();
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace pitwall::test
