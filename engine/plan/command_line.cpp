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

std::optional<NamedText> assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  const bool name = std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  if (!name || (word[0] >= '0' && word[0] <= '9')) return std::nullopt;
  return NamedText{word.substr(0, equals), word.substr(equals + 1)};
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
    static constexpr std::array<std::string_view, 14> kSwitches = {
        "-d",   "-i",     "-t",           "-it",   "-ti",      "-dit", "-itd",
        "--rm", "--init", "--privileged", "--tty", "--detach", "-P",   "--interactive"};
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

 private:
  void take(const std::string& option, std::string value) {
    if (option == "-e" || option == "--env") {
      if (auto pair = assignment(value)) command_.environment.push_back(std::move(*pair));
    }
    static constexpr std::array<std::string_view, 7> kOutside = {"-p",      "--publish", "-v",   "--volume",
                                                                 "--mount", "--network", "--net"};
    if (holds(kOutside, option)) lost_ += fmt::format("{}{} {}", lost_.empty() ? "" : ", ", option, value);
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
  std::string lost_;
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
  for (const auto& [name, value] : command.environment) {
    if (name != "CUDA_VISIBLE_DEVICES" || value.empty() || command.gpus > 0) continue;
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

/// sh -c "…", behind an image, srun or a shell's name: what starts the engine is inside.
const std::string* shell_text(const Words& words, std::size_t from) {
  for (std::size_t at = from; at + 1 < words.size(); ++at) {
    const std::string& flag = words[at];  // -c, -lc, -xec
    if (flag.size() < 2 || flag[0] != '-' || flag[1] == '-' || !flag.ends_with('c')) continue;
    const auto commands = split_shell(words[at + 1]);
    const bool starts =
        commands.ok() && std::any_of(commands->begin(), commands->end(),
                                     [](const Words& each) { return find_program_of(each, 0).has_value(); });
    if (starts) return &words[at + 1];
  }
  return nullptr;
}

}  // namespace

Result<EngineCommand> read_command(const Words& given, const EngineProfile* engine) {
  if (given.size() == 1 && given.front().find(' ') != std::string::npos)  // the whole command in quotes
    return read_command(std::string_view(given.front()), engine);
  EngineCommand command;
  Words words = given;
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
  const bool docker =
      at + 1 < words.size() && (words[at] == "docker" || words[at] == "podman") && words[at + 1] == "run";
  if (docker) {
    behind = DockerRun(words, at + 2, command).image();
    if (behind < words.size()) command.engine = engine_of_image(words[behind]);
    if (behind < words.size()) ++behind;
  }
  if (const std::string* text = shell_text(words, behind)) {
    auto inside = read_command(std::string_view(*text), engine);
    if (!inside.ok()) return inside;
    inside->environment.insert(inside->environment.begin(), command.environment.begin(),
                               command.environment.end());
    inside->notes.insert(inside->notes.begin(), command.notes.begin(), command.notes.end());
    if (command.gpus > 0) inside->gpus = command.gpus;
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

Result<EngineCommand> read_command(std::string_view text, const EngineProfile* engine) {
  auto commands = split_shell(text);
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
  auto command = read_command(*chosen, engine);
  if (command.ok()) {
    command->environment.insert(command->environment.begin(), exported.begin(), exported.end());
    count_visible_gpus(*command);
  }
  return command;
}

}  // namespace pitwall
