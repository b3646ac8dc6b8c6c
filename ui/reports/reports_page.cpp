// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/reports_page.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/threads.h"
#include "engine/store/store.h"
#include "ui/reports/compare_view.h"
#include "ui/reports/report_reader.h"
#include "ui/reports/run_list.h"
#include "ui/reports/run_view.h"
#include "ui/reports/store_damage.h"
#include "ui/serve/recording_watch.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/import_reader.h"
#include "ui/shell/theme.h"
#include "ui/tune/checklist_file.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kOfferedRuns = 200;  // to the palette, the newest

/// What a dropped file may be: the import looks closer.
bool looks_like_run(const QString& path) {
  return path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive) ||
         path.endsWith(QStringLiteral(".jsonl"), Qt::CaseInsensitive);
}

QString deleted_text(RunId run) {
  return ReportsPage::tr("Deleted %1.").arg(run_name(run.value));
}

}  // namespace

struct ReportsPage::State {
  ReportsPage* page;
  Store& store;
  RunList* list = nullptr;
  RunView* view = nullptr;
  CompareView* comparison = nullptr;
  QStackedWidget* right = nullptr;  // view or comparison
  QSplitter* splitter = nullptr;
  ImportReader* importer = nullptr;
  bool split_by_user = false;
  QAction *html = nullptr, *pdf = nullptr, *json = nullptr, *more = nullptr, *remove = nullptr;

  RecordingWatch recording;
  std::vector<RunListItem> runs;
  std::shared_ptr<const RunPicture> run;  // shown; the worker may hold it too
  std::vector<RunId> compared;            // shown side by side; empty: one run is
  std::optional<RunId> wanted;            // being read
  std::vector<RunId> wanted_compared;     // being read, to be compared
  std::optional<RunId> deleted;           // out of the list, still in the store until the next one or the end
  std::map<RunId, std::pair<QString, QString>> unkept_notes;  // what was written, and why it is not kept
  qint64 requests_asked = 0;  // rows skipped by the page of requests that is being read
  bool visited = false;
  bool listed = false;  // the store has answered once
  std::unique_ptr<WorkerPool> worker = std::make_unique<WorkerPool>(1, "reports");  // last: joins first

  State(ReportsPage* owner, Store& runs_store) : page(owner), store(runs_store) {}

  void build();
  void add_actions();
  void connect_views();
  QAction* add_action(const char* id, const QString& text, const QKeySequence& key,
                      std::function<void()> action);
  void tell(std::function<void()> news) {
    QMetaObject::invokeMethod(page, std::move(news), Qt::QueuedConnection);
  }
  void refresh();
  void show_runs(Result<std::vector<RunListItem>> result);
  void show_empty();
  void open(RunId id);
  void show(RunId id, Result<OpenedRun> result);
  void read_more_requests(qint64 skip);
  void compare(const std::vector<RunId>& ids);
  void show_compared(const std::vector<RunId>& ids, Result<std::shared_ptr<const ComparedRuns>> result);
  std::vector<RunId> shown() const;
  void ask_export(const char* name);
  void export_to(const QString& path);
  void ask_import();
  void import_one(const QString& path);
  void show_imported(const QString& path, const Result<RunId>& result);
  void remove_run();
  void undo_remove();
  void remove_deleted();
  void set_note(const QString& note);
  void answer_note(RunId id, const QString& note, const Result<void>& result);
  void mark_listed() { view->set_listed(!run || list->shows(run->run.id)); }
  void enable_actions();
  void say(Banner::Severity severity, const QString& text, const QString& verb = {},
           std::function<void()> action = {}) {
    Q_EMIT page->banner_requested({severity, text, verb, std::move(action), {}});
  }
};

