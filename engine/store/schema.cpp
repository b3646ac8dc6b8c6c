// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <string>

namespace pitwall {
namespace {

// Version 1. Times are UTC nanoseconds where the name says utc and steady nanoseconds elsewhere; NULL =
// undefined. Columns have the names of engine/telemetry/fields.h.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, start_utc INTEGER NOT NULL,
  engine_version TEXT NOT NULL, git_commit TEXT NOT NULL, build_flags TEXT NOT NULL,
  cpu TEXT NOT NULL, os TEXT NOT NULL, cores INTEGER NOT NULL, ram INTEGER NOT NULL, device TEXT NOT NULL,
  model_path TEXT NOT NULL, model_name TEXT NOT NULL, architecture TEXT NOT NULL, quantization TEXT NOT NULL,
  model_sha256 TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  recorder TEXT NOT NULL,                       -- the process that records: boot, pid, start
  status TEXT NOT NULL DEFAULT 'recording', error TEXT NOT NULL DEFAULT '', end_utc INTEGER NOT NULL DEFAULT 0,
  output_tokens_per_s REAL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,          -- these four repeat totals and metrics, so that a list reads one table
  ttft_p50_ms REAL, tpot_p50_ms REAL, max_itl_ms REAL
);
CREATE INDEX runs_by_start ON runs (start_utc);
CREATE INDEX runs_recording ON runs (status) WHERE status = 'recording';

CREATE TABLE config (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  name TEXT NOT NULL, value TEXT NOT NULL, default_value TEXT NOT NULL, origin TEXT NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (run, position)
) WITHOUT ROWID;

CREATE TABLE requests (
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  id INTEGER NOT NULL, label TEXT NOT NULL, arrival_utc INTEGER NOT NULL,
  arrival INTEGER NOT NULL, scheduled INTEGER NOT NULL, first_token INTEGER NOT NULL, last_token INTEGER NOT NULL,
  finished INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  preemptions INTEGER NOT NULL, max_itl INTEGER NOT NULL, finish TEXT NOT NULL, error TEXT NOT NULL
);
CREATE INDEX requests_of_run ON requests (run);

CREATE TABLE seconds (
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  utc INTEGER NOT NULL,
  ttft_n INTEGER NOT NULL, ttft_mean REAL, ttft_p50 REAL, ttft_p90 REAL, ttft_p99 REAL, ttft_max REAL,
  tpot_n INTEGER NOT NULL, tpot_mean REAL, tpot_p50 REAL, tpot_p90 REAL, tpot_p99 REAL, tpot_max REAL,
  itl_n INTEGER NOT NULL, itl_mean REAL, itl_p50 REAL, itl_p90 REAL, itl_p99 REAL, itl_max REAL,
  queue_n INTEGER NOT NULL, queue_mean REAL, queue_p50 REAL, queue_p90 REAL, queue_p99 REAL, queue_max REAL,
  output_tokens_per_s REAL, prompt_tokens_per_s REAL,
  running INTEGER NOT NULL, waiting INTEGER NOT NULL, preemptions INTEGER NOT NULL, finished INTEGER NOT NULL,
  kv_used INTEGER NOT NULL, kv_cached INTEGER NOT NULL, kv_quarantined INTEGER NOT NULL, kv_free INTEGER NOT NULL,
  accounted INTEGER NOT NULL, measured INTEGER NOT NULL
);
CREATE INDEX seconds_of_run ON seconds (run);

CREATE TABLE metrics (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, metric TEXT NOT NULL,
  n INTEGER NOT NULL, mean REAL, std REAL, min REAL, max REAL, p1 REAL, p5 REAL, p10 REAL, p25 REAL, p50 REAL,
  p75 REAL, p90 REAL, p95 REAL, p99 REAL,
  PRIMARY KEY (run, metric)
) WITHOUT ROWID;

CREATE TABLE totals (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  requests_finished INTEGER NOT NULL, requests_stop INTEGER NOT NULL, requests_length INTEGER NOT NULL,
  requests_cancelled INTEGER NOT NULL, requests_error INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, preemptions INTEGER NOT NULL, steps INTEGER NOT NULL
);

CREATE TABLE ledgers (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  weights INTEGER NOT NULL, kv INTEGER NOT NULL, activations INTEGER NOT NULL, attention_workspace INTEGER NOT NULL,
  logits INTEGER NOT NULL, library_workspace INTEGER NOT NULL, graphs INTEGER NOT NULL,
  communicator INTEGER NOT NULL, context INTEGER NOT NULL,
  kv_used INTEGER NOT NULL, kv_cached INTEGER NOT NULL, kv_quarantined INTEGER NOT NULL, kv_free INTEGER NOT NULL,
  "limit" INTEGER NOT NULL, device_total INTEGER NOT NULL, measured INTEGER NOT NULL,
  other_processes INTEGER NOT NULL
);

CREATE TABLE chats (
  id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, updated_utc INTEGER NOT NULL
);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  role TEXT NOT NULL, content TEXT NOT NULL, model TEXT NOT NULL, timings_json TEXT NOT NULL, state TEXT NOT NULL,
  created_utc INTEGER NOT NULL
);
CREATE INDEX messages_of_chat ON messages (chat);
)sql";

