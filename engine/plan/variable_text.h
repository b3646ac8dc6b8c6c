// SPDX-License-Identifier: GPL-3.0-or-later
// References to variables in texts, as shells, compose files and manifests fill them in.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pitwall {

using NamedText = std::pair<std::string, std::string>;

/// Nothing to a shell but itself: letters, digits and -_./:=,@%+.
bool is_plain_letter(char letter);

/// A key or password by its name: its value is neither put in place nor shown.
bool is_secret(std::string_view name);

/// "NAME=value"; none where the word is no assignment of a shell.
std::optional<NamedText> assignment(std::string_view word);

/// Plain letters and at least one reference: it is meant to be filled in.
bool holds_references(std::string_view word);

/// The variables that are known while a text is read, and what became of the references to them.
class Variables {
 public:
  Variables() = default;
  explicit Variables(const std::vector<NamedText>& known);
  void set(const std::string& name, const std::string& value) { known_[name] = value; }

  struct Piece {
    std::string text;        ///< what stands in its place; the reference itself where no value is known
    std::size_t length = 0;  ///< of the reference; 0 = the dollar begins none
  };
  /// "$NAME", "${NAME:-default}" and their like, at the front of `text`.
  Piece front(std::string_view text);

  /// As compose fills in: such references, and "$$" for a dollar.
  std::string fill_compose(std::string_view text);
  /// As Kubernetes does: "$(NAME)", and "$$" for a dollar.
  std::string fill_manifest(std::string_view text);

  const std::set<std::string>& used() const { return used_; }  ///< names whose values were put in place
  const std::set<std::string>& defaulted() const {
    return defaulted_;
  }                                                                  ///< … whose defaults in the text were
  const std::set<std::string>& missing() const { return missing_; }  ///< … that have no value

 private:
  std::map<std::string, std::string, std::less<>> known_;
  std::set<std::string> used_, defaulted_, missing_;
};

}  // namespace pitwall