void ReportsPage::State::build() {
  importer = new ImportReader(page);
  connect(importer, &ImportReader::banner_requested, page, &Page::banner_requested);
  connect(importer, &ImportReader::banner_outdated, page, &Page::banner_outdated);
  list = new RunList;
  view = new RunView;
  comparison = new CompareView;
  right = new QStackedWidget;
  right->addWidget(view);
  right->addWidget(comparison);
  splitter = new QSplitter(Qt::Horizontal);
  splitter->setObjectName(QStringLiteral("report.columns"));
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(units(3));
  splitter->addWidget(list);
  splitter->addWidget(right);
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 1);
  list->setMinimumWidth(units(60));
  right->setMinimumWidth(units(100));
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(units(3), units(3), units(3), units(3));
  layout->addWidget(splitter);
  add_actions();
  connect_views();
  view->show_message(tr("Reading the runs…"), {});
  enable_actions();
}

void ReportsPage::State::add_actions() {
  html = add_action("report.html", tr("HTML…"), {}, [this] { ask_export("html"); });
  pdf = add_action("report.pdf", tr("PDF…"), {}, [this] { ask_export("pdf"); });
  json = add_action("report.json", tr("JSON…"), {}, [this] { ask_export("json"); });
  more = add_action("report.export", tr("More…"), QKeySequence(Qt::CTRL | Qt::Key_E),
                    [this] { ask_export("html"); });
  more->setToolTip(tr("Export in any format: Markdown, CSV, vLLM, AIPerf, Perfetto"));
  remove = add_action("report.delete", tr("Delete"), {}, [this] { remove_run(); });
  html->setIcon(icon(QStringLiteral("export")));
  add_action("report.action.import", tr("Import a run"), {}, [this] { ask_import(); });
  add_action("report.action.compare", tr("Compare the marked runs"), QKeySequence(Qt::Key_C),
             [this] { compare(list->compared()); });
  add_action("report.action.note", tr("Edit the note"), QKeySequence(Qt::Key_F2),
             [this] { view->edit_note(); });
  add_action("report.action.find", tr("Search runs"), QKeySequence(Qt::CTRL | Qt::Key_F),
             [this] { list->focus_search(); });
  add_action("report.action.undo", tr("Undo the deletion"), QKeySequence(Qt::CTRL | Qt::Key_Z),
             [this] { undo_remove(); });
}

void ReportsPage::State::connect_views() {
  connect(splitter, &QSplitter::splitterMoved, page, [this] { split_by_user = true; });
  connect(list, &RunList::chosen, page, [this](qint64 id) { open(RunId{id}); });
  connect(list, &RunList::compare_requested, page, [this] { compare(list->compared()); });
  connect(list, &RunList::import_requested, page, [this] { ask_import(); });
  connect(list, &RunList::export_requested, page, [this] { ask_export("html"); });
  connect(list, &RunList::rows_changed, page, [this] { mark_listed(); });
  connect(list, &RunList::marks_refused, page, [this] {
    say(Banner::Severity::warn,
        tr("%1 runs are marked: more cannot be compared. Space takes a mark away.").arg(kMostCompared));
  });
  connect(view, &RunView::note_changed, page, [this](const QString& note) { set_note(note); });
  connect(view, &RunView::requests_wanted, page, [this](qint64 skip) { read_more_requests(skip); });
  connect(view, &RunView::second_verb_chosen, page, [this] { ask_import(); });
  connect(view, &RunView::verb_chosen, page, [this] {
    if (listed && runs.empty()) {
      Q_EMIT page->page_requested(QStringLiteral("serve"));
    } else {
      refresh();
      if (list->table()->current_key() >= 0) open(RunId{list->table()->current_key()});
    }
  });
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
    right->setCurrentWidget(view);
    return;
  }
  listed = true;
  runs = std::move(*result);
  std::erase_if(runs, [this](const RunListItem& item) { return deleted == item.id; });
  list->set_runs(runs, recording.interrupted());
  if (runs.empty()) return show_empty();
  // A run that was still recording when it was read has more now.
  const bool stale = run && run->run.summary.status == RunStatus::recording;
  const bool gone = !run || std::none_of(runs.begin(), runs.end(),
                                         [this](const auto& item) { return item.id == run->run.id; });
  if (gone && !wanted && wanted_compared.empty() && compared.empty())
    list->table()->select_key(runs.front().id.value);
  if (!gone && stale && compared.empty()) open(run->run.id);
}

