// SPDX-License-Identifier: GPL-3.0-or-later
// HttpSession: one connection. Requests one after the other, replies and streams, and noticing that the
// client is gone.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/base/clock.h"
#include "engine/base/threads.h"
#include "engine/serve/http_guard.h"
#include "engine/serve/http_lane.h"
#include "engine/serve/http_server.h"
#include "engine/serve/http_statistics.h"
#include "engine/serve/socket_table.h"

namespace boost::asio::ssl {
class context;
}

namespace pitwall {

class HttpSession {
 public:
  virtual ~HttpSession() = default;
  virtual void take_events() = 0;   ///< its lane's thread only: what ReadySessions announced
  virtual void end_politely() = 0;  ///< a request in progress ends with an error, then the connection closes
  virtual void close_now() = 0;     ///< both: any thread
};

/// The open connections. Thread-safe.
class HttpSessions {
 public:
  bool add(const std::shared_ptr<HttpSession>& session);  ///< false once refuse_new() was called
  void remove(HttpSession* session);
  void refuse_new();
  int count() const;
  std::vector<std::shared_ptr<HttpSession>> all() const;
  bool wait_until_none(Nanos at_most);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool refusing_ = false;
  std::unordered_map<HttpSession*, std::weak_ptr<HttpSession>> sessions_;
};

/// What all connections share; outlives them.
struct HttpContext {
  Engine& engine;
  const HttpOptions options;
  const HttpGuard guard;
  boost::asio::ssl::context* tls;  ///< null: plain HTTP
  WorkerPool& text_workers;        ///< JSON, templates, tokenizing
  HttpSessions sessions;
  LoopbackPeers peers;
  HttpStatistics statistics;
};

/// Takes over a connected socket, which belongs to `lane` from now on, and starts reading there.
void open_session(HttpContext& context, HttpLane& lane, int descriptor, bool is_v6);

}  // namespace pitwall
