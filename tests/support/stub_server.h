// SPDX-License-Identifier: GPL-3.0-or-later
// An OpenAI server without a model: answers completions with streams of the real shape at a given pace, and
// misbehaves on request. One thread, thousands of streams.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pitwall::test {

struct StubRequest {
  std::size_t number = 0;  ///< of the completions, from 0 in order of arrival
  std::string target, authorization, body;
  bool chat() const { return target == "/v1/chat/completions"; }
};

/// How one completion is answered. Counts of −1 never happen.
struct StubAnswer {
  int status = 200;     ///< another one: an error body, no stream
  double first_ms = 0;  ///< before the first chunk
  double gap_ms = 0;    ///< between chunks; 0 = all at once
  int tokens = -1;      ///< −1 = as many as the request asks for
  int tokens_per_chunk = 1;
  int usage_tokens = -1;                                ///< what usage says instead of the truth
  int cut_after = -1;                                   ///< hangs up after so many chunks with text
  int error_after = -1;                                 ///< an error event after so many
  int silent_after = -1;                                ///< says nothing more after so many
  bool crlf = false, comments = false, spaces = false;  ///< of the events' form
  bool token_ids = false;                               ///< chunks state their tokens
  bool finish = true, done = true;                      ///< a finish reason; [DONE]
  bool close = false;                                   ///< the connection, after the answer, and says so
  bool close_unsaid = false;                            ///< without a word
  std::size_t write_bytes = 0;                          ///< into the socket at once; 0 = all there is
};

class StubServer {
 public:
  using Script = std::function<StubAnswer(const StubRequest& request)>;  ///< on the server's thread

  explicit StubServer(Script script, int port = 0);  ///< 0 = any free one
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  std::string url() const;  ///< http://127.0.0.1:PORT
  std::vector<StubRequest> requests() const;
  int connections() const;  ///< accepted so far
  int most_streams() const;
  void set_metrics(std::string text);  ///< what GET /metrics says; empty = 500
  void keep_requests(bool keep);       ///< false: a long benchmark remembers none
  double cpu_s();                      ///< of its thread

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

}  // namespace pitwall::test
