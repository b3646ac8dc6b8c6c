// SPDX-License-Identifier: GPL-3.0-or-later
// MeasuredRuns: what the engine's ledger said of a model: now, or at the end of its last run.
#pragma once
#include <QObject>
#include <QSet>
#include <QString>
#include <map>
#include <optional>

#include "engine/base/threads.h"
#include "ui/plan/rank_bars.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

class EngineController;

/// UI thread only; the store is read on a thread of its own. Both references outlive it.
class MeasuredRuns : public QObject {
  Q_OBJECT

 public:
  MeasuredRuns(EngineController& engine, Store& store, QObject* parent = nullptr);
  /// Of the model at that path; none where it never ran, or until changed() says that the store has answered.
  std::optional<MeasuredMemory> find(const QString& model);

 Q_SIGNALS:
  void changed();

 private:
  void look_up(const QString& model);
  EngineController& engine_;
  Store& store_;
  std::map<QString, std::optional<MeasuredMemory>> runs_;
  QSet<QString> looking_;
  WorkerPool thread_{1, "measured runs"};  // last: it joins first
};

}  // namespace pitwall::ui
