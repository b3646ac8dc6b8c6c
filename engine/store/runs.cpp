// SPDX-License-Identifier: GPL-3.0-or-later
// Store: the part that keeps runs.
#include <algorithm>
#include <limits>

#include "engine/base/clock.h"
#include "engine/store/columns.h"
#include "engine/store/process_mark.h"
#include "engine/store/store.h"
#include "engine/store/store_state.h"
#include "engine/telemetry/step_table.h"

namespace pitwall {
namespace {

Error unknown_run(RunId run) {
  return Error{Error::Kind::not_found, "There is no run " + std::to_string(run.value),
               "It may have been removed", "See `pitwallctl runs list`", "run"};
}

Error ended_run(RunId run, const std::string& status) {
  return Error{Error::Kind::invalid_input,
               "Run " + std::to_string(run.value) + " has ended (" + status + ") and takes no more records",
               "A run never changes after its end", "Begin another run", "run"};
}

Result<void> check_recording(SQLite::Database& database, RunId run) {
  SQLite::Statement query(database, "SELECT status FROM runs WHERE id = ?");
  query.bind(1, run.value);
  if (!query.executeStep()) return unknown_run(run);
  const std::string status = query.getColumn(0).getString();
  if (status != run_status_name(RunStatus::recording)) return ended_run(run, status);
  return {};
}

/// The rows of `table` that belong to a run, in the order in which they were written. `condition` is more SQL
/// for WHERE.
template <class Record>
std::vector<Record> rows_of(SQLite::Database& database, const std::string& table, const std::string& order,
                            RunId run, const std::string& condition = {}) {
  SQLite::Statement query(database, "SELECT " + column_names<Record>() + " FROM " + table +
                                        " WHERE run = ? " + condition + " ORDER BY " + order);
  query.bind(1, run.value);
  std::vector<Record> records;
  while (query.executeStep()) read_columns(query, 0, records.emplace_back());
  return records;
}

template <class Record>
void insert_rows(SQLite::Database& database, const std::string& table, RunId run,
                 const std::vector<Record>& records) {
  if (records.empty()) return;
  SQLite::Statement insert(database, insert_sql<Record>(table, "run"));
  for (const Record& record : records) {
    insert.bind(1, run.value);
    bind_columns(insert, 2, record);
    insert.exec();
    insert.reset();
  }
}

void write_metrics(SQLite::Database& database, RunId run, const std::map<std::string, Summary>& metrics) {
  SQLite::Statement insert(database, insert_sql<Summary>("metrics", "run, metric"));
  for (const auto& [name, summary] : metrics) {
    insert.bind(1, run.value);
    insert.bind(2, name);
    bind_columns(insert, 3, summary);
    insert.exec();
    insert.reset();
  }
}

/// The columns of `runs` that repeat the summary, so that a list of runs reads one table.
void write_list_columns(SQLite::Database& database, RunId run, const RunSummary& summary) {
  const auto bind_metric = [&](SQLite::Statement& update, int parameter, const char* metric,
                               double Summary::*value) {
    const auto found = summary.metrics.find(metric);
    if (found != summary.metrics.end()) update.bind(parameter, found->second.*value);
  };
  SQLite::Statement update(
      database,
      "UPDATE runs SET status = ?, error = ?, end_utc = ?, output_tokens_per_s = ?, requests = ?, "
      "ttft_p50_ms = ?, tpot_p50_ms = ?, max_itl_ms = ? WHERE id = ?");
  int parameter = bind_columns(update, 1, summary);
  update.bind(parameter++, summary.totals.requests_finished);
  bind_metric(update, parameter++, "ttft_ms", &Summary::p50);
  bind_metric(update, parameter++, "tpot_ms", &Summary::p50);
  bind_metric(update, parameter++, "max_itl_ms", &Summary::max);
  update.bind(parameter, run.value);
  update.exec();
}

void write_summary(SQLite::Database& database, RunId run, const RunSummary& summary) {
  write_list_columns(database, run, summary);
  write_metrics(database, run, summary.metrics);
  insert_rows(database, "totals", run, std::vector{summary.totals});
  insert_rows(database, "ledgers", run, std::vector{summary.ledger});
}

void read_summary(SQLite::Database& database, RunId run, RunSummary& summary) {
  SQLite::Statement metrics(database,
                            "SELECT metric, " + column_names<Summary>() + " FROM metrics WHERE run = ?");
  metrics.bind(1, run.value);
  while (metrics.executeStep()) read_columns(metrics, 1, summary.metrics[metrics.getColumn(0).getString()]);
  for (const auto& totals : rows_of<EngineTotals>(database, "totals", "run", run)) summary.totals = totals;
  for (const auto& ledger : rows_of<LedgerSnapshot>(database, "ledgers", "run", run)) summary.ledger = ledger;
}

/// When the last row of a run was written, as far as the rows say.
Nanos last_sign_of_life(const Run& run) {
  Nanos last = run.header.start_utc;
  for (const RequestRecord& request : run.requests) {
    last = std::max(last, request.arrival_utc + (request.finished - request.arrival));
  }
  for (const SecondRecord& second : run.seconds) last = std::max(last, second.utc + kNanosPerSecond);
  return last;
}

/// A run that has ended is shown so, written or not.
void show_end(Run& run, const std::map<RunId, RunSummary>& unwritten) {
  if (const auto end = unwritten.find(run.id); end != unwritten.end()) run.summary = end->second;
}

void show_end(RunListItem& item, const RunSummary& summary) {
  const auto figure = [&summary](const char* metric, double Summary::*value) {
    const auto found = summary.metrics.find(metric);
    return found == summary.metrics.end() ? std::numeric_limits<double>::quiet_NaN() : found->second.*value;
  };
  item.status = summary.status;
  item.end_utc = summary.end_utc;
  item.requests = summary.totals.requests_finished;
  item.output_tokens_per_s = summary.output_tokens_per_s;
  item.ttft_p50_ms = figure("ttft_ms", &Summary::p50);
  item.tpot_p50_ms = figure("tpot_ms", &Summary::p50);
  item.max_itl_ms = figure("max_itl_ms", &Summary::max);
}

QuantileSketch read_gaps(SQLite::Database& database, RunId run) {
  SQLite::Statement query(database, "SELECT ms, count FROM gaps WHERE run = ?");
  query.bind(1, run.value);
  std::vector<QuantileSketch::Bucket> buckets;
  while (query.executeStep())
    buckets.push_back({query.getColumn(0).getDouble(), query.getColumn(1).getInt64()});
  SQLite::Statement totals(database, "SELECT sum_ms, max_ms FROM gap_totals WHERE run = ?");
  totals.bind(1, run.value);
  if (!totals.executeStep()) return {};
  return QuantileSketch::of(buckets, totals.getColumn(0).getDouble(), totals.getColumn(1).getDouble());
}

/// All but requests and steps.
Result<Run> read_outline(SQLite::Database& database, RunId id) {
  SQLite::Statement query(database, "SELECT note, imported_utc, " + column_names<RunHeader>() + ", " +
                                        column_names<RunSummary>() + " FROM runs WHERE id = ?");
  query.bind(1, id.value);
  if (!query.executeStep()) return unknown_run(id);
  Run run;
  run.id = id;
  run.note = query.getColumn(0).getString();
  run.imported_utc = query.getColumn(1).getInt64();
  read_columns(query, read_columns(query, 2, run.header), run.summary);
  run.header.config = rows_of<ConfigEntry>(database, "config", "position", id);
  read_summary(database, id, run.summary);
  run.seconds = rows_of<SecondRecord>(database, "seconds", "row", id);
  run.changes = rows_of<SettingChange>(database, "changes", "row", id);
  run.itl = read_gaps(database, id);
  return run;
}

Result<std::vector<StepRecord>> read_steps(SQLite::Database& database, RunId id) {
  SQLite::Statement query(database, "SELECT lines FROM steps WHERE run = ? ORDER BY row");
  query.bind(1, id.value);
  std::vector<StepRecord> steps;
  while (query.executeStep()) {
    const auto more = parse_steps(query.getColumn(0).getString());
    if (!more) return more.error();
    steps.insert(steps.end(), more->begin(), more->end());
  }
  return steps;
}

Result<Run> read_run(SQLite::Database& database, RunId id) {
  auto run = read_outline(database, id);
  if (!run) return run;
  run->requests = rows_of<RequestRecord>(database, "requests", "row", id);
  auto steps = read_steps(database, id);
  if (!steps) return steps.error();
  run->steps = std::move(*steps);
  return run;
}

std::int64_t count_requests(SQLite::Database& database, RunId id) {
  SQLite::Statement count(database, "SELECT count(*) FROM requests WHERE run = ?");
  count.bind(1, id.value);
  count.executeStep();
  return count.getColumn(0).getInt64();
}

/// Of a run's requests each `stride`th, by their row numbers: no other row is looked at.
std::string every_nth(RunId id, std::int64_t stride) {
  const std::string of_run = " FROM requests WHERE run = " + std::to_string(id.value);
  const std::string next = "r + " + std::to_string(stride);
  return "AND row IN (WITH RECURSIVE pick (r) AS (SELECT min(row)" + of_run + " UNION ALL SELECT " + next +
         " FROM pick WHERE " + next + " <= (SELECT max(row)" + of_run + ")) SELECT r FROM pick)";
}

void insert_steps(SQLite::Database& database, RunId run, const std::vector<StepRecord>& steps) {
  if (steps.empty()) return;
  SQLite::Statement insert(database, "INSERT INTO steps (run, lines) VALUES (?, ?)");
  insert.bind(1, run.value);
  insert.bind(2, steps_text(steps));
  insert.exec();
}

/// They join what the run has already.
void add_gaps(SQLite::Database& database, RunId run, const QuantileSketch& gaps) {
  if (gaps.count() == 0) return;
  SQLite::Statement add(database,
                        "INSERT INTO gaps (run, ms, count) VALUES (?, ?, ?) "
                        "ON CONFLICT DO UPDATE SET count = count + excluded.count");
  for (const QuantileSketch::Bucket& bucket : gaps.buckets()) {
    add.bind(1, run.value);
    add.bind(2, bucket.value);
    add.bind(3, bucket.count);
    add.exec();
    add.reset();
  }
  SQLite::Statement totals(
      database,
      "INSERT INTO gap_totals (run, sum_ms, max_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
      "SET sum_ms = sum_ms + excluded.sum_ms, max_ms = max(max_ms, excluded.max_ms)");
  totals.bind(1, run.value);
  totals.bind(2, gaps.sum());
  totals.bind(3, gaps.max());
  totals.exec();
}

RunId insert_header(SQLite::Database& database, const RunHeader& header) {
  SQLite::Statement insert(database, insert_sql<RunHeader>("runs", "recorder"));
  insert.bind(1, own_process_mark());
  bind_columns(insert, 2, header);
  insert.exec();
  const RunId run{database.getLastInsertRowid()};
  SQLite::Statement config(database, insert_sql<ConfigEntry>("config", "run, position"));
  std::int64_t position = 0;
  for (const ConfigEntry& entry : header.config) {
    config.bind(1, run.value);
    config.bind(2, position++);
    bind_columns(config, 3, entry);
    config.exec();
    config.reset();
  }
  return run;
}

void insert_all(SQLite::Database& database, RunId run, const RunRows& rows) {
  insert_rows(database, "requests", run, rows.requests);
  insert_rows(database, "seconds", run, rows.seconds);
  insert_rows(database, "changes", run, rows.changes);
  insert_steps(database, run, rows.steps);
  add_gaps(database, run, rows.itl);
}

Result<void> write_note(SQLite::Database& database, RunId id, const std::string& note) {
  SQLite::Statement update(database, "UPDATE runs SET note = ? WHERE id = ?");
  update.bind(1, note);
  update.bind(2, id.value);
  if (update.exec() == 0) return unknown_run(id);
  return {};
}

constexpr const char* kOrphaned =
    "The program that recorded it did not close it: it was killed, or could not write";

/// Runs whose recording process is gone.
std::vector<RunId> orphans_of(SQLite::Database& database) {
  std::vector<RunId> orphans;
  SQLite::Statement recording(database, "SELECT id, recorder FROM runs WHERE status = 'recording'");
  while (recording.executeStep())
    if (!process_lives(recording.getColumn(1).getString()))
      orphans.push_back({recording.getColumn(0).getInt64()});
  return orphans;
}

RunSummary cut_off_summary(const Run& run, const char* reason) {
  RunSummary summary = summarize_requests(run.requests);
  summary.metrics["itl_ms"] = run.itl.summary();
  for (const StepRecord& step : run.steps) summary.totals.evicted_blocks += step.evicted;
  if (!run.steps.empty()) summary.totals.steps = static_cast<std::int64_t>(run.steps.back().step);
  summary.status = RunStatus::cut_off;
  summary.error = reason;
  summary.end_utc = last_sign_of_life(run);
  return summary;
}

void mark_imported(SQLite::Database& database, RunId id) {
  SQLite::Statement update(database, "UPDATE runs SET imported_utc = ? WHERE id = ?");
  update.bind(1, RealClock().utc_now());
  update.bind(2, id.value);
  update.exec();
}

}  // namespace

std::optional<RunId> run_of_uuid(SQLite::Database& database, const std::string& uuid) {
  SQLite::Statement query(database, "SELECT id FROM runs WHERE uuid = ?");
  query.bind(1, uuid);
  if (!query.executeStep()) return std::nullopt;
  return RunId{query.getColumn(0).getInt64()};
}

Result<RunId> insert_imported(SQLite::Database& database, const Run& run) {
  const RunId id = insert_header(database, run.header);
  insert_all(database, id, {run.requests, run.seconds, run.changes, run.steps, run.itl});
  RunSummary summary = run.summary;
  if (summary.status == RunStatus::recording) {
    summary.status = RunStatus::cut_off;
    summary.error = "It was still being recorded when it was exported";
  }
  write_summary(database, id, summary);
  mark_imported(database, id);
  if (auto noted = write_note(database, id, run.note); !noted) return noted.error();
  return id;
}

void cut_off(SQLite::Database& database, RunId id, const char* reason) {
  WriteTransaction transaction(database);
  // Another process may have been faster.
  if (!check_recording(database, id)) return;
  const auto run = read_run(database, id);
  if (!run) return;
  write_summary(database, id, cut_off_summary(*run, reason));
  transaction.commit();
}

void cut_off_orphans(SQLite::Database& database) {
  for (const RunId run : orphans_of(database)) cut_off(database, run, kOrphaned);
}

std::map<RunId, RunSummary> ends_of_orphans(SQLite::Database& database) {
  std::map<RunId, RunSummary> ends;
  for (const RunId id : orphans_of(database))
    if (const auto run = read_run(database, id)) ends.emplace(id, cut_off_summary(*run, kOrphaned));
  return ends;
}

void write_ends(SQLite::Database& database, std::map<RunId, RunSummary>& ends) {
  while (!ends.empty()) {
    const auto& [run, summary] = *ends.begin();
    WriteTransaction transaction(database);
    if (check_recording(database, run)) write_summary(database, run, summary);
    transaction.commit();
    ends.erase(ends.begin());
  }
}

Result<RunId> Store::begin(const RunHeader& header) {
  return state_->locked("beginning a run", [&](SQLite::Database& database) -> Result<RunId> {
    write_ends(database, state_->unwritten_ends);
    WriteTransaction transaction(database);
    const RunId run = insert_header(database, header);
    transaction.commit();
    state_->recording.insert(run);
    return run;
  });
}

Result<void> Store::append(RunId run, const RunRows& rows) {
  return state_->locked("recording a run", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    if (auto recording = check_recording(database, run); !recording) return recording;
    insert_all(database, run, rows);
    SQLite::Statement count(database, "UPDATE runs SET requests = requests + ? WHERE id = ?");
    count.bind(1, static_cast<std::int64_t>(rows.requests.size()));
    count.bind(2, run.value);
    count.exec();
    transaction.commit();
    return {};
  });
}

