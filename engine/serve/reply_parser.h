// SPDX-License-Identifier: GPL-3.0-or-later
// ReplyParser: takes a chat reply apart while it comes: reasoning, content, calls of tools.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/serve/tool_calls.h"

namespace pitwall {

/// What a reply may hold beside content.
struct ReplyFormat {
  bool reasons = false;           ///< reasoning stands between <think> and </think>
  bool begins_reasoning = false;  ///< the prompt has opened it already
  std::vector<ToolMarks> marks;   ///< around calls; tools were asked for
  bool bare_calls = false;        ///< a reply that is JSON from its first character on may be calls
  std::string only_tool;          ///< the whole reply is the arguments of this tool
};

struct ReplyDelta {
  std::string reasoning, content;
  std::vector<ToolCall> calls;  ///< whole ones
  bool empty() const { return reasoning.empty() && content.empty() && calls.empty(); }
};

/// The joined deltas do not depend on how the text is cut into pushes. What looks like a call and is none
/// stays content, marks included.
class ReplyParser {
 public:
  /// `tools`: the request's list, as JSON text; may be empty.
  ReplyParser(ReplyFormat format, std::string tools);
  ReplyDelta push(std::string_view text);
  ReplyDelta flush();  ///< at the reply's end
  bool called() const { return called_; }

 private:
  enum class State { start, reasoning, content, calls, whole };
  bool step(ReplyDelta& delta);
  bool begin();
  void take_calls(ReplyDelta& delta, std::string_view text, std::string_view around);

  const ReplyFormat format_;
  const std::string tools_;
  State state_ = State::start;
  std::string held_;       ///< not yet told
  ToolMarks open_marks_;   ///< in State::calls
  bool trims_ = false;     ///< blank lines between reasoning and content are left out
  bool reasoned_ = false;  ///< the reasoning has ended
  bool called_ = false;
};

}  // namespace pitwall
