// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <QWindow>
#include <algorithm>
#include <iterator>

#include "ui/shell/action_registry.h"
#include "ui/shell/banner_bar.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/desktop_notifier.h"
#include "ui/shell/dialog_keys.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/job_list.h"
#include "ui/shell/key_tips.h"
#include "ui/shell/layout_keeper.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/shell/rail.h"
#include "ui/shell/shortcut_sheet.h"
#include "ui/shell/status_bar.h"
#include "ui/shell/theme.h"
#include "ui/shell/top_bar.h"
#include "ui/widgets/local_files.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kMinimumWidth = 260, kMinimumHeight = 160, kUsualWidth = 366, kUsualHeight = 229;  // units

QString go_id(const QString& page) {
  return QStringLiteral("shell.go.") + page;
}

/// Tab follows the eye: part by part, and inside each as its widgets were made.
void order_tabs(const std::vector<QWidget*>& parts) {
  std::vector<QWidget*> chain;
  QWidget* const window = parts.front()->window();
  for (QWidget* one = window->nextInFocusChain(); one != window; one = one->nextInFocusChain())
    if (one->focusPolicy() & Qt::TabFocus) chain.push_back(one);
  QWidget* last = nullptr;
  for (const QWidget* part : parts)
    for (QWidget* one : chain) {
      if (!part->isAncestorOf(one)) continue;
      if (last != nullptr) QWidget::setTabOrder(last, one);
      last = one;
    }
}

}  // namespace

MainWindow::MainWindow(EngineController& engine, Preferences& preferences, QWidget* parent)
    : QMainWindow(parent),
      engine_(engine),
      preferences_(preferences),
      registry_(new ActionRegistry(preferences, this)),
      notifier_(new DesktopNotifier(this)),
      rail_(new Rail(this)),
      top_bar_(new TopBar(this)),
      banner_(new BannerBar(this)),
      pages_(new QStackedWidget(this)) {
  QAction* shortcuts = add_action(QStringLiteral("shell.shortcuts"), tr("Shortcuts"), Qt::Key_F1);
  QAction* commands = add_action(QStringLiteral("shell.commands"), tr("Commands"), Qt::CTRL | Qt::Key_K);
  QAction* quit =
      add_action(QStringLiteral("shell.quit"), tr("Quit and close the window"), Qt::CTRL | Qt::Key_Q);
  status_bar_ = new StatusBar(engine, commands, this);
  new KeyTips(*registry_, this);
  new DialogKeys(this);
  setAcceptDrops(true);
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

  // A large text asks for a large window only where the screen has room for it.
  setMinimumSize(QSize(units(kMinimumWidth), units(kMinimumHeight)).boundedTo(screen()->availableSize()));
  set_usual_size();

  connect(shortcuts, &QAction::triggered, this, &MainWindow::show_shortcuts);
  connect(commands, &QAction::triggered, this, &MainWindow::show_palette);
  connect(quit, &QAction::triggered, this, &QWidget::close);
  connect(notifier_, &DesktopNotifier::activated, this, [this](const QString& page) {
    bring_to_front();
    show_page(page);
  });
  connect(rail_, &Rail::page_chosen, this,
          [this](const QString& id, bool by_key) { by_key ? show_page(id) : go_to(id); });
  top_bar_->show_state(engine.state());
  connect(&engine, &EngineController::state_changed, this, [this](EngineState state) {
    top_bar_->show_state(state);
    if (state == EngineState::loading) banner_->clear();  // what it said was about the start before
  });
}

void MainWindow::set_usual_size() {
  const QSize frame = frameGeometry().size() - size();
  resize(QSize(units(kUsualWidth), units(kUsualHeight)).boundedTo(screen()->availableSize() - frame));
}

/// With its frame, which is known once the desktop has drawn it.
void MainWindow::fit_screen() {
  const QRect room = screen()->availableGeometry();
  if (isMaximized() || isFullScreen() || room.contains(frameGeometry())) return;
  const QSize frame = frameGeometry().size() - size();
  setMinimumSize(minimumSize().boundedTo(room.size() - frame));
  resize(size().boundedTo(room.size() - frame));
  const QSize left = room.size() - size() - frame;
  move(std::clamp(x(), room.x(), room.x() + std::max(0, left.width())),
       std::clamp(y(), room.y(), room.y() + std::max(0, left.height())));
}

QAction* MainWindow::add_action(const QString& id, const QString& text, const QKeySequence& key) {
  auto* action = new QAction(text, this);
  action->setObjectName(id);
  action->setShortcut(key);
  addAction(action);
  registry_->add(action);
  return action;
}

