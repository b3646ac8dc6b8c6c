// SPDX-License-Identifier: GPL-3.0-or-later
// Store: the part that keeps checklists.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/store/columns.h"
#include "engine/store/store.h"
#include "engine/store/store_state.h"

namespace pitwall {
namespace {

Error unknown_checklist(std::int64_t checklist) {
  return Error{Error::Kind::not_found, "There is no checklist " + std::to_string(checklist),
               "It may have been removed", "Choose another checklist", "checklist"};
}

void write_items(SQLite::Database& database, std::int64_t checklist, const std::vector<Item>& items) {
  SQLite::Statement insert(database, insert_sql<Item>("items", "checklist, position"));
  SQLite::Statement change(database, insert_sql<ItemChange>("item_changes", "checklist, item, position"));
  for (std::size_t i = 0; i < items.size(); ++i) {
    insert.bind(1, checklist);
    insert.bind(2, static_cast<std::int64_t>(i));
    bind_columns(insert, 3, items[i]);
    insert.exec();
    insert.reset();
    insert.clearBindings();
    for (std::size_t k = 0; k < items[i].changes.size(); ++k) {
      change.bind(1, checklist);
      change.bind(2, static_cast<std::int64_t>(i));
      change.bind(3, static_cast<std::int64_t>(k));
      bind_columns(change, 4, items[i].changes[k]);
      change.exec();
      change.reset();
    }
  }
}

std::vector<Item> read_items(SQLite::Database& database, std::int64_t checklist) {
  std::vector<Item> items;
  SQLite::Statement query(
      database, "SELECT " + column_names<Item>() + " FROM items WHERE checklist = ? ORDER BY position");
  query.bind(1, checklist);
  while (query.executeStep()) read_columns(query, 0, items.emplace_back());
  SQLite::Statement changes(database, "SELECT item, " + column_names<ItemChange>() +
                                          " FROM item_changes WHERE checklist = ? ORDER BY item, position");
  changes.bind(1, checklist);
  while (changes.executeStep()) {
    const auto item = static_cast<std::size_t>(changes.getColumn(0).getInt64());
    read_columns(changes, 1, items.at(item).changes.emplace_back());
  }
  return items;
}

/// "name = ?, …" of a checklist's columns.
std::string assignments() {
  std::string text = column_names<Checklist>();
  for (std::size_t at = 0; (at = text.find("\",", at)) != std::string::npos; at += 6)
    text.insert(at + 1, " = ?");
  return text + " = ?";
}

std::string new_uuid(SQLite::Database& database) {
  return database.execAndGet("SELECT lower(hex(randomblob(16)))").getString();
}

/// Gives it its id, and a uuid where it has none.
void insert_checklist(SQLite::Database& database, Checklist& checklist) {
  if (checklist.uuid.empty()) checklist.uuid = new_uuid(database);
  SQLite::Statement insert(database, insert_sql<Checklist>("checklists", "id"));
  bind_columns(insert, 2, checklist);
  insert.exec();
  checklist.id = database.getLastInsertRowid();
  write_items(database, checklist.id, checklist.items);
}

Result<void> refuse_double(SQLite::Database& database, const std::string& uuid) {
  SQLite::Statement query(database, "SELECT id, name FROM checklists WHERE uuid = ?");
  query.bind(1, uuid);
  if (!query.executeStep()) return {};
  return Error{Error::Kind::busy,
               "This checklist is here already: it is “" + query.getColumn(1).getString() + "”",
               "It was imported or made here before", "Open it, or delete it and import it again",
               std::to_string(query.getColumn(0).getInt64())};
}

Result<void> check_unchanged(SQLite::Database& database, const Checklist& checklist) {
  SQLite::Statement query(database, "SELECT updated_utc FROM checklists WHERE id = ?");
  query.bind(1, checklist.id);
  if (!query.executeStep()) return unknown_checklist(checklist.id);
  if (query.getColumn(0).getInt64() == checklist.updated_utc) return {};
  return Error{Error::Kind::busy, "“" + checklist.name + "” is not saved",
               "Another window or program has changed it meanwhile", "Open it again, then change it",
               "checklist"};
}

}  // namespace

Result<Checklist> Store::add_checklist(const Checklist& checklist) {
  return state_->locked("adding a checklist", [&](SQLite::Database& database) -> Result<Checklist> {
    WriteTransaction transaction(database);
    Checklist added = checklist;
    added.created_utc = added.updated_utc = RealClock().utc_now();
    insert_checklist(database, added);
    transaction.commit();
    return added;
  });
}

Result<Checklist> Store::import_checklist(const Checklist& checklist, const std::vector<Run>& runs) {
  return state_->locked("importing a checklist", [&](SQLite::Database& database) -> Result<Checklist> {
    WriteTransaction transaction(database);
    if (auto fresh = refuse_double(database, checklist.uuid); !fresh) return fresh.error();
    Checklist added = checklist;
    added.imported_utc = added.updated_utc = RealClock().utc_now();
    insert_checklist(database, added);
    for (const Run& run : runs) {
      if (run_of_uuid(database, run.header.uuid)) continue;
      if (auto imported = insert_imported(database, run); !imported) return imported.error();
    }
    transaction.commit();
    return added;
  });
}

Result<void> Store::save_checklist(Checklist& checklist) {
  return state_->locked("saving a checklist", [&](SQLite::Database& database) -> Result<void> {
    WriteTransaction transaction(database);
    if (auto unchanged = check_unchanged(database, checklist); !unchanged) return unchanged;
    Checklist stamped = checklist;
    stamped.updated_utc = std::max(RealClock().utc_now(), checklist.updated_utc + 1);
    SQLite::Statement update(database, "UPDATE checklists SET " + assignments() + " WHERE id = ?");
    update.bind(bind_columns(update, 1, stamped), checklist.id);
    update.exec();
    SQLite::Statement remove(database, "DELETE FROM items WHERE checklist = ?");
    remove.bind(1, checklist.id);
    remove.exec();
    write_items(database, checklist.id, checklist.items);
    transaction.commit();
    checklist.updated_utc = stamped.updated_utc;
    return {};
  });
}

Result<void> Store::remove_checklist(std::int64_t checklist) {
  return state_->locked("removing a checklist", [&](SQLite::Database& database) -> Result<void> {
    SQLite::Statement remove(database, "DELETE FROM checklists WHERE id = ?");
    remove.bind(1, checklist);
    if (remove.exec() == 0) return unknown_checklist(checklist);
    return {};
  });
}

Result<std::vector<ChecklistListItem>> Store::checklists() const {
  return state_->locked(
      "listing the checklists", [](SQLite::Database& database) -> Result<std::vector<ChecklistListItem>> {
        SQLite::Statement query(
            database,
            "SELECT id, name, updated_utc, imported_utc, (SELECT count(*) FROM items WHERE checklist = "
            "checklists.id), "
            "(SELECT count(*) FROM items WHERE checklist = checklists.id AND verdict IN ('keep', 'revert')) "
            "FROM checklists ORDER BY updated_utc DESC, id DESC");
        std::vector<ChecklistListItem> items;
        while (query.executeStep()) {
          items.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                           query.getColumn(2).getInt64(), query.getColumn(3).getInt64(),
                           query.getColumn(4).getInt64(), query.getColumn(5).getInt64()});
        }
        return items;
      });
}

