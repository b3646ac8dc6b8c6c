// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/standing_banners.h"

#include <algorithm>
#include <utility>

namespace pitwall::ui {

void StandingBanners::post(const Banner& banner, std::function<bool()> holds) {
  std::erase_if(standing_, [&](const Standing& one) { return one.text == banner.text; });
  standing_.push_back({banner.text, std::move(holds)});
  Q_EMIT page_.banner_requested(banner);
}

void StandingBanners::review() {
  const auto outdated = std::stable_partition(standing_.begin(), standing_.end(),
                                              [](const Standing& one) { return one.holds(); });
  const std::vector<Standing> gone(outdated, standing_.end());
  standing_.erase(outdated, standing_.end());
  for (const Standing& one : gone) Q_EMIT page_.banner_outdated(one.text);
}

}  // namespace pitwall::ui
