// SPDX-License-Identifier: GPL-3.0-or-later
// What is dragged or pasted, as files of this machine.
#pragma once
#include <QStringList>

class QMimeData;

namespace pitwall::ui {

QStringList local_files(const QMimeData& data);  ///< paths of files and folders; empty where there is none

}  // namespace pitwall::ui
