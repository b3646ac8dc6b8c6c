// SPDX-License-Identifier: GPL-3.0-or-later
// Records ↔ rows, by telemetry's field lists: a column for each field, nested percentiles as prefix_field.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <limits>
#include <string>
#include <type_traits>

#include "engine/telemetry/fields.h"

namespace pitwall {

/// Calls visit(column, value) for each column of a record, in order.
template <class Record>
void for_each_column(Record& record, auto&& visit, const std::string& prefix = {}) {
  for_each_field(record, [&](const char* name, auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Percentiles>) {
      for_each_column(value, visit, prefix + name + "_");
    } else {
      visit(prefix + name, value);
    }
  });
}

/// Calls visit(value) for each column of a record, in the same order; makes no names.
template <class Record>
void for_each_value(Record& record, auto&& visit) {
  for_each_field(record, [&](const char*, auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Percentiles>) {
      for_each_value(value, visit);
    } else {
      visit(value);
    }
  });
}

/// `"utc", "ttft_n", …`; quoted, because "limit" is a word of SQL.
template <class Record>
std::string column_names() {
  Record record{};
  std::string names;
  for_each_column(record, [&](const std::string& column, auto&) {
    names += names.empty() ? "\"" : ", \"";
    names += column + "\"";
  });
  return names;
}

/// INSERT of key columns ("run, position") and then the record's columns.
template <class Record>
std::string insert_sql(const std::string& table, const std::string& keys) {
  const std::string columns = keys + ", " + column_names<Record>();
  std::string marks = "?";
  for (const char c : columns) {
    if (c == ',') marks += ", ?";
  }
  return "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks + ")";
}

/// Binds the record's columns from parameter `first` on; returns the parameter after them. NaN becomes NULL.
template <class Record>
int bind_columns(SQLite::Statement& statement, int first, const Record& record) {
  for_each_value(record, [&](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_enum_v<Value>) {
      statement.bind(first, std::string(word_of(value)));
    } else if constexpr (std::is_integral_v<Value>) {
      statement.bind(first, static_cast<std::int64_t>(value));
    } else {
      statement.bind(first, value);
    }
    ++first;
  });
  return first;
}

inline double real_or_nan(const SQLite::Column& column) {
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

/// Reads the record's columns from column `first` on; returns the column after them.
template <class Record>
int read_columns(const SQLite::Statement& statement, int first, Record& record) {
  for_each_value(record, [&](auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const SQLite::Column column = statement.getColumn(first++);
    if constexpr (std::is_enum_v<Value>) {
      if (!set_word(value, column.getString())) value = Value{};  // a word of a newer version
    } else if constexpr (std::is_integral_v<Value>) {
      value = static_cast<Value>(column.getInt64());
    } else if constexpr (std::is_same_v<Value, double>) {
      value = real_or_nan(column);
    } else {
      value = column.getString();
    }
  });
  return first;
}

}  // namespace pitwall
