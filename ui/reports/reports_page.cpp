// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/reports_page.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QSplitter>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/threads.h"
#include "engine/report/report_content.h"
#include "engine/store/store.h"
#include "ui/reports/run_export.h"
#include "ui/reports/run_list.h"
#include "ui/reports/run_view.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kOfferedRuns = 200;  // to the palette, the newest

}  // namespace

struct ReportsPage::State {
  ReportsPage* page;
  Store& store;
  RunList* list = nullptr;
  RunView* view = nullptr;
  QSplitter* splitter = nullptr;
  bool split_by_user = false;
  QAction *html = nullptr, *json = nullptr, *csv = nullptr, *remove = nullptr;

  std::vector<RunListItem> runs;
  std::shared_ptr<const Run> run;  // shown; the worker may hold it too
  std::optional<RunId> wanted;     // being read
  std::optional<RunId> deleted;    // out of the list, still in the store until the next one or the end
  bool visited = false;
  bool listed = false;  // the store has answered once
  std::unique_ptr<WorkerPool> worker = std::make_unique<WorkerPool>(1, "reports");  // last: joins first

  State(ReportsPage* owner, Store& runs_store) : page(owner), store(runs_store) {}

  void build();
  QAction* add_action(const char* id, const QString& text, const QKeySequence& key,
                      std::function<void()> action);
  void tell(std::function<void()> news) {
    QMetaObject::invokeMethod(page, std::move(news), Qt::QueuedConnection);
  }
  void refresh();
  void show_runs(Result<std::vector<RunListItem>> result);
  void show_empty();
  void open(RunId id);
  struct Opened {
    Run run;
    std::string serve_command;
  };
  void show(RunId id, Result<Opened> result);
  void ask_export(const QString& suffix);
  void export_to(const QString& path);
  void remove_run();
  void undo_remove();
  void remove_deleted();
  void set_note(const QString& note);
  void enable_actions();
  void say(Banner::Severity severity, const QString& text, const QString& verb = {},
           std::function<void()> action = {}) {
    Q_EMIT page->banner_requested({severity, text, verb, std::move(action), {}});
  }
};

void ReportsPage::State::build() {
  list = new RunList;
  view = new RunView;
  splitter = new QSplitter(Qt::Horizontal);
  splitter->setObjectName(QStringLiteral("report.columns"));
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(units(3));
  splitter->addWidget(list);
  splitter->addWidget(view);
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 1);
  list->setMinimumWidth(units(60));
  view->setMinimumWidth(units(100));
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(units(3), units(3), units(3), units(3));
  layout->addWidget(splitter);

  html = add_action("report.html", tr("HTML…"), QKeySequence(Qt::CTRL | Qt::Key_E),
                    [this] { ask_export(QStringLiteral("html")); });
  json = add_action("report.json", tr("JSON…"), {}, [this] { ask_export(QStringLiteral("json")); });
  csv = add_action("report.csv", tr("CSV…"), {}, [this] { ask_export(QStringLiteral("csv")); });
  remove = add_action("report.delete", tr("Delete"), {}, [this] { remove_run(); });
  html->setIcon(icon(QStringLiteral("export")));
  add_action("report.action.note", tr("Edit the note"), QKeySequence(Qt::Key_F2),
             [this] { view->edit_note(); });
  add_action("report.action.find", tr("Search runs"), QKeySequence(Qt::CTRL | Qt::Key_F),
             [this] { list->focus_search(); });
  add_action("report.action.undo", tr("Undo the deletion"), QKeySequence(Qt::CTRL | Qt::Key_Z),
             [this] { undo_remove(); });
  connect(splitter, &QSplitter::splitterMoved, page, [this] { split_by_user = true; });
  connect(list, &RunList::chosen, page, [this](qint64 id) { open(RunId{id}); });
  connect(view, &RunView::note_changed, page, [this](const QString& note) { set_note(note); });
  connect(view, &RunView::verb_chosen, page, [this] {
    if (listed && runs.empty()) {
      Q_EMIT page->page_requested(QStringLiteral("serve"));
    } else {
      refresh();
      if (list->table()->current_key() >= 0) open(RunId{list->table()->current_key()});
    }
  });
  view->show_message(tr("Reading the runs…"), {});
  enable_actions();
}

