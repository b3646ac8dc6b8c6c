// SPDX-License-Identifier: GPL-3.0-or-later
// ReadySessions: which connections have events of the engine to take. The output thread fills it, the I/O
// thread empties it, and one wake-up serves all that were added before it.
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
  /// `wake` makes the I/O thread take(); it must not block.
  explicit ReadySessions(std::function<void()> wake) : wake_(std::move(wake)) {}

  void add(std::weak_ptr<HttpSession> session) {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(std::move(session));
  }
  /// Behind the last of what is added together. The lock is free again by then: who is woken may run at once.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      if (sessions_.empty() || woken_) return;
      woken_ = true;
    }
    wake_();
  }
  std::vector<std::weak_ptr<HttpSession>> take() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    return std::exchange(sessions_, {});
  }

 private:
  const std::function<void()> wake_;
  std::mutex mutex_;
  bool woken_ = false;  // since the last take()
  std::vector<std::weak_ptr<HttpSession>> sessions_;
};

}  // namespace pitwall
