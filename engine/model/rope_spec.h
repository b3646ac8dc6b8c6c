// SPDX-License-Identifier: GPL-3.0-or-later
// RopeSpec: rotary position embedding and how its frequencies are scaled for longer contexts.
#pragma once
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// Rotary embedding. Frequencies f_i = theta^(−2i/rotary_dim), i < rotary_dim/2 (Su et al. 2021), then
/// scaled.
struct RopeSpec {
  enum class Pairing {
    halves,      ///< element i pairs with i + rotary_dim/2 (HF checkpoints)
    neighbours,  ///< element 2i pairs with 2i + 1 (GGUF "llama" checkpoints, whose q/k rows are permuted)
  };
  enum class Frequencies {
    exact,
    bfloat16,  ///< each f_i rounded to bfloat16, as a PyTorch module cast with .to(bfloat16) holds them
  };
  /// How the frequencies of a longer context come from those of the original one, as transformers computes
  /// them; a field counts for the kinds named beside it.
  struct Scaling {
    enum class Kind {
      none,
      linear,    ///< f_i / factor
      dynamic,   ///< theta grown for the served length, once that is above original_context (NTK-aware)
      llama3,    ///< long wavelengths divided by factor, short ones kept, a ramp between
      yarn,      ///< Peng et al. 2023: by the number of turns within original_context
      longrope,  ///< Ding et al. 2024: f_i / short_factors[i], or long_factors[i] above original_context
      divisors,  ///< f_i / short_factors[i]: GGUF files that carry a llama3 scaling as numbers
    };
    Kind kind = Kind::none;
    double factor = 1;
    int original_context = 0;                                    ///< dynamic, llama3, yarn, longrope
    double low_frequency_factor = 1, high_frequency_factor = 4;  ///< llama3
    double beta_fast = 32, beta_slow = 1;                        ///< yarn
    bool truncate = true;                             ///< yarn: the ramp's ends are whole dimensions
    std::vector<double> short_factors, long_factors;  ///< longrope, divisors: rotary_dim/2 each
    bool operator==(const Scaling&) const = default;
  };
  double theta = 10000.0;
  int rotary_dim = 0;
  Pairing pairing = Pairing::halves;
  Frequencies frequencies = Frequencies::exact;
  Scaling scaling = {};
  /// Multiplies cosine and sine, and so scores by its square (yarn, longrope).
  double attention_factor = 1;
  /// Sequences of more tokens have other frequencies, from their first position on; 0 = all have the same.
  int switch_length() const;
  bool operator==(const RopeSpec&) const = default;
};

/// f_0 … f_(rotary_dim/2 − 1), in radians per position, for sequences of up to `positions` tokens.
std::vector<double> rope_frequencies(const RopeSpec& rope, int positions);

/// Of positions 0 … `count` − 1, in sequences of up to `longest` tokens: a row each, attention_factor times
/// rotary_dim / 2 cosines, then as many sines.
void fill_rope_table(const RopeSpec& rope, int count, int longest, float* rows);

/// Even and within the head, a base above 0, factors that are finite, above 0 and as many as needed.
Result<void> check_rope(const RopeSpec& rope, int head_dim);

}  // namespace pitwall
