// SPDX-License-Identifier: GPL-3.0-or-later
// ReplyStream: what one request has said since the window last looked. The engine's output thread writes, the
// UI thread reads; either may outlive the other.
#pragma once
#include <mutex>
#include <optional>
#include <string>

#include "engine/serve/engine.h"

namespace pitwall::ui {

/// Thread-safe.
class ReplyStream {
 public:
  struct News {
    std::string text;
    int tokens = 0;
    std::optional<OutputEvent> end;  ///< the last event, once
  };
  void push(OutputEvent&& event);
  News take();

 private:
  std::mutex mutex_;
  News news_;
};

/// A request's record as kept with its reply in the store.
std::string record_to_json(const RequestRecord& record);
std::optional<RequestRecord> record_from_json(
    const std::string& json);  ///< nothing when it is empty or damaged

}  // namespace pitwall::ui
