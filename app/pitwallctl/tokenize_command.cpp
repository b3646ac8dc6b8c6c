// SPDX-License-Identifier: GPL-3.0-or-later
// tokenize and detokenize.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/json_input.h"
#include "app/pitwallctl/number_checks.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/library/models_folder.h"
#include "engine/text/detokenizer.h"
#include "engine/text/tokenizer.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string batch_file, text;
  std::vector<TokenId> ids;
  bool add_special = true, parse_special = true, skip_special = false, json = false;
};

Result<TokenizerPtr> open(const Options& options) {
  const auto path = resolve_model(options.flags->settings().text("model"));
  if (!path.ok()) return path.error();
  return open_tokenizer(*path);
}

Result<Json> tokenize_line(const Tokenizer& tokenizer, const Json& line) {
  const auto text = text_field(line, "text");
  const auto add_special = flag_field(line, "add_special", true);
  const auto parse_special = flag_field(line, "parse_special", true);
  if (!text.ok()) return text.error();
  if (!add_special.ok()) return add_special.error();
  if (!parse_special.ok()) return parse_special.error();
  return Json{{"ids", tokenizer.encode(*text, *add_special, *parse_special)}};
}

Result<void> tokenize(const Options& options, bool text_given) {
  const auto tokenizer = open(options);
  if (!tokenizer.ok()) return tokenizer.error();
  if (!options.batch_file.empty()) {
    return answer_lines(options.batch_file,
                        [&](const Json& line) { return tokenize_line(**tokenizer, line); });
  }
  const std::string text =
      text_given ? options.text
                 : std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  const auto ids = (*tokenizer)->encode(text, options.add_special, options.parse_special);
  options.json ? print_json({{"ids", ids}}) : print(fmt::format("{}\n", fmt::join(ids, " ")));
  return {};
}

// `text` follows skip_special; the stream of chunks leaves special tokens out always. Tokens before `ids`
// that the reply continues only set the stream's state.
Json detokenized(const TokenizerPtr& tokenizer, const std::vector<TokenId>& prompt_ids,
                 const std::vector<TokenId>& ids, bool skip_special) {
  Detokenizer stream(tokenizer, true);
  for (const TokenId id : prompt_ids) stream.push(id);
  Json chunks = Json::array();
  for (const TokenId id : ids) chunks.push_back(stream.push(id));
  return {{"text", decode(tokenizer, ids, skip_special)}, {"chunks", chunks}, {"flush", stream.flush()}};
}

Result<Json> detokenize_line(const TokenizerPtr& tokenizer, const Json& line) {
  const auto ids = ids_field(line, "ids");
  const auto prompt_ids = ids_field(line, "prompt_ids");
  const auto skip_special = flag_field(line, "skip_special", false);
  if (!ids.ok()) return ids.error();
  if (!prompt_ids.ok()) return prompt_ids.error();
  if (!skip_special.ok()) return skip_special.error();
  return detokenized(tokenizer, *prompt_ids, *ids, *skip_special);
}

Result<void> detokenize(const Options& options) {
  const auto tokenizer = open(options);
  if (!tokenizer.ok()) return tokenizer.error();
  if (!options.batch_file.empty()) {
    return answer_lines(options.batch_file,
                        [&](const Json& line) { return detokenize_line(*tokenizer, line); });
  }
  if (options.json) {
    print_json(detokenized(*tokenizer, {}, options.ids, options.skip_special));
  } else {
    print(decode(*tokenizer, options.ids, options.skip_special) + "\n");
  }
  return {};
}

}  // namespace

void add_tokenize_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("tokenize", "Text to token ids: --text, a batch, or standard input");
  options->flags = std::make_unique<SettingFlags>(*command, model_setting);
  CLI::Option* text = command->add_option("--text", options->text, "Text to tokenize");
  command
      ->add_option("--batch", options->batch_file,
                   "JSON lines {\"text\", \"add_special\", \"parse_special\"}")
      ->excludes(text);
  command->add_flag("--add-special,!--no-add-special", options->add_special,
                    "Add what the model puts around a text");
  command->add_flag("--parse-special,!--no-parse-special", options->parse_special,
                    "Read special tokens written in the text");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options, text] {
    action = [options, given = text->count() > 0] { return tokenize(*options, given); };
  });
}

void add_detokenize_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("detokenize", "Token ids to text");
  options->flags = std::make_unique<SettingFlags>(*command, model_setting);
  CLI::Option_group* input = command->add_option_group("Input", "One of these");
  input->add_option("--ids", options->ids, "Token ids, such as 1,2,3")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_from_zero);
  input->add_option("--batch", options->batch_file,
                    "JSON lines {\"ids\", \"prompt_ids\"?, \"skip_special\"?}");
  input->require_option(1);
  command->add_flag("--skip-special", options->skip_special, "Leave special tokens out");
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return detokenize(*options); }; });
}

}  // namespace pitwall::ctl
