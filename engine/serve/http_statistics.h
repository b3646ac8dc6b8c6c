// SPDX-License-Identifier: GPL-3.0-or-later
// HttpStatistics: what the HTTP front did, by cause, for /metrics. Labels are words of this program and names
// of keys, never what clients sent.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace pitwall {

struct HttpCounts {
  std::map<std::pair<int, std::string>, std::int64_t> replies;  ///< by status and error code ("" for none)
  std::map<std::string, std::int64_t> drops;                    ///< requests cut off, by reason
  std::map<std::string, std::int64_t> completions;              ///< accepted, by name of the API key
};

/// Thread-safe.
class HttpStatistics {
 public:
  void replied(int status, std::string_view code = {});
  void dropped(std::string_view reason);
  void accepted(const std::string& key);
  HttpCounts counts() const;

 private:
  mutable std::mutex mutex_;
  HttpCounts counts_;
};

}  // namespace pitwall
