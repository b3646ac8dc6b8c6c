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
RunVerdict run_verdict(const Run& run,
                       std::int64_t requests);  ///< that have ended; those in `run` may be a sample

QString status_text(RunStatus status);  ///< "finished", "cut off"
Colour status_colour(RunStatus status);

}  // namespace pitwall::ui