// Version 2: why prompts missed the prefix cache, what preemption cost, who asked, what was changed while it
// ran.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE requests ADD COLUMN miss TEXT NOT NULL DEFAULT 'none';
ALTER TABLE requests ADD COLUMN miss_token INTEGER NOT NULL DEFAULT -1;
ALTER TABLE requests ADD COLUMN miss_part TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN recomputed_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN swapped_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN preempted_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN preempted_before_first_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN tenant TEXT NOT NULL DEFAULT '';

ALTER TABLE seconds ADD COLUMN prefix_query_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE seconds ADD COLUMN prefix_hit_tokens INTEGER NOT NULL DEFAULT 0;

ALTER TABLE totals ADD COLUMN prefix_query_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN prefix_hit_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN recomputed_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN swapped_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN evicted_blocks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_none INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_disabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_below_one_block INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_cold INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_diverged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_evicted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_different_salt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE totals ADD COLUMN miss_not_yet_computed INTEGER NOT NULL DEFAULT 0;

CREATE TABLE changes (
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  utc INTEGER NOT NULL, name TEXT NOT NULL, "from" TEXT NOT NULL, "to" TEXT NOT NULL
);
CREATE INDEX changes_of_run ON changes (run);

ALTER TABLE ledgers ADD COLUMN swap INTEGER NOT NULL DEFAULT 0;
)sql";

// Version 3: checklists. Which runs are a checklist's stands in their configuration.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE checklists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, goal TEXT NOT NULL, origin TEXT NOT NULL, source TEXT NOT NULL, note TEXT NOT NULL,
  created_utc INTEGER NOT NULL, updated_utc INTEGER NOT NULL,
  target TEXT NOT NULL, model TEXT NOT NULL, gpus TEXT NOT NULL, engine TEXT NOT NULL, workload TEXT NOT NULL,
  num_prompts INTEGER NOT NULL, max_concurrency INTEGER NOT NULL, repeats INTEGER NOT NULL, seed INTEGER NOT NULL,
  settings TEXT NOT NULL, measure TEXT NOT NULL, latency TEXT NOT NULL, limits TEXT NOT NULL
);

CREATE TABLE items (
  checklist INTEGER NOT NULL REFERENCES checklists (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  id INTEGER NOT NULL, name TEXT NOT NULL, hypothesis TEXT NOT NULL, expected TEXT NOT NULL, measure TEXT NOT NULL,
  also TEXT NOT NULL, repeats INTEGER NOT NULL, verdict TEXT NOT NULL, by_user INTEGER NOT NULL,
  effect REAL, effect_low REAL, effect_high REAL, percent REAL, error TEXT NOT NULL,
  PRIMARY KEY (checklist, position)
) WITHOUT ROWID;

CREATE TABLE item_changes (
  checklist INTEGER NOT NULL, item INTEGER NOT NULL, position INTEGER NOT NULL,
  setting TEXT NOT NULL, "from" TEXT NOT NULL, "to" TEXT NOT NULL,
  PRIMARY KEY (checklist, item, position),
  FOREIGN KEY (checklist, item) REFERENCES items (checklist, position) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX runs_of_checklists ON config (value) WHERE name = 'checklist.id';
)sql";

// Version 4: a chat's messages are a tree of versions, with text files; removed chats and messages are kept
// for a while; all text can be searched. The index follows its messages by triggers, cascades included.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE chats ADD COLUMN removed_utc INTEGER NOT NULL DEFAULT 0;   -- 0 = it is there

ALTER TABLE messages ADD COLUMN parent INTEGER REFERENCES messages (id) ON DELETE CASCADE;
ALTER TABLE messages ADD COLUMN chosen INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN removed_utc INTEGER NOT NULL DEFAULT 0;
CREATE INDEX messages_of_parent ON messages (parent);
UPDATE messages SET parent = (
  SELECT max(earlier.id) FROM messages AS earlier
  WHERE earlier.chat = messages.chat AND earlier.id < messages.id AND earlier.role <> 'system'
) WHERE role <> 'system';

CREATE TABLE attachments (
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  name TEXT NOT NULL, content TEXT NOT NULL, tokens INTEGER NOT NULL,
  PRIMARY KEY (message, position)
);

CREATE VIRTUAL TABLE message_search USING fts5 (content, content = 'messages', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO message_search (message_search) VALUES ('rebuild');
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO message_search (rowid, content) VALUES (new.id, new.content);
END;
CREATE TRIGGER message_deleted AFTER DELETE ON messages BEGIN
  INSERT INTO message_search (message_search, rowid, content) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
  INSERT INTO message_search (message_search, rowid, content) VALUES ('delete', old.id, old.content);
  INSERT INTO message_search (rowid, content) VALUES (new.id, new.content);
END;
)sql";

// Version 5: steps, as the lines of engine/telemetry/step_table.h; a row for what came in together.
constexpr const char* kVersion5 = R"sql(
CREATE TABLE steps (
  row INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  lines TEXT NOT NULL
);
CREATE INDEX steps_of_run ON steps (run);
)sql";

