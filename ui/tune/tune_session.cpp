// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_session.h"

#include <algorithm>

#include "engine/base/threads.h"
#include "engine/bench/checklist_measure.h"
#include "ui/shell/engine_controller.h"
#include "ui/tune/checklist_file.h"
#include "ui/tune/model_check.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

namespace {

/// Nothing measures it: what says so was cut off, and goes on when it is run.
bool end_running(Checklist& checklist) {
  bool any = false;
  for (Item& item : checklist.items)
    if (item.verdict == ItemVerdict::running) {
      item.verdict = ItemVerdict::planned;
      any = true;
    }
  return any;
}

}  // namespace

struct TuneSession::Threads {
  WorkerPool reader{1, "tune"};
  WorkerPool bench{1, "tune bench"};
};

TuneSession::TuneSession(EngineController& engine, Store& store, FindGpu find_gpu, QObject* parent)
    : QObject(parent),
      engine_(engine),
      store_(store),
      find_gpu_(std::move(find_gpu)),
      threads_(std::make_unique<Threads>()) {
  second_.setInterval(1000);
  connect(&second_, &QTimer::timeout, this, &TuneSession::time_passed);
}

TuneSession::~TuneSession() {
  cancel();
  threads_.reset();
}

void TuneSession::tell(std::function<void()> news) {
  QMetaObject::invokeMethod(this, std::move(news), Qt::QueuedConnection);
}

void TuneSession::refresh() {
  threads_->reader.post([this] {
    auto list = store_.checklists();
    tell([this, list = std::move(list)]() mutable {
      listed_ = true;
      if (!list) return void(Q_EMIT failed(list.error()));
      list_ = std::move(*list);
      if (!checklist_ && wanted_ == 0 && !list_.empty()) open(list_.front().id);
      Q_EMIT list_changed();
    });
  });
}

Result<TuneSession::Read> TuneSession::read(std::int64_t id) const {
  Read read;
  auto checklist = store_.checklist(id);
  if (!checklist) return checklist.error();
  read.checklist = std::move(*checklist);
  const auto runs = store_.checklist_runs(id);
  if (!runs) return runs.error();
  for (const ChecklistRun& one : *runs) {
    auto run = store_.run(one.run);
    if (!run) continue;  // removed meanwhile
    read.known[one.key][one.repeat] = {run_figures(*run, {}), one.run.value};
    read.headers[one.run.value] = std::move(run->header);
  }
  return read;
}

void TuneSession::open(std::int64_t id) {
  if (running() || wanted_ == id) return;
  wanted_ = id;
  threads_->reader.post([this, id] {
    auto result = read(id);
    tell([this, id, result = std::move(result)]() mutable {
      if (wanted_ != id) return;  // another one was chosen meanwhile
      wanted_ = 0;
      if (!result) return void(Q_EMIT failed(result.error()));
      undone_.clear();
      show(std::move(*result));
    });
  });
}

void TuneSession::show(Read read) {
  const bool cut_off = end_running(read.checklist);
  checklist_ = std::move(read.checklist);
  known_ = std::move(read.known);
  headers_ = std::move(read.headers);
  update_results();
  Q_EMIT changed();
  if (cut_off) Q_EMIT interrupted(static_cast<int>(headers_.size()));
}

void TuneSession::update_results() {
  results_.clear();
  for (std::size_t i = 0; i < checklist_->items.size(); ++i)
    results_.push_back(result_of(*checklist_, i, known_));
  base_ = results_.empty() ? TunePoint{} : results_.front().before;
}

std::vector<std::size_t> TuneSession::to_measure() const {
  std::vector<std::size_t> items;
  if (!checklist_) return items;
  for (std::size_t i = 0; i < checklist_->items.size(); ++i)
    if (!checklist_->items[i].decided() || is_outdated(checklist_->items[i], results_[i])) items.push_back(i);
  return items;
}

const RunHeader* TuneSession::header(std::int64_t run) const {
  const auto found = headers_.find(run);
  return found == headers_.end() ? nullptr : &found->second;
}

void TuneSession::create(const Checklist& checklist) {
  if (running()) return;
  auto added = store_.add_checklist(checklist);
  if (!added) return void(Q_EMIT failed(added.error()));
  wanted_ = 0;
  undone_.clear();
  show({std::move(*added), {}, {}});
  refresh();
}

