// SPDX-License-Identifier: GPL-3.0-or-later
// An engine with the tiny model behind a server on a free port, and what HTTP tests ask of it.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/serve/http_server.h"
#include "tests/support/engine_runner.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

namespace pitwall::test {

using Json = nlohmann::ordered_json;

class HttpFixture {
 public:
  /// float32, unless the settings say otherwise: replies are the same alone and in a crowd.
  explicit HttpFixture(SettingList settings = {}, HttpOptions options = {}, const TinyModel& model = {});

  Engine& engine() { return *engine_; }
  HttpServer& server() { return *server_; }
  int port() const { return server_->port(); }
  void stop_server() { server_->stop(); }

  /// Nothing runs, waits or holds a block, and the last end is written down; asks the engine afresh each
  /// time.
  bool at_rest();

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<HttpServer> server_;
};

inline const std::string kChat = "/v1/chat/completions", kCompletions = "/v1/completions";

/// A chat request with one user message; `fields` are merged in.
Json chat_body(const std::string& user, Json fields = Json::object());

/// What a reply or a stream says, whichever way it came.
struct Completion {
  int status = 0;
  std::string text, finish_reason, id;
  std::vector<int> tokens;
  Json usage;
  std::string problem;  ///< of the stream's form; empty when it is sound
};
Completion read_whole(const RawReply& reply);
Completion read_stream(const RawReply& reply);  ///< checks framing, ids, roles and finish reasons on the way
Completion complete(int port, const std::string& target, Json body, bool stream);

}  // namespace pitwall::test
