// SPDX-License-Identifier: GPL-3.0-or-later
// Store: runs, checklists and chats in one SQLite file (WAL). Write before act: kill -9 loses at most the
// last second.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/checklist.h"
#include "engine/telemetry/run.h"

namespace pitwall {

struct RunListItem {
  RunId id;
  std::string name, kind, model, note;
  RunStatus status = RunStatus::recording;
  Nanos start_utc = 0, end_utc = 0;
  Nanos imported_utc = 0;  ///< 0 = recorded here
  std::int64_t requests = 0;
  double output_tokens_per_s = 0, ttft_p50_ms = 0, tpot_p50_ms = 0, max_itl_ms = 0;  ///< NaN when undefined
};

/// A run whose requests are too many to read at once.
struct RunPicture {
  Run run;                    ///< `requests`: all, or an even sample of them; `steps` left out
  std::int64_t requests = 0;  ///< that it has
  bool sampled() const { return requests > static_cast<std::int64_t>(run.requests.size()); }
};

struct ChecklistListItem {
  std::int64_t id = 0;
  std::string name;
  Nanos updated_utc = 0;
  Nanos imported_utc = 0;               ///< 0 = made here
  std::int64_t items = 0, decided = 0;  ///< decided: keep or revert
};
/// A finished run that names a checklist in its configuration.
struct ChecklistRun {
  RunId run;
  std::string key;  ///< "checklist.key": what was measured
  int repeat = 0;   ///< "checklist.repeat"
};

/// A text file sent with a message.
struct Attachment {
  std::string name, content;
  std::int64_t tokens = 0;  ///< 0 = not counted
};

/// A message of a chat. Messages form a tree: editing one or asking again adds a version with the same
/// parent.
struct ChatMessage {
  std::int64_t id = 0;
  std::int64_t parent = 0;  ///< the message before it; 0: it begins the chat, or is the system prompt
  std::string role, content;
  std::string model;
  std::string timings_json;  ///< what a reply cost, as JSON; empty for prompts
  std::string state;         ///< "complete", "streaming", "stopped", "error: …"
  Nanos created_utc = 0;
  bool chosen = true;  ///< the one that is shown of the versions with this parent
  std::vector<Attachment> attachments;
};
struct ChatListItem {
  std::int64_t id = 0;
  std::string title;
  Nanos updated_utc = 0;
};
/// Where a search found its words.
struct ChatHit {
  std::int64_t chat = 0;
  std::int64_t message = 0;    ///< 0: in the title
  std::string title, excerpt;  ///< excerpt: one piece of the message around a hit, on one line
  Nanos utc = 0;               ///< of the message, or of the chat's last change
};

/// What came over from a damaged file.
struct SalvagedRows {
  std::int64_t rows = 0;  ///< of all tables
  std::int64_t runs = 0, checklists = 0, chats = 0;
};
struct StoreDamage {
  std::filesystem::path moved_to;  ///< the damaged file, as it was
  SalvagedRows salvaged;           ///< what is in the new one
};

/// Removed chats and messages are kept this long.
inline constexpr Nanos kKeepRemoved = Nanos{30} * 24 * 3600 * kNanosPerSecond;

/// Thread-safe (one connection behind a lock).
class Store final : public RunSink {
 public:
  /// Creates or opens; migrates older schemas step by step; refuses a newer one with both versions. A damaged
  /// file is moved aside, what can be read of it comes into a new one, and `damage()` says so. Runs left in
  /// `recording` by a dead process become `cut_off`.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file);
  /// `read_only` refuses what would write but chats: they end with the program, as all that is `unkept`.
  enum class Access { kept, read_only, unkept };
  /// For when open() fails: the file as it is, where it can be read and has this program's schema, else an
  /// empty store in memory. The disk is left alone.
  static Result<std::unique_ptr<Store>> stand_in(const std::filesystem::path& file);
  Access access() const;
  static std::filesystem::path default_file();  ///< data_folder()/pitwall.db
  ~Store() override;
  static int schema_version();                       ///< of this program
  const std::optional<StoreDamage>& damage() const;  ///< found when it was opened

  // RunSink
  Result<RunId> begin(const RunHeader& header) override;
  Result<void> append(RunId run, const RunRows& rows) override;
  Result<void> end(RunId run, const RunSummary& summary) override;

  Result<std::vector<RunListItem>> runs() const;  ///< newest first
  Result<Run> run(RunId id) const;                ///< Error::not_found names the id
  /// Summary, seconds and changes whole, and at most about `most_requests` requests, in their order.
  Result<RunPicture> run_picture(RunId id, std::int64_t most_requests) const;
  /// Those with the longest ITL first; `skip` of them are left out, then come at most `count`.
  Result<std::vector<RequestRecord>> worst_requests(RunId id, std::int64_t skip, std::int64_t count) const;
  /// Keeps a run that has ended elsewhere; one that was still recorded there is cut off here. Its number is a
  /// new one. One that is here already, by its uuid, is refused: Error::busy, `param` is its number.
  Result<RunId> import_run(const Run& run);
  Result<void> set_note(RunId id, const std::string& note);
  Result<void> remove_run(RunId id);

  /// As it is then: with an id, times, and a uuid where it had none. Its own id is not looked at.
  Result<Checklist> add_checklist(const Checklist& checklist);
  /// Keeps a checklist of another store with its runs, all or nothing; runs that are here already stay as
  /// they are. One that is here already, by its uuid, is refused: Error::busy, `param` is its number.
  Result<Checklist> import_checklist(const Checklist& checklist, const std::vector<Run>& runs);
  /// Replaces all of it, items included, and sets updated_utc. Error::busy when somebody else has saved it
  /// since it was read, which updated_utc tells.
  Result<void> save_checklist(Checklist& checklist);
  Result<void> remove_checklist(std::int64_t checklist);      ///< its runs stay
  Result<std::vector<ChecklistListItem>> checklists() const;  ///< last changed first
  Result<Checklist> checklist(std::int64_t id) const;         ///< Error::not_found names the id
  Result<std::vector<ChecklistRun>> checklist_runs(std::int64_t checklist) const;  ///< oldest first

  Result<std::int64_t> create_chat(const std::string& title);
  Result<void> rename_chat(std::int64_t chat, const std::string& title);
  Result<void> remove_chat(std::int64_t chat);  ///< out of lists and searches; gone after kKeepRemoved
  Result<void> restore_chat(std::int64_t chat);
  Result<std::vector<ChatListItem>> chats() const;                     ///< last changed first
  Result<std::vector<ChatListItem>> removed_chats() const;             ///< last removed first
  Result<std::vector<ChatMessage>> messages(std::int64_t chat) const;  ///< all versions, oldest first
  /// It becomes the chosen one of its versions.
  Result<std::int64_t> add_message(std::int64_t chat, const ChatMessage& message);
  Result<void> update_message(const ChatMessage& message);  ///< content, model, timings, state
  Result<void> choose_message(std::int64_t message);        ///< and all that lead to it
  Result<void> remove_message(std::int64_t message);        ///< with all that follow it
  Result<void> restore_message(std::int64_t message);       ///< with what was removed with it
  /// Chats and messages that have all words of `text`, as parts of words too: titles first, then the newest.
  /// At most `limit` of each.
  Result<std::vector<ChatHit>> search_chats(const std::string& text, int limit) const;

 private:
  Store();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
