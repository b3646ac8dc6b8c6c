// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/api_call.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/guide_store.h"
#include "engine/serve/json_body.h"
#include "engine/serve/logprobs_json.h"
#include "engine/serve/random_id.h"
#include "engine/serve/sse.h"
#include "engine/text/detokenizer.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

Error bad_prompt(std::string what) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action = {},
          .param = "prompt"};
}

Result<std::vector<TokenId>> token_list(const Json& list, int vocabulary) {
  std::vector<TokenId> tokens;
  tokens.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_number_integer() || list[i] < 0 || list[i] >= vocabulary) {
      return bad_prompt("prompt[" + std::to_string(i) + "] is not a token id from 0 to " +
                        std::to_string(vocabulary - 1));
    }
    tokens.push_back(list[i].get<TokenId>());
  }
  return tokens;
}

Result<std::vector<TokenId>> one_prompt(const Engine& engine, const Json& prompt) {
  if (prompt.is_array()) return token_list(prompt, engine.model().spec().vocabulary);
  if (!prompt.is_string()) return bad_prompt("prompt is neither a string nor a list of token ids");
  if (!engine.tokenizer())
    return bad_prompt("The model has no tokenizer: send the prompt as a list of token ids");
  return engine.tokenizer()->encode(prompt.get_ref<const std::string&>(), true, true);
}

/// A string or a list of token ids, or a list of either.
std::vector<const Json*> prompt_list(const Json& prompt) {
  const bool many = prompt.is_array() && !prompt.empty() && (prompt[0].is_string() || prompt[0].is_array());
  if (!many) return {&prompt};
  std::vector<const Json*> list;
  for (const Json& each : prompt) list.push_back(&each);
  return list;
}

/// 429, with the time after which a place may be free.
HttpReply queue_full(const Error& error, int seconds) {
  HttpReply reply = error_reply(429, error.text(), {}, "queue_full");
  reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  return reply;
}

HttpReply refusal(const Error& error, ApiKind kind, const Engine& engine) {
  if (error.param == "max-waiting") return queue_full(error, engine.queue_seconds());
  if (error.param != "context_length") return error_reply(error);
  return error_reply(400, error.text(), kind == ApiKind::chat ? "messages" : "prompt",
                     "context_length_exceeded");
}

/// An end that is no reply: its HTTP status, or 0.
int failure_status(FinishReason reason) {
  if (reason == FinishReason::error) return 500;
  return reason == FinishReason::cancelled ? 503 : 0;
}

std::string failure_text(const OutputEvent& event) {
  if (event.reason == FinishReason::error) return event.error.text();
  return event.record.error.empty() ? "The request was cancelled" : event.record.error;
}

/// Whether the mark is one of the tokenizer's special tokens, which output leaves out.
bool is_special_mark(const Tokenizer& tokenizer, std::string_view mark) {
  const std::vector<TokenId> tokens = tokenizer.encode(mark, false, true);
  return tokens.size() == 1 && tokenizer.is_special(tokens[0]);
}

/// Each choice its own, the first one the request's.
std::uint64_t seed_of_choice(std::uint64_t seed, int choice) {
  constexpr std::uint64_t kStride = 0x9E3779B97F4A7C15u;  // odd: no two choices meet
  return seed + kStride * static_cast<std::uint64_t>(choice);
}

}  // namespace

std::string error_frame(std::string_view message, int status) {
  std::string frame;
  append_sse_frame(frame, error_body(message, status));
  return frame;
}

ApiCall::ApiCall(Engine& engine, ApiKind kind, std::string body, ApiCaller caller)
    : engine_(engine), body_(std::move(body)), caller_(std::move(caller)) {
  identity_.kind = kind;
  identity_.id = (kind == ApiKind::chat ? "chatcmpl-" : "cmpl-") + random_hex();
  identity_.model = engine.served_name();
  identity_.tokenizer = engine.tokenizer().get();
}

