// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/output_thread.h"

#include <algorithm>
#include <iterator>

#include "engine/base/threads.h"

namespace pitwall {
namespace {

// Whoever passes events on is woken once for so many. A wake-up costs more than an event, and sixteen events
// are made in about 20 us.
constexpr int kToldTogether = 16;

}  // namespace

OutputThread::OutputThread(Recorder& recorder, std::shared_ptr<const Tokenizer> tokenizer, Feedback feedback)
    : recorder_(recorder),
      tokenizer_(std::move(tokenizer)),
      feedback_(std::move(feedback)),
      thread_([this] { run(); }) {}

OutputThread::~OutputThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void OutputThread::begin(RequestId id, OutputSink sink, const SamplingParams& sampling) {
  const std::vector<std::string>& stops = sampling.stop;
  auto stream = std::make_unique<Stream>(
      Stream{.id = id, .sink = std::move(sink), .detokenizer = {}, .stops = StopMatcher(stops), .event = {}});
  for (const std::string& stop : stops) stream->has_stops |= !stop.empty();
  // A reply follows its prompt: its first token keeps a leading space.
  if (tokenizer_) stream->detokenizer.emplace(tokenizer_, sampling.skip_special, true);
  const std::lock_guard lock(mutex_);
  items_.emplace_back(std::move(stream));
}

void OutputThread::push(OutputBatch batch) {
  if (batch.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    items_.emplace_back(std::move(batch));
  }
  wake_.notify_one();
}

void OutputThread::run() {
  set_thread_name("pw-output");
  for (;;) {
    std::vector<Item> items;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !items_.empty(); });
      if (items_.empty()) return;
      items.swap(items_);
    }
    for (Item& item : items) {
      if (auto* stream = std::get_if<std::unique_ptr<Stream>>(&item)) {
        const RequestId id = (*stream)->id;
        streams_.emplace(id, std::move(*stream));
      } else {
        handle(std::get<OutputBatch>(item));
      }
    }
  }
}

/// A client hears of its token before the next one's is made: what is written to one does not wait for the
/// texts of all.
void OutputThread::handle(OutputBatch& batch) {
  for (SliceLogits& logits : batch.logits) {
    if (Stream* stream = find(logits.request)) stream->event.logits.push_back(std::move(logits));
  }
  for (PromptLogprobs& prompt : batch.prompt_logprobs) {
    if (Stream* stream = find(prompt.request)) {
      std::move(prompt.positions.begin(), prompt.positions.end(),
                std::back_inserter(stream->event.prompt_logprobs));
    }
  }
  for (const FinishEvent& end : batch.finished) {
    if (Stream* stream = find(end.request)) stream->ends = true;
  }
  for (TokenEvent& token : batch.tokens) {
    Stream* stream = find(token.request);
    if (!stream) continue;
    take_token(*stream, token, batch.at);
    if (!stream->ends || stream->event.finished) deliver(*stream);  // else its last token comes with the end
  }
  for (const FinishEvent& end : batch.finished) {
    Stream* stream = find(end.request);
    if (!stream) continue;
    finish(*stream, end, batch.at);
    deliver(*stream);
  }
  if (untold_ > 0) tell();
}

/// Null when the request's last event is out: what the engine still computed for it is dropped.
OutputThread::Stream* OutputThread::find(RequestId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void OutputThread::take_token(Stream& stream, TokenEvent& token, Nanos at) {
  recorder_.token(stream.id, at);
  ++stream.handled;
  if (!token.end) {
    stream.event.tokens.push_back(token.token);
    if (token.logprobs) stream.event.logprobs.push_back(*std::move(token.logprobs));
    if (stream.detokenizer) {
      StopMatcher::Output output = stream.stops.push(stream.detokenizer->push(token.token));
      stream.event.text += output.text;
      if (output.stopped) {
        finish(stream, {stream.id, FinishReason::stop, {}}, at);
        feedback_.stopped(stream.id);
        return;
      }
    }
  }
  if (stream.has_stops) feedback_.handled(stream.id, stream.handled);
}

void OutputThread::finish(Stream& stream, const FinishEvent& end, Nanos at) {
  FinishReason reason = end.reason;
  if (stream.detokenizer) {
    StopMatcher::Output output = stream.stops.push(stream.detokenizer->flush());
    stream.event.text += output.text + stream.stops.flush();
    if (output.stopped && reason == FinishReason::length) reason = FinishReason::stop;
  }
  recorder_.finished(stream.id, at, reason, end.error, end.cause);
  stream.event.finished = true;
  stream.event.reason = reason;
  stream.event.record = recorder_.record_of(stream.id);
  if (reason == FinishReason::error) {
    stream.event.error = {
        .kind = Error::Kind::internal, .what = end.error, .cause = {}, .action = {}, .param = {}};
  }
}

void OutputThread::deliver(Stream& stream) {
  OutputEvent event = std::exchange(stream.event, {});
  const bool finished = event.finished;
  // What is the prompt's stays with the stream until its last event.
  if (!finished) {
    stream.event.logits = std::exchange(event.logits, {});
    stream.event.prompt_logprobs = std::exchange(event.prompt_logprobs, {});
  }
  stream.sink(std::move(event));
  if (finished) streams_.erase(stream.id);
  if (++untold_ == kToldTogether) tell();
}

void OutputThread::tell() {
  untold_ = 0;
  feedback_.told();
}

}  // namespace pitwall
