// SPDX-License-Identifier: GPL-3.0-or-later
// A small llama with random weights, a tokenizer and a chat template: what a clone alone can serve.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall::test {

struct TinyModel {
  std::uint32_t seed = 1;  ///< of the weights
  std::uint32_t context_length = 2048;
  std::string name = "tiny";       ///< general.name
  bool chat_template = true;       ///< ChatML
  std::string tool_template = {};  ///< "tool_use", if not empty
  std::string own_template = {};   ///< in place of ChatML, if not empty
};

inline constexpr std::int32_t kTinyVocabulary = 259;
inline constexpr std::int32_t kTinyEnd = 2;  ///< "<|im_end|>"

/// Writes tiny.gguf into `folder`. 3 control tokens (0 "<|endoftext|>", 1 "<|im_start|>", 2 "<|im_end|>"),
/// then one token for each byte: byte b is token b + 3. Replies are printable ASCII, since all other tokens
/// have logit 0.
std::filesystem::path write_tiny_model(const std::filesystem::path& folder, const TinyModel& model = {});

std::vector<TokenId> tiny_tokens(const std::string& text);  ///< its bytes' tokens

}  // namespace pitwall::test
