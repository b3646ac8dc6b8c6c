// SPDX-License-Identifier: GPL-3.0-or-later
// ApiCall: one completion from body to last byte, without knowing about sockets.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/serve/chat_prompt.h"
#include "engine/serve/engine.h"
#include "engine/serve/http_reply.h"
#include "engine/serve/json_body.h"
#include "engine/serve/openai_response.h"
#include "engine/serve/text_frame.h"

namespace pitwall {

/// Who asks, and what they may.
struct ApiCaller {
  std::string key;  ///< name of the API key; "" where none is needed
  std::size_t max_messages = 4096;
  int max_json_depth = kDeepestJson;
  int max_waiting = 0;  ///< as in GenerationRequest
};

/// submit() on a worker thread; once it has returned, the rest on the connection's strand.
class ApiCall {
 public:
  ApiCall(Engine& engine, ApiKind kind, std::string body, ApiCaller caller);

  /// Parses, renders the template, tokenizes, hands the request to the engine. Nothing = accepted: events
  /// will come.
  std::optional<HttpReply> submit(OutputSink sink);

  RequestId request() const { return request_; }
  bool streams() const { return streams_; }

  /// What one event adds to the stream: `data: …` frames, possibly none.
  std::string stream_frames(const OutputEvent& event);
  bool failed(const OutputEvent& event) const;  ///< the stream ended with an error frame

  void collect(OutputEvent&& event);  ///< not streamed: until the last event
  HttpReply reply() const;            ///< after the last event

 private:
  Result<ChatPrompt> prompt(const nlohmann::ordered_json& body) const;

  Engine& engine_;
  std::string body_;
  const ApiCaller caller_;
  ResponseIdentity identity_;
  RequestId request_;
  bool streams_ = false, include_usage_ = false;
  bool role_sent_ = false;
  std::optional<TextFrame> text_frame_;  // of a stream
  std::string text_;
  std::vector<TokenId> tokens_;
  OutputEvent last_;
};

/// One server-sent event.
std::string sse_frame(std::string_view data);
std::string error_frame(std::string_view message, int status);

}  // namespace pitwall
