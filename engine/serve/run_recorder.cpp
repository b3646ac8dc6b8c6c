// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/run_recorder.h"

#include <spdlog/spdlog.h>
#include <sys/utsname.h>

#include <chrono>
#include <thread>

#include "engine/base/threads.h"
#include "engine/serve/build_info.h"
#include "engine/serve/engine_loader.h"
#include "engine/serve/random_id.h"

namespace pitwall {

RunRecorder::RunRecorder(Recorder& recorder, const Ledger& ledger, RunSink* sink, const RunHeader& header)
    : recorder_(recorder), ledger_(ledger), sink_(sink) {
  if (sink_ != nullptr) {
    if (auto run = sink_->begin(header)) {
      run_ = run->value;
    } else {
      give_up(run.error());
    }
  }
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
  if (sink_ == nullptr) return;
  RunSummary summary = recorder_.summary();
  summary.status = status;
  summary.error = error;
  summary.ledger = ledger_.snapshot();
  if (auto ok = sink_->end(run(), summary); !ok) give_up(ok.error());
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
  const RunRows rows = recorder_.roll(ledger_.snapshot(), last);
  const bool nothing =
      rows.requests.empty() && rows.seconds.empty() && rows.changes.empty() && rows.steps.empty();
  if (sink_ == nullptr || nothing) return;
  if (auto ok = sink_->append(run(), rows); !ok) give_up(ok.error());
}

void RunRecorder::give_up(const Error& error) {
  spdlog::warn("the run is no longer recorded; serving goes on: {}", error.text());
  sink_ = nullptr;
  run_ = 0;
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
