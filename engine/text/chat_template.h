// SPDX-License-Identifier: GPL-3.0-or-later
// Chat templates: Jinja2 as chat templates use it (trim_blocks, lstrip_blocks, loop controls, tojson,
// raise_exception, strftime_now). A real interpreter with limits: lexer → parser → evaluator.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/result.h"

namespace pitwall {

struct TemplateLimits {
  std::size_t output_bytes = std::size_t{16} << 20;
  std::size_t memory_bytes = std::size_t{64} << 20;  ///< live strings and containers that the template makes
  std::size_t steps = 10'000'000;                    ///< evaluated nodes, and text that they go through
  int depth = 200;                                   ///< nesting of expressions, blocks, calls and values
};

/// Compiled once, rendered from many threads.
class ChatTemplate {
 public:
  /// Errors carry "line N: …".
  static Result<ChatTemplate> compile(std::string_view source, const TemplateLimits& limits = {});
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  /// `variables`: an ordered JSON object: messages, tools, add_generation_prompt, bos_token, eos_token,
  /// extras; a key that is absent is undefined. A raise_exception gives Error::invalid_input with exactly its
  /// message in `what`. `now`: for strftime_now; local time of the machine when absent.
  Result<std::string> render(const nlohmann::ordered_json& variables,
                             std::optional<Nanos> now_utc = {}) const;

 private:
  struct Program;
  explicit ChatTemplate(std::shared_ptr<const Program> program);
  std::shared_ptr<const Program> program_;
};

}  // namespace pitwall
