// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/detokenizer.h"

#include "engine/text/utf8.h"

namespace pitwall {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

Detokenizer::Detokenizer(std::shared_ptr<const Tokenizer> tokenizer, bool skip_special, bool follows_text)
    : tokenizer_(std::move(tokenizer)), skip_special_(skip_special), inside_text_(follows_text) {}

std::string Detokenizer::push(TokenId token) {
  if (skip_special_ && tokenizer_->is_special(token)) return {};
  pending_ += inside_text_ ? tokenizer_->bytes_of(token) : tokenizer_->first_bytes_of(token);
  inside_text_ = inside_text_ || !tokenizer_->bytes_of(token).empty();
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const Utf8Step step = utf8_step(rest);
    if (step.status == Utf8Step::Status::incomplete) break;
    out += step.status == Utf8Step::Status::complete ? rest.substr(0, step.length) : kReplacement;
    rest.remove_prefix(step.length);
  }
  pending_ = std::string(rest);
  return out;
}

std::string Detokenizer::flush() {
  const bool unfinished = !pending_.empty();
  pending_.clear();
  return unfinished ? std::string(kReplacement) : std::string();
}

std::string decode(const std::shared_ptr<const Tokenizer>& tokenizer, const std::vector<TokenId>& ids,
                   bool skip_special) {
  Detokenizer detokenizer(tokenizer, skip_special);
  std::string text;
  for (const TokenId id : ids) text += detokenizer.push(id);
  return text + detokenizer.flush();
}

}  // namespace pitwall
