// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: rail, top bar, banner, pages, status bar. It knows pages by their contract alone.
#pragma once
#include <QMainWindow>

#include <vector>

#include "ui/shell/page.h"

class QStackedWidget;

namespace pitwall::ui {

class ActionRegistry;
class BannerBar;
class DesktopNotifier;
class EngineController;
class LayoutKeeper;
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
  void post(const Banner& banner, bool lasting = false);  ///< `lasting`: over the next start of the engine
  void restore();       ///< geometry, last page and layout of the last time; after the last add_page()
  void reset_layout();  ///< the look of the first start
  void open_path(const QString& path);        ///< shown by the page that accepts it; a banner where none does
  void open_paths(const QStringList& paths);  ///< what was dropped together
  void bring_to_front();
  ActionRegistry& registry() { return *registry_; }
  DesktopNotifier& notifier() { return *notifier_; }

 Q_SIGNALS:
  void painted();  ///< for the first time

 protected:
  bool event(QEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool eventFilter(QObject* object, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QAction* add_action(const QString& id, const QString& text, const QKeySequence& key);
  void connect_page(Page* page);
  Page* page_for(const QString& path) const;
  void refuse_address(const QString& address);
  std::vector<PaletteEntry> palette_entries();
  void show_shortcuts();
  void show_palette();
  void turn_to(Page& chosen);
  void go_to(const QString& id);  // shows it, and the keyboard goes there
  bool focus_page();
  void set_usual_size();
  void fit_screen();
  void tell_watched();
  EngineController& engine_;
  Preferences& preferences_;
  ActionRegistry* registry_;
  DesktopNotifier* notifier_;
  LayoutKeeper* layout_ = nullptr;  // from restore() on
  Rail* rail_;
  TopBar* top_bar_;
  BannerBar* banner_;
  QStackedWidget* pages_;
  StatusBar* status_bar_;
  bool painted_ = false;
};

}  // namespace pitwall::ui
