// SPDX-License-Identifier: GPL-3.0-or-later
// Normalizer: what is done to a text before it is cut into pieces. A list of steps, each from text to text.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/code_points.h"
#include "engine/text/regex.h"

namespace pitwall {

/// Valid UTF-8 to valid UTF-8. `starts_segment`: nothing of the same segment comes before this text (a
/// segment lies between two added tokens); only then a step may put something in front.
using NormalizerStep = std::function<std::string(std::string_view text, bool starts_segment)>;

/// Immutable, shared between threads.
struct Normalizer {
  std::vector<NormalizerStep> steps;
  std::string apply(std::string_view text, bool starts_segment) const;
};

// The steps of Hugging Face's tokenizers, by their names there.
NormalizerStep unicode_form_step(NormalizationForm form);
NormalizerStep lower_case_step();
NormalizerStep strip_step(bool left, bool right);  ///< White_Space at the ends
NormalizerStep strip_accents_step();               ///< without marks
NormalizerStep replace_step(std::string wanted, std::string replacement);
NormalizerStep replace_step(Regex pattern, std::string replacement);
NormalizerStep prepend_step(std::string text);  ///< in front of a segment that is not empty
NormalizerStep nmt_step();                      ///< controls away, odd spaces to " "
NormalizerStep byte_alphabet_step();            ///< every byte as a character of the byte alphabet

struct BertNormalization {
  bool clean_text = true, chinese_characters = true, strip_accents = true, lower_case = true;
};
NormalizerStep bert_step(BertNormalization options);

}  // namespace pitwall
