// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says in one sentence: how it ended, how fast it was, how bad its worst was.
#pragma once
#include "engine/telemetry/run.h"
#include "ui/widgets/card.h"

namespace pitwall::ui {

struct RunVerdict {
  Tag::Kind kind = Tag::Kind::neutral;
  QString tag;       ///< "✓ finished"
  QString headline;  ///< the sentence
  QString detail;    ///< the figures behind it
};
/// `requests` that have ended; those in `run` may be a sample. `interrupted`: it cannot be written at
/// present.
RunVerdict run_verdict(const Run& run, std::int64_t requests, bool interrupted = false);

QString status_text(RunStatus status, bool interrupted = false);  ///< "finished", "cut off", "not recorded"
Colour status_colour(RunStatus status, bool interrupted = false);

}  // namespace pitwall::ui
