// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/import_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "engine/base/sha256.h"

namespace pitwall {

std::string sum_of(const std::string& text) {
  constexpr std::size_t kDigits = 32;
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.finish().substr(0, kDigits);
}

std::string line_and_column(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  return fmt::format("line {}, column {}", line,
                     before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1);
}

}  // namespace pitwall