QAction* ReportsPage::State::add_action(const char* id, const QString& text, const QKeySequence& key,
                                        std::function<void()> action) {
  return add_page_action(page, QLatin1String(id), text, {key}, std::move(action));
}

void ReportsPage::State::refresh() {
  worker->post([this] {
    auto result = store.runs();
    tell([this, result = std::move(result)]() mutable { show_runs(std::move(result)); });
  });
}

void ReportsPage::State::show_runs(Result<std::vector<RunListItem>> result) {
  if (!result) {
    view->show_message(QString::fromStdString(result.error().text()), tr("Try again"));
    return;
  }
  listed = true;
  runs = std::move(*result);
  std::erase_if(runs, [this](const RunListItem& item) { return deleted == item.id; });
  list->set_runs(runs);
  if (runs.empty()) return show_empty();
  // A run that was still recording when it was read has more now.
  const bool stale = run && run->summary.status == RunStatus::recording;
  const bool gone =
      !run || std::none_of(runs.begin(), runs.end(), [this](const auto& item) { return item.id == run->id; });
  if (gone && !wanted) list->table()->select_key(runs.front().id.value);
  if (!gone && stale) open(run->id);
}

void ReportsPage::State::show_empty() {
  run.reset();
  view->show_message(
      tr("No run yet. Each time the engine serves, a run is recorded: its settings, its requests and its "
         "figures second by second."),
      tr("Go to Serve"));
  enable_actions();
}

void ReportsPage::State::open(RunId id) {
  if (wanted == id) return;
  wanted = id;
  view->set_loading(true);
  worker->post([this, id] {
    const auto read = [&]() -> Result<Opened> {
      auto run = store.run(id);
      if (!run) return run.error();
      std::string command = report_content(*run).serve_command;
      return Opened{std::move(*run), std::move(command)};
    };
    tell([this, id, result = read()]() mutable { show(id, std::move(result)); });
  });
}

void ReportsPage::State::show(RunId id, Result<Opened> result) {
  if (wanted != id) return;  // another one was chosen meanwhile
  wanted.reset();
  if (!result) {
    run.reset();
    view->set_loading(false);
    view->show_message(QString::fromStdString(result.error().text()), tr("Try again"));
  } else {
    run = std::make_shared<const Run>(std::move(result->run));
    view->show_run(*run, QString::fromStdString(result->serve_command));
    if (list->table()->current_key() != id.value) list->table()->select_key(id.value);
  }
  enable_actions();
}

void ReportsPage::State::enable_actions() {
  for (QAction* action : {html, json, csv, remove}) action->setEnabled(run != nullptr);
}

void ReportsPage::State::ask_export(const QString& suffix) {
  if (!run) return;
  const QStringList filters{tr("Report (*.html)"), tr("Everything the run holds (*.json)"),
                            tr("Requests (*.csv)"), tr("Report (*.md)")};
  QString filter;
  for (const QString& one : filters)
    if (one.contains(QLatin1Char('.') + suffix)) filter = one;
  const QString name = QDir::home().filePath(run_name(run->id.value) + QLatin1Char('.') + suffix);
  const QString path = QFileDialog::getSaveFileName(page, tr("Export %1").arg(run_name(run->id.value)), name,
                                                    filters.join(QStringLiteral(";;")), &filter);
  if (!path.isEmpty()) export_to(path);
}

