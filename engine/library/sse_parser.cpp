// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/sse_parser.h"

#include <utility>

namespace pitwall {

SseParser::Status SseParser::feed(std::string_view bytes,
                                  const std::function<bool(std::string_view)>& on_data) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t length = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, length);
    if (line_.size() + data_.size() > kLargestEvent) return Status::too_long;
    if (length == std::string_view::npos) break;
    after_cr_ = bytes[length] == '\r';
    bytes.remove_prefix(length + 1);
    if (std::exchange(first_line_, false) && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);

    if (!line_.empty()) {
      end_line();
    } else if (std::exchange(has_data_, false)) {
      if (!on_data(std::exchange(data_, {}))) return Status::stopped;
    }
  }
  return Status::more;
}

void SseParser::end_line() {
  std::string_view line = line_;
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) == "data") {
    line.remove_prefix(colon == std::string_view::npos ? line.size() : colon + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += line;
  }
  line_.clear();
}

}  // namespace pitwall
