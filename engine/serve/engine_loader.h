// SPDX-License-Identifier: GPL-3.0-or-later
// From options to everything an engine runs on: opened, checked against memory, loaded.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cache/kv_cache.h"
#include "engine/execute/executor.h"
#include "engine/serve/engine.h"

namespace pitwall {

struct LoadedEngine {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< null when the checkpoint has no vocabulary
  std::optional<ChatFormat> chat_format;       ///< of requests without tools, or the only one
  std::optional<ChatFormat> tool_chat_format;  ///< of requests with tools, where the model has one for them
  std::optional<Error> chat_template_error;    ///< the model is served all the same, for completions
  std::string served_name;
  DeviceInfo device;
  SchedulerConfig scheduler;
  Bytes bytes_per_block = 0;
  int swap_blocks = 0;
  std::unique_ptr<KvCache> cache;
  std::unique_ptr<DeviceExecutor> executor;                   ///< owns back end and weights
  std::map<std::string, std::string, std::less<>> effective;  ///< settings whose value was chosen here
  std::vector<std::string> warnings;  ///< what the user should know of this model with these settings
};

/// Blocking. `clock` outlives the result. dtype auto on a GPU is float16, which rounds eight times finer than
/// bfloat16 and costs the same; where its range does not hold the weights they are read again as bfloat16.
/// Errors: what the model or the memory lacks, with the numbers;
/// cancelled.
Result<LoadedEngine> load_engine(const EngineOptions& options, const Clock& clock);

}  // namespace pitwall
