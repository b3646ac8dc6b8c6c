// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/line_height.h"

#include <QFontMetricsF>
#include <cmath>

#include "ui/shell/language.h"

namespace pitwall::ui {

int line_height(const QFont& font) {
  constexpr double kChinese = 1.1;
  const double height = QFontMetricsF(font).height();
  return static_cast<int>(std::lround(spoken() == Language::chinese ? kChinese * height : height));
}

}  // namespace pitwall::ui