void TuneSession::remove() {
  if (!checklist_ || running()) return;
  if (auto removed = store_.remove_checklist(checklist_->id); !removed)
    return void(Q_EMIT failed(removed.error()));
  forget();
}

void TuneSession::forget() {
  checklist_.reset();
  results_.clear();
  undone_.clear();
  Q_EMIT changed();
  refresh();
}

void TuneSession::import_file(const QString& path, std::shared_ptr<const std::string> text) {
  threads_->reader.post([this, path, text = std::move(text)] {
    tell([this, path, result = import_checklist_file(store_, path, *text)] {
      if (!result) return refuse_import(path, result.error());
      Q_EMIT imported(path, engine_words(result->name));
      open(result->id);
      refresh();
    });
  });
}

void TuneSession::refuse_import(const QString& path, const Error& error) {
  const auto known = std::find_if(list_.begin(), list_.end(), [&error](const ChecklistListItem& one) {
    return std::to_string(one.id) == error.param;
  });
  if (error.kind != Error::Kind::busy || known == list_.end()) return void(Q_EMIT failed(error));
  Q_EMIT known_already(path, engine_words(known->name), known->id);
}

void TuneSession::export_to(const QString& path) {
  if (!checklist_) return;
  threads_->reader.post([this, path, checklist = *checklist_, results = results_] {
    tell([this, path, result = write_checklist_file(store_, checklist, results, path)] {
      if (!result) return void(Q_EMIT failed(result.error()));
      Q_EMIT exported(path);
    });
  });
}

void TuneSession::save(const Checklist& checklist) {
  Checklist stamped = checklist;
  stamped.updated_utc = checklist_->updated_utc;  // an older version comes back over what is there now
  if (auto saved = store_.save_checklist(stamped); !saved) {
    Q_EMIT failed(saved.error());
    return saved.error().kind == Error::Kind::not_found ? forget() : open(checklist_->id);
  }
  checklist_ = std::move(stamped);
  update_results();
  Q_EMIT changed();
}

void TuneSession::change(Checklist changed) {
  if (!checklist_ || running()) return;
  if (auto sound = check(changed); !sound) return void(Q_EMIT failed(sound.error()));
  undone_.push_back(*checklist_);
  save(changed);
}

void TuneSession::undo() {
  if (!can_undo()) return;
  const Checklist before = std::move(undone_.back());
  undone_.pop_back();
  save(before);
}

void TuneSession::decide(std::size_t item, ItemVerdict verdict) {
  if (!checklist_ || item >= checklist_->items.size()) return;
  Checklist changed = *checklist_;
  Item& one = changed.items[item];
  if (results_[item].pairs > 0) judge(changed, one, results_[item]);
  one.verdict = verdict;
  one.by_user = true;
  one.error.clear();
  change(std::move(changed));
}

void TuneSession::decide_with_what_is_there(std::size_t item) {
  if (!checklist_ || item >= checklist_->items.size() || results_[item].pairs == 0) return;
  Checklist changed = *checklist_;
  Item& one = changed.items[item];
  one.repeats = results_[item].pairs;
  one.error.clear();
  judge(changed, one, result_of(changed, item, known_));
  change(std::move(changed));
}

std::optional<double> TuneSession::time_left() const {
  if (!left_) return std::nullopt;
  const double left = *left_ - static_cast<double>(run_time_.elapsed()) / 1000;
  return left > 0 ? std::optional(left) : std::nullopt;
}

void TuneSession::went_on(const TuneProgress& progress) {
  if (progress.item != progress_.item || !item_time_.isValid()) {
    item_time_.start();
    found_done_ = progress.done;
  }
  progress_ = progress;
  run_time_.start();
  left_.reset();
  if (progress.done > found_done_) {
    const double each =
        static_cast<double>(item_time_.elapsed()) / 1000 / static_cast<double>(progress.done - found_done_);
    left_ = each * static_cast<double>(progress.total - progress.done);
  }
  Q_EMIT progress_changed();
}

void TuneSession::take_value(std::size_t item, const std::string& value) {
  if (!checklist_ || item >= checklist_->items.size()) return;
  Checklist changed = *checklist_;
  Item& one = changed.items[item];
  std::vector<std::string> others{one.changes.front().to};
  for (const std::string& tried : also_values(one))
    if (tried != value) others.push_back(tried);
  one.also.clear();
  for (const std::string& other : others) one.also += (one.also.empty() ? "" : ",") + other;
  one.changes.front().to = value;
  one.by_user = false;
  judge(changed, one, result_of(changed, item, known_));
  change(std::move(changed));
}

