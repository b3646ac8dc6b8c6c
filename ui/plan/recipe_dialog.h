// SPDX-License-Identifier: GPL-3.0-or-later
// "Tuning recipe…": a published way of tuning, step by step, played in the simulator beside its source's
// figures.
#pragma once
#include <QDialog>
#include <atomic>
#include <memory>
#include <vector>

#include "engine/base/threads.h"
#include "engine/bench/tuning_recipe.h"
#include "engine/plan/deployment.h"

class QComboBox;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace pitwall::ui {

class DataTable;
class Label;

/// UI thread only. Steps are simulated on a thread of its own, one after the other, and shown as they come;
/// closing ends it after the step that runs.
class RecipeDialog : public QDialog {
  Q_OBJECT

 public:
  explicit RecipeDialog(QWidget* parent = nullptr);
  ~RecipeDialog() override;

 Q_SIGNALS:
  void step_chosen(const pitwall::Deployment& deployment);

 private:
  void build();
  void choose_recipe();
  void run();
  void cancel();
  void take_step(const PlayedStep& step);
  void take_end(const QString& trouble);
  void show_steps();
  void show_progress();
  void put_step();

  TuningRecipe recipe_;
  std::vector<PlayedStep> played_;
  std::shared_ptr<std::atomic<bool>> stop_;  ///< of the run that goes on; null while none does
  QComboBox *recipes_, *gpus_;
  Label *source_, *deployment_, *summary_, *progress_text_;
  DataTable* table_;
  QProgressBar* progress_;
  QPlainTextEdit* notes_;
  QPushButton *run_, *put_;
  WorkerPool thread_;  // last: it joins first
};

}  // namespace pitwall::ui
