// SPDX-License-Identifier: GPL-3.0-or-later
// What the program writes: results to stdout, everything else to stderr.
#pragma once
#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall::ctl {

void print(std::string_view text);                        ///< to stdout, flushed
void print_json(const nlohmann::ordered_json& document);  ///< one line to stdout; undefined numbers are null
void print_note(std::string_view text);                   ///< one line to stderr

/// To `file`, or to stdout when it is empty.
Result<void> write_output(const std::string& file, std::string_view content);

/// A line on stderr that replaces itself on a terminal. Elsewhere it is written at most each five seconds.
class StatusLine {
 public:
  /// Nothing is shown within `delay` of the construction: what is quick needs no progress.
  explicit StatusLine(std::chrono::milliseconds delay = std::chrono::seconds(1));
  ~StatusLine();  ///< clears the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::function<std::string()>& text);  ///< not called when it is too early to show anything
  void clear();
  bool on_terminal() const { return terminal_; }

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace pitwall::ctl
