// SPDX-License-Identifier: GPL-3.0-or-later
// The laws of the house that a compiler does not know, checked over a source tree.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace pitwall::test {

/// .h, .cpp, .cu and .cuh files below root's `folders`, sorted; paths are relative to `root`.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& root,
                                                const std::vector<std::string>& folders);

/// One line a breach, "engine/a/b.cpp:12: …", of the tree with the folders engine/, kernels/, ui/, app/ and
/// tests/:
/// - an include of a folder whose target is not among the includer's links (PRIVATE ones, and PUBLIC ones all
/// the way
///   down, as the CMake link lines say), or one not written from the root;
/// - Qt inside engine/ or kernels/, as include or link;
/// - nlohmann/json.hpp or Boost in a header;
/// - a source file above 600 lines, or without the SPDX line at its top.
std::vector<std::string> house_breaches(const std::filesystem::path& root);

}  // namespace pitwall::test
