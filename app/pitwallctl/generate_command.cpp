// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/json_input.h"
#include "app/pitwallctl/number_checks.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/serve/chat_prompt.h"
#include "engine/serve/replies.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string prompt, messages_file;
  std::vector<TokenId> token_ids;
  SamplingParams sampling;
  bool ignore_eos = false, json = false;
};

Result<std::vector<TokenId>> prompt_tokens(const Options& options, const Engine& engine) {
  if (!options.token_ids.empty()) return options.token_ids;
  if (!options.messages_file.empty()) {
    const auto messages = read_json(options.messages_file);
    if (!messages.ok()) return messages.error();
    auto prompt = chat_prompt(engine, Json{{"messages", *messages}});
    if (!prompt) return prompt.error();
    return std::move(prompt->tokens);
  }
  if (!engine.tokenizer()) {
    return Error{Error::Kind::unsupported, "The model has no tokenizer, so a text prompt cannot be read", "",
                 "Give the prompt as --token-ids", "prompt"};
  }
  return engine.tokenizer()->encode(options.prompt, true, true);
}

double per_second(double count, Nanos duration) {
  return duration > 0 ? count * static_cast<double>(kNanosPerSecond) / static_cast<double>(duration)
                      : std::numeric_limits<double>::quiet_NaN();
}

Json timings_json(const RequestRecord& record) {
  return {{"ttft_ms", record.ttft_ms()},
          {"tpot_ms", record.tpot_ms()},
          {"prompt_tokens_per_s", per_second(record.prompt_tokens, record.first_token - record.scheduled)},
          {"tokens_per_s", per_second(record.output_tokens - 1, record.last_token - record.first_token)}};
}

Json reply_json(const std::vector<TokenId>& prompt, const Reply& reply) {
  return {{"prompt_token_ids", prompt},
          {"token_ids", reply.tokens},
          {"text", reply.text},
          {"finish_reason", finish_reason_name(reply.last.reason)},
          {"timings", timings_json(reply.last.record)}};
}

// Text as it comes; the ids where the model cannot say its tokens as text.
EventSink stream_to_stdout(bool has_text) {
  return [has_text](const OutputEvent& event) {
    if (has_text) return print(event.text);
    std::string ids;
    for (const TokenId id : event.tokens) ids += fmt::format("{} ", id);
    print(ids);
  };
}

Result<void> generate(const Options& options) {
  EngineOptions engine_options;
  engine_options.settings = options.flags->settings();
  auto engine = start_engine(std::move(engine_options));
  if (!engine.ok()) return engine.error();
  const auto prompt = prompt_tokens(options, **engine);
  if (!prompt.ok()) return prompt.error();

  GenerationRequest request;
  request.prompt = *prompt;
  request.sampling = options.sampling;
  request.ignore_eos = options.ignore_eos;
  request.label = "generate";
  const EventSink sink = options.json ? EventSink() : stream_to_stdout((*engine)->tokenizer() != nullptr);
  const auto replies = run_requests(**engine, {std::move(request)}, sink);
  if (!replies.ok()) return replies.error();
  options.json ? print_json(reply_json(*prompt, replies->front())) : print("\n");
  return {};
}

void add_prompt_options(CLI::App& command, Options& options) {
  CLI::Option_group* prompt = command.add_option_group("Prompt", "One of these");
  prompt->add_option("--prompt", options.prompt, "Text to continue");
  prompt->add_option("--messages", options.messages_file, "JSON file with a list of chat messages");
  prompt->add_option("--token-ids", options.token_ids, "Token ids, such as 1,2,3")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_from_zero);
  prompt->require_option(1);
}

void add_sampling_options(CLI::App& command, Options& options) {
  SamplingParams& sampling = options.sampling;
  sampling.max_tokens = 128;
  sampling.choice.temperature = 0;
  const auto add = [&command](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->group("Sampling")->capture_default_str();
  };
  add("--max-tokens", sampling.max_tokens, "Longest reply in tokens; 0 goes on to the context's end");
  add("--temperature", sampling.choice.temperature, "0 takes the likeliest token each time");
  add("--top-p", sampling.choice.top_p, "Likeliest tokens that together have this probability");
  add("--top-k", sampling.choice.top_k, "This many of the likeliest tokens; 0 = all");
  add("--min-p", sampling.choice.min_p, "Tokens of at least this share of the likeliest one's probability");
  add("--seed", sampling.choice.seed, "The same seed gives the same reply");
  command.add_option("--stop", sampling.stop, "Text that ends the reply; may be given several times")
      ->group("Sampling")
      ->allow_extra_args(false);
  command.add_flag("--ignore-eos", options.ignore_eos, "Go on past the model's end tokens")
      ->group("Sampling");
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("generate", "Complete one prompt, as it comes");
  options->flags =
      std::make_unique<SettingFlags>(*command, engine_setting, SettingFlags::Presets{{"max-num-seqs", "1"}});
  add_prompt_options(*command, *options);
  add_sampling_options(*command, *options);
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return generate(*options); }; });
}

}  // namespace pitwall::ctl
