// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/shard_name.h"

#include <fmt/format.h>

#include <charconv>

namespace pitwall {

namespace {

constexpr std::string_view kForm = "-00001-of-00003.gguf";

std::optional<int> five_digits(std::string_view text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + 5, value);
  if (code != std::errc{} || end != text.data() + 5 || text.front() == '-') return std::nullopt;
  return value;
}

}  // namespace

std::string ShardName::file(int shard) const {
  return fmt::format("{}-{:05}-of-{:05}.gguf", model, shard, count);
}

std::optional<ShardName> read_shard_name(std::string_view file) {
  if (file.size() <= kForm.size()) return std::nullopt;
  const std::string_view tail = file.substr(file.size() - kForm.size());
  if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || tail.substr(15) != ".gguf") return std::nullopt;
  const auto number = five_digits(tail.substr(1)), count = five_digits(tail.substr(10));
  if (!number || !count) return std::nullopt;
  return ShardName{std::string(file.substr(0, file.size() - kForm.size())), *number, *count};
}

}  // namespace pitwall
