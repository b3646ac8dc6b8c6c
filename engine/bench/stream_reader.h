// SPDX-License-Identifier: GPL-3.0-or-later
// StreamReader: one answer of an OpenAI server, from bytes to a StreamRecord.
#pragma once
#include <string>
#include <string_view>

#include "engine/bench/load.h"
#include "engine/bench/response_reader.h"
#include "engine/library/sse_parser.h"

namespace pitwall {

/// One connection's answers, one after the other. Not thread-safe; no clock: the caller says when bytes were
/// read. Called again and again, also from tests, which may cut the bytes anywhere.
class StreamReader {
 public:
  StreamReader(bool keep_text, LoadListener* listener) : keep_text_(keep_text), listener_(listener) {}

  void begin(StreamRecord& record);  ///< the record outlives the answer
  /// True when the answer is over and the record has its end.
  bool feed(std::string_view bytes, Nanos at);
  /// The connection ended, for this reason where it is known.
  void disconnected(Nanos at, const std::string& why);
  /// The caller gives up.
  void end(StreamEnd end, std::string reason, Nanos at);

  bool running() const { return record_ != nullptr; }
  bool heard() const { return heard_; }        ///< a byte of this answer has come
  bool reusable() const { return reusable_; }  ///< the connection, after an answer

 private:
  bool take_event(std::string_view data);
  void close_whole();

  ResponseReader response_;
  SseParser events_;
  std::string body_;  // of an answer that is no stream, or of an error
  StreamRecord* record_ = nullptr;
  Nanos at_ = 0;
  bool keep_text_, heard_ = false, reusable_ = false, last_mark_ = false;
  LoadListener* listener_;
};

}  // namespace pitwall
