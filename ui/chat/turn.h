// SPDX-License-Identifier: GPL-3.0-or-later
// A turn of the conversation: what is written before a reply is asked for, and the question itself. All of it
// runs on the session's worker.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/serve/engine.h"
#include "engine/store/store.h"

namespace pitwall::ui {

class ReplyStream;

/// The engine as the worker may use it. Taking it away waits until the worker has let go, so that nothing is
/// tokenized or submitted on an engine that is being stopped.
struct EngineLease {
  std::mutex mutex;
  Engine* engine = nullptr;
};

/// Filled on the UI thread, then owned by the worker, then by the UI thread again.
struct Turn {
  std::int64_t chat = 0;  ///< 0: made, with `title`
  std::string title;
  ChatMessage system;  ///< id 0: added unless empty
  bool system_changed = false;
  std::optional<ChatMessage> user;        ///< added; its id becomes the reply's parent
  ChatMessage reply;                      ///< id 0: added; else begun again
  std::vector<ChatMessage> conversation;  ///< before the reply, with the system prompt in front
  bool shorten = false;                   ///< leave out what does not fit
  SamplingParams sampling;
  std::shared_ptr<ReplyStream> stream;
  std::shared_ptr<std::atomic<bool>> stop;  ///< looked at before the request is submitted
};

struct Asked {
  RequestId request;
  std::int64_t left_out_messages = 0, left_out_characters = 0;  ///< with `shorten`
};

/// Tokens of files that were sent before they had been counted; without an engine they stay uncounted.
void count_files(EngineLease& lease, ChatMessage& message);

/// Each write before the next thing that needs it: killed anywhere, the chat reads well.
Result<void> write_turn(Store& store, Turn& turn);

/// Error::param is "context_length" where the conversation is too long, Error::cancelled where it was
/// stopped.
Result<Asked> ask(EngineLease& lease, const Turn& turn);
Error no_engine();

/// What the model reads of a message: its text, then its files, each named and fenced.
std::string text_for_model(const ChatMessage& message);

}  // namespace pitwall::ui
