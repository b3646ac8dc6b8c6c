// SPDX-License-Identifier: GPL-3.0-or-later
// A plain blocking socket that speaks HTTP by hand: tests see every byte and may break off anywhere.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pitwall::test {

struct RawReply {
  int status = 0;                              ///< 0: the connection ended before a whole reply
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;                            ///< chunks joined
};

/// Waits at most 60 s for anything; then behaves as if the connection had ended.
class RawHttp {
 public:
  explicit RawHttp(int port, int receive_buffer = 0);
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  bool send(std::string_view bytes);
  void send_get(std::string_view target, std::string_view more_headers = {});
  void send_post(std::string_view target, std::string_view json, std::string_view more_headers = {});
  RawReply read_reply();  ///< one whole reply
  std::string read_until(
      std::string_view mark);  ///< everything up to and with `mark`; shorter when the connection ends
  std::string read_all();      ///< until the connection ends
  bool ended();                ///< waits: true when the peer closed without sending more
  void finish_sending();       ///< shuts down this direction only
  void close();
  void reset();      ///< the same, as a program that crashes with unread data does it
  void read_byte();  ///< one, if one is there

 private:
  bool receive();
  int socket_ = -1;
  std::string received_;
};

RawReply get(int port, std::string_view target);
RawReply post(int port, std::string_view target, std::string_view json);

/// The data of each server-sent event of a body, comments left out; a line that belongs to neither ends the
/// list with "malformed: …".
std::vector<std::string> sse_data(std::string_view body);

}  // namespace pitwall::test
