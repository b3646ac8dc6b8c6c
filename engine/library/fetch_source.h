// SPDX-License-Identifier: GPL-3.0-or-later
// What a person writes to name files to fetch: an address, or a file of the hub; and which names are safe on
// disk.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

/// The hub of models and the key to it.
struct Hub {
  std::string address = "https://huggingface.co";  ///< without a slash at the end
  std::string token;                               ///< goes to that host alone and into no message

  static Hub from_environment();  ///< HF_ENDPOINT and HF_TOKEN
};

/// One file to download.
struct FetchSource {
  std::string url;
  std::string
      name;  ///< under the models folder; empty or without an extension: what the server says, if it does
};

bool is_address(std::string_view text);  ///< hf:… or scheme://…

/// An http or https address, or hf:org/repo[@revision]/file, where `file` may lie in sub-folders. One entry,
/// or for NAME-00001-of-0000N.gguf all N in order. Error::invalid_input says how to write it.
Result<std::vector<FetchSource>> read_source(std::string_view text, const Hub& hub);

/// Refuses what is no plain file name: empty, beginning with a dot, with a slash, a backslash or a control
/// character, not UTF-8, longer than 240 bytes.
Result<std::string> safe_file_name(std::string name);

}  // namespace pitwall
