// SPDX-License-Identifier: GPL-3.0-or-later
// The reports page: the stored runs on the left; one run, or several side by side, on the right.
#pragma once
#include <memory>
#include <vector>

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
  void records_changed() override;
  std::vector<PaletteEntry> palette_entries() override;
  bool accepts(const QString& path) const override;  ///< .json and .jsonl files
  void open(const QString& path) override;           ///< imports it
  bool opens_several() const override { return true; }
  void open_run(qint64 run);                           ///< id in the store
  void compare_runs(const std::vector<qint64>& runs);  ///< two to eight; the first is the reference
  /// What is shown, the run or the comparison; the suffix says in which format. A banner tells how it went.
  void export_to(const QString& path);
  void import_files(const QStringList& paths);  ///< a banner for each tells how it went; the last one opens

 Q_SIGNALS:
  void page_requested(const QString& page);   ///< id of the page that has the next action: "serve"
  void checklist_found(const QString& path);  ///< among what was to be imported: the Tune page takes it

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pitwall::ui
