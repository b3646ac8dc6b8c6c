// SPDX-License-Identifier: GPL-3.0-or-later
// Thread helpers: names, and a small pool for work that must not block the caller.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pitwall {

int usable_cores();  ///< by affinity and control-group quota, at least 1

void set_thread_name(const char* name);  ///< of the calling thread; cut to 15 bytes

/// Runs posted jobs in order on `threads` threads. post() is thread-safe and never blocks. The destructor
/// runs what was posted before it, then joins. Jobs must not throw.
class WorkerPool {
 public:
  WorkerPool(int threads, std::string name);
  ~WorkerPool();
  void post(std::function<void()> job);

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::string name_;
  std::vector<std::thread> threads_;
};

}  // namespace pitwall
