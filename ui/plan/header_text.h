// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a model's header, for a reader who wants to know why it cannot be planned.
#pragma once
#include <QString>

namespace pitwall::ui {

/// config.json as it is, or the keys of a GGUF file with their values; one sentence where neither can be
/// read.
QString header_text(const QString& model);

}  // namespace pitwall::ui