void MainWindow::add_page(Page* page, const QString& icon, const QKeySequence& key, bool foot) {
  pages_->addWidget(page);
  page->setAccessibleName(page->title());
  registry_->add_page(*page);
  QAction* jump = add_action(go_id(page->id()), tr("Go to %1").arg(page->title()), key);
  connect(jump, &QAction::triggered, this, [this, id = page->id()] { go_to(id); });
  rail_->add_page(page->id(), page->title(), icon, jump, foot);
  top_bar_->add_page(*page);
  order_tabs({rail_, top_bar_, banner_, pages_, status_bar_});
  connect_page(page);
  if (pages_->count() == 1) turn_to(*page);
}

void MainWindow::connect_page(Page* page) {
  connect(page, &Page::banner_requested, this, [this, page](const Banner& banner) {
    banner_->post(banner);
    if (banner.finished && QApplication::activeWindow() == nullptr && preferences_.notifications())
      notifier_->notify(page->title(), banner.text, page->id());
  });
  connect(page, &Page::banner_outdated, banner_, &BannerBar::withdraw);
  connect(page, &Page::badge_changed, this, [this, page] { rail_->set_badge(page->id(), page->badge()); });
  connect(page, &Page::job_went_on, &status_bar_->jobs(), &JobList::post);
  connect(page, &Page::job_ended, &status_bar_->jobs(), &JobList::end);
  connect(page, &Page::job_ended, this, [this] {
    for (const QString& id : page_ids()) this->page(id)->records_changed();
  });
}

void MainWindow::show_page(const QString& id) {
  Page* chosen = page(id);
  if (chosen == nullptr) return;
  preferences_.set_last_page(id);
  turn_to(*chosen);
}

void MainWindow::turn_to(Page& chosen) {
  pages_->setCurrentWidget(&chosen);
  rail_->set_current(chosen.id());
  top_bar_->show_page(chosen);
  chosen.activated();
}

void MainWindow::go_to(const QString& id) {
  show_page(id);
  focus_page();
}

/// Where it was last, or to what comes next in the page, at first to what Tab reaches first there:
/// order_tabs() moves only what takes the focus, so that the page's own place in the chain says nothing.
/// False: nothing there takes it.
bool MainWindow::focus_page() {
  Page* const shown = current_page();
  QWidget* const last = shown->focusWidget() != nullptr ? shown->focusWidget() : this;
  const auto takes = [shown, last](const QWidget* one) {
    return one != shown && shown->isAncestorOf(one) && one->isVisible() && one->isEnabled() &&
           (one == last || (one->focusPolicy() & Qt::TabFocus));
  };
  QWidget* into = last;
  while (!takes(into)) {
    into = into->nextInFocusChain();
    if (into == last) return false;
  }
  into->setFocus();
  return true;
}

/// What had the focus goes out of sight: the page keeps it. What comes next in the window may be a button
/// that ends a job, and the next key would press it.
bool MainWindow::focusNextPrevChild(bool next) {
  const QWidget* had = focusWidget();
  if (had == nullptr || (had->isVisible() && had->isEnabled())) return QMainWindow::focusNextPrevChild(next);
  if (!focus_page()) rail_->focus_current();
  return true;
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

void MainWindow::post(const Banner& banner, bool lasting) {
  banner_->post(banner, lasting);
}

void MainWindow::restore() {
  restoreGeometry(preferences_.geometry());
  show_page(preferences_.last_page());
  layout_ = new LayoutKeeper(*this, preferences_, this);
  layout_->restore();
}

void MainWindow::reset_layout() {
  if (layout_ == nullptr) layout_ = new LayoutKeeper(*this, preferences_, this);
  if (isMaximized() || isFullScreen()) showNormal();
  set_usual_size();
  layout_->forget();
  post({Banner::Severity::good,
        tr("The layout is as shipped. Dividers follow at the next start."),
        {},
        {},
        {}});
}

Page* MainWindow::page_for(const QString& path) const {
  for (const QString& id : page_ids())
    if (Page* one = page(id); one->accepts(path)) return one;
  return nullptr;
}

void MainWindow::open_path(const QString& path) {
  open_paths({path});
}

void MainWindow::open_paths(const QStringList& paths) {
  QList<Page*> takers;
  QStringList strange, missing, left;
  for (const QString& path : paths) {
    Page* taker = page_for(path);
    if (is_web_address(path)) {
      refuse_address(path);
    } else if (taker == nullptr) {
      strange << QFileInfo(path).fileName();
    } else if (!QFileInfo::exists(path)) {
      missing << path;
    } else if (takers.contains(taker) && !taker->opens_several()) {
      left << QFileInfo(path).fileName();
    } else {
      takers << taker;
      show_page(taker->id());
      taker->open(path);
    }
  }
  const auto warn = [this, &paths](const QString& text) {
    post({Banner::Severity::warn, text, {}, {}, paths.join(QLatin1Char('\n'))});
  };
  if (!left.isEmpty()) warn(tr("One model is opened at a time. Left out: %1.").arg(listed(left)));
  if (!missing.isEmpty())
    warn(tr("There is nothing at %1. Look at the name and the drive.").arg(listed(missing)));
  if (!strange.isEmpty())
    warn(tr("No page opens %1. Drop a .gguf file, a folder with config.json and safetensors, a config.json "
            "or an exported run.")
             .arg(listed(strange)));
}

void MainWindow::refuse_address(const QString& address) {
  const QString command = QStringLiteral("pitwallctl fetch ") + address;
  post({Banner::Severity::warn,
        tr("%1 is an address. Fetch the model first; it then stands in the list of Serve.").arg(address),
        tr("Copy the command"), [command] { QApplication::clipboard()->setText(command); }, command});
}

void MainWindow::bring_to_front() {
  setWindowState(windowState() & ~Qt::WindowMinimized);
  show();
  raise();
  activateWindow();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!local_files(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  open_paths(local_files(*event->mimeData()));
}

bool MainWindow::event(QEvent* event) {
  const bool taken = QMainWindow::event(event);
  if (event->type() == QEvent::Paint && !painted_) {
    painted_ = true;
    if (layout_ != nullptr) fit_screen();
    // After the backing store has been flushed: the window's children are painted in the same go.
    QMetaObject::invokeMethod(this, &MainWindow::painted, Qt::QueuedConnection);
  }
  if (event->type() == QEvent::WindowStateChange || event->type() == QEvent::Show ||
      event->type() == QEvent::Hide)
    tell_watched();
  return taken;
}

/// A Wayland desktop does not say that a window is minimised: it is no longer exposed.
bool MainWindow::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Expose && object == windowHandle()) tell_watched();
  return QMainWindow::eventFilter(object, event);
}

