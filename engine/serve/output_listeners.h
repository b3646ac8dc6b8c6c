// SPDX-License-Identifier: GPL-3.0-or-later
// OutputListeners: who wants to know that events have been handed out, to pass them on together.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace pitwall {

/// Thread-safe.
class OutputListeners {
 public:
  int add(std::function<void()> told) {
    const std::lock_guard lock(mutex_);
    listeners_.emplace(++last_, std::move(told));
    return last_;
  }
  /// No call is under way once this has returned.
  void remove(int listener) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(listener);
  }
  void tell() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [listener, told] : listeners_) told();
  }

 private:
  mutable std::mutex mutex_;
  int last_ = 0;
  std::map<int, std::function<void()>> listeners_;
};

}  // namespace pitwall
