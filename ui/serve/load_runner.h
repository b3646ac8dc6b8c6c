// SPDX-License-Identifier: GPL-3.0-or-later
// LoadRunner: a bench workload against the serving engine, off the UI thread, stored as a run of its own.
#pragma once
#include <QObject>
#include <memory>
#include <optional>
#include <string>

#include "engine/bench/bench_job.h"

namespace pitwall::ui {

class EngineController;

struct LoadWish {
  std::string workload = "chat";
  int requests = 0;                  ///< 0 = the workload's number
  std::optional<int> at_once;        ///< limit of requests at the same time
  std::optional<double> per_second;  ///< none = the workload's rate
  Objectives objectives;
};

/// UI thread only. The engine outlives the load: it is cancelled when the engine stops serving.
class LoadRunner : public QObject {
  Q_OBJECT

 public:
  explicit LoadRunner(EngineController& engine, QObject* parent = nullptr);
  ~LoadRunner() override;  ///< cancels
  /// Error::busy while one runs, Error::invalid_input where nothing serves.
  Result<void> start(const LoadWish& wish);
  void cancel();  ///< finished() comes all the same
  bool running() const;

 Q_SIGNALS:
  void progress(const pitwall::PlayProgress& progress, bool warming_up);
  void finished(const pitwall::Result<pitwall::LoadReport>& report);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
