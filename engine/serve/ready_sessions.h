// SPDX-License-Identifier: GPL-3.0-or-later
// ReadySessions: which connections have events of the engine to take. The output thread fills it, the I/O
// thread empties it, and one wake-up serves all that were added before it came.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pitwall {

class HttpSession;

/// Thread-safe.
class ReadySessions {
 public:
  /// `wake` is called when the list stops being empty; it must not block.
  explicit ReadySessions(std::function<void()> wake) : wake_(std::move(wake)) {}

  void add(std::weak_ptr<HttpSession> session) {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(std::move(session));
    if (sessions_.size() == 1) wake_();
  }
  std::vector<std::weak_ptr<HttpSession>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(sessions_, {});
  }

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<HttpSession>> sessions_;
};

}  // namespace pitwall
