// SPDX-License-Identifier: GPL-3.0-or-later
// Store: the part that searches chats. The index knows pieces of three characters: words that are shorter, as
// many Chinese ones are, are looked for in the text itself.
#include <algorithm>
#include <cctype>

#include "engine/store/store.h"
#include "engine/store/store_state.h"

namespace pitwall {
namespace {

constexpr std::size_t kIndexed = 3;  // characters
constexpr int kBefore = 24, kExcerpt = 64;

std::vector<std::string> words_of(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
  return words;
}

bool is_indexed(const std::string& word) {
  const auto characters = std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return static_cast<std::size_t>(characters) >= kIndexed;
}

/// A string of FTS5's query language; several in a row must all be there.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\" ";
}

/// Words without letters of ASCII have no case: instr() is twice as fast as LIKE on them.
bool has_case(const std::string& word) {
  return std::any_of(word.begin(), word.end(), [](unsigned char c) { return c < 0x80 && std::isalpha(c); });
}

std::string like_pattern(const std::string& word) {
  std::string pattern = "%";
  for (const char c : word) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

std::string has_all(const std::string& column, const std::vector<std::string>& words) {
  std::string condition;
  for (const std::string& word : words) {
    condition +=
        has_case(word) ? " AND " + column + " LIKE ? ESCAPE '\\'" : " AND instr(" + column + ", ?) > 0";
  }
  return condition;
}

/// Of has_all(), from `parameter` on; returns the parameter after them.
int bind_words(SQLite::Statement& query, int parameter, const std::vector<std::string>& words) {
  for (const std::string& word : words) query.bind(parameter++, has_case(word) ? like_pattern(word) : word);
  return parameter;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

std::vector<ChatHit> titles_with(SQLite::Database& database, const std::vector<std::string>& words,
                                 int limit) {
  SQLite::Statement query(database, "SELECT id, title, updated_utc FROM chats WHERE removed_utc = 0" +
                                        has_all("title", words) +
                                        " ORDER BY updated_utc DESC, id DESC LIMIT ?");
  query.bind(bind_words(query, 1, words), limit);
  std::vector<ChatHit> hits;
  while (query.executeStep()) {
    hits.push_back({query.getColumn(0).getInt64(),
                    0,
                    query.getColumn(1).getString(),
                    {},
                    query.getColumn(2).getInt64()});
  }
  return hits;
}

/// Words of at least kIndexed characters come from the index; the others narrow its answer, or all messages.
std::vector<ChatHit> messages_with(SQLite::Database& database, const std::vector<std::string>& words,
                                   int limit) {
  std::string match;
  std::vector<std::string> scanned;
  for (const std::string& word : words) {
    if (is_indexed(word)) {
      match += quoted(word);
    } else {
      scanned.push_back(word);
    }
  }
  const bool by_index = !match.empty();
  const std::string excerpt =
      by_index ? "snippet(message_search, 0, '', '', '…', " + std::to_string(kExcerpt) + ")"
               : "substr(m.content, max(1, instr(lower(m.content), lower(?)) - " + std::to_string(kBefore) +
                     "), " + std::to_string(kExcerpt) + ")";
  SQLite::Statement query(
      database,
      "SELECT m.chat, m.id, c.title, " + excerpt + ", m.created_utc FROM " +
          (by_index ? "message_search CROSS JOIN messages AS m ON m.id = message_search.rowid "
                    : "messages AS m ") +
          "CROSS JOIN chats AS c ON c.id = m.chat WHERE " + (by_index ? "message_search MATCH ? AND " : "") +
          "m.role <> 'system' AND m.removed_utc = 0 AND c.removed_utc = 0" + has_all("m.content", scanned) +
          " ORDER BY " + (by_index ? "message_search.rowid" : "m.id") + " DESC LIMIT ?");
  query.bind(1, by_index ? match : scanned.front());
  query.bind(bind_words(query, 2, scanned), limit);
  std::vector<ChatHit> hits;
  while (query.executeStep()) {
    hits.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                    query.getColumn(2).getString(), one_line(query.getColumn(3).getString()),
                    query.getColumn(4).getInt64()});
  }
  return hits;
}

}  // namespace

Result<std::vector<ChatHit>> Store::search_chats(const std::string& text, int limit) const {
  const auto words = words_of(text);
  if (words.empty()) return std::vector<ChatHit>();
  return state_->locked_chats("searching the chats",
                              [&](SQLite::Database& database) -> Result<std::vector<ChatHit>> {
                                auto hits = titles_with(database, words, limit);
                                auto messages = messages_with(database, words, limit);
                                hits.insert(hits.end(), std::make_move_iterator(messages.begin()),
                                            std::make_move_iterator(messages.end()));
                                return hits;
                              });
}

}  // namespace pitwall
