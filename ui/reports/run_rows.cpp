// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_rows.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/report/run_kind.h"
#include "ui/reports/run_verdict.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(RunRows)
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr qsizetype kLongestName = 34, kNameStart = 11;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

QString when_text(Nanos utc) {
  const QDateTime when = QDateTime::fromMSecsSinceEpoch(utc / kNanosPerMs);
  thread_local std::pair<QDate, QString> day;  // spelling it is slow, and 10,000 runs have few
  if (day.first != when.date())
    day = {when.date(), QLocale().toString(when.date(), Words::tr("MMM d", "date"))};
  return QStringLiteral("%1, %2").arg(day.second, when.time().toString(QStringLiteral("HH:mm")));
}

QString local_time(Nanos utc) {
  return QLocale().toString(QDateTime::fromMSecsSinceEpoch(utc / kNanosPerMs),
                            QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

TableCell count_cell(std::int64_t count) {
  return {count_text(count), static_cast<double>(count)};
}
TableCell ms_cell(double ms) {
  return {ms_number(ms), ms};
}
TableCell rate_cell(double rate) {
  return rate > 0 ? TableCell{rate_number(rate), rate} : TableCell{no_value(), kNone};
}
TableCell muted(const QString& text) {
  return {text, 0, Colour::muted};
}

TableCell finish_cell(const RequestRecord& request) {
  switch (request.finish) {
    case FinishReason::stop:
      return {Words::tr("stop")};
    case FinishReason::length:
      return {Words::tr("length")};
    case FinishReason::cancelled:
      return {Words::tr("stopped"), 0, Colour::warn};
    case FinishReason::error:
      return {Words::tr("error"), 0, Colour::bad, true};
    case FinishReason::none:
      break;
  }
  return {no_value()};
}

/// Of a foreign run "imported" is the kind already.
QString kind_text(const RunListItem& run) {
  const QString kind = kind_name(run.kind);
  return run.imported_utc > 0 && run.kind != kImportedKind ? Words::tr("%1, imported").arg(kind) : kind;
}

QString not_tested(const Run& run) {
  QStringList gaps;
  const auto ttft = run.summary.metrics.find("ttft_ms");
  if (ttft == run.summary.metrics.end() || ttft->second.n < kSamplesForP99)
    gaps << Words::tr("the tail: fewer than 100 samples");
  if (is_simulated(run.header)) gaps << Words::tr("a real device: step times are computed");
  gaps << Words::tr("other lengths, rates and bursts") << Words::tr("quality of the replies");
  return gaps.join(QStringLiteral(", "));
}

}  // namespace

QString kind_name(const std::string& kind) {
  const std::pair<const char*, QString> names[] = {{"serve", Words::tr("serve")},
                                                   {"bench", Words::tr("bench")},
                                                   {"simulate", Words::tr("simulate")},
                                                   {"check", Words::tr("check")},
                                                   {kImportedKind, Words::tr("imported")}};
  const auto found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& one) { return kind == one.first; });
  return found == std::end(names) ? text_of(kind) : found->second;
}

QString run_origin(const Run& run) {
  const bool imported = run.imported_utc > 0;
  if (is_simulated(run.header)) return imported ? Words::tr("simulated, imported") : Words::tr("simulated");
  return imported ? Words::tr("imported") : QString();
}

QString short_name(const std::string& name) {
  const QString all = engine_words(name);
  if (all.size() <= kLongestName) return all;
  return all.left(kNameStart) + QChar(0x2026) + all.right(kLongestName - kNameStart - 1);
}

QString run_search_text(const RunListItem& run, bool interrupted) {
  return QStringList{run_name(run.id.value), text_of(run.name), text_of(run.model),
                     kind_text(run),         text_of(run.note), status_text(run.status, interrupted)}
      .join(QLatin1Char('\n'))
      .toLower();
}