Result<std::vector<ApiCall::Prompt>> ApiCall::prompts(const Json& body) const {
  std::vector<Prompt> prompts;
  if (identity_.kind == ApiKind::chat) {
    auto prompt = chat_prompt(engine_, body);
    if (!prompt) return prompt.error();
    const auto count = static_cast<std::int32_t>(prompt->tokens.size());
    prompts.push_back({*std::move(prompt), count, {}});
    return prompts;
  }
  const std::vector<const Json*> list = prompt_list(body["prompt"]);
  if (list.size() * static_cast<std::size_t>(asked_.choices) > kMostChoices) {
    return bad_prompt("prompt holds " + std::to_string(list.size()) + " prompts, with n " +
                      std::to_string(asked_.choices) + "; one call may ask for " +
                      std::to_string(kMostChoices) + " replies");
  }
  for (const Json* each : list) {
    auto tokens = one_prompt(engine_, *each);
    if (!tokens) return tokens.error();
    Prompt prompt;
    prompt.chat.tokens = *std::move(tokens);
    prompt.token_count = static_cast<std::int32_t>(prompt.chat.tokens.size());
    if (asked_.echo) {
      prompt.text = each->is_string() ? each->get<std::string>()
                    : engine_.tokenizer()
                        ? decode(engine_.tokenizer(), prompt.chat.tokens, !asked_.keep_special)
                        : std::string();
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

/// What the model may write beside content, for this request.
ReplyFormat ApiCall::reply_format(bool opens_reasoning) const {
  using Choice = ToolUse::Choice;
  ReplyFormat format;
  if (identity_.kind != ApiKind::chat) return format;
  const ToolUse& use = asked_.tools;
  format.reasons = opens_reasoning || engine_.chat_format(!use.tools.empty())->knows_reasoning;
  format.begins_reasoning = opens_reasoning;
  if (use.choice == Choice::named) format.only_tool = use.only;
  if (use.choice == Choice::automatic) format.marks = tool_marks(engine_.model().chat_template(true));
  const bool marked = std::any_of(format.marks.begin(), format.marks.end(),
                                  [](const ToolMarks& marks) { return marks.open != "<|python_tag|>"; });
  format.bare_calls = use.choice == Choice::required || (use.choice == Choice::automatic && !marked);
  return format;
}

/// Everything that the engine's requests have in common.
Result<void> ApiCall::prepare(const Json& body) {
  auto prompts = this->prompts(body);
  if (!prompts) return std::move(prompts).error();
  prompts_ = *std::move(prompts);
  if (asked_.echo && asked_.sampling.logprobs) {
    if (asked_.stream) {
      return Error{Error::Kind::unsupported, "echo with logprobs cannot be streamed",
                   "the prompt's logprobs are known when the reply begins", "Leave stream or logprobs out",
                   "echo"};
    }
    asked_.sampling.prompt_logprobs = asked_.sampling.logprobs;
  }
  const bool wants_logprobs = asked_.sampling.logprobs || asked_.sampling.prompt_logprobs;
  if (wants_logprobs && identity_.tokenizer == nullptr) {
    return Error{Error::Kind::unsupported, "The model has no tokenizer, so that tokens have no texts", "",
                 "Leave logprobs out", "logprobs"};
  }
  const bool opens_reasoning = prompts_.front().chat.opens_reasoning;
  auto guide = engine_.guides().guide_of(asked_.tools, opens_reasoning);
  if (guide && !*guide) guide = engine_.guides().guide_of(asked_.rule, opens_reasoning);
  if (!guide) return std::move(guide).error();
  asked_.sampling.guide = *std::move(guide);

  if (!asked_.tools.tools.empty() && asked_.tools.choice != ToolUse::Choice::none &&
      !engine_.chat_format(true)->traits.reads_tools)
    identity_.warning = "The model's chat template has no place for tools: the model did not see them";
  identity_.created = RealClock().utc_now() / kNanosPerSecond;
  identity_.token_ids = asked_.return_token_ids;
  identity_.null_usage = asked_.include_usage && !asked_.continuous_usage;
  identity_.logprobs = asked_.sampling.logprobs.has_value();
  identity_.prompt_logprobs = asked_.sampling.prompt_logprobs && !asked_.echo;
  return {};
}

std::optional<HttpReply> ApiCall::submit(const ChoiceSink& sink) {
  auto body = parse_json_object(body_, caller_.max_json_depth);
  if (!body) return error_reply(body.error());
  std::string().swap(body_);  // assigning would keep its room for as long as the reply takes
  if (const auto messages = body->find("messages");
      messages != body->end() && messages->is_array() && messages->size() > caller_.max_messages) {
    return error_reply(400,
                       "There are " + std::to_string(messages->size()) + " messages; at most " +
                           std::to_string(caller_.max_messages),
                       "messages");
  }
  auto asked = parse_api_request(identity_.kind, *body);
  if (!asked) return error_reply(asked.error());
  if (!asked->model.empty() && asked->model != engine_.served_name()) {
    return unknown_model(asked->model, engine_.served_name());
  }
  asked_ = *std::move(asked);
  if (auto ok = prepare(*body); !ok) return error_reply(ok.error());
  return start(sink);
}

std::optional<HttpReply> ApiCall::start(const ChoiceSink& sink) {
  const int count = asked_.choices;
  const ReplyFormat format = reply_format(prompts_.front().chat.opens_reasoning);
  const bool parses =
      format.reasons || format.bare_calls || !format.marks.empty() || !format.only_tool.empty();
  bool skip_special = !asked_.keep_special;
  for (const ToolMarks& marks : format.marks)
    skip_special = skip_special && !is_special_mark(*engine_.tokenizer(), marks.open);
  choices_.resize(prompts_.size() * static_cast<std::size_t>(count));
  open_ = static_cast<int>(choices_.size());
  for (int i = 0; i < open_; ++i) {
    Choice& choice = choices_[static_cast<std::size_t>(i)];
    Prompt& prompt = prompts_[static_cast<std::size_t>(i / count)];
    const bool last = i % count == count - 1;  // takes the prompt along; the others need one of their own
    if (parses) choice.parser = std::make_unique<ReplyParser>(format, asked_.tools.tools);
    choice.writer.emplace(identity_, i);
    choice.said.text = prompt.text;
    if (asked_.echo) choice.said.echoed = prompt.chat.tokens.front();
    GenerationRequest request;
    request.prompt = last ? std::move(prompt.chat.tokens) : prompt.chat.tokens;
    request.parts = last ? std::move(prompt.chat.parts) : prompt.chat.parts;
    request.choices = i % count == 0 ? count : 0;
    request.priority = asked_.priority;
    request.tenant = caller_.key.empty() ? asked_.user : caller_.key;
    request.max_waiting = caller_.max_waiting;
    request.cache_salt = asked_.cache_salt;
    request.sampling = asked_.sampling;
    request.sampling.skip_special = skip_special;
    request.sampling.choice.seed = seed_of_choice(asked_.sampling.choice.seed, i % count);
    request.ignore_eos = asked_.ignore_eos;
    request.label = choices_.size() == 1 ? identity_.id : identity_.id + "-" + std::to_string(i);
    auto id = engine_.submit(std::move(request), [sink, i](OutputEvent&& event) {
      sink({i, std::move(event)});
    });
    if (!id) {
      cancel("Another choice of the same call was refused");
      return refusal(id.error(), identity_.kind, engine_);
    }
    choice.request = *id;
  }
  return std::nullopt;
}

void ApiCall::cancel(const std::string& reason) {
  for (Choice& choice : choices_) {
    if (!choice.ended && choice.request != RequestId{}) engine_.cancel(choice.request, reason);
    choice.ended = true;
  }
}

/// Notes the end of a choice; true where it is a failure, which is the whole call's.
bool ApiCall::note_end(Choice& choice, OutputEvent& event) {
  choice.ended = true;
  --open_;
  choice.reason = event.reason;
  choice.record = event.record;
  if (failure_status(event.reason) == 0) return false;
  failed_ = true;
  choice.failure = std::move(event);
  cancel("Another choice of the same call failed");
  return true;
}

/// What the event adds to what the choice says.
ChoiceText ApiCall::take(Choice& choice, OutputEvent& event) {
  ChoiceText what;
  what.tokens = std::move(event.tokens);
  what.logprobs = std::move(event.logprobs);
  what.text_offset = choice.text_offset;
  if (!what.logprobs.empty()) choice.text_offset += text_characters(*identity_.tokenizer, what.logprobs);
  choice.tokens += static_cast<std::int32_t>(what.tokens.size());
  if (!choice.parser) {
    what.text = std::move(event.text);
    return what;
  }
  const auto add = [&](ReplyDelta delta) {
    if (asked_.include_reasoning) what.reasoning += delta.reasoning;
    what.text += delta.content;
    for (CallPiece& call : delta.calls) {
      std::string id = call.name.empty() ? std::string() : "call_" + random_hex();
      what.calls.push_back({std::move(id), std::move(call.name), std::move(call.arguments)});
    }
  };
  add(choice.parser->push(event.text));
  if (event.finished) add(choice.parser->flush());
  return what;
}

std::optional<Usage> ApiCall::usage_so_far(const Choice& choice) const {
  if (!asked_.continuous_usage) return std::nullopt;
  const auto index =
      static_cast<std::size_t>(&choice - choices_.data()) / static_cast<std::size_t>(asked_.choices);
  return Usage{prompts_[index].token_count, choice.tokens, 0};
}

/// A prompt counts once, however many choices it has.
Usage ApiCall::whole_usage() const {
  Usage usage;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const RequestRecord& record = choices_[i].record;
    usage.completion_tokens += record.output_tokens;
    if (i % static_cast<std::size_t>(asked_.choices) != 0) continue;
    usage.prompt_tokens += record.prompt_tokens;
    usage.cached_tokens += record.cached_tokens;
  }
  return usage;
}

Json ApiCall::timings() const {
  if (!asked_.timings) return nullptr;
  if (choices_.size() == 1) return timings_json(choices_.front().record);
  Json list = Json::array();
  for (const Choice& choice : choices_) list.push_back(timings_json(choice.record));
  return list;
}

void ApiCall::stream(ChoiceEvent&& event, std::string& frames) {
  Choice& choice = choices_[static_cast<std::size_t>(event.choice)];
  if (failed_ || choice.ended) return;
  OutputEvent& output = event.event;
  const bool finished = output.finished;
  if (finished && failure_status(output.reason) != 0) {
    note_end(choice, output);
    frames += error_frame(failure_text(choice.failure), failure_status(choice.reason));
    return;
  }
  ChoiceText what = take(choice, output);
  if (asked_.echo && !choice.role_sent) what.text.insert(0, choice.said.text);
  const bool says = !what.text.empty() || !what.reasoning.empty() || !what.calls.empty();
  // The role comes with the first token. A token whose text is held back shows when its text does, unless
  // ids or logprobs are wanted.
  if (!choice.role_sent && (says || !what.tokens.empty() || finished)) {
    if (identity_.kind == ApiKind::chat) choice.writer->role(frames);
    choice.role_sent = true;
  }
  if (says || !what.logprobs.empty() || (identity_.token_ids && !what.tokens.empty())) {
    choice.writer->text(frames, what, choice.calls, usage_so_far(choice));
    for (const AnsweredCall& call : what.calls) choice.calls += call.id.empty() ? 0 : 1;
  }
  if (!finished) return;
  note_end(choice, output);
  const bool called = asked_.tools.choice != ToolUse::Choice::named && choice.calls > 0;
  choice.writer->finish(frames, finish_word(choice.reason, called), usage_so_far(choice));
  if (!ended()) return;
  if (asked_.include_usage || asked_.timings)
    append_sse_frame(frames, usage_chunk(identity_, whole_usage(), timings()));
  append_sse_frame(frames, "[DONE]");
}

void ApiCall::collect(ChoiceEvent&& event) {
  Choice& choice = choices_[static_cast<std::size_t>(event.choice)];
  if (failed_ || choice.ended) return;
  OutputEvent& output = event.event;
  const bool finished = output.finished;
  ChoiceText what = take(choice, output);
  choice.said.text += what.text;
  choice.said.reasoning += what.reasoning;
  for (AnsweredCall& call : what.calls) {
    if (call.id.empty()) {
      choice.said.calls.back().arguments += call.arguments;
    } else {
      choice.said.calls.push_back(std::move(call));
    }
  }
  choice.said.tokens.insert(choice.said.tokens.end(), what.tokens.begin(), what.tokens.end());
  std::move(what.logprobs.begin(), what.logprobs.end(), std::back_inserter(choice.said.logprobs));
  if (!finished) return;
  choice.said.prompt_logprobs = std::move(output.prompt_logprobs);
  note_end(choice, output);
}

HttpReply ApiCall::reply() {
  std::vector<AnsweredChoice> answers;
  for (Choice& choice : choices_) {
    const int status = failure_status(choice.reason);
    if (status != 0) return error_reply(status, failure_text(choice.failure));
    const bool called = asked_.tools.choice != ToolUse::Choice::named && !choice.said.calls.empty();
    answers.push_back({std::move(choice.said), finish_word(choice.reason, called)});
  }
  return json_reply(whole_response(identity_, std::move(answers), whole_usage(), timings()));
}

}  // namespace pitwall
