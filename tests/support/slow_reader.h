// SPDX-License-Identifier: GPL-3.0-or-later
// A grammar read the slow way: every reading with a stack of its own, byte by byte, nothing shared or
// remembered. What the matcher and the masks are held against.
#pragma once
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "engine/grammar/grammar.h"

namespace pitwall::test {

class SlowReader {
 public:
  explicit SlowReader(std::shared_ptr<const Grammar> grammar);
  /// False, and nothing changes, when the grammar forbids the bytes.
  bool read(std::string_view bytes);
  bool may_read(std::string_view bytes) const;
  bool may_end() const;
  std::size_t readings() const {
    return places_.size();
  }  ///< doubles with each level of an ambiguous grammar

 private:
  /// A part still to be written, or in the middle of its bytes.
  struct Open {
    PartId part = 0;
    std::uint32_t min = 0, max = 0;  ///< of a repeat: times left
    bool begun = false;
    auto operator<=>(const Open&) const = default;
  };
  struct Place {
    std::vector<Open> open;  ///< the last is next
    ByteState at = 0;        ///< when open.back() has begun
    std::uint32_t characters_min = 0, characters_max = 0;
    auto operator<=>(const Place&) const = default;
  };
  using Places = std::set<Place>;

  Places read(const Places& from, std::string_view bytes) const;
  void settle(Place place, Places& out) const;

  std::shared_ptr<const Grammar> grammar_;
  Places places_;
};

}  // namespace pitwall::test
