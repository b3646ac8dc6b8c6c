// SPDX-License-Identifier: GPL-3.0-or-later
// EngineLog: the newest lines that the engine and its server wrote to the log of this process. No prompt or
// reply text and no key is among them (engine/serve/README.md).
#pragma once
#include <QString>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"

namespace pitwall::ui {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogLine {
  std::int64_t number = 0;  ///< from 1
  Nanos utc = 0;
  LogLevel level = LogLevel::info;
  QString text;
};

/// Thread-safe; one of the process, which listens from the first call of current() on: made before an engine
/// runs.
class EngineLog {
 public:
  static constexpr std::size_t kMost = 1000;     ///< lines
  static constexpr std::size_t kLongest = 2000;  ///< bytes of a line

  static EngineLog& current();
  void add(Nanos utc, LogLevel level, std::string_view text);
  std::vector<LogLine> lines() const;                ///< newest first
  std::int64_t written() const { return written_; }  ///< number of the newest

 private:
  mutable std::mutex mutex_;
  std::deque<LogLine> lines_;
  std::atomic<std::int64_t> written_{0};
};

}  // namespace pitwall::ui