Result<void> Store::end(RunId run, const RunSummary& summary) {
  return state_->locked("ending a run", [&](SQLite::Database& database) -> Result<void> {
    if (auto recording = check_recording(database, run); !recording) return recording;
    state_->unwritten_ends.insert_or_assign(run, summary);  // where writing fails
    write_ends(database, state_->unwritten_ends);
    state_->recording.erase(run);
    return {};
  });
}

Result<std::vector<RunListItem>> Store::runs() const {
  return state_->locked(
      "listing the runs", [this](SQLite::Database& database) -> Result<std::vector<RunListItem>> {
        // A recorder may have died since the store was opened, and a disk that was full may have room.
        try {
          write_ends(database, state_->unwritten_ends);
          cut_off_orphans(database);
        } catch (const SQLite::Exception&) {
          // Nothing can be written now; what can be read is still read, and the next list tries again.
        }
        SQLite::Statement query(
            database,
            "SELECT id, name, kind, model_name, note, status, start_utc, end_utc, imported_utc, requests, "
            "output_tokens_per_s, ttft_p50_ms, tpot_p50_ms, max_itl_ms FROM runs "
            "ORDER BY start_utc DESC, id DESC");
        std::vector<RunListItem> items;
        while (query.executeStep()) {
          RunListItem& item = items.emplace_back();
          item.id = {query.getColumn(0).getInt64()};
          item.name = query.getColumn(1).getString();
          item.kind = query.getColumn(2).getString();
          item.model = query.getColumn(3).getString();
          item.note = query.getColumn(4).getString();
          if (!set_word(item.status, query.getColumn(5).getString())) item.status = RunStatus::cut_off;
          item.start_utc = query.getColumn(6).getInt64();
          item.end_utc = query.getColumn(7).getInt64();
          item.imported_utc = query.getColumn(8).getInt64();
          item.requests = query.getColumn(9).getInt64();
          item.output_tokens_per_s = real_or_nan(query.getColumn(10));
          item.ttft_p50_ms = real_or_nan(query.getColumn(11));
          item.tpot_p50_ms = real_or_nan(query.getColumn(12));
          item.max_itl_ms = real_or_nan(query.getColumn(13));
          if (const auto end = state_->unwritten_ends.find(item.id); end != state_->unwritten_ends.end())
            show_end(item, end->second);
        }
        return items;
      });
}

