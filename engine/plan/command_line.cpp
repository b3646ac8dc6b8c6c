// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_words.h"

namespace pitwall {

namespace {

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Of a program, also of Windows.
std::string_view base_name(std::string_view word) {
  word.remove_prefix(word.find_last_of("/\\") + 1);
  if (word.ends_with(".exe")) word.remove_suffix(4);
  return word;
}

struct Start {
  const EngineProfile* engine;
  std::size_t arguments;  // index of the first word behind the program
};

/// The first program, in the order of words, that starts an engine.
std::optional<Start> find_program_of(const Words& words, std::size_t from) {
  for (std::size_t at = from; at < words.size(); ++at) {
    for (const EngineProfile& engine : engine_profiles()) {
      for (const Words& program : engine.programs) {
        if (at + program.size() > words.size() || base_name(words[at]) != program.front()) continue;
        if (std::equal(program.begin() + 1, program.end(),
                       words.begin() + static_cast<std::ptrdiff_t>(at) + 1))
          return Start{&engine, at + program.size()};
      }
    }
  }
  return std::nullopt;
}

const EngineProfile* engine_of_image(std::string_view image) {
  for (const EngineProfile& engine : engine_profiles()) {
    for (const std::string& known : engine.images) {
      if (image.find(known) != std::string_view::npos) return &engine;
    }
  }
  return nullptr;
}

/// How many words an engine knows as its flags.
std::size_t known_flags(const EngineProfile& engine, const Words& words) {
  return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return is_flag(engine, word) && !known_flag(engine, flag_name(engine, word)).empty();
  }));
}

Result<const EngineProfile*> engine_of_flags(const Words& words) {
  const EngineProfile* best = nullptr;
  std::size_t most = 0;
  bool tied = false;
  for (const EngineProfile& engine : engine_profiles()) {
    const std::size_t known = known_flags(engine, words);
    tied = known == most ? true : known > most ? false : tied;
    if (known > most) {
      most = known;
      best = &engine;
    }
  }
  if (best != nullptr && !tied) return best;
  return Error{Error::Kind::invalid_input, "It cannot be told which engine these flags are for",
               best == nullptr ? "No engine knows one of them" : "Several engines know as many of them",
               "Name it with --from: " + profile_names(engine_profiles()), "from"};
}

/// docker run's own options: variables and a number of GPUs are kept; those that reach out of the container
/// are named.
class DockerRun {
 public:
  DockerRun(const Words& words, std::size_t at, EngineCommand& command) : words_(words), command_(command) {
    static constexpr std::array<std::string_view, 18> kSwitches = {"-d",
                                                                   "-i",
                                                                   "-t",
                                                                   "-it",
                                                                   "-ti",
                                                                   "-dit",
                                                                   "-itd",
                                                                   "--rm",
                                                                   "--init",
                                                                   "--privileged",
                                                                   "--tty",
                                                                   "--detach",
                                                                   "-P",
                                                                   "--publish-all",
                                                                   "--interactive",
                                                                   "--read-only",
                                                                   "--no-healthcheck",
                                                                   "--oom-kill-disable"};
    for (; at < words_.size() && words_[at].starts_with('-'); ++at) {
      const std::string& word = words_[at];
      if (holds(kSwitches, word)) continue;
      const std::size_t equals = word.find('=');
      const bool joined = word.starts_with("--") && equals != std::string::npos;
      if (!joined && at + 1 >= words_.size()) continue;
      take(joined ? word.substr(0, equals) : word, joined ? word.substr(equals + 1) : words_[at + 1]);
      if (!joined) ++at;
    }
    image_ = at;
    if (!lost_.empty())
      command_.notes.push_back(fmt::format("Say again where it runs, docker run had them: {}", lost_));
  }
  std::size_t image() const { return image_; }
  const std::string& entry_point() const { return entry_point_; }

 private:
  void take(const std::string& option, std::string value) {
    if (option == "-e" || option == "--env") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos) {  // the value that it has outside
        command_.environment.emplace_back(value, fmt::format("${{{}}}", value));
      } else {
        command_.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
      }
    }
    static constexpr std::array<std::string_view, 8> kOutside = {
        "-p", "--publish", "-v", "--volume", "--mount", "--network", "--net", "--env-file"};
    if (holds(kOutside, option)) lost_ += fmt::format("{}{} {}", lost_.empty() ? "" : ", ", option, value);
    if (option == "--entrypoint") entry_point_ = value;
    if (option != "--gpus") return;
    std::erase(value, '"');
    if (value.starts_with("device=")) {
      command_.gpus = static_cast<int>(std::count(value.begin(), value.end(), ',')) + 1;
    } else {
      std::from_chars(value.data(), value.data() + value.size(), command_.gpus);
    }
  }
  const Words& words_;
  EngineCommand& command_;
  std::size_t image_ = 0;
  std::string lost_, entry_point_;
};

