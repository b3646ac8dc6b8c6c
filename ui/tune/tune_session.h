// SPDX-License-Identifier: GPL-3.0-or-later
// TuneSession: the checklist that the page shows: read, changed, undone and measured. The page draws what it
// says.
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "engine/bench/checklist_runner.h"
#include "engine/plan/gpu_profile.h"
#include "engine/store/store.h"

namespace pitwall::ui {

class EngineController;

/// UI thread only; signals come on it. Reading runs on one thread of its own, measuring on another. The
/// references outlive it.
class TuneSession : public QObject {
  Q_OBJECT

 public:
  using FindGpu = std::function<Result<GpuProfile>(const std::string& name)>;
  TuneSession(EngineController& engine, Store& store, FindGpu find_gpu, QObject* parent = nullptr);
  ~TuneSession() override;  ///< what is being measured ends within a step or a warm-up

  void refresh();  ///< the list; opens the last changed one where none is open
  void open(std::int64_t id);
  void create(const Checklist& checklist);  ///< and opens it
  void remove();                            ///< the open one; its runs stay
  /// Keeps a checklist from a file's `text` with its runs, and opens it where nothing is measured.
  void import_file(const QString& path, std::shared_ptr<const std::string> text);
  void export_to(const QString& path);  ///< the open one: .html, .md or .json

  const std::vector<ChecklistListItem>& list() const { return list_; }
  bool listed() const { return listed_; }                    ///< the store has answered
  bool reading() const { return !listed_ || wanted_ != 0; }  ///< a checklist may come yet
  const std::optional<Checklist>& checklist() const { return checklist_; }
  const ItemResult& result(std::size_t item) const { return results_[item]; }
  const std::vector<ItemResult>& results() const { return results_; }
  const TunePoint& base() const { return base_; }
  std::vector<std::size_t> to_measure() const;      ///< items without a verdict, or with one of another base
  const RunHeader* header(std::int64_t run) const;  ///< of a run of the checklist; null until it is read

  /// Writes it down; undo() brings back what was there. Refused while it is measured.
  void change(Checklist changed);
  bool can_undo() const { return !undone_.empty() && !running(); }
  void undo();
  void decide(std::size_t item, ItemVerdict verdict);
  void decide_with_what_is_there(std::size_t item);  ///< by the pairs that did not fail
  /// Another of the values that were tried becomes the item's own, and is judged.
  void take_value(std::size_t item, const std::string& value);

  void run(std::vector<std::size_t> items);
  void run_again();               ///< what was run last
  void repeat(std::size_t item);  ///< as many repeats again, before and after
  void cancel();
  bool running() const { return cancel_ != nullptr; }
  const TuneProgress& progress() const { return progress_; }
  /// Seconds, of the item that is being measured, by what its runs took so far: counts down between them, and
  /// is nothing before the first and once it has passed.
  std::optional<double> time_left() const;

 Q_SIGNALS:
  void list_changed();
  void changed();           ///< checklist, results or running
  void progress_changed();  ///< while running
  void time_passed();       ///< while running: time_left() is less
  void failed(const pitwall::Error& error);
  void imported(const QString& path, const QString& name);
  void known_already(const QString& path, const QString& name, qint64 id);  ///< the import is refused
  void exported(const QString& path);
  void finished(const QString& sentence, bool well);  ///< measured to its end; well: nothing failed
  void interrupted(int measured);  ///< the checklist that was opened was cut off, after so many runs

 private:
  struct Read {
    Checklist checklist;
    KnownRuns known;
    std::map<std::int64_t, RunHeader> headers;
  };
  Result<Read> read(std::int64_t id) const;
  void show(Read read);
  void refuse_import(const QString& path, const Error& error);
  void forget();  // the open one: it is gone
  void update_results();
  void save(const Checklist& checklist);
  void went_on(const TuneProgress& progress);
  void measured(const std::string& key, int repeat, const MeasuredRun& run, RunHeader header);
  void ended(const Result<void>& result);
  void tell(std::function<void()> news);

  struct Threads;
  EngineController& engine_;
  Store& store_;
  FindGpu find_gpu_;
  std::vector<ChecklistListItem> list_;
  bool listed_ = false;
  std::optional<Checklist> checklist_;
  std::int64_t wanted_ = 0;  // being read
  KnownRuns known_;
  std::map<std::int64_t, RunHeader> headers_;
  std::vector<ItemResult> results_;
  TunePoint base_;
  std::vector<Checklist> undone_;
  std::shared_ptr<std::atomic<bool>> cancel_;  // of what is being measured; null = nothing is
  std::vector<std::size_t> asked_;             // of the last run
  TuneProgress progress_;
  QElapsedTimer item_time_, run_time_;  // of the item that is being measured; of its run
  std::optional<double> left_;          // seconds, when that run began
  QTimer second_;                       // while running: the time left is told anew
  std::size_t found_done_ = 0;          // of its runs, before it began
  std::unique_ptr<Threads> threads_;    // last: they join first
};

}  // namespace pitwall::ui
