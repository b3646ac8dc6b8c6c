// SPDX-License-Identifier: GPL-3.0-or-later
// The reports page: the stored runs on the left, one run's figures, charts and requests on the right.
#pragma once
#include <memory>

#include "ui/shell/page.h"

namespace pitwall {
class Store;
}

namespace pitwall::ui {

class EngineController;

/// UI thread only. Both references outlive the page. Reads the store on a thread of its own.
class ReportsPage : public Page {
  Q_OBJECT

 public:
  ReportsPage(EngineController& engine, Store& store, QWidget* parent = nullptr);
  ~ReportsPage() override;
  QString id() const override;
  QString title() const override;
  QList<QAction*> page_actions() override;
  void activated() override;
  std::vector<PaletteEntry> palette_entries() override;
  void open_run(qint64 run);  ///< id in the store
  void export_to(
      const QString& path);  ///< the run shown; by suffix .html, .json, .csv, .md; a banner tells how it went

 Q_SIGNALS:
  void page_requested(const QString& page);  ///< id of the page that has the next action: "serve"

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
