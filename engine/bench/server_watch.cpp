// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/server_watch.h"

#include <algorithm>
#include <chrono>

#include "engine/base/threads.h"

namespace pitwall {

namespace {

constexpr int kReadTimeoutMs = 2000;

std::optional<std::int64_t> growth(const std::optional<double>& before, const std::optional<double>& after) {
  if (!before || !after || *after < *before) return std::nullopt;  // smaller: the server began anew
  return static_cast<std::int64_t>(*after - *before);
}

template <class T, class Value>
void raise(std::optional<T>& peak, const std::optional<Value>& value) {
  if (value) peak = std::max(peak.value_or(T{}), static_cast<T>(*value));
}

}  // namespace

ServerWatch::ServerWatch(ServerAddress address) : address_(std::move(address)) {
  read();
  thread_ = std::thread([this] { loop(); });
}

ServerWatch::~ServerWatch() {
  if (thread_.joinable()) stop();
}

ServerSide ServerWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  read();
  if (!first_ || !last_) return side_;
  side_.query_tokens = growth(first_->query_tokens, last_->query_tokens);
  side_.hit_tokens = growth(first_->hit_tokens, last_->hit_tokens);
  side_.preemptions = growth(first_->preemptions, last_->preemptions);
  if (first_->misses && last_->misses) {
    side_.misses = last_->misses;
    for (std::size_t i = 0; i < side_.misses->size(); ++i) (*side_.misses)[i] -= (*first_->misses)[i];
  }
  return side_;
}

void ServerWatch::read() {
  const auto answer = http_send(
      {.url = address_.base() + "/metrics", .headers = address_.headers(), .timeout_ms = kReadTimeoutMs});
  ++side_.reads;
  last_.reset();
  if (answer && answer->status == 200) {
    last_ = parse_metrics(answer->body);
    raise(side_.peak_kv_usage, last_->kv_usage);
    raise(side_.peak_kv_bytes, last_->kv_used_bytes);
  } else {
    ++side_.gaps;
  }
  if (side_.reads == 1) first_ = last_;
}

void ServerWatch::loop() {
  set_thread_name("pw-watch");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) {
    lock.unlock();
    read();
    lock.lock();
  }
}

}  // namespace pitwall
