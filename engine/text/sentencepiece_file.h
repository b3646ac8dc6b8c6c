// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece's .model: a protocol buffer (sentencepiece_model.proto), read field by field.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct SentencePiece {
  enum class Type : std::int32_t { normal = 1, unknown, control, user_defined, unused, byte };
  std::string text;
  float score = 0;
  Type type = Type::normal;
};
struct SentencePieceModel {
  enum class Kind : std::int32_t { unigram = 1, bpe, word, character };
  Kind kind = Kind::unigram;
  std::vector<SentencePiece> pieces;
  int unknown = 0, bos = 1, eos = 2;  ///< −1: none
  bool byte_fallback = false, space_as_suffix = false;
  // Normalizer
  std::string charsmap;  ///< precompiled; may be empty
  bool dummy_prefix = true, remove_extra_spaces = true, escape_spaces = true;
};

/// Takes at most 16 times the bytes of the file. Errors name the offset.
Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes);
/// Files up to 256 MiB; errors name the file.
Result<SentencePieceModel> read_sentencepiece(const std::filesystem::path& file);

}  // namespace pitwall
