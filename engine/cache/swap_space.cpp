// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/swap_space.h"

namespace pitwall {

bool SwapSpace::allocate(int count, std::vector<HostBlockId>& out) {
  if (count > free_count()) return false;
  for (int i = 0; i < count; ++i) {
    if (free_.empty()) {
      out.push_back(HostBlockId{fresh_++});
    } else {
      out.push_back(free_.back());
      free_.pop_back();
    }
  }
  return true;
}

void SwapSpace::free(std::span<const HostBlockId> blocks) {
  free_.insert(free_.end(), blocks.rbegin(), blocks.rend());
}

Result<void> SwapSpace::check() const {
  std::vector<bool> seen(static_cast<std::size_t>(fresh_));
  for (const HostBlockId block : free_) {
    const auto index = static_cast<std::size_t>(block.value);
    if (block.value < 0 || block.value >= fresh_ || seen[index]) {
      return Error{.kind = Error::Kind::internal,
                   .what = "host block " + std::to_string(block.value) + " was freed twice or never taken",
                   .cause = {},
                   .action = {},
                   .param = {}};
    }
    seen[index] = true;
  }
  return {};
}

std::string SwapSpace::dump() const {
  std::string text = "swap " + std::to_string(fresh_) + " free";
  for (const HostBlockId block : free_) text += ' ' + std::to_string(block.value);
  return text + '\n';
}

}  // namespace pitwall
