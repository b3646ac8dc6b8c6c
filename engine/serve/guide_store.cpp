// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/guide_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/grammar/free_text.h"
#include "engine/grammar/grammar_guide.h"
#include "engine/grammar/json_schema.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kRemembered = 32;  // guides; each keeps some megabytes of masks

Error at(Error error, const char* field) {
  if (error.param.starts_with('#')) {  // a place within the schema, which the text names already
    error.what = std::string("The schema of ") + field + ": " + error.what;
  } else if (!error.param.empty()) {
    error.what = "At " + error.param + ": " + error.what;
  }
  error.param = field;
  return error;
}

/// {"name": "X", "arguments": …}
Result<PartId> call_part(GrammarBuilder& builder, const Json& function) {
  const Json parameters = function.value("parameters", Json());
  auto arguments =
      parameters.is_null() ? Result<PartId>(add_json_object(builder)) : add_json_schema(builder, parameters);
  if (!arguments) return arguments;
  const std::string head = "{\"name\": " + function["name"].dump() + ", \"arguments\": ";
  return builder.sequence({builder.text(head), *arguments, builder.text("}")});
}

Result<PartId> list_of_calls(GrammarBuilder& builder, const Json& tools, bool parallel) {
  std::vector<PartId> calls;
  for (const Json& tool : tools) {
    auto call = call_part(builder, tool["function"]);
    if (!call) return call;
    calls.push_back(*call);
  }
  const PartId call = builder.choice(calls);
  std::vector<PartId> list = {builder.text("["), call};
  if (parallel) list.push_back(builder.repeat(builder.sequence({builder.text(", "), call}), 0));
  list.push_back(builder.text("]"));
  return builder.sequence(std::move(list));
}

}  // namespace

GuideStore::GuideStore(std::shared_ptr<const Tokenizer> tokenizer, int vocabulary)
    : tokenizer_(std::move(tokenizer)), vocabulary_(vocabulary) {}

std::shared_ptr<const GuideSource> GuideStore::find(const std::string& key) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return entries_.front().guide;
}

Result<std::shared_ptr<const GuideSource>> GuideStore::take(std::string key, bool after_reasoning,
                                                            const Build& build) {
  if (!tokenizer_) {
    return Error{Error::Kind::unsupported, "The model has no tokenizer, so that its replies cannot be guided",
                 "", "Leave the rule out", ""};
  }
  key += after_reasoning ? '\1' : '\0';
  std::shared_ptr<const TokenTable> table;
  {
    const std::lock_guard lock(mutex_);
    if (auto known = find(key)) return known;
    if (!table_) table_ = std::make_shared<TokenTable>(tokenizer_, vocabulary_);
    table = table_;
  }
  GrammarBuilder builder;
  auto part = build(builder);
  if (!part) return std::move(part).error();
  PartId root = *part;
  if (after_reasoning) {
    const PartId blank = builder.optional(builder.one_of({"\n", "\n\n"}));
    root = builder.sequence({text_up_to(builder, "</think>"), blank, root});
  }
  auto grammar = std::move(builder).finish(root);
  if (!grammar) return std::move(grammar).error();
  auto guide = make_grammar_guide(std::make_shared<const Grammar>(*std::move(grammar)), std::move(table));
  if (!guide) return guide;
  const std::lock_guard lock(mutex_);
  if (auto known = find(key)) return known;
  entries_.push_front({std::move(key), *guide});
  if (entries_.size() > kRemembered) entries_.pop_back();
  return guide;
}

Result<std::shared_ptr<const GuideSource>> GuideStore::guide_of(const ReplyRule& rule, bool after_reasoning) {
  using Kind = ReplyRule::Kind;
  if (rule.kind == Kind::free) return std::shared_ptr<const GuideSource>();
  std::string key = std::to_string(static_cast<int>(rule.kind)) + rule.text;
  for (const std::string& choice : rule.choices) key += '\n' + std::to_string(choice.size()) + choice;
  auto guide = take(std::move(key), after_reasoning, [&rule](GrammarBuilder& builder) -> Result<PartId> {
    if (rule.kind == Kind::json_object) return add_json_object(builder);
    if (rule.kind == Kind::json_schema) return add_json_schema(builder, Json::parse(rule.text));
    if (rule.kind == Kind::regex) return add_pattern(builder, rule.text);
    return builder.one_of(rule.choices);
  });
  if (!guide) return at(std::move(guide).error(), "response_format");
  return guide;
}

Result<std::shared_ptr<const GuideSource>> GuideStore::guide_of(const ToolUse& use, bool after_reasoning) {
  using Choice = ToolUse::Choice;
  if (use.choice != Choice::required && use.choice != Choice::named)
    return std::shared_ptr<const GuideSource>();
  const std::string key = "tools " + use.only + (use.parallel ? " many " : " one ") +
                          std::to_string(static_cast<int>(use.choice)) + use.tools;
  auto guide = take(key, after_reasoning, [&use](GrammarBuilder& builder) -> Result<PartId> {
    const Json tools = Json::parse(use.tools);
    if (use.choice == Choice::required) return list_of_calls(builder, tools, use.parallel);
    for (const Json& tool : tools) {
      if (tool["function"]["name"] != use.only) continue;
      const Json parameters = tool["function"].value("parameters", Json());
      if (parameters.is_null()) break;
      return add_json_schema(builder, parameters);
    }
    return add_json_object(builder);
  });
  if (!guide) return at(std::move(guide).error(), "tools");
  return guide;
}

}  // namespace pitwall
