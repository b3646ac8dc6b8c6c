// SPDX-License-Identifier: GPL-3.0-or-later
// The tune page: a checklist's items, throughput against latency, one item's effect, and what to keep.
#pragma once
#include <memory>

#include "engine/telemetry/checklist.h"
#include "ui/shell/page.h"
#include "ui/tune/tune_session.h"

namespace pitwall::ui {

/// UI thread only. The references outlive the page.
class TunePage : public Page {
  Q_OBJECT

 public:
  TunePage(EngineController& engine, Store& store, TuneSession::FindGpu find_gpu, QWidget* parent = nullptr);
  ~TunePage() override;
  QString id() const override;
  QString title() const override;
  QList<QWidget*> context_widgets() override;
  QList<QAction*> page_actions() override;
  void activated() override;
  std::vector<PaletteEntry> palette_entries() override;
  Badge badge() const override;                      ///< what was measured and waits for a decision
  bool accepts(const QString& path) const override;  ///< an exported checklist, by how it begins
  bool opens_several() const override { return true; }
  void open(const QString& path) override;  ///< imports it

  TuneSession& session();
  void start(const Checklist& checklist);  ///< a new one, opened
  void choose(int item);                   ///< index
  void export_to(const QString& path);     ///< the report: .html, .md or .json

 Q_SIGNALS:
  void page_requested(const QString& page);  ///< id of the page that has the next action: "serve"

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
