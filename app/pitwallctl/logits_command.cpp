// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/json_input.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/model/safetensors_writer.h"
#include "engine/serve/replies.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Prompts = std::vector<std::vector<TokenId>>;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string prompts_file, output_file;
  bool json = false;
};

Result<Prompts> read_prompts(const std::string& file) {
  const auto json = read_json(file);
  if (!json.ok()) return json.error();
  const auto list = json->is_object() ? json->find("tokens") : json->end();
  if (list == json->end() || !list->is_array() || list->empty()) {
    return Error{Error::Kind::invalid_input, fmt::format("{} has no list \"tokens\" of prompts", file), "",
                 "Write {\"tokens\": [[1, 2, 3], …]}", "prompts"};
  }
  Prompts prompts;
  for (const Json& prompt : *list) {
    auto ids = ids_of(prompt, fmt::format("{}: prompt {}", file, prompts.size()));
    if (!ids.ok()) return ids.error();
    prompts.push_back(std::move(*ids));
  }
  return prompts;
}

// All prompts run side by side, with no more KV than they need, unless the user said otherwise.
Result<Settings> settings_for(const Options& options, const Prompts& prompts) {
  Settings settings = options.flags->settings();
  std::size_t longest = 0;
  for (const auto& prompt : prompts) longest = std::max(longest, prompt.size());
  const std::pair<std::string_view, std::size_t> wanted[] = {
      {"max-num-seqs", std::min<std::size_t>(prompts.size(), 4096)}, {"max-model-len", longest + 1}};
  for (const auto& [name, value] : wanted) {
    if (options.flags->given(name)) continue;
    if (auto set = settings.set(name, std::to_string(value), SettingOrigin::preset); !set.ok())
      return set.error();
  }
  return settings;
}

std::vector<GenerationRequest> requests_for(const Prompts& prompts) {
  std::vector<GenerationRequest> requests(prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    requests[i].prompt = prompts[i];
    requests[i].sampling.choice.temperature = 0;
    requests[i].sampling.max_tokens = 1;
    requests[i].sampling.prompt_logits = true;
    requests[i].label = fmt::format("logits-{}", i);
  }
  return requests;
}

Result<void> write_logits(const Options& options) {
  const auto prompts = read_prompts(options.prompts_file);
  if (!prompts.ok()) return prompts.error();
  EngineOptions engine_options;
  auto settings = settings_for(options, *prompts);
  if (!settings.ok()) return settings.error();
  engine_options.settings = std::move(*settings);
  engine_options.prompt_logits = true;
  auto engine = start_engine(std::move(engine_options));
  if (!engine.ok()) return engine.error();
  auto replies = run_requests(**engine, requests_for(*prompts));
  if (!replies.ok()) return replies.error();

  const auto columns = static_cast<std::size_t>((*engine)->model().spec().vocabulary);
  std::vector<std::vector<float>> values;
  std::vector<NamedMatrix> matrices;
  values.reserve(prompts->size());  // the matrices view them
  for (std::size_t i = 0; i < prompts->size(); ++i) {
    const std::size_t rows = (*prompts)[i].size();
    auto logits = prompt_logits((*replies)[i], rows, columns);
    if (!logits.ok()) return logits.error();
    values.push_back(std::move(*logits));
    matrices.push_back({fmt::format("logits.{}", i), static_cast<std::int64_t>(rows),
                        static_cast<std::int64_t>(columns), values.back()});
  }
  if (auto written = write_safetensors(options.output_file, matrices); !written.ok()) return written;
  if (options.json)
    print_json({{"path", options.output_file}, {"prompts", prompts->size()}, {"vocabulary", columns}});
  return {};
}

}  // namespace

void add_logits_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("logits", "Write the logits of every position of several prompts, run as one batch");
  options->flags = std::make_unique<SettingFlags>(
      *command, engine_setting, SettingFlags::Presets{{"dtype", "float32"}, {"kv-cache-dtype", "float32"}});
  command->add_option("--prompts", options->prompts_file, "JSON file: {\"tokens\": [[…], …]}")->required();
  command
      ->add_option("--out", options->output_file,
                   "safetensors file to write: logits.<i>, float32 [length, vocabulary]")
      ->required();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return write_logits(*options); }; });
}

}  // namespace pitwall::ctl