Result<Run> Store::run(RunId id) const {
  return state_->locked("reading a run", [this, id](SQLite::Database& database) -> Result<Run> {
    const SQLite::Transaction one_picture(database);  // a recording process may be writing meanwhile
    auto run = read_run(database, id);
    if (run) show_end(*run, state_->unwritten_ends);
    return run;
  });
}

Result<RunPicture> Store::run_picture(RunId id, std::int64_t most_requests) const {
  return state_->locked("reading a run", [&](SQLite::Database& database) -> Result<RunPicture> {
    const SQLite::Transaction one_picture(database);
    auto run = read_outline(database, id);
    if (!run) return run.error();
    show_end(*run, state_->unwritten_ends);
    RunPicture picture{std::move(*run), count_requests(database, id)};
    const std::int64_t stride = (picture.requests + most_requests - 1) / most_requests;
    const std::string every = stride > 1 ? every_nth(id, stride) : std::string();
    picture.run.requests = rows_of<RequestRecord>(database, "requests", "row", id, every);
    return picture;
  });
}

Result<std::vector<RequestRecord>> Store::worst_requests(RunId id, std::int64_t skip,
                                                         std::int64_t count) const {
  return state_->locked(
      "reading requests", [&](SQLite::Database& database) -> Result<std::vector<RequestRecord>> {
        // What is sorted is two numbers a request: a million of whole rows would take seconds.
        return rows_of<RequestRecord>(database, "requests", "max_itl DESC, row", id,
                                      "AND row IN (SELECT row FROM requests WHERE run = " +
                                          std::to_string(id.value) + " ORDER BY max_itl DESC, row LIMIT " +
                                          std::to_string(count) + " OFFSET " + std::to_string(skip) + ")");
      });
}

Result<RunId> Store::import_run(const Run& run) {
  return state_->locked("importing a run", [&](SQLite::Database& database) -> Result<RunId> {
    WriteTransaction transaction(database);
    if (const auto known = run_of_uuid(database, run.header.uuid)) {
      const std::string id = std::to_string(known->value);
      return Error{Error::Kind::busy, "This run is here already: it is run " + id,
                   "It was imported or recorded before", "Open run " + id, id};
    }
    auto id = insert_imported(database, run);
    if (!id) return id;
    transaction.commit();
    return id;
  });
}

Result<void> Store::set_note(RunId id, const std::string& note) {
  return state_->locked("writing a note", [&](SQLite::Database& database) -> Result<void> {
    return write_note(database, id, note);
  });
}

Result<void> Store::remove_run(RunId id) {
  return state_->locked("removing a run", [&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement remove(database, "DELETE FROM runs WHERE id = ?");
    remove.bind(1, id.value);
    if (remove.exec() == 0) return unknown_run(id);
    state_->recording.erase(id);
    state_->unwritten_ends.erase(id);
    return {};
  });
}

}  // namespace pitwall
