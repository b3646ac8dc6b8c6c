// SPDX-License-Identifier: GPL-3.0-or-later
// HttpLane: an I/O thread and the connections that belong to it alone. A step's tokens are written by all
// lanes at once.
#pragma once
#include <memory>

#include "engine/serve/ready_sessions.h"

namespace boost::asio {
class io_context;
}

namespace pitwall {

class HttpLane {
 public:
  HttpLane();
  ~HttpLane();  ///< finish()
  HttpLane(const HttpLane&) = delete;
  HttpLane& operator=(const HttpLane&) = delete;

  boost::asio::io_context& io();
  /// Its connections that have events.
  ReadySessions& ready();
  /// Starts the thread.
  void run();
  /// Returns when nothing is left to do and the thread has ended. At once when it never ran.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
