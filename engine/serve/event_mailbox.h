// SPDX-License-Identifier: GPL-3.0-or-later
// EventMailbox: carries the events of a call's choices from the output thread to its connection, and lets
// either side go first.
#pragma once
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/serve/api_call.h"

namespace pitwall {

/// Thread-safe.
class EventMailbox {
 public:
  /// `notify` is called on the output thread when the box stops being empty; it must not block.
  explicit EventMailbox(std::function<void()> notify) : notify_(std::move(notify)) {}

  void push(ChoiceEvent&& event) {
    const std::lock_guard lock(mutex_);
    if (!notify_) return;
    events_.push_back(std::move(event));
    if (events_.size() == 1) notify_();
  }
  std::vector<ChoiceEvent> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }
  /// Nothing is kept and nobody is notified once this has returned.
  void close() {
    const std::lock_guard lock(mutex_);
    notify_ = nullptr;
    events_.clear();
  }

 private:
  std::mutex mutex_;
  std::function<void()> notify_;
  std::vector<ChoiceEvent> events_;
};

}  // namespace pitwall