void ReportsPage::State::show_empty() {
  run.reset();
  compared.clear();
  QString text =
      tr("No run yet. Each time the engine serves, a run is recorded: its settings, its requests and its "
         "figures second by second.");
  if (const auto& damage = store.damage()) text = damage_text(*damage) + QStringLiteral("\n\n") + text;
  view->show_message(text, tr("Run a load test"), tr("Import…"));
  right->setCurrentWidget(view);
  enable_actions();
}

void ReportsPage::State::open(RunId id) {
  if (wanted == id) return;
  if (run && run->run.id == id && run->run.summary.status != RunStatus::recording && !wanted) {
    compared.clear();
    wanted_compared.clear();
    right->setCurrentWidget(view);
    enable_actions();
    return;
  }
  wanted = id;
  wanted_compared.clear();
  view->set_loading(true);
  worker->post([this, id] {
    tell([this, id, result = read_opened(store, id)]() mutable { show(id, std::move(result)); });
  });
}

void ReportsPage::State::show(RunId id, Result<OpenedRun> result) {
  if (wanted != id) return;  // another one was chosen meanwhile
  wanted.reset();
  compared.clear();
  right->setCurrentWidget(view);
  if (!result) {
    run.reset();
    view->set_loading(false);
    view->show_message(QString::fromStdString(result.error().text()), tr("Try again"));
    return enable_actions();
  }
  run = result->picture;
  requests_asked = 0;
  view->show_run(run, QString::fromStdString(result->serve_command), id == recording.interrupted());
  if (const auto note = unkept_notes.find(id); note != unkept_notes.end())
    view->show_note(note->second.first, note->second.second);
  mark_listed();
  view->add_requests(result->worst, true);
  if (run->sampled()) read_more_requests(0);
  if (list->table()->current_key() != id.value) list->table()->select_key(id.value);
  enable_actions();
  worker->post([this, picture = run] {
    tell([this, picture, extras = read_extras(store, *picture)] {
      if (run != picture) return;
      view->show_planned(extras.planned);
      view->show_files(extras.files, extras.why_no_files);
    });
  });
}

void ReportsPage::State::read_more_requests(qint64 skip) {
  if (!run || (skip > 0 && skip <= requests_asked)) return;
  requests_asked = skip;
  worker->post([this, picture = run, skip] {
    tell([this, picture, result = store.worst_requests(picture->run.id, skip, kRequestPage)] {
      if (run == picture && result) view->add_requests(*result, false);
    });
  });
}

void ReportsPage::State::compare(const std::vector<RunId>& ids) {
  if (ids.size() < kLeastCompared) {
    say(Banner::Severity::warn, tr("A comparison needs two runs. Mark them with Space, then press C."));
    return;
  }
  if (ids == wanted_compared) return;
  wanted_compared = ids;
  wanted.reset();
  worker->post([this, ids] {
    tell(
        [this, ids, result = read_compared(store, ids)]() mutable { show_compared(ids, std::move(result)); });
  });
}

void ReportsPage::State::show_compared(const std::vector<RunId>& ids,
                                       Result<std::shared_ptr<const ComparedRuns>> result) {
  if (wanted_compared != ids) return;
  wanted_compared.clear();
  view->set_loading(false);
  if (!result) {
    Q_EMIT page->banner_requested(banner_of(result.error()));
    return;
  }
  compared = ids;
  comparison->show_comparison(*result);
  right->setCurrentWidget(comparison);
  enable_actions();
}

std::vector<RunId> ReportsPage::State::shown() const {
  if (!compared.empty()) return compared;
  return run ? std::vector{run->run.id} : std::vector<RunId>();
}

