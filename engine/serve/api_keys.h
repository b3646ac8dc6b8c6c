// SPDX-License-Identifier: GPL-3.0-or-later
// ApiKeys: who may use the server. Keys are kept as digests alone, so that nothing that is printed of the
// server's state can show one.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

class ApiKeys {
 public:
  /// `listed`: keys parted by commas, named "key-1", "key-2" … `file`: one key a line, KEY or NAME:KEY; empty
  /// lines and lines that begin with # count for nothing; a file that others can read is warned about in the
  /// log. Errors name the file and the line, never what it holds.
  static Result<ApiKeys> read(std::string_view listed, const std::string& file);

  bool empty() const { return keys_.empty(); }
  /// The name of the key in "Bearer KEY", or nothing. Takes the same time whichever key it is or is not.
  std::optional<std::string> find(std::string_view authorization) const;

 private:
  struct Key {
    std::string name, digest;
  };
  Result<void> add(std::string_view name, std::string_view key, const char* setting,
                   const std::string& where);
  Result<void> read_file(const std::string& file);
  std::vector<Key> keys_;
};

}  // namespace pitwall
