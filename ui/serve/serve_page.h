// SPDX-License-Identifier: GPL-3.0-or-later
// The serve page: choose a model, set the engine up, start it, and watch it run.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ui/shell/page.h"

namespace pitwall {
struct Snapshot;
}

namespace pitwall::ui {

class EngineController;
class Preferences;

/// UI thread only. Both references outlive the page. No disk is waited for on it.
class ServePage : public Page {
  Q_OBJECT

 public:
  ServePage(EngineController& engine, Preferences& preferences, QWidget* parent = nullptr);
  ~ServePage() override;
  QString id() const override;
  QString title() const override;
  QList<QWidget*> context_widgets() override;
  QList<QAction*> page_actions() override;
  void activated() override;
  std::vector<PaletteEntry> palette_entries() override;
  bool accepts(const QString& path) const override;  ///< a .gguf, or config.json with its weights
  void open(const QString& path) override;

  void choose_model(const QString& path);
  QString chosen_model() const;
  /// For this session only: what the command line says is not remembered.
  Result<void> set_setting(std::string_view name, std::string_view text);
  void start();  ///< the chosen model with the form's settings
  void stop();   ///< also cancels a load
  /// A plan's model and settings, for this session; the page shows itself. A model that is not here, or a
  /// setting that is not taken, is said in a banner.
  void take_plan(const QString& model, const std::vector<std::pair<std::string, std::string>>& settings);

 Q_SIGNALS:
  void page_requested(const QString& id);
  void run_requested(qint64 run);  ///< to be shown on its page

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit_right();
  struct State;
  void build();
  void build_actions();
  void connect_engine();
  void connect_models();
  void connect_live();
  void build_top_bar();
  void show_state();
  void show_device();
  void take_snapshot();
  void watch_recording(const Snapshot& snapshot);
  void show_snapshot();
  void plan_memory();
  void show_error();
  void show_warnings();
  void show_setting(const std::string& name);  ///< puts the focus into its field
  void refuse_plan(const QString& model, const Error& error);
  void load();
  void restart();
  void offer_restart();
  void look_at_model(std::function<void()> then);
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