std::vector<TableColumn> run_columns() {
  return {
      {Words::tr("Run")},
      {Words::tr("Name")},
      {Words::tr("tok/s"), true, Words::tr("Tokens out, from the first arrival to the last token.")},
      {Words::tr("ITL max ms"), true, Words::tr("Longest gap between two tokens of one request.")},
      {Words::tr("Status")},
      {Words::tr("TTFT p50 ms"), true, Words::tr("Half of the requests had their first token by then.")},
      {Words::tr("TPOT p50 ms"), true, Words::tr("Time per token after the first.")},
      {Words::tr("Requests"), true, Words::tr("That ended in this run.")},
      {Words::tr("When")},
      {Words::tr("Model")},
      {Words::tr("Kind"), false,
       Words::tr(
           "serve: a serving engine; bench: a load test; simulate: in the simulator; check: a self-check; "
           "imported: measured by another tool.")},
      {Words::tr("Note")}};
}

TableRow run_row(const RunListItem& run, bool interrupted) {
  const std::string& name = run.name.empty() ? run.model : run.name;
  return {run.id.value,
          {{run_name(run.id.value)},
           {engine_words(name)},
           rate_cell(run.output_tokens_per_s),
           ms_cell(run.max_itl_ms),
           {status_text(run.status, interrupted), 0, status_colour(run.status, interrupted)},
           ms_cell(run.ttft_p50_ms),
           ms_cell(run.tpot_p50_ms),
           count_cell(run.requests),
           muted(when_text(run.start_utc)),
           muted(short_name(run.model)),
           muted(kind_text(run)),
           muted(short_name(run.note))}};
}

std::vector<TableColumn> percentile_columns() {
  return {{Words::tr("Measure, ms")}, {Words::tr("n"), true},   {Words::tr("mean"), true},
          {Words::tr("p50"), true},   {Words::tr("p90"), true}, {Words::tr("p99"), true},
          {Words::tr("max"), true}};
}