/// Blogs and chats turn -- into dashes of print.
void mend_dashes(Words& words, std::vector<std::string>& notes) {
  for (std::string& word : words) {
    for (const std::string_view dash : {"\u2013", "\u2014"}) {
      if (!word.starts_with(dash)) continue;
      notes.push_back(fmt::format("{} is written with a dash of print; it was read as --", word));
      word = "--" + word.substr(dash.size() + (word[dash.size()] == '-' ? 1 : 0));
    }
  }
}

/// "serve MODEL …": the program's name in front was left out.
void drop_subcommand(const EngineProfile& engine, Words& arguments) {
  for (const Words& program : engine.programs) {
    const std::size_t behind = program.size() - 1;
    if (program.size() < 2 || arguments.size() < behind) continue;
    if (!std::equal(program.begin() + 1, program.end(), arguments.begin())) continue;
    arguments.erase(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(behind));
    return;
  }
}

void count_visible_gpus(EngineCommand& command) {
  static constexpr std::array<std::string_view, 2> kNames = {"CUDA_VISIBLE_DEVICES",
                                                             "NVIDIA_VISIBLE_DEVICES"};
  static constexpr std::array<std::string_view, 4> kWords = {"", "all", "none", "void"};
  for (const auto& [name, value] : command.environment) {
    if (!holds(kNames, name) || holds(kWords, value) || holds_references(value) || command.gpus > 0) continue;
    command.gpus = static_cast<int>(std::count(value.begin(), value.end(), ',')) + 1;
  }
}

/// A Python call has its arguments between brackets, parted by commas.
Words keyword_words(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  for (char& letter : text) {
    if (letter == '(' || letter == ')' || letter == ',') letter = ' ';
  }
  const auto commands = split_shell(text);
  Words out;
  if (!commands.ok()) return words;
  for (const Words& each : *commands) out.insert(out.end(), each.begin(), each.end());
  std::erase_if(out, [](const std::string& word) { return word == "LLM" || word == "llm" || word == "="; });
  return out;
}

/// The first program that starts an engine in a text of several commands.
const EngineProfile* engine_in(std::string_view text) {
  const auto commands = split_shell(text);
  if (!commands.ok()) return nullptr;
  for (const Words& each : *commands) {
    if (const auto start = find_program_of(each, 0)) return start->engine;
  }
  return nullptr;
}

/// sh -c "…", behind an image, srun or a shell's name: what starts the engine is inside.
const std::string* shell_text(const Words& words, std::size_t from) {
  for (std::size_t at = from; at + 1 < words.size(); ++at) {
    const std::string& flag = words[at];  // -c, -lc, -xec
    if (flag.size() < 2 || flag[0] != '-' || flag[1] == '-' || !flag.ends_with('c')) continue;
    if (engine_in(words[at + 1]) != nullptr) return &words[at + 1];
  }
  return nullptr;
}

/// The whole command in quotes, or what a shell left of them.
bool is_text(const Words& words) {
  return words.size() == 1 && words.front().find_first_of(" \"'") != std::string::npos;
}

constexpr int kMostShells = 8;  // one within the other

Result<EngineCommand> read_shell(std::string_view text, const EngineProfile* engine, Variables& variables,
                                 int depth);

