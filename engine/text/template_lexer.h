// SPDX-License-Identifier: GPL-3.0-or-later
// Template source → tokens, with Jinja's white space rules: trim_blocks, lstrip_blocks and the signs + and -.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pitwall::jinja {

struct Token {
  enum class Type {
    data,
    print_begin,
    print_end,
    tag_begin,
    tag_end,
    name,
    text,
    integer,
    real,
    symbol,
    end
  };
  Type type = Type::end;
  std::string text;  ///< data, name, decoded text, or the symbol
  int line = 1;
  std::int64_t integer = 0;
  double real = 0;
};

/// Ends with a token of Type::end. Throws TemplateFailure with the line.
std::vector<Token> tokenize_template(std::string_view source);

}  // namespace pitwall::jinja
