// SPDX-License-Identifier: GPL-3.0-or-later
// OutputThread: turns committed tokens into text, finds stop strings, and tells each client.
//
// It also reports tokens and ends to the Recorder, so that a token behind a stop string is neither emitted
// nor counted although the engine may have computed it already.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/schedule/scheduler.h"
#include "engine/serve/engine.h"
#include "engine/text/detokenizer.h"
#include "engine/text/stop_strings.h"

namespace pitwall {

/// What one commit, or one command, made true at `at`.
struct OutputBatch {
  Nanos at = 0;
  std::vector<TokenEvent> tokens;
  std::vector<FinishEvent> finished;
  std::vector<SliceLogits> logits;
  std::vector<PromptLogprobs> prompt_logprobs = {};
  bool empty() const {
    return tokens.empty() && finished.empty() && logits.empty() && prompt_logprobs.empty();
  }
};

class OutputThread {
 public:
  /// Called on the output thread.
  struct Feedback {
    std::function<void(RequestId, int tokens)> handled;  ///< of requests with stop strings: output so far
    std::function<void(RequestId)> stopped;              ///< a stop string was found
    std::function<void()> told;  ///< some events, or a batch's last, are with their sinks
  };
  OutputThread(Recorder& recorder, std::shared_ptr<const Tokenizer> tokenizer, Feedback feedback);
  ~OutputThread();  ///< handles what was pushed, then joins

  void begin(RequestId id, OutputSink sink, const SamplingParams& sampling);  ///< before its first batch
  void push(OutputBatch batch);

 private:
  struct Stream {
    RequestId id;
    OutputSink sink;
    std::optional<Detokenizer> detokenizer;  // none without a tokenizer: tokens only
    StopMatcher stops;
    bool has_stops = false;
    int handled = 0;    // output tokens, end token included
    OutputEvent event;  // what has not been told
    bool ends = false;  // with the current batch
  };
  using Item = std::variant<std::unique_ptr<Stream>, OutputBatch>;

  void run();
  void handle(OutputBatch& batch);
  Stream* find(RequestId id);
  void take_token(Stream& stream, TokenEvent& token, Nanos at);
  void finish(Stream& stream, const FinishEvent& end, Nanos at);
  void deliver(Stream& stream);
  void tell();

  Recorder& recorder_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  Feedback feedback_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Item> items_;
  bool stopping_ = false;

  // Output thread only.
  std::unordered_map<RequestId, std::unique_ptr<Stream>> streams_;
  int untold_ = 0;  // events since the last tell()

  std::thread thread_;
};

}  // namespace pitwall