void MainWindow::tell_watched() {
  const QWindow* handle = windowHandle();
  engine_.set_watched(isVisible() && !isMinimized() && handle != nullptr && handle->isExposed());
}

/// Esc closes what is open, the nearest first: in the page, wherever the focus is, and then the banner.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return QMainWindow::keyPressEvent(event);
  QObject* shown = current_page();
  if (!current_page()->isAncestorOf(focusWidget()) && shown->event(event) && event->isAccepted()) return;
  banner_->dismiss();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  preferences_.set_geometry(saveGeometry());
  QMainWindow::closeEvent(event);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  windowHandle()->installEventFilter(this);
  if (!event->spontaneous()) rail_->focus_current();
}

void MainWindow::show_shortcuts() {
  ShortcutSheet sheet(actions(), current_page(), this);
  if (sheet.exec() == QDialog::Accepted) show_page(QStringLiteral("settings"));
}

/// The pages, what can be done now, the current page's first, and what the pages offer.
std::vector<PaletteEntry> MainWindow::palette_entries() {
  std::vector<PaletteEntry> entries, elsewhere, offered;
  for (const QString& id : page_ids()) {
    Page* one = page(id);
    entries.push_back({PaletteEntry::Kind::page,
                       id,
                       one->title(),
                       {},
                       keys_text(*registry_->find(go_id(id))->action),
                       [this, id] { go_to(id); }});
    for (PaletteEntry& entry : one->palette_entries()) {
      entry.open = [this, id, open = std::move(entry.open)] {
        show_page(id);
        open();
      };
      offered.push_back(std::move(entry));
    }
  }
  for (const RegisteredAction& one : registry_->actions()) {
    if (!one.action->isEnabled() || one.id() == QStringLiteral("shell.commands") ||
        one.id().startsWith(go_id({})))
      continue;
    const bool here = one.page.isEmpty() || one.page == current_page()->id();
    (here ? entries : elsewhere)
        .push_back({PaletteEntry::Kind::action, one.id(), one.action->text(), one.where,
                    keys_text(*one.action), [this, one] {
                      if (!one.page.isEmpty()) show_page(one.page);
                      one.action->trigger();
                    }});
  }
  for (std::vector<PaletteEntry>* more : {&elsewhere, &offered})
    std::move(more->begin(), more->end(), std::back_inserter(entries));
  return entries;
}

void MainWindow::show_palette() {
  auto* palette = new CommandPalette(palette_entries(), preferences_.recent_commands(), this);
  connect(palette, &CommandPalette::accepted, this, [this](const PaletteEntry& entry) {
    preferences_.add_recent_command(full_id(entry));
    entry.open();
  });
  palette->open();
}

}  // namespace pitwall::ui
