// SPDX-License-Identifier: GPL-3.0-or-later
#include <time.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/json_input.h"
#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/model/model.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"

namespace pitwall::ctl {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string model, template_file, messages_file, batch_file, now;
  bool json = false;
};

// "2026-07-26T12:00:00", UTC; a trailing Z is allowed.
std::optional<Nanos> parse_utc(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr || (*end != '\0' && std::string_view(end) != "Z")) return std::nullopt;
  return static_cast<Nanos>(timegm(&parts)) * kNanosPerSecond;
}

std::optional<Nanos> frozen_now(const Options& options) {
  return options.now.empty() ? std::nullopt : parse_utc(options.now);
}

Result<ChatTemplate> compile_file(const fs::path& file) {
  const auto source = read_file(file);
  if (!source.ok()) return source.error();
  return ChatTemplate::compile(*source);
}

// A template with the variables that it gets when the caller does not give them.
struct Source {
  std::optional<ChatTemplate> chat_template;
  std::optional<ChatTemplate> for_tools;  // the model's own for requests with tools
  Json defaults = Json::object();

  const ChatTemplate& choose(const Json& variables) const {
    const auto tools = variables.find("tools");
    const bool given = tools != variables.end() && tools->is_array() && !tools->empty();
    return given && for_tools ? *for_tools : *chat_template;
  }
};

Result<Source> source_of_model(const std::string& name) {
  const auto path = resolve_model(name);
  if (!path.ok()) return path.error();
  const auto model = Model::open(*path);
  if (!model.ok()) return model.error();
  if ((*model)->chat_template().empty()) {
    return Error{Error::Kind::not_found, "The model has no chat template", "", "Give one with --template",
                 "model"};
  }
  auto compiled = ChatTemplate::compile((*model)->chat_template());
  if (!compiled.ok()) return compiled.error();
  Source source;
  source.chat_template = std::move(*compiled);
  if ((*model)->chat_template(true) != (*model)->chat_template()) {
    auto for_tools = ChatTemplate::compile((*model)->chat_template(true));
    if (!for_tools.ok()) return for_tools.error();
    source.for_tools = std::move(*for_tools);
  }
  if (const auto tokenizer = make_tokenizer((*model)->vocabulary()); tokenizer.ok()) {
    const auto text_of = [&](std::optional<TokenId> id) {
      return id ? std::string((*tokenizer)->bytes_of(*id)) : std::string();
    };
    source.defaults["bos_token"] = text_of((*tokenizer)->bos());
    source.defaults["eos_token"] = text_of((*tokenizer)->eos());
  }
  return source;
}

Result<Source> open_source(const Options& options) {
  if (!options.model.empty()) return source_of_model(options.model);
  Source source;
  if (options.template_file.empty()) return source;  // a batch may name a template on each line
  auto compiled = compile_file(options.template_file);
  if (!compiled.ok()) return compiled.error();
  source.chat_template = std::move(*compiled);
  return source;
}

// A list of messages asks for a reply; an object says everything itself.
/// transformers always passes these, as none where a request has none.
Json default_variables(const Source& source) {
  Json variables = source.defaults;
  for (const char* key : {"tools", "documents"}) {
    if (!variables.contains(key)) variables[key] = nullptr;
  }
  return variables;
}

Json variables_of(const Json& input, const Source& source) {
  Json variables = default_variables(source);
  if (input.is_array()) {
    variables["messages"] = input;
    variables["add_generation_prompt"] = true;
  } else {
    variables.update(input);
  }
  return variables;
}

Result<void> render_messages(const Options& options, const Source& source) {
  const auto input = read_json(options.messages_file);
  if (!input.ok()) return input.error();
  if (!input->is_array() && !input->is_object()) {
    return Error{Error::Kind::invalid_input,
                 options.messages_file + " is neither a list of messages nor an object of variables", "",
                 "Write [{\"role\": \"user\", \"content\": \"…\"}]", "messages"};
  }
  const Json variables = variables_of(*input, source);
  const auto text = source.choose(variables).render(variables, frozen_now(options));
  if (!text.ok()) return text.error();
  options.json ? print_json({{"text", *text}}) : print(*text + "\n");
  return {};
}

Json variables_of_line(const Json& line, const Source& source) {
  Json variables = default_variables(source);
  for (const char* key :
       {"messages", "tools", "documents", "add_generation_prompt", "bos_token", "eos_token"}) {
    if (line.contains(key)) variables[key] = line[key];
  }
  if (const auto extra = line.find("extra"); extra != line.end() && extra->is_object())
    variables.update(*extra);
  return variables;
}

// Compiles each file once. Names on a batch's lines are relative to the batch.
class BatchTemplates {
 public:
  BatchTemplates(const Source& source, const std::string& batch_file)
      : source_(source), folder_(fs::path(batch_file).parent_path()) {}

  Result<const ChatTemplate*> of_line(const Json& line, const Json& variables) {
    const auto name = text_field(line, "template_file");
    if (!name.ok()) return name.error();
    if (name->empty() && source_.chat_template) return &source_.choose(variables);
    if (name->empty()) {
      return Error{Error::Kind::invalid_input,
                   "The line names no template_file and there is neither --model nor --template", "", "",
                   "template_file"};
    }
    if (const auto found = compiled_.find(*name); found != compiled_.end()) return &found->second;
    auto compiled = compile_file(folder_ / *name);
    if (!compiled.ok()) return compiled.error();
    return &compiled_.emplace(*name, std::move(*compiled)).first->second;
  }

 private:
  const Source& source_;
  fs::path folder_;
  std::map<std::string, ChatTemplate> compiled_;
};

Result<void> render_batch(const Options& options, const Source& source) {
  BatchTemplates templates(source, options.batch_file);
  return answer_lines(options.batch_file, [&](const Json& line) -> Result<Json> {
    const Json variables = variables_of_line(line, source);
    const auto chat_template = templates.of_line(line, variables);
    if (!chat_template.ok()) return Json{{"error", chat_template.error().what}};
    const auto text = (*chat_template)->render(variables, frozen_now(options));
    return text.ok() ? Json{{"text", *text}} : Json{{"error", text.error().what}};
  });
}

Result<void> render(const Options& options) {
  const auto source = open_source(options);
  if (!source.ok()) return source.error();
  return options.batch_file.empty() ? render_messages(options, *source) : render_batch(options, *source);
}

}  // namespace

void add_template_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("template", "Render a chat template");
  CLI::Option* model =
      command->add_option("--model", options->model, "Model whose chat template is rendered");
  CLI::Option* file =
      command->add_option("--template", options->template_file, "Jinja file instead of a model's template");
  file->excludes(model);
  CLI::Option_group* input = command->add_option_group("Input", "One of these");
  input->add_option("--messages", options->messages_file,
                    "JSON file: a list of messages, or an object of variables");
  input->add_option(
      "--batch", options->batch_file,
      "JSON lines {\"template_file\", \"messages\", \"tools\", \"add_generation_prompt\", \"extra\", "
      "\"bos_token\", \"eos_token\"}");
  input->require_option(1);
  command->add_option("--now", options->now, "Time that the template sees, such as 2026-07-26T12:00:00")
      ->envname("PITWALL_NOW")
      ->check([](const std::string& text) {
        return parse_utc(text) ? std::string() : text + " is not a time such as 2026-07-26T12:00:00";
      });
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options, model, file] {
    if (!options->messages_file.empty() && model->count() + file->count() == 0) {
      throw CLI::RequiredError("--model or --template");
    }
    action = [options] { return render(*options); };
  });
}

}  // namespace pitwall::ctl
