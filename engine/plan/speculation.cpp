// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/speculation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"

namespace pitwall {

namespace {

constexpr std::string_view kMethod = "speculative-method", kModel = "speculative-model",
                           kTokens = "speculative-tokens", kWidth = "speculative-tree-width",
                           kTree = "speculative-tree-tokens";
constexpr std::string_view kSaid[] = {kMethod, kModel, kTokens, kWidth, kTree};

class Speculation {
 public:
  Speculation(EngineSettings& settings, const EngineProfile& engine) : settings_(settings), engine_(engine) {}

  std::vector<std::string> understand() {
    find_method();
    if (said(kMethod) == nullptr) return std::move(notes_);
    if (said(kModel) == nullptr && *said(kMethod) == "eagle") tell(kMethod, "mtp");  // SGLang's name for it
    count_row();
    if (const std::string* model = said(kModel); model != nullptr && *said(kMethod) != "mtp")
      note(fmt::format("The weights and KV of {}, which guesses tokens ahead, are not counted", *model));
    return std::move(notes_);
  }

  std::vector<std::string> fit() {
    if (said(kMethod) == nullptr) return without_method();
    const std::string method = *said(kMethod);
    if (settings_.integer(kTokens) == 0) return leave_out("");
    const EngineSetting* way = engine_.find(kMethod);
    if (way == nullptr)
      return leave_out(
          fmt::format("{} guesses no tokens ahead: {} is not carried over", engine_.title, what_was_said()));
    if (!can_tell(engine_, kMethod, method))
      return leave_out(fmt::format("{} cannot guess tokens ahead by {}: {} is not carried over",
                                   engine_.title, method, what_was_said()));
    if (said(kModel) == nullptr && takes_model(method))
      return leave_out(
          fmt::format("Guessing by {} takes the name of the model that guesses: {} is not carried over",
                      method, what_was_said()));
    const EngineFlag& flag = way->flags.front();
    if (flag.names.empty() && flag.config.empty()) drop(kMethod);  // it is what the engine does
    fit_model(method);
    if (said(kTokens) == nullptr && engine_.default_of(kTokens, {}).empty()) {
      tell(kTokens, method == "mtp" ? "1" : "3");
      note(fmt::format("Nothing says how many tokens are guessed ahead: {} is told {}", engine_.title,
                       *said(kTokens)));
    }
    fit_tree(method);
    return std::move(notes_);
  }

 private:
  const std::string* said(std::string_view name) const { return settings_.find(name); }
  void tell(std::string_view name, std::string value) {
    settings_.values[std::string(name)] = std::move(value);
  }
  void drop(std::string_view name) { settings_.values.erase(std::string(name)); }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  static bool takes_model(std::string_view method) { return method != "ngram" && method != "mtp"; }

  bool holds(std::string_view part) const {
    std::string name = *said(kModel);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return name.find(part) != std::string::npos;
  }

  /// The method that a model's name gives, as engines go by it; the one that was said, where it does not.
  void find_method() {
    const std::string* model = said(kModel);
    if (model == nullptr) {
      const std::string unasked = engine_.default_of(kMethod, {});
      if (said(kMethod) != nullptr || settings_.integer(kTokens).value_or(0) < 1 || unasked.empty()) return;
      tell(kMethod, unasked);
      note(fmt::format("Without a method {} guesses by {}, or by the heads of a checkpoint that has some",
                       engine_.title, unasked));
      return;
    }
    const std::string* own = settings_.find("model");
    const std::string method = said(kMethod) == nullptr ? "" : *said(kMethod);
    if (holds("nextn") || (method != "draft" && own != nullptr && *own == *model)) {
      tell(kMethod, "mtp");
    } else if (*model == "ngram" || *model == "[ngram]") {
      tell(kMethod, "ngram");
      drop(kModel);
    } else if (method.empty()) {
      tell(kMethod, holds("eagle3")   ? "eagle3"
                    : holds("eagle")  ? "eagle"
                    : holds("medusa") ? "medusa"
                                      : "draft");
    }
  }

  /// Where the engine counts a tree with its root: the tokens guessed in a row.
  void count_row() {
    const auto tree = settings_.integer(kTree);
    const bool ngram = *said(kMethod) == "ngram";
    if (tree && (ngram || said(kTokens) == nullptr)) {
      tell(kTokens, fmt::format("{}", *tree - 1));
      if (!ngram)
        note(fmt::format("{} refuses {} without {}: {} tokens guessed ahead are meant", engine_.title,
                         shown(kTree), shown(kTokens), *tree - 1));
    }
    if (ngram || settings_.integer(kWidth).value_or(1) == 1) {
      drop(kWidth);
      drop(kTree);
    }
  }

  std::string shown(std::string_view name) const { return engine_.find(name)->flags.front().shown(); }

  std::vector<std::string> without_method() {
    const bool off = settings_.integer(kTokens) == 0;
    const std::string what = what_was_said();
    return leave_out(
        off || what.empty()
            ? ""
            : fmt::format("Nothing says how tokens are guessed ahead: {} is not carried over", what));
  }

  std::string what_was_said() const {
    std::string text;
    for (const std::string_view name : kSaid) {
      const std::string* value = said(name);
      if (value != nullptr) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *value);
    }
    return text;
  }

  std::vector<std::string> leave_out(std::string why) {
    for (const std::string_view name : kSaid) drop(name);
    if (!why.empty()) note(std::move(why));
    return std::move(notes_);
  }

  void fit_model(std::string_view method) {
    const std::string* model = said(kModel);
    if (model == nullptr) return;
    if (!takes_model(method)) {
      const std::string* own = settings_.find("model");
      if (method == "mtp" && !(own != nullptr && *own == *model))
        note(fmt::format("{} is not carried over: the model's own MTP layers take its place", *model));
      drop(kModel);
    } else if (!engine_.model_files.empty() && !model->ends_with(engine_.model_files)) {
      note(fmt::format("{} loads {} files alone, and {} is none: take the model's", engine_.title,
                       engine_.model_files, *model));
    }
  }

  void fit_tree(std::string_view method) {
    const auto row = settings_.integer(kTokens), width = settings_.integer(kWidth);
    const bool counts = engine_.find(kTree) != nullptr;
    if (width && !counts)
      note(fmt::format("{} guesses in a row: the tree of {} tokens, {} behind each, is not carried over",
                       engine_.title, said(kTree) == nullptr ? "all" : *said(kTree), *width));
    if (!counts || !row || method == "ngram") {
      drop(kWidth);
      drop(kTree);
    }
    if (!counts || !row) return;
    settings_.values.try_emplace(std::string(kTree), fmt::format("{}", *row + 1));
    if (method == "ngram") {
      drop(kTokens);
    } else {
      settings_.values.try_emplace(std::string(kWidth), "1");
    }
  }

  EngineSettings& settings_;
  const EngineProfile& engine_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> understand_speculation(EngineSettings& settings, const EngineProfile& engine) {
  return Speculation(settings, engine).understand();
}

std::vector<std::string> fit_speculation(EngineSettings& settings, const EngineProfile& engine) {
  return Speculation(settings, engine).fit();
}

}  // namespace pitwall