void ReportsPage::State::enable_actions() {
  for (QAction* action : {html, pdf, json, more}) action->setEnabled(!shown().empty());
  list->set_exportable(!shown().empty());
  remove->setEnabled(run != nullptr && compared.empty());
}

void ReportsPage::State::ask_export(const char* name) {
  const std::vector<RunId> ids = shown();
  if (ids.empty()) return;
  const ExportFormat& wish = *find_export_format(name);
  QStringList filters;
  for (const ExportFormat* format : formats_for(ids.size() > 1)) filters << export_filter(*format);
  QString filter = export_filter(wish);
  QStringList names;
  for (const RunId id : ids) names << run_name(id.value);
  const QString base = QDir::home().filePath(names.join(QLatin1Char('-')));
  const QString path = QFileDialog::getSaveFileName(
      page, tr("Export %1").arg(names.join(QStringLiteral(", "))), base + QLatin1Char('.') + suffix_of(wish),
      filters.join(QStringLiteral(";;")), &filter);
  if (path.isEmpty()) return;
  // A format chosen by its filter counts where the name does not say one.
  if (export_format_of_file(path.toStdString()) != nullptr) return export_to(path);
  const QString chosen = filter.section(QStringLiteral("(*"), 1).chopped(1);
  export_to(path + chosen);
}

