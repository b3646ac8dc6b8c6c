// SPDX-License-Identifier: GPL-3.0-or-later
// Pre-tokenizer: cuts text into the pieces that the model encodes one by one. A list of stages, each of which
// takes the pieces of the one before it.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/regex.h"

namespace pitwall {

/// What becomes of the matches of a pattern, as Hugging Face's tokenizers name it.
enum class SplitBehavior { isolated, removed, contiguous, merged_with_previous, merged_with_next };

struct SplitStage {
  Regex pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;  ///< what lies between the matches counts as matches, and the other way round
};
/// Spaces become `replacement`, and a piece that does not begin with it gets one in front.
struct MetaspaceStage {
  enum class Prepend { always, first, never };  ///< first: only where the piece begins the whole text
  std::string replacement;
  Prepend prepend = Prepend::always;
};
/// A piece that does not begin with a space gets one in front.
struct PrefixSpaceStage {};
/// From here on pieces are bytes; if other stages follow, they see the byte alphabet.
struct ByteLevelStage {};

using PretokenizerStage = std::variant<SplitStage, MetaspaceStage, PrefixSpaceStage, ByteLevelStage>;

/// Immutable, shared between threads.
class Pretokenizer {
 public:
  explicit Pretokenizer(std::vector<PretokenizerStage> stages = {});
  /// Stages that cut the matches of one pattern after the other apart.
  static Result<Pretokenizer> compile(const std::vector<std::string>& patterns);

  /// Whether pieces are bytes rather than text.
  bool byte_level() const { return byte_level_; }

  struct Piece {
    std::string_view text;
    bool starts_text = false;
  };
  /// What one split needs; one per thread, reused between texts.
  struct Workspace {
    RegexSearch search;
    std::vector<Piece> pieces, finer;
    std::vector<std::pair<std::string_view, bool>> matches;
    std::deque<std::string> changed;  ///< texts that are not part of the input
  };
  /// Cuts valid UTF-8. The pieces lie in workspace.pieces and point into `text` or the workspace.
  void split(std::string_view text, bool starts_text, Workspace& workspace) const;

 private:
  std::vector<PretokenizerStage> stages_;
  bool byte_level_ = false;
  bool maps_alphabet_ = false;  ///< stages follow the byte level
};

/// GPT-2's word pattern, which byte-level tokenizers use when they state none.
extern const char* const kGpt2Pattern;

}  // namespace pitwall
