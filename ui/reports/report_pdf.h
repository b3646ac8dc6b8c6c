// SPDX-License-Identifier: GPL-3.0-or-later
// A report as PDF, on A4: the HTML that engine/report writes, set by QTextDocument, its charts drawn as
// vectors.
#pragma once
#include <string>

#include "engine/base/clock.h"
#include "engine/base/result.h"

namespace pitwall::ui {

/// The same report and time give the same bytes. `utc`: what the file says of its making, in nanoseconds. Any
/// thread; needs a QGuiApplication.
Result<std::string> report_pdf(const std::string& html, Nanos utc);

}  // namespace pitwall::ui
