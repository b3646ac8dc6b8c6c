// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/recording_watch.h"

#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

RecordingWatch::News RecordingWatch::look(const Snapshot& snapshot) {
  if (snapshot.started_utc != engine_) *this = {};
  engine_ = snapshot.started_utc;
  const bool lost = snapshot.run.value == 0;
  if (!lost) run_ = snapshot.run;
  if (lost == lost_) return News::none;
  lost_ = lost;
  return lost ? News::lost : News::back;
}

QString recording_event(RecordingWatch::News news) {
  return news == RecordingWatch::News::lost ? tr("Not recorded") : tr("Recorded again");
}

Banner recording_banner(RecordingWatch::News news, const Snapshot& snapshot,
                        const std::function<void()>& show_log) {
  Banner banner;
  if (news == RecordingWatch::News::back) {
    banner.severity = Banner::Severity::good;
    banner.text =
        tr("Run %1 is recorded again, with what happened in the meantime.").arg(run_name(snapshot.run.value));
    return banner;
  }
  banner.severity = Banner::Severity::warn;
  banner.text =
      tr("Since %1 the run cannot be written down: it is kept in memory until the disk takes it. The "
         "engine serves on; the log says why.")
          .arg(time_text(snapshot.utc));
  banner.verb = tr("Show the log");
  banner.action = show_log;
  return banner;
}

}  // namespace pitwall::ui
