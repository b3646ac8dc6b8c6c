// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/shell_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

constexpr std::string_view kSeparators = "\n;|&";

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<Words>> split() {
    while (at_ < text_.size()) {
      if (const auto fault = step()) return *fault;
    }
    end_command();
    return std::move(commands_);
  }

 private:
  std::optional<Error> step() {
    const char letter = text_[at_];
    if (letter == '\\') {
      escape();
    } else if ((letter == '^' || letter == '`') && !in_word_ &&
               ends_line(at_ + 1)) {  // how Windows' shells join lines
      end_word();
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    } else if (letter == '\n' && goes_on()) {
      end_word();
      ++at_;
    } else if (letter == '\'' || letter == '"') {
      return quoted(letter);
    } else if (letter == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (letter == '>' || letter == '<') {
      redirection();
    } else if (kSeparators.find(letter) != std::string_view::npos) {
      end_command();
      ++at_;
    } else if (letter == ' ' || letter == '\t' || letter == '\r') {
      end_word();
      ++at_;
    } else {
      add(letter);
      ++at_;
    }
    return std::nullopt;
  }

  static bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

  bool ends_line(std::size_t next) const {
    while (next < text_.size() && is_blank(text_[next])) ++next;
    return next >= text_.size() || text_[next] == '\n';
  }

  /// No command begins with a dash: the backslash that joined its line got lost.
  bool goes_on() const {
    constexpr std::string_view kBlanks = " \t\r\n";
    std::size_t next = text_.find_first_not_of(kBlanks, at_);
    while (next != std::string_view::npos && text_[next] == '#')  // a line of comment between
      next = text_.find_first_not_of(kBlanks, std::min(text_.find('\n', next), text_.size()));
    return (in_word_ || !command_.empty()) && next != std::string_view::npos && text_[next] == '-';
  }

  void escape() {
    std::size_t next = at_ + 1;
    // Pasted lines often carry spaces behind the backslash, or a comment: still a joined line.
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next > at_ + 1 && next < text_.size() && text_[next] == '#')
      next = std::min(text_.find('\n', next), text_.size());
    if (next >= text_.size() || text_[next] == '\n') {
      end_word();
      at_ = std::min(next + 1, text_.size());
      return;
    }
    add(text_[at_ + 1]);
    at_ += 2;
  }

  std::optional<Error> quoted(char quote) {
    const std::size_t begin = at_++;
    in_word_ = true;
    while (at_ < text_.size() && text_[at_] != quote) {
      const bool escaped = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string_view::npos;
      if (escaped) ++at_;
      if (!escaped || text_[at_] != '\n') add(text_[at_]);
      ++at_;
    }
    if (at_ == text_.size()) {
      return Error{
          Error::Kind::invalid_input,
          fmt::format("The quote that begins at {} never closes", quote_for_message(text_.substr(begin, 20))),
          "", "Paste the whole command", ""};
    }
    ++at_;
    return std::nullopt;
  }

  /// > file, 2>&1, >> file: the operator with its number, and the file behind it.
  void redirection() {
    if (word_ == "1" || word_ == "2") {
      word_.clear();
      in_word_ = false;
    }
    end_word();
    while (at_ < text_.size() && std::string_view("<>&").find(text_[at_]) != std::string_view::npos) ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n;|&<>").find(text_[at_]) == std::string_view::npos)
      ++at_;
  }

  void add(char letter) {
    word_ += letter;
    in_word_ = true;
  }
  void end_word() {
    if (in_word_) command_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }
  void end_command() {
    end_word();
    if (!command_.empty()) commands_.push_back(std::move(command_));
    command_.clear();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;  // an empty quoted word is a word
  Words command_;
  std::vector<Words> commands_;
};

bool plain(std::string_view word) {
  constexpr std::string_view kPlain = "-_./:=,@%+";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || kPlain.find(letter) != std::string_view::npos;
  });
}

}  // namespace

Result<std::vector<Words>> split_shell(std::string_view text) {
  return Splitter(text).split();
}

std::string shell_quote(std::string_view word) {
  if (plain(word)) return std::string(word);
  if (word.starts_with('$') && plain(word.substr(1))) return fmt::format("\"{}\"", word);
  std::string out = "'";
  for (const char letter : word) out += letter == '\'' ? "'\\''" : std::string(1, letter);
  return out + "'";
}

std::string paste_text(const Words& words, std::size_t width) {
  std::string text, line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string piece = shell_quote(words[i]);
    const bool flag = words[i].starts_with('-');
    if (flag && i + 1 < words.size() && !words[i + 1].starts_with('-'))
      piece += fmt::format(" {}", shell_quote(words[++i]));
    if (!line.empty() && line.size() + 1 + piece.size() + 2 > width) {
      text += line + " \\\n";
      line = fmt::format("  {}", piece);
    } else {
      line += (line.empty() ? "" : " ") + piece;
    }
  }
  return text + line;
}

}  // namespace pitwall
