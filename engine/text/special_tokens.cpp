// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/special_tokens.h"

#include <algorithm>
#include <cstdint>

#include "engine/text/code_points.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

struct Span {
  std::size_t begin = 0, end = 0;
};

/// Invalid UTF-8 is neither a word nor white space.
bool begins_with(bool (*wanted)(char32_t), std::string_view text) {
  if (text.empty()) return false;
  const Utf8Step step = utf8_step(text);
  return step.status == Utf8Step::Status::complete && wanted(step.code);
}

bool ends_with(bool (*wanted)(char32_t), std::string_view text) {
  return !text.empty() && begins_with(wanted, last_code_point(text));
}

bool stands_alone(std::string_view text, Span span) {
  return !ends_with(is_word_character, text.substr(0, span.begin)) &&
         !begins_with(is_word_character, text.substr(span.end));
}

/// The span with the white space that the token takes along, but nothing before `floor`.
Span with_stripped_space(std::string_view text, Span span, const AddedToken& token, std::size_t floor) {
  while (token.left_strip && span.begin > floor) {
    const std::string_view before = text.substr(floor, span.begin - floor);
    if (!ends_with(is_white_space, before)) break;
    span.begin -= last_code_point(before).size();
  }
  if (token.left_strip) span.begin = std::max(span.begin, floor);
  while (token.right_strip && begins_with(is_white_space, text.substr(span.end)))
    span.end += utf8_step(text.substr(span.end)).length;
  return span;
}

}  // namespace

SpecialTokens::SpecialTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.content < b.content; });
  for (const AddedToken& token : tokens_) first_bytes_.set(static_cast<std::uint8_t>(token.content.front()));
}

/// Narrows the sorted tokens to those that agree with the text, one byte deeper each time; every token that
/// is used up on the way is a match, and the last one the longest.
const AddedToken* SpecialTokens::longest_at(std::string_view text) const {
  const AddedToken* longest = nullptr;
  auto low = tokens_.begin();
  auto high = tokens_.end();
  for (std::size_t depth = 0; depth < text.size() && low != high; ++depth) {
    const auto byte_at = [depth](const AddedToken& token) {
      return static_cast<std::uint8_t>(token.content[depth]);
    };
    const auto byte = static_cast<std::uint8_t>(text[depth]);
    low = std::lower_bound(low, high, byte,
                           [&](const AddedToken& token, std::uint8_t b) { return byte_at(token) < b; });
    high = std::upper_bound(low, high, byte,
                            [&](std::uint8_t b, const AddedToken& token) { return b < byte_at(token); });
    while (low != high && low->content.size() == depth + 1) longest = &*low++;
  }
  return longest;
}

std::size_t SpecialTokens::match_at(std::string_view text) const {
  if (text.empty() || !first_bytes_.test(static_cast<std::uint8_t>(text[0]))) return 0;
  const AddedToken* token = longest_at(text);
  return token == nullptr ? 0 : token->content.size();
}

std::vector<SpecialTokens::Segment> SpecialTokens::split(std::string_view text, bool parse_special) const {
  std::vector<Segment> segments;
  if (tokens_.empty() && !text.empty()) return {{text, -1}};
  std::size_t plain = 0;
  const auto end_plain_at = [&](std::size_t end) {
    if (end > plain) segments.push_back({text.substr(plain, end - plain), -1});
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const AddedToken* token =
        first_bytes_.test(static_cast<std::uint8_t>(text[at])) ? longest_at(text.substr(at)) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    Span span{at, at + token->content.size()};
    at = span.end;
    // A token that does not count still covers its text: no other token is found inside it.
    if (token->special && !parse_special) continue;
    if (token->single_word && !stands_alone(text, span)) continue;
    span = with_stripped_space(text, span, *token, plain);
    if (span.begin >= span.end) continue;  // the token before took all of it as space
    end_plain_at(span.begin);
    segments.push_back({text.substr(span.begin, span.end - span.begin), token->id});
    plain = span.end;
  }
  end_plain_at(text.size());
  return segments;
}

}  // namespace pitwall
