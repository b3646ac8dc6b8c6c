// SPDX-License-Identifier: GPL-3.0-or-later
// Text ↔ token ids. A Tokenizer is immutable and may be used from many threads at once.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/model/model.h"

namespace pitwall {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// `add_special`: add what the tokenizer's own post-processor / add_bos adds. `parse_special`: special
  /// added tokens written in the text become their ids; otherwise they are plain text. Bytes that are part of
  /// no character are encoded by themselves.
  virtual std::vector<TokenId> encode(std::string_view text, bool add_special, bool parse_special) const = 0;

  /// The bytes that the token stands for; may be part of a character. Empty for ids outside the vocabulary.
  virtual std::string_view bytes_of(TokenId id) const = 0;
  /// The same where the token is the first of a text: SentencePiece's families drop a leading space there.
  virtual std::string_view first_bytes_of(TokenId id) const { return bytes_of(id); }
  virtual bool is_special(TokenId id) const = 0;  ///< control tokens, left out of text with skip_special
  virtual int size() const = 0;

  virtual std::optional<TokenId> bos() const = 0;
  virtual std::optional<TokenId> eos() const = 0;
  /// All tokens that end a reply (eos, end of turn …).
  virtual const std::vector<TokenId>& end_tokens() const = 0;
};

/// From a model's vocabulary. Error::unsupported names the tokenizer model or pre-tokenizer that is not
/// known.
Result<std::shared_ptr<const Tokenizer>> make_tokenizer(const VocabularyData& vocabulary);

/// `tokenize --model`: a model, a folder with a tokenizer's files, a GGUF file that may hold a vocabulary
/// alone, a tokenizer.json, or a SentencePiece .model.
Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const std::filesystem::path& path);

}  // namespace pitwall
