// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace pitwall {

namespace {

// Shared with the sinks: a request that was submitted before another failed may still end later.
struct Gathered {
  std::vector<Reply> replies;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t waiting = 0;
};

}  // namespace

Result<std::vector<Reply>> run_requests(Engine& engine, std::vector<GenerationRequest> requests,
                                        const EventSink& sink) {
  const auto gathered = std::make_shared<Gathered>();
  gathered->replies.resize(requests.size());
  gathered->waiting = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto id = engine.submit(std::move(requests[i]), [gathered, i, sink](OutputEvent&& event) {
      if (sink) sink(event);
      Reply& reply = gathered->replies[i];  // the engine calls all sinks on one thread
      reply.text += event.text;
      reply.tokens.insert(reply.tokens.end(), event.tokens.begin(), event.tokens.end());
      if (!event.finished) return;
      reply.last = std::move(event);
      const std::lock_guard lock(gathered->mutex);
      --gathered->waiting;
      gathered->ended.notify_one();
    });
    if (!id.ok()) return id.error();
  }
  std::unique_lock lock(gathered->mutex);
  gathered->ended.wait(lock, [&] { return gathered->waiting == 0; });
  for (const Reply& reply : gathered->replies) {
    if (reply.last.reason == FinishReason::error) return reply.last.error;
  }
  return std::move(gathered->replies);
}

Result<std::vector<float>> prompt_logits(const Reply& reply, std::size_t rows, std::size_t columns) {
  std::vector<float> logits(rows * columns);
  std::size_t filled = 0;
  for (const SliceLogits& slice : reply.last.logits) {
    const auto first = static_cast<std::size_t>(slice.first_position);
    const std::size_t count = std::min(slice.values.size() / columns, first < rows ? rows - first : 0);
    std::copy_n(slice.values.begin(), count * columns,
                logits.begin() + static_cast<std::ptrdiff_t>(first * columns));
    filled += count;
  }
  if (filled == rows) return logits;
  return Error{Error::Kind::internal,
               fmt::format("The engine returned the logits of {} positions of {}", filled, rows), "", "", ""};
}

}  // namespace pitwall
