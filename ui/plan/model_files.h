// SPDX-License-Identifier: GPL-3.0-or-later
// What the disk says of a model. Any thread: a disk may take its time.
#pragma once
#include <QString>
#include <string>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall::ui {

/// Of the file, or of the folder's weights; 0 where there is none.
Result<Bytes> size_on_disk(const std::string& model);

/// What of an opened path is planned: of a folder without weights its config.json, of a config.json beside
/// weights the folder.
QString model_at(const QString& path);

}  // namespace pitwall::ui
