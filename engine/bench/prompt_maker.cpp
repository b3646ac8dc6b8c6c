// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/prompt_maker.h"

#include <algorithm>

#include "engine/bench/random.h"

namespace pitwall {

namespace {

constexpr std::string_view kCommonWords =
    "the of and to in is that it was for on are as with they at be this from have or by one had not but what "
    "all "
    "were when we there can an your which their if do will each about how up out them then many some so "
    "these "
    "would other into has more two like him see time could no make than first been its who now people my "
    "made "
    "over did down only way find use may water long little very after words just where most know";

std::vector<std::string> common_words() {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < kCommonWords.size();) {
    const std::size_t end = std::min(kCommonWords.find(' ', at), kCommonWords.size());
    words.push_back(" " + std::string(kCommonWords.substr(at, end - at)));
    at = end + 1;
  }
  return words;
}

bool is_word(std::string_view bytes) {
  return bytes.size() > 3 && bytes.front() == ' ' &&
         std::all_of(bytes.begin() + 1, bytes.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string join(const std::vector<const std::string*>& words) {
  std::string text;
  for (const std::string* word : words) text += *word;
  if (!text.empty() && text.front() == ' ') text.erase(0, 1);
  return text;
}

}  // namespace

PromptMaker::PromptMaker(const Trace& trace, std::uint64_t seed, std::shared_ptr<const Tokenizer> tokenizer,
                         int vocabulary)
    : trace_(trace), seed_(seed), tokenizer_(std::move(tokenizer)) {
  const TokenId size = tokenizer_ ? tokenizer_->size() : vocabulary;
  for (TokenId id = 0; id < size; ++id) {
    if (tokenizer_ && (tokenizer_->is_special(id) || tokenizer_->bytes_of(id).empty())) continue;
    ordinary_.push_back(id);
    if (tokenizer_ && is_word(tokenizer_->bytes_of(id))) words_.emplace_back(tokenizer_->bytes_of(id));
  }
  constexpr std::size_t kEnoughWords = 1000;
  if (words_.size() < kEnoughWords) words_ = common_words();
}

std::uint64_t PromptMaker::draw(std::size_t index, std::size_t position, TokenId simulated) const {
  // A shared token is a function of its number; one of the request's own also of where it stands.
  const bool own = simulated >= kFirstOwnToken;
  const std::uint64_t place = own ? (std::uint64_t{index} << 32) + position + (std::uint64_t{1} << 63)
                                  : static_cast<std::uint64_t>(simulated);
  return Random(Random(seed_).next() ^ Random(place).next()).next();
}

std::vector<TokenId> PromptMaker::tokens(std::size_t index) const {
  std::vector<TokenId> tokens = prompt_of(trace_, index);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = ordinary_[draw(index, i, tokens[i]) % ordinary_.size()];
  return tokens;
}

const std::string& PromptMaker::word(std::uint64_t draw) const {
  return words_[draw % words_.size()];
}

std::string PromptMaker::text(std::size_t index, std::int32_t* count) const {
  const std::vector<TokenId> simulated = prompt_of(trace_, index);
  std::vector<const std::string*> words;
  for (std::size_t i = 0; i < simulated.size(); ++i) words.push_back(&word(draw(index, i, simulated[i])));
  std::string text = join(words);
  std::int32_t have = -1;
  if (tokenizer_) {
    // Words may take more than one token, or join: what is too many or too few is mended at the end.
    constexpr int kTries = 8;
    const auto wanted = std::ssize(simulated);
    for (int attempt = 0;; ++attempt) {
      have = static_cast<std::int32_t>(tokenizer_->encode(text, false, false).size());
      if (have == wanted || attempt == kTries) break;
      const auto excess = static_cast<std::size_t>(std::abs(have - wanted));
      if (have > wanted) {
        const double per_word = static_cast<double>(have) / static_cast<double>(words.size());
        const auto surplus = static_cast<std::size_t>(static_cast<double>(excess) / per_word);
        words.resize(std::max<std::size_t>(words.size() - std::max<std::size_t>(surplus, 1), 1));
      } else {
        for (std::size_t i = 0; i < excess; ++i)
          words.push_back(&word(draw(index, words.size(), kFirstOwnToken)));
      }
      text = join(words);
    }
  }
  if (count != nullptr) *count = have;
  return text;
}

}  // namespace pitwall
