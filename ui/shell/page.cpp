// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/page.h"

#include <utility>

namespace pitwall::ui {

Banner banner_of(const Error& error) {
  Banner banner;
  banner.severity = Banner::Severity::bad;
  banner.text = QString::fromStdString(error.text());
  return banner;
}

Banner undo_banner(const QString& text, std::function<void()> undo) {
  Banner banner{Banner::Severity::good, text, Page::tr("Undo"), std::move(undo), {}};
  banner.undoes = true;
  return banner;
}

}  // namespace pitwall::ui