Result<EngineCommand> read_words(Words words, const EngineProfile* engine, Variables& variables, int depth) {
  if (depth > kMostShells)
    return Error{Error::Kind::invalid_input, "The command starts a shell in a shell, and so on", "",
                 "Paste the command that starts the engine", ""};
  if (is_text(words)) {
    Variables inside;  // none of those outside: they were filled in with the quotes
    auto command = read_shell(words.front(), engine, inside, depth + 1);
    if (command.ok()) drop_filled_in(inside, *command);
    return command;
  }
  EngineCommand command;
  mend_dashes(words, command.notes);
  std::size_t at = 0;
  static constexpr std::array<std::string_view, 9> kWrappers = {"sudo", "env", "nohup",  "exec", "time",
                                                                "$",    "%",   "export", "-E"};
  for (; at < words.size(); ++at) {
    if (auto pair = assignment(words[at]); pair && !(engine != nullptr && engine->keywords)) {
      command.environment.push_back(std::move(*pair));
    } else if (!holds(kWrappers, words[at])) {
      break;
    }
  }
  std::size_t behind = at;
  static constexpr std::array<std::string_view, 3> kDocker = {"docker", "podman", "nerdctl"};
  const bool docker = at + 1 < words.size() && holds(kDocker, words[at]) && words[at + 1] == "run";
  if (docker) {
    const DockerRun run(words, at + 2, command);
    behind = run.image();
    if (behind < words.size()) {
      command.engine = engine_of_image(words[behind++]);
      if (!run.entry_point().empty())
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(behind), run.entry_point());
    }
  }
  if (const std::string* text = shell_text(words, behind)) {
    Variables of_container;
    Variables& known = docker ? of_container : variables;
    for (const auto& [name, value] : command.environment) known.set(name, value);
    auto inside = read_shell(*text, engine, known, depth + 1);
    if (!inside.ok()) return inside;
    inside->environment.insert(inside->environment.begin(), command.environment.begin(),
                               command.environment.end());
    inside->notes.insert(inside->notes.begin(), command.notes.begin(), command.notes.end());
    if (command.gpus > 0) inside->gpus = command.gpus;
    if (docker) drop_filled_in(of_container, *inside);
    count_visible_gpus(*inside);
    return inside;
  }
  if (const auto start = find_program_of(words, behind)) {
    command.engine = start->engine;
    behind = start->arguments;
  }
  command.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(behind, words.size())),
                           words.end());
  if (engine != nullptr && command.engine != nullptr && command.engine != engine) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("The command starts {}, not {}", command.engine->title, engine->title), "",
                 fmt::format("Say --from {} or --from auto", command.engine->name), "from"};
  }
  if (engine != nullptr && command.engine == nullptr) drop_subcommand(*engine, command.arguments);
  if (engine != nullptr) command.engine = engine;
  if (command.engine == nullptr) {
    const auto found = engine_of_flags(command.arguments);
    if (!found.ok()) return found.error();
    command.engine = *found;
    command.notes.push_back(fmt::format("Read as flags of {}", command.engine->title));
  }
  if (command.engine->keywords) command.arguments = keyword_words(command.arguments);
  count_visible_gpus(command);
  return command;
}

Result<EngineCommand> read_shell(std::string_view text, const EngineProfile* engine, Variables& variables,
                                 int depth) {
  auto commands = split_shell(text, &variables);
  if (!commands.ok()) return commands.error();
  std::vector<NamedText> exported;  // by commands before the one that starts the engine
  const Words* chosen = nullptr;
  for (const Words& words : *commands) {
    const bool starts = find_program_of(words, 0).has_value() || shell_text(words, 0) != nullptr ||
                        std::any_of(words.begin(), words.end(), [](const std::string& word) {
                          return engine_of_image(word) != nullptr && word.find(':') != std::string::npos;
                        });
    if (starts) {
      chosen = &words;
      break;
    }
    for (const std::string& word : words) {
      if (auto pair = assignment(word)) exported.push_back(std::move(*pair));
    }
  }
  if (chosen == nullptr && commands->size() == 1) {
    chosen = &commands->front();
    exported.clear();
  }
  if (chosen == nullptr) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("None of the {} commands starts an engine that is known", commands->size()), "",
                 "Paste the command that starts it; these are known: " + profile_names(engine_profiles()),
                 "from"};
  }
  auto command = read_words(*chosen, engine, variables, depth);
  if (command.ok()) {
    command->environment.insert(command->environment.begin(), exported.begin(), exported.end());
    count_visible_gpus(*command);
  }
  return command;
}

}  // namespace

const EngineProfile* engine_started_by(const std::string& image, const Words& words) {
  if (const std::string* text = shell_text(words, 0)) return engine_in(*text);
  if (const auto start = find_program_of(words, 0)) return start->engine;
  return engine_of_image(image);
}

void drop_filled_in(const Variables& variables, EngineCommand& command) {
  std::erase_if(command.environment, [&](const NamedText& variable) {
    return variables.used().contains(variable.first) && !known_variable(*command.engine, variable.first);
  });
  if (variables.defaulted().empty()) return;
  command.notes.push_back(
      fmt::format("Their defaults in the text were taken: {}", fmt::join(variables.defaulted(), ", ")));
}

Result<EngineCommand> read_command(const Words& words, const EngineProfile* engine) {
  Variables variables;
  auto command = read_words(words, engine, variables, 0);
  if (command.ok()) drop_filled_in(variables, *command);
  return command;
}

Result<EngineCommand> read_command(std::string_view text, const EngineProfile* engine) {
  Variables variables;
  auto command = read_shell(text, engine, variables, 0);
  if (command.ok()) drop_filled_in(variables, *command);
  return command;
}

}  // namespace pitwall
