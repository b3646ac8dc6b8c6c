// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/shell/banner_bar.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/rail.h"
#include "ui/shell/shortcut_sheet.h"
#include "ui/shell/status_bar.h"
#include "ui/shell/theme.h"
#include "ui/shell/top_bar.h"

namespace pitwall::ui {

namespace {

constexpr double kMinimumWidth = 260, kMinimumHeight = 160, kUsualWidth = 366, kUsualHeight = 229;  // units

}  // namespace

MainWindow::MainWindow(EngineController& engine, Preferences& preferences, QWidget* parent)
    : QMainWindow(parent),
      preferences_(preferences),
      rail_(new Rail(this)),
      top_bar_(new TopBar(this)),
      banner_(new BannerBar(this)),
      pages_(new QStackedWidget(this)),
      status_bar_(new StatusBar(engine, this)) {
  setObjectName(QStringLiteral("shell.window"));
  setWindowTitle(QStringLiteral("Pitwall"));
  pages_->setObjectName(QStringLiteral("shell.pages"));

  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(top_bar_);
  right->addWidget(banner_);
  right->addWidget(pages_, 1);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(rail_);
  middle->addLayout(right, 1);
  auto* frame = new QWidget(this);
  auto* column = new QVBoxLayout(frame);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(middle, 1);
  column->addWidget(status_bar_);
  setCentralWidget(frame);

  const Theme& theme = Theme::current();
  setMinimumSize(theme.units(kMinimumWidth), theme.units(kMinimumHeight));
  resize(theme.units(kUsualWidth), theme.units(kUsualHeight));

  auto* shortcuts = new QAction(tr("Shortcuts"), this);
  shortcuts->setObjectName(QStringLiteral("shell.shortcuts"));
  shortcuts->setShortcut(Qt::Key_F1);
  addAction(shortcuts);
  connect(shortcuts, &QAction::triggered, this, &MainWindow::show_shortcuts);
  connect(status_bar_, &StatusBar::shortcuts_requested, this, &MainWindow::show_shortcuts);
  connect(rail_, &Rail::page_chosen, this, &MainWindow::show_page);
  top_bar_->show_state(engine.state());
  connect(&engine, &EngineController::state_changed, this, [this](EngineState state) {
    top_bar_->show_state(state);
    if (state == EngineState::loading) banner_->clear();  // what it said was about the start before
  });
}

void MainWindow::add_page(Page* page, const QString& icon, const QKeySequence& key, bool foot) {
  pages_->addWidget(page);
  page->setAccessibleName(page->title());
  rail_->add_page(page->id(), page->title(), icon, key.toString(QKeySequence::NativeText), foot);
  top_bar_->add_page(*page);
  connect(page, &Page::banner_requested, banner_, &BannerBar::post);
  auto* jump = new QAction(tr("Go to %1").arg(page->title()), this);
  jump->setObjectName(QStringLiteral("shell.go.") + page->id());
  jump->setShortcut(key);
  addAction(jump);
  connect(jump, &QAction::triggered, this, [this, id = page->id()] { show_page(id); });
  if (pages_->count() == 1) show_page(page->id());
}

void MainWindow::show_page(const QString& id) {
  Page* chosen = page(id);
  if (chosen == nullptr) return;
  pages_->setCurrentWidget(chosen);
  rail_->set_current(id);
  top_bar_->show_page(*chosen);
  preferences_.set_last_page(id);
  chosen->activated();
}

Page* MainWindow::page(const QString& id) const {
  for (int i = 0; i < pages_->count(); ++i)
    if (auto* page = static_cast<Page*>(pages_->widget(i)); page->id() == id) return page;
  return nullptr;
}

Page* MainWindow::current_page() const {
  return static_cast<Page*>(pages_->currentWidget());
}

QStringList MainWindow::page_ids() const {
  QStringList ids;
  for (int i = 0; i < pages_->count(); ++i) ids << static_cast<Page*>(pages_->widget(i))->id();
  return ids;
}

void MainWindow::post(const Banner& banner) {
  banner_->post(banner);
}

void MainWindow::restore() {
  restoreGeometry(preferences_.geometry());
  show_page(preferences_.last_page());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  preferences_.set_geometry(saveGeometry());
  QMainWindow::closeEvent(event);
}

void MainWindow::show_shortcuts() {
  QList<QAction*> everywhere = actions();
  ShortcutSheet sheet(everywhere, current_page(), this);
  sheet.exec();
}

}  // namespace pitwall::ui
