// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/pretokenizer.h"

#include "engine/text/byte_alphabet.h"
#include "engine/text/text_search.h"
#include "engine/text/utf8.h"

namespace pitwall {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

using Piece = Pretokenizer::Piece;
using Workspace = Pretokenizer::Workspace;

/// The whole piece as matches (true) and what lies between them, in order. An empty match only cuts.
void find_matches(const SplitStage& stage, std::string_view piece, Workspace& workspace) {
  workspace.matches.clear();
  std::size_t at = 0, from = 0;
  while (from < piece.size()) {
    const auto match = workspace.search.find(stage.pattern, piece, from, true);
    if (!match) break;
    if (match->begin > at) workspace.matches.emplace_back(piece.substr(at, match->begin - at), stage.invert);
    if (match->end > match->begin)
      workspace.matches.emplace_back(piece.substr(match->begin, match->end - match->begin), !stage.invert);
    at = from = match->end;
    if (match->end == match->begin && from < piece.size()) from += utf8_step(piece.substr(from)).length;
  }
  if (at < piece.size()) workspace.matches.emplace_back(piece.substr(at), stage.invert);
}

/// Grows the last piece that was put out by `text`, which follows it.
void extend_last(std::vector<Piece>& out, std::string_view text) {
  std::string_view& last = out.back().text;
  last = {last.data(), last.size() + text.size()};
}

void split_piece(const SplitStage& stage, const Piece& piece, Workspace& workspace) {
  find_matches(stage, piece.text, workspace);
  std::vector<Piece>& out = workspace.finer;
  bool after_match = false, joins_next = false, any = false;
  for (const auto& [text, is_match] : workspace.matches) {
    bool joins = false;
    switch (stage.behavior) {
      case SplitBehavior::isolated:
        break;
      case SplitBehavior::removed:
        if (is_match) continue;
        break;
      case SplitBehavior::contiguous:
        joins = any && is_match == after_match;
        break;
      case SplitBehavior::merged_with_previous:
        joins = any && is_match && !after_match;
        break;
      case SplitBehavior::merged_with_next:
        // A match goes to what follows it unless that is a match too.
        joins = joins_next && !is_match;
        joins_next = is_match;
        break;
    }
    if (joins) {
      extend_last(out, text);
    } else {
      out.push_back({text, piece.starts_text && text.data() == piece.text.data()});
    }
    any = true;
    after_match = is_match;
  }
}

void keep_changed(std::string text, bool starts_text, Workspace& workspace) {
  workspace.changed.push_back(std::move(text));
  workspace.finer.push_back({workspace.changed.back(), starts_text});
}

void apply(const SplitStage& stage, Workspace& workspace) {
  for (const Piece& piece : workspace.pieces) split_piece(stage, piece, workspace);
}

void apply(const MetaspaceStage& stage, Workspace& workspace) {
  for (const Piece& piece : workspace.pieces) {
    std::string text = replace_all(piece.text, " ", stage.replacement);
    const bool wanted = stage.prepend == MetaspaceStage::Prepend::always ||
                        (stage.prepend == MetaspaceStage::Prepend::first && piece.starts_text);
    if (wanted && !text.starts_with(stage.replacement)) text.insert(0, stage.replacement);
    keep_changed(std::move(text), piece.starts_text, workspace);
  }
}

void apply(const PrefixSpaceStage&, Workspace& workspace) {
  for (const Piece& piece : workspace.pieces) {
    if (piece.text.starts_with(' ')) {
      workspace.finer.push_back(piece);
    } else {
      keep_changed(std::string(1, ' ').append(piece.text), piece.starts_text, workspace);
    }
  }
}

void to_alphabet(Workspace& workspace) {
  for (const Piece& piece : workspace.pieces)
    keep_changed(alphabet_from_bytes(piece.text), piece.starts_text, workspace);
}

void from_alphabet(Workspace& workspace) {
  for (const Piece& piece : workspace.pieces)
    keep_changed(bytes_from_alphabet(piece.text).value_or(std::string(piece.text)), piece.starts_text,
                 workspace);
}

void finish_stage(Workspace& workspace) {
  workspace.pieces.swap(workspace.finer);
  workspace.finer.clear();
}

}  // namespace

Pretokenizer::Pretokenizer(std::vector<PretokenizerStage> stages) : stages_(std::move(stages)) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!std::holds_alternative<ByteLevelStage>(stages_[i])) continue;
    byte_level_ = true;
    maps_alphabet_ = i + 1 < stages_.size();
  }
}

Result<Pretokenizer> Pretokenizer::compile(const std::vector<std::string>& patterns) {
  std::vector<PretokenizerStage> stages;
  for (const std::string& pattern : patterns) {
    auto regex = Regex::compile(pattern);
    if (!regex.ok()) return std::move(regex).error();
    stages.emplace_back(SplitStage{.pattern = std::move(regex).value()});
  }
  return Pretokenizer(std::move(stages));
}

void Pretokenizer::split(std::string_view text, bool starts_text, Workspace& workspace) const {
  workspace.pieces.clear();
  workspace.finer.clear();
  workspace.changed.clear();
  if (!text.empty()) workspace.pieces.push_back({text, starts_text});
  for (const PretokenizerStage& stage : stages_) {
    if (std::holds_alternative<ByteLevelStage>(stage)) {
      if (!maps_alphabet_) continue;
      to_alphabet(workspace);
    } else if (const auto* split = std::get_if<SplitStage>(&stage)) {
      apply(*split, workspace);
    } else if (const auto* metaspace = std::get_if<MetaspaceStage>(&stage)) {
      apply(*metaspace, workspace);
    } else {
      apply(std::get<PrefixSpaceStage>(stage), workspace);
    }
    finish_stage(workspace);
  }
  if (maps_alphabet_) {
    from_alphabet(workspace);
    finish_stage(workspace);
  }
}

}  // namespace pitwall
