// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>

#include "engine/serve/http_session.h"

namespace pitwall {

bool HttpSessions::add(const std::shared_ptr<HttpSession>& session) {
  const std::lock_guard lock(mutex_);
  if (!refusing_) sessions_.emplace(session.get(), session);
  return !refusing_;
}

void HttpSessions::refuse_new() {
  const std::lock_guard lock(mutex_);
  refusing_ = true;
}

void HttpSessions::remove(HttpSession* session) {
  {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session);
  }
  changed_.notify_all();
}

int HttpSessions::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(sessions_.size());
}

std::vector<std::shared_ptr<HttpSession>> HttpSessions::all() const {
  std::vector<std::shared_ptr<HttpSession>> result;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, session] : sessions_) {
    if (auto alive = session.lock()) result.push_back(std::move(alive));
  }
  return result;
}

bool HttpSessions::wait_until_none(Nanos at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(at_most), [this] { return sessions_.empty(); });
}

}  // namespace pitwall