void ReportsPage::State::export_to(const QString& path) {
  const auto format = export_format(path);
  if (!format) {
    say(Banner::Severity::bad,
        tr("“%1” does not say what to write. Its name must end in .html, .json, .csv or .md.")
            .arg(QFileInfo(path).fileName()));
    return;
  }
  worker->post([this, path, format = *format, run = run] {
    auto result = export_run(*run, path, format);
    tell([this, path, result = std::move(result)] {
      if (!result) {
        Q_EMIT page->banner_requested(banner_of(result.error()));
        return;
      }
      say(Banner::Severity::good, tr("Saved to %1").arg(path), tr("Open folder"),
          [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
    });
  });
}

void ReportsPage::State::remove_run() {
  if (!run) return;
  const QString name = run_name(run->id.value);
  if (run->summary.status == RunStatus::recording) {
    say(Banner::Severity::warn, tr("%1 is being recorded. Stop the engine first.").arg(name),
        tr("Go to Serve"), [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
    return;
  }
  remove_deleted();
  deleted = run->id;
  run.reset();
  enable_actions();
  refresh();
  say(Banner::Severity::good, tr("Deleted %1.").arg(name), tr("Undo"), [this] { undo_remove(); });
}

void ReportsPage::State::undo_remove() {
  if (!deleted) return;
  const RunId id = *deleted;
  deleted.reset();
  refresh();
  open(id);
}

void ReportsPage::State::remove_deleted() {
  if (!deleted) return;
  // A failure shows in the list: the run is there again.
  worker->post([&store = store, id = *deleted] { (void)store.remove_run(id); });
  deleted.reset();
}

void ReportsPage::State::set_note(const QString& note) {
  if (!run) return;
  worker->post([this, id = run->id, note = note.toStdString()] {
    auto result = store.set_note(id, note);
    if (!result) tell([this, error = result.error()] { Q_EMIT page->banner_requested(banner_of(error)); });
  });
  auto noted = std::make_shared<Run>(*run);
  noted->note = note.toStdString();
  run = std::move(noted);
}

ReportsPage::ReportsPage(EngineController& engine, Store& store, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, store)) {
  setObjectName(id());
  state_->build();
  // A run begins with serving and ends with the engine.
  connect(&engine, &EngineController::state_changed, this, [this] { state_->refresh(); });
  state_->refresh();
}

ReportsPage::~ReportsPage() {
  state_->remove_deleted();
  state_->worker.reset();  // no job may find the page half gone
}

QString ReportsPage::id() const {
  return QStringLiteral("reports");
}
QString ReportsPage::title() const {
  return tr("Reports");
}
QList<QAction*> ReportsPage::page_actions() {
  return {state_->html, state_->json, state_->csv, state_->remove};
}

void ReportsPage::activated() {
  state_->refresh();
  if (!std::exchange(state_->visited, true)) state_->list->table()->setFocus();
}
std::vector<PaletteEntry> ReportsPage::palette_entries() {
  std::vector<PaletteEntry> entries;
  for (const RunListItem& run : state_->runs) {
    if (entries.size() == kOfferedRuns) break;
    entries.push_back(
        {PaletteEntry::Kind::run,
         QString::number(run.id.value),
         run_name(run.id.value),
         QStringLiteral("%1 %2").arg(QString::fromStdString(run.name), QString::fromStdString(run.model)),
         {},
         [this, id = run.id] { state_->open(id); }});
  }
  return entries;
}
void ReportsPage::open_run(qint64 run) {
  state_->open(RunId{run});
}
void ReportsPage::export_to(const QString& path) {
  if (state_->run) state_->export_to(path);
}

bool ReportsPage::event(QEvent* event) {
  // Ctrl+E in a chart exports the chart.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_E && key->modifiers() == Qt::ControlModifier)
      for (const QWidget* widget = focusWidget(); widget != nullptr; widget = widget->parentWidget())
        if (qobject_cast<const LineChart*>(widget)) event->accept();
  }
  return Page::event(event);
}

void ReportsPage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  if (state_->split_by_user) return;
  const int list = std::clamp(width() / 3, units(60), units(112));
  state_->splitter->setSizes({list, width() - list});
}

void ReportsPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete && state_->list->table()->hasFocus()) {
    state_->remove_run();
  } else {
    Page::keyPressEvent(event);
  }
}

}  // namespace pitwall::ui
