// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/salvage.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/schema.h"

namespace pitwall {
namespace {

constexpr std::int64_t kLargestKey = std::int64_t{1} << 48;
constexpr int kMostScans = 10'000;  // of one table: its damage may be large, and the window waits

struct TableShape {
  std::string name, columns, marks;  ///< marks: "?, ?"
  std::string key;                   ///< a whole number that rows are ordered by first
  std::string order;                 ///< of the whole key
  int width = 0;
};

std::string name_in_sql(const std::string& name) {
  std::string text = "\"";
  text.append(name).append("\"");
  return text;
}

std::vector<std::string> primary_key(SQLite::Database& database, const std::string& table) {
  SQLite::Statement query(database, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk");
  query.bind(1, table);
  std::vector<std::string> key;
  while (query.executeStep()) key.push_back(name_in_sql(query.getColumn(0).getString()));
  return key;
}

TableShape shape_of(SQLite::Database& database, const std::string& table, bool has_rowid) {
  TableShape shape{table, "", "", "rowid", "rowid"};
  SQLite::Statement query(database, "SELECT name FROM pragma_table_info(?)");
  query.bind(1, table);
  while (query.executeStep()) {
    shape.columns.append(shape.width > 0 ? ", " : "").append(name_in_sql(query.getColumn(0).getString()));
    shape.marks += shape.width > 0 ? ", ?" : "?";
    ++shape.width;
  }
  if (has_rowid) return shape;
  const std::vector<std::string> key = primary_key(database, table);
  shape.key = key.front();
  shape.order = key.front();
  for (std::size_t i = 1; i < key.size(); ++i) shape.order += " %, " + key[i];
  return shape;
}

/// Parents before their children. The search index is filled by its triggers.
std::vector<TableShape> tables_of(SQLite::Database& database) {
  SQLite::Statement query(
      database,
      "SELECT name, sql LIKE '%WITHOUT ROWID%' FROM sqlite_schema WHERE type = 'table' AND "
      "name NOT LIKE 'sqlite_%' AND name NOT LIKE 'message_search%' ORDER BY rowid");
  std::vector<TableShape> tables;
  while (query.executeStep())
    tables.push_back(shape_of(database, query.getColumn(0).getString(), query.getColumn(1).getInt() == 0));
  return tables;
}

void bind(SQLite::Statement& insert, int parameter, const SQLite::Column& value) {
  if (value.isInteger())
    insert.bind(parameter, value.getInt64());
  else if (value.isFloat())
    insert.bind(parameter, value.getDouble());
  else if (value.isBlob())
    insert.bind(parameter, value.getBlob(), value.getBytes());
  else if (value.isText())
    insert.bind(parameter, value.getString());
  else
    insert.bind(parameter);
}

/// Copies one table around its damaged places: from both ends of a range up to them, then each half of what
/// is between.
class TableCopy {
 public:
  TableCopy(SQLite::Database& from, SQLite::Database& into, TableShape shape)
      : from_(from),
        shape_(std::move(shape)),
        insert_(into, "INSERT OR IGNORE INTO " + shape_.name + " (" + shape_.columns + ") VALUES (" +
                          shape_.marks + ")") {}

  std::int64_t run() {
    copy(0, kLargestKey);
    return rows_;
  }

 private:
  void copy(std::int64_t low, std::int64_t high) {
    const auto up_to = scan(low, high, "ASC");
    if (!up_to) return;
    const auto down_to = scan(*up_to, high, "DESC");
    if (!down_to || *up_to >= *down_to || scans_ > kMostScans) return;
    const std::int64_t middle = *up_to + (*down_to - *up_to) / 2;
    copy(*up_to, middle);
    copy(middle + 1, *down_to);
  }

  /// Nothing when the whole range was read, else the key at which it broke off, which may be read in part.
  std::optional<std::int64_t> scan(std::int64_t low, std::int64_t high, const std::string& direction) {
    ++scans_;
    std::int64_t reached = direction == "ASC" ? low : high;
    std::optional<SQLite::Statement> query;
    for (;;) {
      try {
        if (!query) prepare(query, low, high, direction);
        if (!query->executeStep()) return std::nullopt;
      } catch (const SQLite::Exception&) {
        return reached;
      }
      reached = query->getColumn(0).getInt64();
      keep(*query);
    }
  }

  void prepare(std::optional<SQLite::Statement>& query, std::int64_t low, std::int64_t high,
               const std::string& direction) {
    std::string order = shape_.order + " %";
    for (std::size_t at = 0; (at = order.find('%', at)) != std::string::npos;)
      order.replace(at, 1, direction);
    query.emplace(from_, "SELECT " + shape_.key + ", " + shape_.columns + " FROM " + shape_.name + " WHERE " +
                             shape_.key + " BETWEEN ? AND ? ORDER BY " + order);
    query->bind(1, low);
    query->bind(2, high);
  }

  void keep(const SQLite::Statement& row) {
    for (int i = 0; i < shape_.width; ++i) bind(insert_, i + 1, row.getColumn(i + 1));
    rows_ += insert_.exec();
    insert_.reset();
  }

  SQLite::Database& from_;
  TableShape shape_;
  SQLite::Statement insert_;
  std::int64_t rows_ = 0;
  int scans_ = 0;
};

/// "child"."run" = "runs"."id", by the number of the reference.
struct Reference {
  std::string parent, match, column;
};
std::map<int, Reference> references_of(SQLite::Database& database, const std::string& table) {
  SQLite::Statement query(database, "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?)");
  query.bind(1, table);
  std::map<int, Reference> references;
  while (query.executeStep()) {
    Reference& one = references[query.getColumn(0).getInt()];
    one.parent = query.getColumn(1).getString();
    one.column = query.getColumn(2).getString();
    one.match.append(one.match.empty() ? "parent." : " AND parent.")
        .append(name_in_sql(query.getColumn(3).getString()))
        .append(" = " + table + ".")
        .append(name_in_sql(one.column));
  }
  return references;
}

/// Rows whose parent is lost go; a message whose earlier one is lost begins its chat.
std::int64_t drop_orphans(SQLite::Database& database, const std::string& table) {
  std::int64_t dropped = 0;
  for (const auto& [id, reference] : references_of(database, table)) {
    const std::string lost =
        " WHERE NOT EXISTS (SELECT 1 FROM " + reference.parent + " AS parent WHERE " + reference.match + ")";
    if (reference.parent == table)
      database.exec("UPDATE " + table + " SET \"" + reference.column + "\" = NULL" + lost);
    else
      dropped += database.exec("DELETE FROM " + table + lost);
  }
  return dropped;
}

std::int64_t count(SQLite::Database& database, const char* table) {
  const std::string exists = "SELECT count(*) FROM sqlite_schema WHERE name = '" + std::string(table) + "'";
  if (database.execAndGet(exists).getInt() == 0) return 0;
  return database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt64();
}

/// 0 when it cannot be read, or is no store of ours that this program knows.
int version_of(SQLite::Database& damaged) {
  if (damaged.execAndGet("PRAGMA application_id").getInt() != kStoreApplicationId) return 0;
  const int version = damaged.execAndGet("PRAGMA user_version").getInt();
  return version > static_cast<int>(schema_steps().size()) ? 0 : version;
}

struct Source {
  std::unique_ptr<SQLite::Database> database;
  int version = 0;
};
Source open_damaged(const std::filesystem::path& file) {
  try {
    Source source{std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READONLY)};
    source.database->exec("PRAGMA writable_schema = ON");  // else a file that was cut off is not read at all
    source.version = version_of(*source.database);
    return source;
  } catch (const SQLite::Exception&) {
    return {};
  }
}

}  // namespace

SalvagedRows salvage(const std::filesystem::path& damaged, SQLite::Database& fresh) {
  const Source source = open_damaged(damaged);
  if (source.version <= 0) return {};
  if (!migrate(fresh, schema_steps().first(static_cast<std::size_t>(source.version)))) return {};
  SQLite::Transaction transaction(fresh);
  const std::vector<TableShape> tables = tables_of(fresh);
  SalvagedRows salvaged;
  for (const TableShape& table : tables) salvaged.rows += TableCopy(*source.database, fresh, table).run();
  for (const TableShape& table : tables) salvaged.rows -= drop_orphans(fresh, table.name);
  salvaged.runs = count(fresh, "runs");
  salvaged.checklists = count(fresh, "checklists");
  salvaged.chats = count(fresh, "chats");
  transaction.commit();
  return salvaged;
}

}  // namespace pitwall
