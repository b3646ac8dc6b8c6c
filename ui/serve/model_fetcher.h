// SPDX-License-Identifier: GPL-3.0-or-later
// One fetch at a time on a thread of its own; what it says arrives on the UI thread.
#pragma once
#include <QObject>
#include <atomic>
#include <functional>
#include <memory>

#include "engine/base/threads.h"
#include "engine/library/fetch.h"

namespace pitwall::ui {

/// UI thread only. The destructor cancels and waits.
class ModelFetcher : public QObject {
  Q_OBJECT

 public:
  using Job = std::function<Result<std::filesystem::path>(const FetchOptions& options)>;

  explicit ModelFetcher(QObject* parent = nullptr);
  ~ModelFetcher() override;

  bool running() const { return cancel_ != nullptr; }
  void start(Job job);  ///< of no effect while one runs
  void cancel();        ///< finished() follows

 Q_SIGNALS:
  void progressed(const pitwall::FetchProgress& progress);
  void noted(const QString& sentence);
  void finished(const pitwall::Result<std::filesystem::path>& fetched);

 private:
  std::shared_ptr<std::atomic<bool>> cancel_;  // of the fetch that runs
  WorkerPool thread_{1, "model fetcher"};      // last: it joins first
};

}  // namespace pitwall::ui
