// SPDX-License-Identifier: GPL-3.0-or-later
// Speculation between engines. Ours: a method, the tokens guessed ahead in a row, the model that guesses; of
// a tree of guesses also how many follow each, and its tokens, where the last sure one counts too.
#pragma once
#include <string>
#include <vector>

namespace pitwall {

struct EngineProfile;
struct EngineSettings;

/// What `engine` was told, in our words: with the method that it finds itself, without a tree that is a row.
/// Returns notes on what was taken for granted and on what the plan leaves out.
std::vector<std::string> understand_speculation(EngineSettings& settings, const EngineProfile& engine);

/// Leaves what `engine` can be told and starts with. Returns a note for all that is lost or added.
std::vector<std::string> fit_speculation(EngineSettings& settings, const EngineProfile& engine);

}  // namespace pitwall
