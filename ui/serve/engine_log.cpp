// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/engine_log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace pitwall::ui {

namespace {

LogLevel level_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return LogLevel::error;
  if (level == spdlog::level::warn) return LogLevel::warning;
  return level == spdlog::level::info ? LogLevel::info : LogLevel::debug;
}

class Listener final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit Listener(EngineLog& log) : log_(log) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto since = message.time.time_since_epoch();
    log_.add(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count(), level_of(message.level),
             {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

 private:
  EngineLog& log_;
};

}  // namespace

EngineLog& EngineLog::current() {
  static EngineLog* const log = [] {
    auto* made = new EngineLog;  // threads that end after main() may still write
    const auto logger = spdlog::default_logger();
    // What the terminal shows stays as it was; here details are wanted too.
    for (const auto& sink : logger->sinks()) sink->set_level(std::max(sink->level(), logger->level()));
    logger->sinks().push_back(std::make_shared<Listener>(*made));
    logger->set_level(spdlog::level::debug);
    return made;
  }();
  return *log;
}

void EngineLog::add(Nanos utc, LogLevel level, std::string_view text) {
  const QString line =
      QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min(text.size(), kLongest)));
  const std::lock_guard lock(mutex_);
  lines_.push_back({written_ + 1, utc, level, line});
  if (lines_.size() > kMost) lines_.pop_front();
  ++written_;
}

std::vector<LogLine> EngineLog::lines() const {
  const std::lock_guard lock(mutex_);
  return {lines_.rbegin(), lines_.rend()};
}

}  // namespace pitwall::ui
