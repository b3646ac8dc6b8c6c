// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece's normalization: a character map, then what it does with spaces.
#pragma once
#include <optional>
#include <vector>

#include "engine/text/charsmap.h"
#include "engine/text/normalizer.h"
#include "engine/text/special_tokens.h"

namespace pitwall {

struct SentencePieceNormalization {
  std::optional<CharacterMap> map;
  bool dummy_prefix = true;         ///< a space in front of the text
  bool remove_extra_spaces = true;  ///< none at the ends, one where there are several
  bool escape_spaces = true;        ///< spaces become "▁"
  bool space_as_suffix = false;     ///< the added space goes to the end
  std::vector<AddedToken> kept;     ///< texts that the map leaves alone
};

NormalizerStep sentencepiece_step(SentencePieceNormalization options);

/// "▁", which SentencePiece writes for a space.
inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";

}  // namespace pitwall
