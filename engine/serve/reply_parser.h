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

struct CallPiece {
  std::string name;  ///< where a call begins; "" goes on with the last one
  std::string arguments;
};

struct ReplyDelta {
  std::string reasoning, content;
  std::vector<CallPiece> calls;
  bool empty() const { return reasoning.empty() && content.empty() && calls.empty(); }
};

/// The joined deltas do not depend on how the text is cut into pushes. A call in JSON is told from where its
/// arguments begin, piece by piece, as the model writes them; one in another form once it is whole. What
/// looks like a call and turns out to be none before that stays content, marks included.
class ReplyParser {
 public:
  /// `tools`: the request's list, as JSON text; may be empty.
  ReplyParser(ReplyFormat format, std::string tools);
  ReplyDelta push(std::string_view text);
  ReplyDelta flush();  ///< at the reply's end
  bool called() const { return called_; }

 private:
  enum class State {
    start,
    reasoning,
    content,
    calls,      ///< behind a mark
    whole,      ///< the reply is one call, or several
    arguments,  ///< of a call that has begun
    call_end,   ///< behind them, to the end of the call's object
    between,    ///< behind a call
    only        ///< the reply is arguments
  };
  bool step(ReplyDelta& delta);
  bool begin(ReplyDelta& delta);
  bool begin_call(ReplyDelta& delta, std::size_t before);
  void tell_arguments(ReplyDelta& delta, std::size_t size);
  bool go_on(ReplyDelta& delta);
  bool leave_calls();
  void take_calls(ReplyDelta& delta, std::string_view text, std::string_view around);

  const ReplyFormat format_;
  const std::string tools_;
  State state_ = State::start;
  std::string held_;      ///< not yet told
  ToolMarks open_marks_;  ///< around the calls in progress; empty ones around bare calls
  JsonEnd json_;          ///< of the arguments in progress, then of the call
  bool in_object_ = false;
  bool trims_ = false;     ///< blank lines between reasoning and content are left out
  bool reasoned_ = false;  ///< the reasoning has ended
  bool called_ = false;
};

}  // namespace pitwall
