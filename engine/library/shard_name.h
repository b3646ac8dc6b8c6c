// SPDX-License-Identifier: GPL-3.0-or-later
// The names of a model that is cut into several GGUF files: NAME-00001-of-00003.gguf.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pitwall {

struct ShardName {
  std::string model;  ///< "NAME"
  int number = 0;     ///< from 1
  int count = 0;

  bool sound() const { return number >= 1 && number <= count; }
  std::string file(int shard) const;  ///< the file name of another shard of the set
};

/// nullopt for every other name.
std::optional<ShardName> read_shard_name(std::string_view file);

}  // namespace pitwall
