// SPDX-License-Identifier: GPL-3.0-or-later
// Perplexity: how well a model foretells a text, and how far it strays from another run of it.
//
// The text is cut into chunks without overlap; in each the second half is scored, so that every scored token
// has at least half a chunk before it. llama.cpp's tool of the same name measures so too, with 512 tokens.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

struct TextChunk {
  std::vector<TokenId> tokens;
  std::int32_t first_scored = 0;  ///< position whose logits foretell the first scored token
  std::int32_t scored() const { return static_cast<std::int32_t>(tokens.size()) - 1 - first_scored; }
};

/// `bos`, where given, takes the place of each chunk's first token. At most `most` chunks, 0 = all; a last
/// one that is not whole is left out, unless it is the only one. An error when fewer than 2 tokens can be
/// scored.
Result<std::vector<TextChunk>> cut_text(std::span<const TokenId> text, int chunk_tokens,
                                        std::optional<TokenId> bos, int most);

/// ln softmax(logits), in double sums.
std::vector<float> log_probabilities(std::span<const float> logits);

struct Divergence {
  double mean = 0, p50 = 0, p99 = 0, largest = 0;  ///< of KL(base ‖ this) by token, nats
  double same_top = 0;                             ///< share of tokens whose likeliest one is the same
};

struct Perplexity {
  std::int64_t tokens = 0;  ///< scored
  double mean_nll = 0;      ///< nats a token
  double error = 0;         ///< standard error of mean_nll
  double perplexity() const;
  std::optional<Divergence> divergence;
};

/// Takes scored positions one by one.
class PerplexityMeter {
 public:
  /// `base`: log-probabilities of the other run at this position; empty without one.
  void add(std::span<const float> log_probabilities, TokenId next, std::span<const float> base = {});
  Perplexity result() const;

 private:
  std::vector<double> nll_, divergence_;
  std::int64_t same_top_ = 0;
};

}  // namespace pitwall
