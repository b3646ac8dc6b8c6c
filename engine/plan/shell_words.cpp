// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/shell_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

constexpr std::string_view kSeparators = "\n;|&", kBlanks = " \t\r\n";

class Splitter {
 public:
  Splitter(std::string_view text, std::string_view separators, Variables* variables)
      : text_(text), separators_(separators), variables_(variables) {}

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
    } else if (letter == '$') {
      dollar(false);
    } else if (is_shell() && letter == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (is_shell() && (letter == '>' || letter == '<')) {
      redirection();
    } else if (separators_.find(letter) != std::string_view::npos) {
      end_command();
      ++at_;
    } else if (kBlanks.find(letter) != std::string_view::npos) {
      end_word();
      ++at_;
    } else {
      add(letter);
      ++at_;
    }
    return std::nullopt;
  }

  static bool is_blank(char letter) {
    return letter != '\n' && kBlanks.find(letter) != std::string_view::npos;
  }

  bool ends_line(std::size_t next) const {
    while (next < text_.size() && is_blank(text_[next])) ++next;
    return next >= text_.size() || text_[next] == '\n';
  }

  /// No command begins with a dash: the backslash that joined its line got lost.
  bool goes_on() const {
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
      if (quote == '"' && !escaped && text_[at_] == '$') {
        dollar(true);
        continue;
      }
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

  /// A variable that is known: outside quotes its blanks part words. What else a dollar begins stays whole.
  void dollar(bool in_quotes) {
    const std::string_view rest = text_.substr(at_);
    const Variables::Piece piece = variables_ == nullptr ? Variables::Piece{} : variables_->front(rest);
    if (piece.length == 0) {
      for (const std::size_t end = at_ + whole(rest); at_ < end; ++at_) add(text_[at_]);
      return;
    }
    for (const char letter : piece.text) {
      const bool parts = !in_quotes && kBlanks.find(letter) != std::string_view::npos;
      parts ? end_word() : add(letter);
    }
    at_ += piece.length;
  }

  /// Letters of "$(a b)" and "${a b}" together; 1 = the dollar alone.
  static std::size_t whole(std::string_view rest) {
    constexpr std::size_t kLongest =
        1000;  // a dollar that begins nothing is not searched for an end for long
    const char open = rest.size() > 1 ? rest[1] : '\0', close = open == '(' ? ')' : '}';
    if (open != '(' && open != '{') return 1;
    int depth = 0;
    for (std::size_t at = 1; at < std::min(rest.size(), kLongest); ++at) {
      depth += rest[at] == open ? 1 : rest[at] == close ? -1 : 0;
      if (depth == 0) return at + 1;
    }
    return 1;
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
    if (variables_ != nullptr) assign();
    if (!command_.empty()) commands_.push_back(std::move(command_));
    command_.clear();
  }

  /// "A=1", "export A=1 B=2": known to the commands behind.
  void assign() {
    const bool exports = !command_.empty() && command_.front() == "export";
    std::vector<NamedText> assigned;
    for (std::size_t i = exports ? 1 : 0; i < command_.size(); ++i) {
      auto pair = assignment(command_[i]);
      if (!pair) return;
      assigned.push_back(std::move(*pair));
    }
    for (const auto& [name, value] : assigned) variables_->set(name, value);
  }

  bool is_shell() const { return !separators_.empty(); }

  std::string_view text_, separators_;
  Variables* variables_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;  // an empty quoted word is a word
  Words command_;
  std::vector<Words> commands_;
};

}  // namespace

Result<std::vector<Words>> split_shell(std::string_view text, Variables* variables) {
  return Splitter(text, kSeparators, variables).split();
}

Result<Words> split_words(std::string_view text) {
  auto commands = Splitter(text, "", nullptr).split();
  if (!commands.ok()) return commands.error();
  return commands->empty() ? Words() : std::move(commands->front());
}

std::string shell_quote(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain_letter)) return std::string(word);
  if (holds_references(word)) return fmt::format("\"{}\"", word);
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
