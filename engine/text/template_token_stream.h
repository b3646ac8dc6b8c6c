// SPDX-License-Identifier: GPL-3.0-or-later
// What both halves of the parser read from: tokens, one at a time, and the names met so far.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "engine/text/template_budget.h"
#include "engine/text/template_lexer.h"

namespace pitwall::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  int line() const { return current().line; }
  Token next();

  bool is(Token::Type type) const { return current().type == type; }
  bool is_symbol(std::string_view symbol) const {
    return is(Token::Type::symbol) && current().text == symbol;
  }
  bool is_name(std::string_view name) const { return is(Token::Type::name) && current().text == name; }
  bool is_any_name(std::initializer_list<std::string_view> names) const;
  bool skip_symbol(std::string_view symbol);
  bool skip_name(std::string_view name);

  Token expect(Token::Type type, std::string_view description);
  void expect_symbol(std::string_view symbol);
  void expect_name(std::string_view name);
  [[noreturn]] void fail_here(std::string message) const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// "'endfor'", "end of template" … for messages.
std::string describe(const Token& token);

}  // namespace pitwall::jinja
