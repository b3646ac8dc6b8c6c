// SPDX-License-Identifier: GPL-3.0-or-later
// ServerWatch: reads a server's /metrics before, during and after a load, on a thread of its own.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/bench/load.h"
#include "engine/bench/openai_server.h"

namespace pitwall {

class ServerWatch {
 public:
  explicit ServerWatch(ServerAddress address);  ///< reads for the first time, then once a second
  ~ServerWatch();
  ServerSide stop();  ///< reads for the last time

 private:
  void read();
  void loop();

  ServerAddress address_;
  ServerSide side_;
  std::optional<ServerCounters> first_, last_;  // of the first and the last read; empty where it failed
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pitwall
