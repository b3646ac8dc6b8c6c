// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/page.h"

namespace pitwall::ui {

Banner banner_of(const Error& error) {
  Banner banner;
  banner.severity = Banner::Severity::bad;
  banner.text = QString::fromStdString(error.text());
  return banner;
}

}  // namespace pitwall::ui
