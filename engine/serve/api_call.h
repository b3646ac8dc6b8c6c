// SPDX-License-Identifier: GPL-3.0-or-later
// ApiCall: one call of a completion route from body to last byte, without knowing about sockets. A call asks
// for one choice or several; each is a request of the engine's.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/serve/chat_prompt.h"
#include "engine/serve/engine.h"
#include "engine/serve/http_reply.h"
#include "engine/serve/json_body.h"
#include "engine/serve/openai_response.h"
#include "engine/serve/reply_parser.h"

namespace pitwall {

struct ChoiceEvent {
  int choice = 0;
  OutputEvent event;
};
/// Called on the output thread; must not block.
using ChoiceSink = std::function<void(ChoiceEvent&&)>;

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

  /// Parses, renders the template, tokenizes, hands the requests to the engine. Nothing = accepted: events
  /// will come.
  std::optional<HttpReply> submit(const ChoiceSink& sink);
  void cancel(const std::string& reason);  ///< what has not ended

  bool streams() const { return asked_.stream; }
  bool ended() const { return open_ == 0; }  ///< all events have been taken
  bool failed() const { return failed_; }    ///< a choice failed: nothing more is to be said

  /// Appends what one event adds to the stream, possibly nothing.
  void stream(ChoiceEvent&& event, std::string& frames);

  void collect(ChoiceEvent&& event);  ///< not streamed: until ended() or failed()
  HttpReply reply();                  ///< then

 private:
  struct Choice {
    RequestId request;
    std::unique_ptr<ReplyParser> parser;  ///< null: all text is content
    std::optional<ChunkWriter> writer;
    bool role_sent = false, ended = false;
    ChoiceText said;              ///< whole replies: all of it
    std::size_t calls = 0;        ///< told so far
    std::size_t text_offset = 0;  ///< characters of tokens told so far
    std::int32_t tokens = 0;      ///< so far
    FinishReason reason = FinishReason::none;
    RequestRecord record;
    OutputEvent failure;
  };
  struct Prompt {
    ChatPrompt chat;  ///< its tokens go with the last choice
    std::int32_t token_count = 0;
    std::string text;  ///< for echo
  };

  Result<std::vector<Prompt>> prompts(const nlohmann::ordered_json& body) const;
  Result<void> prepare(const nlohmann::ordered_json& body);
  ReplyFormat reply_format(bool opens_reasoning) const;
  std::optional<HttpReply> start(const ChoiceSink& sink);
  ChoiceText take(Choice& choice, OutputEvent& event);
  bool note_end(Choice& choice, OutputEvent& event);
  std::optional<Usage> usage_so_far(const Choice& choice) const;
  Usage whole_usage() const;
  nlohmann::ordered_json timings() const;

  Engine& engine_;
  std::string body_;
  const ApiCaller caller_;
  ApiRequest asked_;
  ResponseIdentity identity_;
  std::vector<Prompt> prompts_;
  std::vector<Choice> choices_;  ///< prompt by prompt
  int open_ = 0;                 ///< choices that have not ended
  bool failed_ = false;
};

}  // namespace pitwall
