// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/measured_runs.h"

#include "engine/store/store.h"
#include "ui/shell/engine_controller.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

MeasuredRuns::MeasuredRuns(EngineController& engine, Store& store, QObject* parent)
    : QObject(parent), engine_(engine), store_(store) {
  connect(&engine, &EngineController::state_changed, this, [this](EngineState state) {
    if (state != EngineState::serving && state != EngineState::stopped) return;
    runs_.clear();
    Q_EMIT changed();
  });
}

std::optional<MeasuredMemory> MeasuredRuns::find(const QString& model) {
  if (engine_.engine() != nullptr && engine_.model_path() == model)
    if (const auto snapshot = engine_.snapshot()) return MeasuredMemory{tr("now"), snapshot->ledger};
  if (const auto known = runs_.find(model); known != runs_.end()) return known->second;
  look_up(model);
  return std::nullopt;
}

void MeasuredRuns::look_up(const QString& model) {
  if (looking_.contains(model)) return;
  looking_.insert(model);
  thread_.post([this, model, path = model.toStdString()] {
    std::optional<MeasuredMemory> found;
    if (const auto items = store_.runs())
      for (const RunListItem& item : *items) {
        if (item.status != RunStatus::finished || path.find(item.model) == std::string::npos) continue;
        const auto run = store_.run(item.id);
        if (!run || run->header.model_path != path) continue;
        found = MeasuredMemory{run_name(item.id.value), run->summary.ledger};
        break;
      }
    QMetaObject::invokeMethod(
        this,
        [this, model, found] {
          looking_.remove(model);
          runs_[model] = found;
          if (found) Q_EMIT changed();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace pitwall::ui
