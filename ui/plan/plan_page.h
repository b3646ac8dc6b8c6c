// SPDX-License-Identifier: GPL-3.0-or-later
// The plan page: a deployment and its alternatives, what they hold, how fast they should be, and what to
// change.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/plan/deployment.h"
#include "engine/plan/gpu_profile.h"
#include "ui/shell/page.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

class EngineController;
class Preferences;

/// A GPU's profile by name; may take seconds, and is called on a thread of its own.
using GpuSource = std::function<Result<GpuProfile>(const std::string& name)>;

/// UI thread only. The references outlive the page. Headers of models are read on a thread of its own; plans
/// are made on the UI thread, once for all changes of one turn of the event loop.
class PlanPage : public Page {
  Q_OBJECT

 public:
  PlanPage(EngineController& engine, Store& store, Preferences& preferences, GpuSource find_gpu,
           QWidget* parent = nullptr);
  ~PlanPage() override;
  QString id() const override;
  QString title() const override;
  QList<QWidget*> context_widgets() override;
  QList<QAction*> page_actions() override;
  void activated() override;
  bool accepts(const QString& path) const override;  ///< a config.json, or a folder with one
  void open(const QString& path) override;

  void start(const Deployment& deployment);
  void compare(const std::vector<Deployment>& deployments);  ///< all pinned, the first the subject
  bool answered() const;                                     ///< all that was asked has its answer
  double last_answer_ms() const;                             ///< how long the last turn's plans took
  void save_as(const QString& name);

 Q_SIGNALS:
  /// Settings of setting_table() for the Serve page.
  void serve_requested(const QString& model,
                       const std::vector<std::pair<std::string, std::string>>& settings);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
