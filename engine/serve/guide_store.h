// SPDX-License-Identifier: GPL-3.0-or-later
// GuideStore: what replies must be, compiled into guides for the model's tokenizer and remembered.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "engine/grammar/grammar.h"
#include "engine/grammar/token_table.h"
#include "engine/serve/openai_request.h"

namespace pitwall {

/// Thread-safe. Compiling takes milliseconds, the first time some hundred: not for I/O threads.
class GuideStore {
 public:
  GuideStore(std::shared_ptr<const Tokenizer> tokenizer, int vocabulary);

  /// Null where anything may come. `after_reasoning`: the rule holds behind </think>. Errors carry the
  /// request's field in Error::param.
  Result<std::shared_ptr<const GuideSource>> guide_of(const ReplyRule& rule, bool after_reasoning);
  /// Tools that must be called: a JSON list of {"name", "arguments"}, or the arguments of the one that is
  /// named. Null where none must.
  Result<std::shared_ptr<const GuideSource>> guide_of(const ToolUse& use, bool after_reasoning);

 private:
  using Build = std::function<Result<PartId>(GrammarBuilder&)>;
  struct Entry {
    std::string key;
    std::shared_ptr<const GuideSource> guide;
  };
  Result<std::shared_ptr<const GuideSource>> take(std::string key, bool after_reasoning, const Build& build);
  std::shared_ptr<const GuideSource> find(const std::string& key);

  const std::shared_ptr<const Tokenizer> tokenizer_;
  const int vocabulary_;
  std::mutex mutex_;
  std::shared_ptr<const TokenTable> table_;  ///< made when it is first needed
  std::deque<Entry> entries_;                ///< the one used last in front
};

}  // namespace pitwall
