// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: rail, top bar, banner, pages, status bar. It knows pages by their contract alone.
#pragma once
#include <QMainWindow>

#include <vector>

#include "ui/shell/page.h"

class QStackedWidget;

namespace pitwall::ui {

class BannerBar;
struct Command;
class EngineController;
class Preferences;
class Rail;
class StatusBar;
class TopBar;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(EngineController& engine, Preferences& preferences, QWidget* parent = nullptr);

  /// Takes the page. `icon`: name in resources/icons; `key` jumps to it. Pages at the foot of the rail stand
  /// apart.
  void add_page(Page* page, const QString& icon, const QKeySequence& key, bool foot = false);
  void show_page(const QString& id);  ///< unknown ids do nothing
  Page* page(const QString& id) const;
  Page* current_page() const;
  QStringList page_ids() const;
  void post(const Banner& banner);
  void restore();  ///< geometry and last page of the last time

 protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QAction* add_action(const QString& id, const QString& text, const QKeySequence& key);
  std::vector<Command> commands() const;
  void show_shortcuts();
  void show_palette();
  Preferences& preferences_;
  Rail* rail_;
  TopBar* top_bar_;
  BannerBar* banner_;
  QStackedWidget* pages_;
  StatusBar* status_bar_;
};

}  // namespace pitwall::ui
