// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QFont;

namespace pitwall::ui {

/// Room for one of several painted lines of text, device-independent pixels. Chinese ones stand a tenth
/// further apart.
int line_height(const QFont& font);

}  // namespace pitwall::ui
