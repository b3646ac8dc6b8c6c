// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_token_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"

namespace pitwall::jinja {

using Type = Token::Type;

std::string describe(const Token& token) {
  switch (token.type) {
    case Type::data:
      return "template text";
    case Type::print_begin:
      return "'{{'";
    case Type::print_end:
      return "'}}'";
    case Type::tag_begin:
      return "'{%'";
    case Type::tag_end:
      return "'%}'";
    case Type::text:
      return "the string " + quote_for_message(token.text, 40);
    case Type::integer:
      return fmt::format("'{}'", token.integer);
    case Type::real:
      return fmt::format("'{}'", token.real);
    case Type::name:
    case Type::symbol:
      return fmt::format("'{}'", token.text);
    case Type::end:
      return "end of template";
  }
  return "";
}

Token TokenStream::next() {
  Token& token = tokens_[at_];
  if (token.type == Type::end) return token;
  ++at_;
  return std::move(token);
}

bool TokenStream::is_any_name(std::initializer_list<std::string_view> names) const {
  return is(Type::name) && std::find(names.begin(), names.end(), current().text) != names.end();
}

bool TokenStream::skip_symbol(std::string_view symbol) {
  if (!is_symbol(symbol)) return false;
  next();
  return true;
}

bool TokenStream::skip_name(std::string_view name) {
  if (!is_name(name)) return false;
  next();
  return true;
}

Token TokenStream::expect(Type type, std::string_view description) {
  if (!is(type)) fail_here(fmt::format("expected {}, got {}", description, describe(current())));
  return next();
}

void TokenStream::expect_symbol(std::string_view symbol) {
  if (!skip_symbol(symbol)) fail_here(fmt::format("expected '{}', got {}", symbol, describe(current())));
}

void TokenStream::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_here(fmt::format("expected '{}', got {}", name, describe(current())));
}

void TokenStream::fail_here(std::string message) const {
  throw TemplateFailure{std::move(message), line()};
}

}  // namespace pitwall::jinja