Result<Checklist> Store::checklist(std::int64_t id) const {
  return state_->locked("reading a checklist", [id](SQLite::Database& database) -> Result<Checklist> {
    const SQLite::Transaction one_picture(database);  // another process may be writing meanwhile
    SQLite::Statement query(database,
                            "SELECT " + column_names<Checklist>() + " FROM checklists WHERE id = ?");
    query.bind(1, id);
    if (!query.executeStep()) return unknown_checklist(id);
    Checklist checklist;
    checklist.id = id;
    read_columns(query, 0, checklist);
    checklist.items = read_items(database, id);
    return checklist;
  });
}

Result<std::vector<ChecklistRun>> Store::checklist_runs(std::int64_t checklist) const {
  return state_->locked(
      "finding the runs of a checklist",
      [checklist](SQLite::Database& database) -> Result<std::vector<ChecklistRun>> {
        SQLite::Statement query(
            database,
            "SELECT runs.id, key.value, repeat.value FROM checklists "
            "JOIN config AS mark ON mark.name = 'checklist.id' AND mark.value = checklists.uuid "
            "JOIN runs ON runs.id = mark.run "
            "JOIN config AS key ON key.run = mark.run AND key.name = 'checklist.key' "
            "JOIN config AS repeat ON repeat.run = mark.run AND repeat.name = 'checklist.repeat' "
            "WHERE checklists.id = ? AND runs.status = 'finished' ORDER BY runs.id");
        query.bind(1, checklist);
        std::vector<ChecklistRun> found;
        while (query.executeStep()) {
          ChecklistRun& one = found.emplace_back();
          one.run = {query.getColumn(0).getInt64()};
          one.key = query.getColumn(1).getString();
          one.repeat = query.getColumn(2).getInt();
        }
        return found;
      });
}

}  // namespace pitwall
