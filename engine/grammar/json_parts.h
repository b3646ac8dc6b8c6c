// SPDX-License-Identifier: GPL-3.0-or-later
// How JSON is laid out: the parts that objects, arrays and free values are made of, and their white space.
#pragma once
#include <string>
#include <vector>

#include "engine/grammar/grammar.h"

namespace pitwall {

/// White space stands behind { [ and commas and in front of ] and }: nothing, one space, or a line end with
/// at most kMostIndentSpaces spaces or kMostIndentTabs tabs. Behind a colon at most one space; elsewhere
/// none.
inline constexpr int kMostIndentSpaces = 32, kMostIndentTabs = 16;

class JsonParts {
 public:
  explicit JsonParts(GrammarBuilder& builder);

  struct Member {
    PartId name = 0;  ///< in quotes, without the colon
    PartId value = 0;
    bool required = false;
  };
  /// Members in this order; those that are not required may be left out. Behind them any number of `extra`
  /// ones.
  PartId object(const std::vector<Member>& members, const std::vector<Member>& extra);
  /// `first` in this order, then `rest`; min … max elements altogether.
  PartId array(const std::vector<PartId>& first, PartId rest, std::uint32_t min, std::uint32_t max);

  PartId any_value();
  PartId any_object();
  PartId any_array();
  PartId any_string() const { return string_; }
  PartId boolean() const { return boolean_; }
  PartId null() const { return null_; }
  PartId any_number();

 private:
  PartId pair(const Member& member) { return builder_.sequence({member.name, colon_, member.value}); }

  GrammarBuilder& builder_;
  PartId space_, colon_, comma_, string_, boolean_, null_, open_object_, close_object_, open_array_,
      close_array_;
  PartId any_value_ = 0, any_object_ = 0, any_array_ = 0, any_number_ = 0;  ///< 0: not made yet
};

}  // namespace pitwall
