// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/run_recorder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "engine/base/threads.h"
#include "engine/serve/build_info.h"
#include "engine/serve/engine_loader.h"
#include "engine/serve/random_id.h"

namespace pitwall {

namespace {

template <class Record>
void append(std::vector<Record>& to, std::vector<Record>&& more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append(RunRows& to, RunRows&& more) {
  append(to.requests, std::move(more.requests));
  append(to.seconds, std::move(more.seconds));
  append(to.changes, std::move(more.changes));
  append(to.steps, std::move(more.steps));
  to.itl.merge(more.itl);
}

std::size_t count(const RunRows& rows) {
  return rows.requests.size() + rows.seconds.size() + rows.changes.size() + rows.steps.size();
}

}  // namespace

RunRecorder::RunRecorder(Recorder& recorder, const Ledger& ledger, RunSink* sink, RunHeader header)
    : recorder_(recorder),
      ledger_(ledger),
      sink_(sink),
      header_(std::move(header)),
      written_until_(header_.start_utc) {
  try_to_write();
  thread_ = std::thread([this] { loop(); });
}

RunRecorder::~RunRecorder() {
  end();
}

void RunRecorder::end(RunStatus status, const std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
  roll(true);
  if (sink_ == nullptr || begun_.value == 0) return;
  RunSummary summary = recorder_.summary();
  summary.status = status;
  summary.error = error;
  if (status == RunStatus::finished && !failing_.empty()) {
    summary.status = RunStatus::cut_off;
    summary.error = what_is_missing(summary.end_utc);
  }
  summary.ledger = ledger_.snapshot();
  if (auto ok = sink_->end(begun_, summary); !ok) put_off(ok.error());
}

std::string RunRecorder::what_is_missing(Nanos end_utc) const {
  const Nanos missing = std::max(Nanos{0}, end_utc - written_until_);
  return fmt::format("Its last {} s could not be written: {}", missing / kNanosPerSecond, failing_);
}

void RunRecorder::loop() {
  set_thread_name("pw-record");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; })) {
    lock.unlock();
    roll(false);
    lock.lock();
  }
}

void RunRecorder::roll(bool last) {
  RunRows rows = recorder_.roll(ledger_.snapshot(), last);
  if (sink_ == nullptr || given_up_) return;
  append(kept_, std::move(rows));
  try_to_write();
}

/// What is kept, after the run's beginning where that could not be written yet.
Result<void> RunRecorder::write() {
  if (begun_.value == 0) {
    auto begun = sink_->begin(header_);
    if (!begun) return begun.error();
    begun_ = *begun;
  }
  if (count(kept_) > 0) {
    if (auto ok = sink_->append(begun_, kept_); !ok) return ok;
    if (!kept_.seconds.empty()) written_until_ = kept_.seconds.back().utc + kNanosPerSecond;
    kept_ = {};
  }
  return {};
}

void RunRecorder::try_to_write() {
  if (sink_ == nullptr) return;
  if (auto ok = write(); !ok) return put_off(ok.error());
  if (!failing_.empty()) spdlog::info("the run is recorded again, with what happened in the meantime");
  failing_.clear();
  run_ = begun_.value;
}

void RunRecorder::put_off(const Error& error) {
  run_ = 0;
  const bool first = failing_.empty();
  failing_ = error.cause.empty() ? error.what : error.cause;
  if (error.kind == Error::Kind::not_found || error.kind == Error::Kind::invalid_input) {
    spdlog::warn("the run is given up; serving goes on: {}", error.text());
    sink_ = nullptr;
    kept_ = {};
  } else if (count(kept_) > kMostKept) {
    spdlog::warn("the run is given up but for its end; serving goes on: {}", error.text());
    given_up_ = true;
    kept_ = {};
  } else if (first) {
    spdlog::warn("the run is no longer recorded; serving goes on, and what happens is kept: {}",
                 error.text());
  }
}

RunHeader run_header(const EngineOptions& options, const LoadedEngine& loaded, const Ledger& ledger,
                     Nanos utc) {
  RunHeader header;
  header.uuid = random_uuid();
  header.name = options.run_name;
  header.kind = options.run_kind;
  header.start_utc = utc;
  header.engine_version = build_info().version;
  header.git_commit = build_info().git_commit;
  header.build_flags = build_info().flags;
  header.cpu = loaded.device.name;
  if (utsname system{}; uname(&system) == 0) header.os = std::string(system.sysname) + " " + system.release;
  header.cores = static_cast<int>(std::thread::hardware_concurrency());
  header.ram = ledger.snapshot().device_total;
  header.device = loaded.device.kind;
  header.model_path = loaded.model->path().string();
  header.model_name = loaded.served_name;
  header.architecture = loaded.model->spec().architecture;
  header.quantization = loaded.model->quantization();
  header.model_sha256 = loaded.model->header_sha256();
  for (const Settings::Entry& entry : options.settings.entries()) {
    const auto chosen = loaded.effective.find(entry.name);
    header.config.push_back({entry.name, chosen != loaded.effective.end() ? chosen->second : entry.value,
                             entry.default_value, entry.origin, entry.changed});
  }
  return header;
}

}  // namespace pitwall
