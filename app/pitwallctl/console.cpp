// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"

namespace pitwall::ctl {

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{200};
constexpr std::chrono::seconds kLogPeriod{5};

}  // namespace

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_json(const nlohmann::ordered_json& document) {
  print(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

void print_note(std::string_view text) {
  fmt::print(stderr, "{}\n", text);
}

Result<void> write_output(const std::string& file, std::string_view content) {
  if (!file.empty()) return write_file_atomic(file, content);
  print(content);
  return {};
}

StatusLine::StatusLine(std::chrono::milliseconds delay)
    : terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + delay) {}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::show(const std::function<std::string()>& text) {
  if (Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? Clock::duration(kTerminalPeriod) : Clock::duration(kLogPeriod));
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text());
  } else {
    fmt::print(stderr, "{}\n", text());
  }
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace pitwall::ctl
