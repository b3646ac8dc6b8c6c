// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QRegularExpression>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>

#include "ui/shell/banner_bar.h"
#include "ui/shell/command_palette.h"
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

  connect(add_action(QStringLiteral("shell.shortcuts"), tr("Shortcuts"), Qt::Key_F1), &QAction::triggered,
          this, &MainWindow::show_shortcuts);
  connect(add_action(QStringLiteral("shell.commands"), tr("Commands"), Qt::CTRL | Qt::Key_K),
          &QAction::triggered, this, &MainWindow::show_palette);
  connect(status_bar_, &StatusBar::commands_requested, this, &MainWindow::show_palette);
  connect(rail_, &Rail::page_chosen, this, &MainWindow::show_page);
  top_bar_->show_state(engine.state());
  connect(&engine, &EngineController::state_changed, this, [this](EngineState state) {
    top_bar_->show_state(state);
    if (state == EngineState::loading) banner_->clear();  // what it said was about the start before
  });
}

QAction* MainWindow::add_action(const QString& id, const QString& text, const QKeySequence& key) {
  auto* action = new QAction(text, this);
  action->setObjectName(id);
  action->setShortcut(key);
  addAction(action);
  return action;
}

void MainWindow::add_page(Page* page, const QString& icon, const QKeySequence& key, bool foot) {
  pages_->addWidget(page);
  page->setAccessibleName(page->title());
  rail_->add_page(page->id(), page->title(), icon, key.toString(QKeySequence::NativeText), foot);
  top_bar_->add_page(*page);
  connect(page, &Page::banner_requested, banner_, &BannerBar::post);
  QAction* jump =
      add_action(QStringLiteral("shell.go.") + page->id(), tr("Go to %1").arg(page->title()), key);
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

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (!event->spontaneous()) rail_->focus_current();
}

void MainWindow::show_shortcuts() {
  ShortcutSheet sheet(actions(), current_page(), this);
  sheet.exec();
}

/// What can be done now: the frame's actions, then those of every page, the current one first.
std::vector<Command> MainWindow::commands() const {
  std::vector<Command> commands;
  for (QAction* action : actions())
    if (action->objectName() != QStringLiteral("shell.commands"))
      commands.push_back({action, tr("everywhere"), {}});
  const auto is_listed = [&](const QAction* action, const QString& page) {
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
      return command.page == page && command.action->text() == action->text();
    });
  };
  const auto add_page = [&](const Page* page) {
    for (QAction* action :
         page->findChildren<QAction*>(QRegularExpression(QStringLiteral("."))))  // those with an id
      if (action->isEnabled() && !qobject_cast<QWidgetAction*>(action) && !is_listed(action, page->id()))
        commands.push_back({action, page->title(), page->id()});
  };
  add_page(current_page());
  for (const QString& id : page_ids())
    if (page(id) != current_page()) add_page(page(id));
  return commands;
}

void MainWindow::show_palette() {
  CommandPalette palette(commands(), this);
  if (palette.exec() != QDialog::Accepted || !palette.chosen()) return;
  const Command command = *palette.chosen();
  if (!command.page.isEmpty()) show_page(command.page);
  command.action->trigger();
}

}  // namespace pitwall::ui
