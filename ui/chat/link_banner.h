// SPDX-License-Identifier: GPL-3.0-or-later
// What a click on a link in a reply leads to. The model wrote the address: it is shown in full, and opened by
// a second action only.
#pragma once
#include <QUrl>

#include "ui/shell/page.h"

namespace pitwall::ui {

Banner link_banner(const QUrl& url);

}  // namespace pitwall::ui
