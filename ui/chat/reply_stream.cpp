// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/reply_stream.h"

#include <limits>
#include <utility>

#include "ui/widgets/number_format.h"

namespace pitwall::ui {

void ReplyStream::push(OutputEvent&& event, Nanos at) {
  const std::lock_guard lock(mutex_);
  news_.text += event.text;
  if (const auto tokens = static_cast<std::int64_t>(event.tokens.size()); tokens > 0) {
    // As the engine counts: tokens that come together share the gap before them.
    if (last_token_ > 0) gaps_.add(static_cast<double>(at - last_token_) / kNanosPerMs / tokens, tokens);
    last_token_ = at;
  }
  if (event.finished) news_.end = std::move(event);
}

ReplyStream::News ReplyStream::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, News());
}

double ReplyStream::itl_p99_ms() const {
  const std::lock_guard lock(mutex_);
  return gaps_.count() < kSamplesForP99 ? std::numeric_limits<double>::quiet_NaN() : gaps_.quantile(0.99);
}

}  // namespace pitwall::ui
