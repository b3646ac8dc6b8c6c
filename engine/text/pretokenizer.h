// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-tokenizer: cuts text into the pieces within which BPE may merge.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/regex.h"

namespace pitwall {

/// A list of patterns; each cuts the pieces of the one before it into its matches and what lies between them.
/// Immutable, shared between threads.
class Pretokenizer {
 public:
  static Result<Pretokenizer> compile(const std::vector<std::string>& patterns);
  /// The patterns that a GGUF file names in tokenizer.ggml.pre. Error::unsupported for a name that is not
  /// known.
  static Result<Pretokenizer> named(std::string_view name);

  /// What one split needs; one per thread, reused between texts.
  struct Workspace {
    RegexSearch search;
    std::vector<std::string_view> pieces, finer;
  };
  /// Cuts valid UTF-8 into pieces that join to the text. They lie in workspace.pieces and point into `text`.
  void split(std::string_view text, Workspace& workspace) const;

 private:
  explicit Pretokenizer(std::vector<Regex> stages) : stages_(std::move(stages)) {}
  std::vector<Regex> stages_;
};

/// GPT-2's word pattern, which byte-level tokenizers use when they state none.
extern const char* const kGpt2Pattern;
/// One digit (any Unicode number character) at a time, and runs of them.
extern const char* const kDigitPattern;
extern const char* const kDigitsPattern;

}  // namespace pitwall
