// SPDX-License-Identifier: GPL-3.0-or-later
// What the list of models shows: recent ones, and what the user's folders hold.
#pragma once
#include <QStringList>
#include <vector>

#include "engine/library/models_folder.h"

namespace pitwall::ui {

struct ListedModel {
  ModelEntry model;
  bool recent = false;
  bool missing = false;  ///< a recent one whose file is gone: its drive may come back
  QString flaw = {};     ///< one sentence: why it cannot be served, as far as a look tells; empty when sound
};

/// Recent ones first. Looks at names, sizes and the first bytes. Any thread: a disk may take its time.
std::vector<ListedModel> find_models(const QStringList& recent, const QStringList& folders);

}  // namespace pitwall::ui
