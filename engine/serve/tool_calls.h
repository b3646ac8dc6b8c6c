// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of tools as models write them in their replies: which marks stand around them, and what they mean.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace pitwall {

struct ToolCall {
  std::string name;
  std::string arguments;  ///< JSON text of an object
};

/// What stands before a model's calls and behind them. An empty `close`: they go on to the reply's end.
struct ToolMarks {
  std::string_view open, close;
};

/// The marks that a chat template writes or asks for; none where it knows no tools, or lets the model answer
/// with the bare JSON of a call.
std::vector<ToolMarks> tool_marks(std::string_view template_source);

/// Finds the end of a JSON object or list that comes in pieces: its brackets are closed, outside strings.
class JsonEnd {
 public:
  explicit JsonEnd(int open = 0) : depth_(open) {}  ///< brackets that are open already
  std::size_t take(std::string_view piece);         ///< bytes of it that belong to the value
  bool ended() const { return ended_; }

 private:
  int depth_;
  bool in_string_ = false, escaped_ = false, ended_ = false;
};

/// What may stand between one call in JSON and the next.
inline constexpr std::string_view kBetweenCalls = " \n\r\t[],;";

/// The beginning of a call whose arguments can be told while they come: {"name": "NAME", "arguments": { or
/// NAME{, behind any of kBetweenCalls.
struct CallHead {
  enum class Is { no, unfinished, yes };  ///< unfinished: more text decides
  Is is = Is::no;
  std::string name;
  std::size_t size = 0;  ///< up to the arguments' bracket
  bool in_object = false;
};
CallHead read_call_head(std::string_view text);

/// The calls between two marks, or of a reply that is nothing else. Known: JSON objects with "name" and
/// "arguments" (or "parameters", "tool_name") one after another or in a list, `<function=NAME>` or
/// `<invoke name="NAME">` with a parameter a tag or a JSON object, a name followed by a JSON object, and
/// `function SEPARATOR NAME` with a fenced one (DeepSeek). Nothing where the text is none of these.
/// `tools`: the request's list; parameters in tags take the type that it states, and are read as JSON
/// without.
std::optional<std::vector<ToolCall>> read_tool_calls(std::string_view text,
                                                     const nlohmann::ordered_json& tools);

}  // namespace pitwall
