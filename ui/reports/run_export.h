// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a file: the suffix says which.
#pragma once
#include <QString>
#include <optional>

#include "engine/telemetry/run.h"

namespace pitwall::ui {

enum class ExportFormat { html, json, csv, markdown };
QString export_suffix(ExportFormat format);                      ///< "html"
std::optional<ExportFormat> export_format(const QString& path);  ///< by suffix

/// Whole or not at all. Any thread; formats and writes, milliseconds to seconds.
Result<void> export_run(const Run& run, const QString& path, ExportFormat format);

}  // namespace pitwall::ui
