// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/grammar_guide.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "engine/grammar/mask_store.h"

namespace pitwall {

namespace {

/// What guides of one source find out together.
struct Shared {
  Shared(std::shared_ptr<const Grammar> grammar, const std::shared_ptr<const TokenTable>& table,
         const GuideOptions& options)
      : matcher(std::move(grammar)), masks(table, options.end_tokens, options.most_bytes) {}
  std::mutex mutex;
  Matcher matcher;
  MaskStore masks;
};

class GrammarGuide final : public TokenGuide {
 public:
  GrammarGuide(std::shared_ptr<Shared> shared, std::shared_ptr<const TokenTable> table,
               std::shared_ptr<const std::vector<TokenId>> end_tokens)
      : shared_(std::move(shared)),
        table_(std::move(table)),
        end_tokens_(std::move(end_tokens)),
        state_(shared_->matcher.start()) {}

  std::shared_ptr<const TokenMask> mask() override {
    if (ended_) return end_mask();
    const std::lock_guard lock(shared_->mutex);
    return shared_->masks.mask(shared_->matcher, state_);
  }

  bool accept(TokenId token) override {
    const bool is_end = std::ranges::find(*end_tokens_, token) != end_tokens_->end();
    if (ended_) return is_end;
    const std::lock_guard lock(shared_->mutex);
    if (is_end) return ended_ = shared_->matcher.readings(state_).may_end;
    const std::string_view text = table_->text_of(token);
    if (text.empty()) return false;
    const auto next = shared_->matcher.advance(state_, text);
    if (next) state_ = *next;
    return next.has_value();
  }

 private:
  std::shared_ptr<const TokenMask> end_mask() const {
    TokenMask mask{.words = std::vector<std::uint32_t>(table_->words())};
    for (const TokenId token : *end_tokens_)
      mask.words[static_cast<std::size_t>(token) / 32] |= 1u << (token % 32);
    return std::make_shared<const TokenMask>(std::move(mask));
  }

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<const TokenTable> table_;
  std::shared_ptr<const std::vector<TokenId>> end_tokens_;
  StateId state_;
  bool ended_ = false;
};

class GrammarGuideSource final : public GuideSource {
 public:
  GrammarGuideSource(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTable> table,
                     GuideOptions options)
      : grammar_(std::move(grammar)),
        table_(std::move(table)),
        options_(std::move(options)),
        end_tokens_(std::make_shared<const std::vector<TokenId>>(options_.end_tokens)),
        shared_(std::make_shared<Shared>(grammar_, table_, options_)) {}

  std::unique_ptr<TokenGuide> begin() const override {
    const std::lock_guard lock(mutex_);
    if (is_full(*shared_)) shared_ = std::make_shared<Shared>(grammar_, table_, options_);
    return std::make_unique<GrammarGuide>(shared_, table_, end_tokens_);
  }

 private:
  /// Replies that have begun keep what they share; the next ones begin afresh.
  bool is_full(Shared& shared) const {
    const std::lock_guard lock(shared.mutex);
    return shared.matcher.memory() > options_.most_bytes;
  }

  std::shared_ptr<const Grammar> grammar_;
  std::shared_ptr<const TokenTable> table_;
  GuideOptions options_;
  std::shared_ptr<const std::vector<TokenId>> end_tokens_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Shared> shared_;
};

/// A byte that the grammar may ask for and that no token writes alone.
std::optional<std::uint8_t> missing_byte(const Grammar& grammar, const TokenTable& table,
                                         const std::vector<TokenId>& end_tokens) {
  const ByteAutomaton& automaton = grammar.automaton;
  std::array<bool, 256> asked{};
  std::vector<bool> seen(automaton.size());
  std::vector<ByteState> reached;
  const auto reach = [&](ByteState state) {
    if (!seen[state]) reached.push_back(state);
    seen[state] = true;
  };
  for (const GrammarPart& part : grammar.parts) {
    if (part.kind == GrammarPart::Kind::bytes) reach(part.start);
  }
  while (!reached.empty()) {
    const ByteState state = reached.back();
    reached.pop_back();
    for (const ByteEdge& edge : automaton.edges(state)) {
      for (unsigned byte = edge.low; byte <= edge.high; ++byte) asked[byte] = true;
      reach(edge.to);
    }
  }
  for (unsigned byte = 0; byte < asked.size(); ++byte) {
    const auto writes = [&](TokenId token) {
      return std::ranges::find(end_tokens, token) == end_tokens.end();
    };
    const auto value = static_cast<std::uint8_t>(byte);
    if (asked[byte] && std::ranges::none_of(table.byte_tokens(value), writes)) return value;
  }
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const GuideSource>> make_grammar_guide(std::shared_ptr<const Grammar> grammar,
                                                              std::shared_ptr<const TokenTable> table,
                                                              GuideOptions options) {
  if (options.end_tokens.empty()) options.end_tokens = table->tokenizer().end_tokens();
  std::erase_if(options.end_tokens, [&](TokenId token) { return token < 0 || token >= table->vocabulary(); });
  if (options.end_tokens.empty()) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "A guided reply has no token that could end it",
                 .cause = "The tokenizer names no end token and the request gives none",
                 .action = "Give stop_token_ids",
                 .param = "stop_token_ids"};
  }
  if (const auto byte = missing_byte(*grammar, *table, options.end_tokens)) {
    return Error{.kind = Error::Kind::unsupported,
                 .what = "The tokenizer has no token for byte " + std::to_string(*byte) +
                         ", which a guided reply may need",
                 .cause = "Its vocabulary cannot write every text (no byte fallback)",
                 .action = "Use a model with byte tokens, or ask without a grammar",
                 .param = {}};
  }
  return std::shared_ptr<const GuideSource>(
      std::make_shared<GrammarGuideSource>(std::move(grammar), std::move(table), std::move(options)));
}

}  // namespace pitwall
