// SPDX-License-Identifier: GPL-3.0-or-later
// One thing that the command palette can do or go to.
#pragma once
#include <QString>
#include <functional>

namespace pitwall::ui {

struct PaletteEntry {
  enum class Kind { page, action, setting, run, chat, checklist, model };
  Kind kind = Kind::action;
  QString id;                  ///< unique within its kind: "serve.start", "max-num-seqs", "147"
  QString text;                ///< what is read and searched
  QString note;                ///< searched too, and worth less: a run's model; may be empty
  QString key;                 ///< that does the same; may be empty
  std::function<void()> open;  ///< on the UI thread; the entry's page is shown already
};

}  // namespace pitwall::ui