// Version 6: every gap between the tokens of a run's requests, as the buckets of a QuantileSketch.
constexpr const char* kVersion6 = R"sql(
CREATE TABLE gaps (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  ms REAL NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (run, ms)
) WITHOUT ROWID;

CREATE TABLE gap_totals (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  sum_ms REAL NOT NULL, max_ms REAL NOT NULL
);
)sql";

// Version 7: who changed a setting, what came from a file, and a name for a checklist that holds in every
// store: runs name theirs by it, so that both can be carried elsewhere.
constexpr const char* kVersion7 = R"sql(
ALTER TABLE changes ADD COLUMN "by" TEXT NOT NULL DEFAULT 'unknown';

ALTER TABLE runs ADD COLUMN imported_utc INTEGER NOT NULL DEFAULT 0;   -- 0 = recorded here
CREATE INDEX runs_by_uuid ON runs (uuid);

ALTER TABLE checklists ADD COLUMN imported_utc INTEGER NOT NULL DEFAULT 0;   -- 0 = made here
ALTER TABLE checklists ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
UPDATE checklists SET uuid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX checklists_by_uuid ON checklists (uuid);
UPDATE config SET value = (SELECT uuid FROM checklists WHERE CAST(id AS TEXT) = config.value)
WHERE name = 'checklist.id' AND value IN (SELECT CAST(id AS TEXT) FROM checklists);
)sql";

constexpr std::array kSteps = {kVersion1, kVersion2, kVersion3, kVersion4, kVersion5, kVersion6, kVersion7};

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

void set_pragma(SQLite::Database& database, const char* name, int value) {
  database.exec(std::string("PRAGMA ") + name + " = " + std::to_string(value));
}

Result<void> check_owner(SQLite::Database& database) {
  const int owner = pragma(database, "application_id");
  const bool is_empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  if (owner == kStoreApplicationId || (owner == 0 && is_empty)) return {};
  return Error{Error::Kind::invalid_input, database.getFilename() + " is a database of another program",
               "It has tables, but not Pitwall's mark", "Choose another file", "store"};
}

Error newer_schema(const std::string& file, int found, int known) {
  return Error{Error::Kind::unsupported,
               file + " has schema version " + std::to_string(found) +
                   "; this program knows versions up to " + std::to_string(known),
               "A newer Pitwall has written it", "Update Pitwall, or set PITWALL_HOME to another folder",
               "store"};
}

}  // namespace

std::span<const char* const> schema_steps() {
  return kSteps;
}

Result<void> migrate(SQLite::Database& database, std::span<const char* const> steps) {
  if (auto owner = check_owner(database); !owner) return owner;
  const int newest = static_cast<int>(steps.size());
  for (;;) {
    // The version is read inside the transaction: another process may be migrating the same file.
    const int version = pragma(database, "user_version");
    if (version < 0 || version > newest) return newer_schema(database.getFilename(), version, newest);
    if (version == newest) return {};
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (pragma(database, "user_version") != version) continue;
    database.exec(steps[static_cast<std::size_t>(version)]);
    set_pragma(database, "application_id", kStoreApplicationId);
    set_pragma(database, "user_version", version + 1);
    transaction.commit();
  }
}

}  // namespace pitwall