std::vector<TableRow> percentile_rows(const Run& run) {
  struct Measure {
    const char* key;
    QString name;
  };
  const Measure measures[] = {{"ttft_ms", Words::tr("TTFT")},
                              {"tpot_ms", Words::tr("TPOT")},
                              {"itl_ms", is_itl_by_chunk(run.header) ? Words::tr("ITL, every chunk (vLLM)")
                                                                     : Words::tr("ITL, every token")},
                              {"max_itl_ms", Words::tr("Worst ITL of a request")},
                              {"queue_ms", Words::tr("Queue")},
                              {"e2e_ms", Words::tr("End to end")}};
  std::vector<TableRow> rows;
  for (const Measure& measure : measures) {
    TableRow row{static_cast<qint64>(rows.size()), {{measure.name}}};
    const auto found = run.summary.metrics.find(measure.key);
    if (found == run.summary.metrics.end() || found->second.n == 0) {
      row.cells.push_back(count_cell(0));
      row.cells.resize(percentile_columns().size(), ms_cell(kNone));
    } else {
      const Summary& s = found->second;
      row.cells.push_back(count_cell(s.n));
      row.cells.push_back(ms_cell(s.mean));
      row.cells.push_back(ms_cell(s.p50));
      row.cells.back().strong = true;
      row.cells.push_back(ms_cell(s.n >= kSamplesForP90 ? s.p90 : kNone));
      row.cells.push_back(ms_cell(s.n >= kSamplesForP99 ? s.p99 : kNone));
      row.cells.push_back(ms_cell(s.max));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TableColumn> config_columns() {
  return {{Words::tr("Setting")}, {Words::tr("Value")}, {Words::tr("Default")}};
}

std::vector<TableRow> config_rows(const RunHeader& header) {
  std::vector<TableRow> rows;
  const auto add = [&](bool changed) {
    for (const ConfigEntry& entry : header.config) {
      if (entry.changed != changed) continue;
      const QString value = entry.value.empty() ? no_value() : text_of(entry.value);
      const QString usual = entry.default_value.empty() ? no_value() : text_of(entry.default_value);
      TableRow row{static_cast<qint64>(rows.size()), {}};
      row.cells = {{text_of(entry.name)},
                   {changed ? QStringLiteral("△ ") + value : value, 0, changed ? Colour::text : Colour::muted,
                    changed},
                   muted(usual)};
      rows.push_back(std::move(row));
    }
  };
  add(true);
  add(false);
  return rows;
}

std::vector<TableColumn> environment_columns() {
  return {{Words::tr("Condition")}, {Words::tr("Value")}};
}

std::vector<TableRow> environment_rows(const Run& run, std::int64_t requests) {
  const RunHeader& header = run.header;
  std::vector<TableRow> rows;
  const auto add = [&](const QString& name, const QString& value) {
    if (!value.isEmpty()) rows.push_back({static_cast<qint64>(rows.size()), {muted(name), {value}}});
  };
  const auto joined = [](const QStringList& parts) {
    QStringList filled = parts;
    filled.removeAll(QString());
    return filled.join(QStringLiteral(", "));
  };
  add(Words::tr("Model"),
      joined({text_of(header.model_name), text_of(header.architecture), text_of(header.quantization)}));
  add(Words::tr("File"), text_of(header.model_path));
  add(Words::tr("header sha256"), text_of(header.model_sha256.substr(0, 12)));
  add(Words::tr("Device"), engine_words(header.device));
  add(Words::tr("Processor"),
      joined({text_of(header.cpu), header.cores > 0 ? Words::tr("%1 cores").arg(header.cores) : QString()}));
  add(Words::tr("Memory"), header.ram > 0 ? bytes_text(header.ram) : QString());
  add(Words::tr("System"), text_of(header.os));
  add(Words::tr("Pitwall"), joined({text_of(header.engine_version), text_of(header.git_commit.substr(0, 12)),
                                    text_of(header.build_flags)}));
  add(Words::tr("Start"), local_time(header.start_utc));
  if (run.imported_utc > 0) add(Words::tr("Imported"), local_time(run.imported_utc));
  if (run.summary.end_utc > header.start_utc)
    add(Words::tr("Length"), elapsed_text(run.summary.end_utc - header.start_utc));
  add(Words::tr("Samples"),
      Words::tr("%1 requests, %2 seconds")
          .arg(count_text(requests), count_text(static_cast<qint64>(run.seconds.size()))));
  add(Words::tr("Not tested"), not_tested(run));
  return rows;
}

std::vector<TableColumn> run_request_columns(bool with_errors) {
  std::vector<TableColumn> columns{
      {Words::tr("Request"), true},
      {Words::tr("Label")},
      {Words::tr("Finish")},
      {Words::tr("Arrived")},
      {Words::tr("Prompt"), true, Words::tr("Tokens in.")},
      {Words::tr("Out"), true, Words::tr("Tokens out.")},
      {Words::tr("Queue ms"), true, Words::tr("Arrival to first step.")},
      {Words::tr("TTFT ms"), true, Words::tr("Arrival to first token.")},
      {Words::tr("TPOT ms"), true, Words::tr("Per token after the first.")},
      {Words::tr("Worst ITL ms"), true, Words::tr("Longest gap between two tokens.")},
      {Words::tr("Preempted"), true}};
  if (with_errors) columns.push_back({Words::tr("Error")});
  return columns;
}

std::vector<TableRow> run_request_rows(const std::vector<RequestRecord>& requests) {
  std::vector<TableRow> rows;
  for (const RequestRecord& request : requests) {
    const auto id = static_cast<qint64>(request.id.value);
    rows.push_back({id,
                    {count_cell(id), muted(text_of(request.label)), finish_cell(request),
                     muted(time_text(request.arrival_utc)), count_cell(request.prompt_tokens),
                     count_cell(request.output_tokens), ms_cell(request.queue_ms()),
                     ms_cell(request.ttft_ms()), ms_cell(request.tpot_ms()), ms_cell(request.max_itl_ms()),
                     count_cell(request.preemptions), muted(text_of(request.error))}});
  }
  return rows;
}

}  // namespace pitwall::ui
