// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/sentencepiece_normalizer.h"

#include <memory>

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

class SpaceNormalizer {
 public:
  explicit SpaceNormalizer(SentencePieceNormalization options)
      : options_(std::move(options)),
        kept_(options_.kept),
        space_(options_.escape_spaces ? kEscapedSpace : std::string_view(" ")) {}

  std::string apply(std::string_view text, bool starts_segment) const {
    if (options_.remove_extra_spaces) skip_spaces(text);
    if (text.empty()) return {};
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    const bool adds_space = options_.dummy_prefix && starts_segment;
    if (adds_space && !options_.space_as_suffix) out += space_;
    bool after_space = options_.remove_extra_spaces;
    while (!text.empty()) {
      const Part part = next_part(text);
      text.remove_prefix(part.length);
      std::string_view put = part.text;
      while (after_space && put.starts_with(' ')) put.remove_prefix(1);
      for (const char c : put) {
        if (c == ' ') {
          out += space_;
        } else {
          out += c;
        }
      }
      if (!put.empty()) after_space = put.ends_with(' ');
      after_space = after_space && options_.remove_extra_spaces;
    }
    while (options_.remove_extra_spaces && out.ends_with(space_)) out.resize(out.size() - space_.size());
    if (adds_space && options_.space_as_suffix) out += space_;
    return out;
  }

 private:
  struct Part {
    std::string_view text;  ///< what it becomes
    std::size_t length;     ///< of the input
  };
  Part next_part(std::string_view text) const {
    if (const std::size_t kept = kept_.match_at(text)) return {text.substr(0, kept), kept};
    if (options_.map) {
      if (const auto match = options_.map->longest(text)) return {match->replacement, match->length};
    }
    const std::size_t length = utf8_step(text).length;
    return {text.substr(0, length), length};
  }
  void skip_spaces(std::string_view& text) const {
    while (!text.empty()) {
      const Part part = next_part(text);
      if (part.text != " ") return;
      text.remove_prefix(part.length);
    }
  }

  const SentencePieceNormalization options_;
  const SpecialTokens kept_;
  const std::string_view space_;
};

}  // namespace

NormalizerStep sentencepiece_step(SentencePieceNormalization options) {
  return [normalizer = std::make_shared<const SpaceNormalizer>(std::move(options))](
             std::string_view text, bool starts_segment) { return normalizer->apply(text, starts_segment); };
}

}  // namespace pitwall
