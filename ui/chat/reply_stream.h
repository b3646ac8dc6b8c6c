// SPDX-License-Identifier: GPL-3.0-or-later
// ReplyStream: what one request has said since the window last looked. The engine's output thread writes, the
// UI thread reads; either may outlive the other.
#pragma once
#include <mutex>
#include <optional>
#include <string>

#include "engine/serve/engine.h"
#include "engine/telemetry/quantiles.h"

namespace pitwall::ui {

/// Thread-safe.
class ReplyStream {
 public:
  struct News {
    std::string text;
    std::optional<OutputEvent> end;  ///< the last event, once
  };
  /// `at`: when it came, in steady nanoseconds.
  void push(OutputEvent&& event, Nanos at);
  News take();
  double itl_p99_ms() const;  ///< between pieces of text; NaN below kSamplesForP99 gaps

 private:
  mutable std::mutex mutex_;
  News news_;
  Nanos last_token_ = 0;
  QuantileSketch gaps_;  // ms
};

}  // namespace pitwall::ui
