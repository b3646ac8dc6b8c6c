// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/variable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace pitwall {

namespace {

constexpr int kMostLevels = 32;  // of references in defaults of others

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool is_letter_or_digit(char letter) {
  return is_digit(letter) || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
}

bool is_name_letter(char letter) {
  return letter == '_' || is_letter_or_digit(letter);
}

std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_letter(text[at])) ++at;
  return at;
}

/// "$NAME", "${NAME}", "${NAME:-operand}".
struct Reference {
  std::string name, operation, operand;
  std::size_t length = 0;  // 0 = none
};

/// Of the brace that `text[1]` opens; npos = it never closes, or holds too many others.
std::size_t closing_brace(std::string_view text) {
  int open = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '{' && ++open > kMostLevels) break;
    if (text[at] == '}' && --open == 0) return at;
  }
  return std::string_view::npos;
}

Reference reference_at(std::string_view text) {
  if (text.size() < 2) return {};
  if (text[1] != '{') {
    const std::size_t end = name_end(text, 1);
    if (end == 1 || is_digit(text[1])) return {};
    return {std::string(text.substr(1, end - 1)), "", "", end};
  }
  const std::size_t close = closing_brace(text), end = name_end(text, 2);
  if (close == std::string_view::npos || end == 2) return {};
  Reference found{std::string(text.substr(2, end - 2)), "", "", close + 1};
  const std::string_view rest = text.substr(end, close - end);
  if (rest.empty()) return found;
  static constexpr std::array<std::string_view, 8> kOperations = {":-", ":=", ":?", ":+", "-", "=", "?", "+"};
  for (const std::string_view operation : kOperations) {
    if (!rest.starts_with(operation)) continue;
    found.operation = operation;
    found.operand = rest.substr(operation.size());
    return found;
  }
  return {};  // ${LIST[@]}, ${NAME%/*}: a shell's own
}

std::string without_quotes(std::string text) {
  std::erase_if(text, [](char letter) { return letter == '"' || letter == '\''; });
  return text;
}

}  // namespace

bool is_plain_letter(char letter) {
  constexpr std::string_view kPlain = "-_./:=,@%+";
  return is_letter_or_digit(letter) || kPlain.find(letter) != std::string_view::npos;
}

bool is_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  const auto names = {"TOKEN", "KEY", "KEYS", "SECRET", "PASSWORD"};
  return std::any_of(names.begin(), names.end(), [&](const char* part) { return upper.ends_with(part); });
}

std::optional<NamedText> assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  if (name_end(word, 0) != equals || is_digit(word[0])) return std::nullopt;
  return NamedText{word.substr(0, equals), word.substr(equals + 1)};
}

bool holds_references(std::string_view word) {
  bool refers = false;
  for (std::size_t at = 0; at < word.size();) {
    const Reference reference = word[at] == '$' ? reference_at(word.substr(at)) : Reference{};
    if (reference.length == 0 && !is_plain_letter(word[at])) return false;
    if (!std::all_of(reference.operand.begin(), reference.operand.end(), is_plain_letter)) return false;
    refers |= reference.length > 0;
    at += std::max<std::size_t>(reference.length, 1);
  }
  return refers;
}

Variables::Variables(const std::vector<NamedText>& known) {
  for (const auto& [name, value] : known) set(name, value);
}

Variables::Piece Variables::front(std::string_view text) {
  const Reference reference = reference_at(text);
  if (reference.length == 0) return {};
  if (is_secret(reference.name)) return {fmt::format("${{{}}}", reference.name), reference.length};
  const auto known = known_.find(reference.name);
  const bool said = known != known_.end() && !(known->second.empty() && reference.operation.starts_with(':'));
  const char act = reference.operation.empty() ? '?' : reference.operation.back();
  Piece piece{std::string(text.substr(0, reference.length)), reference.length};
  if (act == '+') {
    piece.text = said ? fill_compose(without_quotes(reference.operand)) : "";
  } else if (said) {
    used_.insert(reference.name);
    piece.text = known->second;
  } else if (act == '-' || act == '=') {
    if (!reference.operand.empty()) defaulted_.insert(reference.name);
    piece.text = fill_compose(without_quotes(reference.operand));
    if (act == '=') set(reference.name, piece.text);
  } else {
    missing_.insert(reference.name);
    if (!reference.operation.empty()) piece.text = fmt::format("${{{}}}", reference.name);
  }
  return piece;
}

std::string Variables::fill_compose(std::string_view text) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const bool escaped = text.substr(at).starts_with("$$");
    const Piece piece = text[at] == '$' && !escaped ? front(text.substr(at)) : Piece{};
    filled += piece.length > 0 ? piece.text : std::string(1, text[at]);
    at += escaped ? 2 : std::max<std::size_t>(piece.length, 1);
  }
  return filled;
}

std::string Variables::fill_manifest(std::string_view text) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t end = 2;  // of "$(NAME"
    while (end < rest.size() && (is_name_letter(rest[end]) || rest[end] == '-' || rest[end] == '.')) ++end;
    if (!rest.starts_with("$(") || end == 2 || end >= rest.size() || rest[end] != ')') {
      filled += rest.front();
      at += rest.starts_with("$$") ? 2 : 1;
      continue;
    }
    const std::string name(rest.substr(2, end - 2));
    at += end + 1;
    if (is_secret(name)) {
      filled += fmt::format("${{{}}}", name);
      continue;
    }
    const auto known = known_.find(name);
    (known == known_.end() ? missing_ : used_).insert(name);
    filled += known == known_.end() ? rest.substr(0, end + 1) : std::string_view(known->second);
  }
  return filled;
}

}  // namespace pitwall
