// SPDX-License-Identifier: GPL-3.0-or-later
// Load from the page: asks what to send, and is one line over the live view while it runs: how far it is, and
// Cancel.
#pragma once
#include "ui/serve/load_runner.h"
#include "ui/serve/progress_strip.h"
#include "ui/shell/page.h"

namespace pitwall::ui {

class EngineController;

class LoadStrip : public ProgressStrip {
  Q_OBJECT

 public:
  explicit LoadStrip(EngineController& engine, QWidget* parent = nullptr);
  void ask(const Objectives& objectives);  ///< opens the dialog; the engine serves
  void start(const LoadWish& wish);
  bool running() const { return loads_->running(); }

 Q_SIGNALS:
  void began(const QString& what, const QString& detail);
  void ended();
  void banner_requested(const pitwall::ui::Banner& banner);
  void job_went_on(const pitwall::ui::Job& job);
  void job_ended(const QString& id);
  void run_requested(qint64 run);

 private:
  void show_load(const PlayProgress& progress, bool warming_up);
  void show_end(const Result<LoadReport>& report);
  EngineController& engine_;
  LoadRunner* loads_;
  LoadWish last_;
};

}  // namespace pitwall::ui
