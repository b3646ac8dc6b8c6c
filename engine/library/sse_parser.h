// SPDX-License-Identifier: GPL-3.0-or-later
// Server-sent events out of a byte stream that may be cut anywhere.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace pitwall {

/// Follows the event stream format of the HTML standard: lines end in LF, CRLF or CR; comments and fields
/// other than `data` are skipped; several data lines of one event are joined by LF; an event without its
/// empty line is not delivered. One parser a response; not thread-safe.
class SseParser {
 public:
  enum class Status {
    more,     ///< everything was taken in
    stopped,  ///< on_data returned false
    too_long  ///< one event is above kLargestEvent bytes
  };
  static constexpr std::size_t kLargestEvent = std::size_t{16} << 20;

  /// Calls `on_data` for each event that ends in `bytes`. After stopped or too_long the parser is of no more
  /// use.
  Status feed(std::string_view bytes, const std::function<bool(std::string_view data)>& on_data);

 private:
  void end_line();

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;   // a LF that follows belongs to the line end already seen
  bool first_line_ = true;  // may begin with a byte order mark
};

}  // namespace pitwall
