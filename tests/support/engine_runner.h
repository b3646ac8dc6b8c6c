// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a real engine for a test and waits for its requests.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/serve/engine.h"

namespace pitwall::test {

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// An engine with these settings; fails the process with the error's text when it does not start.
std::unique_ptr<Engine> start_engine(const std::filesystem::path& model, const SettingList& settings = {},
                                     bool prompt_logits = false);

/// Everything a finished request said.
struct Reply {
  std::string text;
  std::vector<TokenId> tokens;
  std::vector<PositionLogprobs> logprobs;
  OutputEvent last;
};

/// Submits all at once, waits for all; replies in the order of the requests.
std::vector<Reply> run_requests(Engine& engine, std::vector<GenerationRequest> requests);

Reply run_request(Engine& engine, GenerationRequest request);  ///< one alone

/// Logits of every position that a request asked for, in order.
std::vector<float> joined_logits(const OutputEvent& event);

GenerationRequest greedy_request(std::vector<TokenId> prompt, int max_tokens);  ///< end tokens ignored

}  // namespace pitwall::test
