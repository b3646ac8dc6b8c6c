// SPDX-License-Identifier: GPL-3.0-or-later
// StandingBanners: what a page said in banners, as long as it is true.
#pragma once
#include <functional>
#include <vector>

#include "ui/shell/page.h"

namespace pitwall::ui {

/// UI thread only.
class StandingBanners {
 public:
  explicit StandingBanners(Page& page) : page_(page) {}  ///< the page outlives it
  void post(const Banner& banner, std::function<bool()> holds);
  void review();  ///< after a change: those that hold no longer are taken down

 private:
  struct Standing {
    QString text;
    std::function<bool()> holds;
  };
  Page& page_;
  std::vector<Standing> standing_;
};

}  // namespace pitwall::ui
