// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_verdict.h"

#include <QCoreApplication>

#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(RunVerdict)
};

Summary metric(const Run& run, const char* name) {
  const auto found = run.summary.metrics.find(name);
  return found == run.summary.metrics.end() ? Summary{0, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}
                                            : found->second;
}

QString requests_text(std::int64_t n) {
  return n == 1 ? Words::tr("1 request") : Words::tr("%1 requests").arg(count_text(n));
}

/// A figure and its unit stay on one line.
QString unbroken(QString text) {
  return text.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
}

/// "120 requests ended well at 141 tok/s; the worst gap between tokens was 88.0 ms"
QString outcome(const Run& run) {
  const EngineTotals& totals = run.summary.totals;
  const std::int64_t well = totals.requests_stop + totals.requests_length;
  if (totals.requests_finished == 0) return Words::tr("No request ended in this run");
  QString text;
  if (totals.requests_error > 0) {
    text = Words::tr("%1 of %2 failed")
               .arg(count_text(totals.requests_error), requests_text(totals.requests_finished));
  } else if (well == 0) {
    text = Words::tr("%1, all stopped by the client").arg(requests_text(totals.requests_cancelled));
  } else {
    text = Words::tr("%1 ended well").arg(requests_text(well));
    if (run.summary.output_tokens_per_s > 0)
      text += Words::tr(" at %1").arg(
          unbroken(Words::tr("%1 tok/s").arg(rate_number(run.summary.output_tokens_per_s))));
  }
  if (const Summary gap = metric(run, "max_itl_ms"); gap.n > 0)
    text += Words::tr("; the worst gap between tokens was %1").arg(unbroken(ms_text(gap.max)));
  return text;
}

QString figures(const Run& run) {
  QStringList parts;
  const EngineTotals& totals = run.summary.totals;
  if (totals.requests_cancelled > 0 && totals.requests_cancelled < totals.requests_finished)
    parts << Words::tr("%1 more were stopped by the client.").arg(count_text(totals.requests_cancelled));
  const Summary ttft = metric(run, "ttft_ms"), tpot = metric(run, "tpot_ms");
  if (ttft.n > 0) {
    const bool tail = ttft.n >= kSamplesForP99;
    parts << (tail ? Words::tr("Half had their first token within %1, 99 % within %2.")
                   : Words::tr("Half had their first token within %1, all within %2."))
                 .arg(unbroken(ms_text(ttft.p50)), unbroken(ms_text(tail ? ttft.p99 : ttft.max)));
  }
  if (tpot.n > 0) parts << Words::tr("Each further token took %1 (p50).").arg(unbroken(ms_text(tpot.p50)));
  if (totals.requests_finished > 0 && ttft.n == 0 && totals.output_tokens == 0)
    parts << Words::tr("None had its first token.");
  else if (totals.requests_finished > 0)
    parts << Words::tr("%1 prompt tokens in, %2 tokens out, %3 preemptions.")
                 .arg(count_text(totals.prompt_tokens), count_text(totals.output_tokens),
                      count_text(totals.preemptions));
  return told(parts);
}

RunVerdict interrupted_verdict(std::int64_t requests) {
  return {Tag::Kind::warn, QStringLiteral("△ ") + status_text(RunStatus::recording, true),
          requests == 0
              ? Words::tr("Not recorded at present; no request had ended before")
              : Words::tr("Not recorded at present; %1 had ended before").arg(requests_text(requests)),
          Words::tr("The run cannot be written down: it is kept in memory until the disk takes it.")};
}

}  // namespace

QString status_text(RunStatus status, bool interrupted) {
  switch (status) {
    case RunStatus::recording:
      return interrupted ? Words::tr("not recorded") : Words::tr("recording");
    case RunStatus::finished:
      return Words::tr("finished");
    case RunStatus::failed:
      return Words::tr("failed");
    case RunStatus::cut_off:
      return Words::tr("cut off");
    case RunStatus::cancelled:
      return Words::tr("cancelled");
  }
  return {};
}

Colour status_colour(RunStatus status, bool interrupted) {
  switch (status) {
    case RunStatus::recording:
      return interrupted ? Colour::warn : Colour::accent;
    case RunStatus::failed:
      return Colour::bad;
    case RunStatus::cut_off:
      return Colour::warn;
    case RunStatus::cancelled:
      return Colour::muted;
    case RunStatus::finished:
      break;
  }
  return Colour::text;
}

RunVerdict run_verdict(const Run& run, std::int64_t requests, bool interrupted) {
  RunVerdict verdict{Tag::Kind::good, QStringLiteral("✓ ") + status_text(run.summary.status), outcome(run),
                     figures(run)};
  switch (run.summary.status) {
    case RunStatus::recording:
      if (interrupted) return interrupted_verdict(requests);
      verdict.kind = Tag::Kind::accent;
      verdict.tag = QStringLiteral("● ") + status_text(run.summary.status);
      verdict.headline = requests == 0 ? Words::tr("Recording; no request has ended yet")
                                       : Words::tr("Recording; %1 ended so far").arg(requests_text(requests));
      verdict.detail = Words::tr("The figures come when the engine stops.");
      break;
    case RunStatus::failed:
      verdict.kind = Tag::Kind::bad;
      verdict.tag = QStringLiteral("✕ ") + status_text(run.summary.status);
      verdict.headline = run.summary.error.empty()
                             ? Words::tr("The run failed")
                             : Words::tr("The run failed: %1").arg(engine_words(run.summary.error));
      verdict.detail = told({Words::tr("%1.").arg(outcome(run)), figures(run)});
      break;
    case RunStatus::cut_off:
      verdict.kind = Tag::Kind::warn;
      verdict.tag = QStringLiteral("△ ") + status_text(run.summary.status);
      verdict.detail = told({Words::tr("%1.").arg(engine_words(run.summary.error)), verdict.detail});
      break;
    case RunStatus::cancelled:
      verdict.kind = Tag::Kind::warn;
      verdict.tag = QStringLiteral("△ ") + status_text(run.summary.status);
      verdict.headline = Words::tr("Cancelled before its end: %1").arg(outcome(run));
      break;
    case RunStatus::finished:
      if (run.summary.totals.requests_error > 0) {
        verdict.kind = Tag::Kind::warn;
        verdict.tag = QStringLiteral("△ ") + status_text(run.summary.status);
      }
      break;
  }
  return verdict;
}

}  // namespace pitwall::ui