void ReportsPage::State::export_to(const QString& path) {
  const std::vector<RunId> ids = shown();
  const ExportFormat* format = export_format_of_file(path.toStdString());
  const auto known = formats_for(ids.size() > 1);
  if (format == nullptr || std::find(known.begin(), known.end(), format) == known.end()) {
    QStringList suffixes;
    for (const ExportFormat* one : known) suffixes << QLatin1Char('.') + suffix_of(*one);
    say(Banner::Severity::bad, tr("“%1” does not say what to write. Its name must end in one of %2.")
                                   .arg(QFileInfo(path).fileName(), suffixes.join(QStringLiteral(", "))));
    return;
  }
  worker->post([this, path, ids, format] {
    tell([this, path, result = export_to_file(store, ids, *format, path)] {
      if (!result) {
        Q_EMIT page->banner_requested(banner_of(result.error()));
        return;
      }
      say(Banner::Severity::good, tr("Saved to %1").arg(path), tr("Open folder"),
          [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
    });
  });
}

void ReportsPage::State::ask_import() {
  const QStringList paths =
      QFileDialog::getOpenFileNames(page, tr("Import runs"), QDir::homePath(),
                                    tr("Runs of Pitwall, vLLM or AIPerf (*.json *.jsonl);;All files (*)"));
  page->import_files(paths);
}

void ReportsPage::State::import_one(const QString& path) {
  importer->read(path, [this, path](const ImportReader::Text& text) {
    if (!text->ok()) return show_imported(path, text->error());
    worker->post([this, path, text] {
      tell([this, path, result = import_run_file(store, path, **text)] { show_imported(path, result); });
    });
  });
}

void ReportsPage::State::show_imported(const QString& path, const Result<RunId>& result) {
  const QString file = QFileInfo(path).fileName();
  if (result) {
    say(Banner::Severity::good, tr("Imported %1 as %2.").arg(file, run_name(result->value)));
    refresh();
    open(*result);
    return;
  }
  const Error& error = result.error();
  bool is_known = false;  // a store that is locked is busy too, and names no run
  const qint64 id = QString::fromStdString(error.param).toLongLong(&is_known);
  if (error.kind != Error::Kind::busy || !is_known) {
    Q_EMIT page->banner_requested(banner_of(error));
    return;
  }
  say(Banner::Severity::warn, tr("%1 is here already: it is %2.").arg(file, run_name(id)), tr("Open"),
      [this, id] { open(RunId{id}); });
}

void ReportsPage::State::remove_run() {
  if (!run) return;
  const QString name = run_name(run->run.id.value);
  if (run->run.summary.status == RunStatus::recording) {
    say(Banner::Severity::warn, tr("%1 has not ended. Stop the engine first.").arg(name), tr("Go to Serve"),
        [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); });
    return;
  }
  if (store.access() == Store::Access::read_only) {
    say(Banner::Severity::warn, tr("%1 stays: until the next start the records can only be read.").arg(name));
    return;
  }
  if (deleted) Q_EMIT page->banner_outdated(deleted_text(*deleted));  // nothing brings it back any more
  remove_deleted();
  deleted = run->run.id;
  run.reset();
  enable_actions();
  refresh();
  Q_EMIT page->banner_requested(undo_banner(deleted_text(*deleted), [this] { undo_remove(); }));
}

void ReportsPage::State::undo_remove() {
  if (!deleted) return;
  const RunId id = *deleted;
  Q_EMIT page->banner_outdated(deleted_text(id));
  deleted.reset();
  refresh();
  open(id);
}

void ReportsPage::State::remove_deleted() {
  if (!deleted) return;
  worker->post([this, id = *deleted] {
    const auto result = store.remove_run(id);
    if (result) return;
    tell([this, error = result.error()] {
      Q_EMIT page->banner_requested(banner_of(error));
      refresh();  // it is there again
    });
  });
  deleted.reset();
}

void ReportsPage::State::set_note(const QString& note) {
  if (!run) return;
  const RunId id = run->run.id;
  const auto item = std::find_if(runs.begin(), runs.end(), [id](const auto& one) { return one.id == id; });
  if (item != runs.end() && item->note == note.toStdString()) return answer_note(id, note, {});
  worker->post([this, id, note] {
    tell(
        [this, id, note, result = store.set_note(id, note.toStdString())] { answer_note(id, note, result); });
  });
}

void ReportsPage::State::answer_note(RunId id, const QString& note, const Result<void>& result) {
  const QString why_not = result ? QString() : QString::fromStdString(result.error().text());
  if (run && run->run.id == id) view->mark_note(note, why_not);
  if (!result) {
    unkept_notes[id] = {note, why_not};
    return;
  }
  unkept_notes.erase(id);
  for (RunListItem& item : runs)
    if (item.id == id) item.note = note.toStdString();
  list->set_runs(runs, recording.interrupted());
}

ReportsPage::ReportsPage(EngineController& engine, Store& store, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, store)) {
  setObjectName(id());
  state_->build();
  // A run begins with serving and ends with the engine.
  connect(&engine, &EngineController::state_changed, this, [this] { state_->refresh(); });
  connect(&engine, &EngineController::snapshot_ready, this, [this, &engine] {
    if (state_->recording.look(*engine.snapshot()) != RecordingWatch::News::none) state_->refresh();
  });
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
  return {state_->html, state_->pdf, state_->json, state_->more, state_->remove};
}

void ReportsPage::activated() {
  state_->refresh();
  if (!std::exchange(state_->visited, true)) state_->list->table()->setFocus();
}
void ReportsPage::records_changed() {
  state_->refresh();
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
void ReportsPage::compare_runs(const std::vector<qint64>& runs) {
  std::vector<RunId> ids;
  for (const qint64 run : runs) ids.push_back(RunId{run});
  state_->compare(ids);
}
void ReportsPage::export_to(const QString& path) {
  if (!state_->shown().empty()) state_->export_to(path);
}
void ReportsPage::import_files(const QStringList& paths) {
  for (const QString& path : paths) {
    if (is_checklist_file(path))
      Q_EMIT checklist_found(path);
    else
      state_->import_one(path);
  }
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
  const int list = std::clamp(width() / 3, units(60), units(200));
  state_->splitter->setSizes({list, width() - list});
}

void ReportsPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete && state_->list->table()->hasFocus()) {
    state_->remove_run();
  } else {
    Page::keyPressEvent(event);
  }
}

bool ReportsPage::accepts(const QString& path) const {
  return looks_like_run(path) && !is_checklist_file(path);
}

void ReportsPage::open(const QString& path) {
  import_files({path});
}

}  // namespace pitwall::ui