void TuneSession::repeat(std::size_t item) {
  if (!checklist_ || running() || item >= checklist_->items.size()) return;
  Checklist changed = *checklist_;
  Item& one = changed.items[item];
  // After a failure the missing ones; else as many again.
  if (one.error.empty()) one.repeats = repeats_of(changed, one) + changed.repeats;
  change(std::move(changed));
  run({item});
}

void TuneSession::run(std::vector<std::size_t> items) {
  if (!checklist_ || running() || items.empty()) return;
  if (auto sound = check_model(*checklist_); !sound) return void(Q_EMIT failed(sound.error()));
  TuneEnvironment environment;
  environment.runs = &store_;
  environment.read_run = [this](RunId id) { return store_.run(id); };
  environment.make_backend = engine_.backend_factory();
  environment.find_gpu = find_gpu_;
  if (checklist_->target == TuneTarget::running_engine) {
    if (engine_.engine() == nullptr)
      return void(Q_EMIT failed({Error::Kind::busy, "No engine runs", "This checklist is measured on it",
                                 "Start one on the Serve page, or choose another target", "target"}));
    environment.server.url = engine_.url().toStdString();
    environment.server.api_key = engine_.settings().text("api-key");
    environment.tokenizer = engine_.engine()->tokenizer();
  }
  asked_ = items;
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  environment.cancel = cancel_.get();
  progress_ = {items.front(), 0, 0, {}, 0};
  item_time_.invalidate();
  left_.reset();
  second_.start();
  TuneCallbacks callbacks;
  callbacks.on_progress = [this](const TuneProgress& progress) {
    tell([this, progress] { went_on(progress); });
  };
  callbacks.on_change = [this, saved_utc = checklist_->updated_utc](const Checklist& now) mutable {
    Checklist stamped = now;
    stamped.updated_utc = saved_utc;
    auto saved = store_.save_checklist(stamped);
    if (!saved) return saved;  // the window shows what is stored
    saved_utc = stamped.updated_utc;
    tell([this, stamped] {
      checklist_ = stamped;
      update_results();
      Q_EMIT changed();
    });
    return saved;
  };
  callbacks.on_measured = [this](const std::string& key, int repeat, const MeasuredRun& run) {
    const auto stored = store_.run(RunId{run.run});
    tell([this, key, repeat, run, header = stored ? stored->header : RunHeader{}]() mutable {
      measured(key, repeat, run, std::move(header));
    });
  };
  Q_EMIT changed();
  threads_->bench.post([this, items = std::move(items), checklist = *checklist_, known = known_,
                        environment = std::move(environment), callbacks = std::move(callbacks),
                        cancel = cancel_]() mutable {
    Result<void> result;
    {
      ChecklistRunner runner(checklist, std::move(known),
                             make_measure(checklist.target, std::move(environment)), std::move(callbacks),
                             *cancel);
      result = runner.run(items);
    }  // an engine of its own has ended
    tell([this, result] { ended(result); });
  });
}

void TuneSession::run_again() {
  std::erase_if(asked_, [this](std::size_t item) { return !checklist_ || item >= checklist_->items.size(); });
  run(asked_);
}

void TuneSession::measured(const std::string& key, int repeat, const MeasuredRun& run, RunHeader header) {
  known_[key][repeat] = run;
  headers_[run.run] = std::move(header);
  update_results();
  Q_EMIT changed();
}

void TuneSession::ended(const Result<void>& result) {
  cancel_.reset();
  second_.stop();
  end_running(*checklist_);  // whose end could not be written
  Q_EMIT changed();
  refresh();
  if (result) {
    std::int64_t decided = 0, failed_items = 0;
    for (const Item& item : checklist_->items) {
      decided += item.decided() ? 1 : 0;
      failed_items += item.error.empty() ? 0 : 1;
    }
    QString sentence = tr("%1: %2 of %3 decided")
                           .arg(engine_words(checklist_->name))
                           .arg(decided)
                           .arg(checklist_->items.size());
    if (failed_items > 0) sentence += tr(", %1 failed").arg(failed_items);
    Q_EMIT finished(sentence, failed_items == 0);
  } else if (result.error().kind != Error::Kind::cancelled) {
    Q_EMIT failed(result.error());
  }
}

void TuneSession::cancel() {
  if (cancel_) *cancel_ = true;
}

}  // namespace pitwall::ui
