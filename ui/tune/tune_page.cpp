// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/tune_page.h"

#include <QAction>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QListView>
#include <QSplitter>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>

#include "ui/shell/engine_controller.h"
#include "ui/shell/import_reader.h"
#include "ui/tune/checklist_dialog.h"
#include "ui/tune/checklist_file.h"
#include "ui/tune/difference_card.h"
#include "ui/tune/item_detail.h"
#include "ui/tune/item_dialog.h"
#include "ui/tune/item_list.h"
#include "ui/tune/item_model.h"
#include "ui/tune/model_check.h"
#include "ui/tune/recommended_flags_dialog.h"
#include "ui/tune/scatter_chart.h"
#include "ui/tune/standing_banners.h"
#include "ui/tune/start_view.h"
#include "ui/tune/sweep_dialog.h"
#include "ui/tune/tune_words.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/narrow_tabs.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

struct TunePage::State {
  TunePage* page;
  EngineController& engine;
  TuneSession session;
  QComboBox* selector = nullptr;
  Tag* source = nullptr;
  QStackedWidget* stack = nullptr;
  NarrowTabs* narrow_tabs = nullptr;
  QSplitter *columns = nullptr, *right = nullptr;
  TuneStartView* start = nullptr;
  ItemList* list = nullptr;
  ScatterChart* scatter = nullptr;
  ItemDetail* detail = nullptr;
  DifferenceCard* difference = nullptr;
  ImportReader* importer = nullptr;
  QAction *from_template = nullptr, *edit = nullptr, *undo = nullptr, *remove = nullptr, *run_all = nullptr,
          *sweep = nullptr, *add = nullptr;
  QList<QAction*> of_item;  ///< those that need one
  bool split_by_user = false;
  StandingBanners standing;

  State(TunePage* owner, EngineController& controller, Store& store, TuneSession::FindGpu find_gpu)
      : page(owner), engine(controller), session(controller, store, std::move(find_gpu)), standing(*owner) {}

  void build();
  void build_actions();
  void connect_all();
  QAction* add_action(const char* id, const QString& text, QList<QKeySequence> keys,
                      std::function<void()> action);
  void show_list();
  void show_columns();
  void show();
  void show_item();
  void show_job();
  void show_failure(const Error& error);
  void take_focus();
  void keep_focus(const std::function<void()>& change);
  std::size_t current() const { return static_cast<std::size_t>(std::max(0, list->current())); }
  bool has_item() const { return session.checklist() && list->current() >= 0; }
  bool is_idle_on(std::int64_t checklist) const {
    return !session.running() && session.checklist() && session.checklist()->id == checklist;
  }
  bool is_unmeasured(std::int64_t item) const;
  void ask_template(const std::string& origin);
  void add_item();
  void edit_checklist();
  void edit_item();
  void remove_item();
  void decide(ItemVerdict verdict);
  void run_item();
  void append(std::vector<Item> items);
  void ask_sweep();
  void ask_report();
  void ask_import();
  void say(Banner::Severity severity, const QString& text, const QString& verb = {},
           std::function<void()> action = {}) {
    Q_EMIT page->banner_requested({severity, text, verb, std::move(action), {}});
  }
};

void TunePage::State::build() {
  importer = new ImportReader(page);
  connect(importer, &ImportReader::banner_requested, page, &Page::banner_requested);
  connect(importer, &ImportReader::banner_outdated, page, &Page::banner_outdated);
  selector = new QComboBox(page);
  selector->setObjectName(QStringLiteral("tune.checklist"));
  selector->setAccessibleName(tr("Checklist"));
  selector->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  source = new Tag(page);
  source->setObjectName(QStringLiteral("tune.source"));
  list = new ItemList(page);
  scatter = new ScatterChart(page);
  detail = new ItemDetail(page);
  difference = new DifferenceCard(page);
  auto* below = new QSplitter(Qt::Horizontal);
  below->addWidget(detail);
  below->addWidget(difference);
  below->setStretchFactor(0, 3);
  below->setStretchFactor(1, 2);
  right = new QSplitter(Qt::Vertical);
  right->addWidget(scatter);
  right->addWidget(below);
  right->setStretchFactor(0, 4);
  right->setStretchFactor(1, 5);
  columns = new QSplitter(Qt::Horizontal);
  columns->setObjectName(QStringLiteral("tune.columns"));
  right->setObjectName(QStringLiteral("tune.right"));
  below->setObjectName(QStringLiteral("tune.below"));
  columns->addWidget(list);
  columns->addWidget(right);
  columns->setStretchFactor(1, 1);
  for (QSplitter* splitter : {columns, right, below}) {
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(units(3));
  }
  start = new TuneStartView(page);
  stack = new QStackedWidget(page);
  stack->addWidget(start);
  stack->addWidget(columns);
  narrow_tabs = new NarrowTabs(QStringLiteral("tune.narrowTabs"), tr("Items or effects"),
                               {tr("Items"), tr("Effects")}, page);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(units(3), units(3), units(3), units(3));
  layout->setSpacing(units(2.5));
  layout->addWidget(narrow_tabs);
  layout->addWidget(stack);
  connect(start, &TuneStartView::chosen, page, [this](const std::string& origin) { ask_template(origin); });
  connect(columns, &QSplitter::splitterMoved, page, [this] { split_by_user = true; });
  connect(narrow_tabs, &QTabBar::currentChanged, page, [this] { show_columns(); });
}

QAction* TunePage::State::add_action(const char* id, const QString& text, QList<QKeySequence> keys,
                                     std::function<void()> action) {
  return add_page_action(page, QLatin1String(id), text, std::move(keys), std::move(action));
}

void TunePage::State::build_actions() {
  from_template = add_action("tune.template", tr("New checklist…"), {}, [this] { ask_template({}); });
  from_template->setToolTip(tr("New checklist, from a template or empty"));
  edit = add_action("tune.action.editChecklist", tr("Edit the checklist…"),
                    {QKeySequence(Qt::SHIFT | Qt::Key_F2)}, [this] { edit_checklist(); });
  undo =
      add_action("tune.undo", tr("Undo"), {QKeySequence(Qt::CTRL | Qt::Key_Z)}, [this] { session.undo(); });
  remove =
      add_action("tune.action.removeChecklist", tr("Delete the checklist"), {}, [this] { session.remove(); });
  add_action("tune.action.import", tr("Import a checklist…"), {}, [this] { ask_import(); });
  add = add_action("tune.action.add", tr("Add an item"), {QKeySequence(Qt::Key_Insert)},
                   [this] { add_item(); });
  of_item = {add_action("tune.action.edit", tr("Edit the item"), {QKeySequence(Qt::Key_F2)},
                        [this] { edit_item(); }),
             add_action("tune.action.removeItem", tr("Remove the item"), {QKeySequence(Qt::Key_Delete)},
                        [this] { remove_item(); }),
             add_action("tune.action.run", tr("Run the item"),
                        {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)}, [this] { run_item(); })};
  run_all =
      add_action("tune.action.runAll", tr("Run all"), {}, [this] { session.run(session.to_measure()); });
  sweep = add_action("tune.action.sweep", tr("Run sweep…"), {}, [this] { ask_sweep(); });
  of_item << add_action("tune.action.keep", tr("Keep the item"), {QKeySequence(Qt::Key_K)},
                        [this] { decide(ItemVerdict::keep); })
          << add_action("tune.action.revert", tr("Revert the item"), {QKeySequence(Qt::Key_R)},
                        [this] { decide(ItemVerdict::revert); });
}

void TunePage::State::connect_all() {
  connect(&session, &TuneSession::list_changed, page, [this] { show_list(); });
  connect(&session, &TuneSession::changed, page, [this] {
    keep_focus([this] { show(); });
    show_job();
    standing.review();
    Q_EMIT page->badge_changed();
  });
  connect(&session, &TuneSession::progress_changed, page, [this] {
    list->show_progress(session);
    show_job();
  });
  connect(&session, &TuneSession::time_passed, page, [this] { list->show_progress(session); });
  connect(&session, &TuneSession::failed, page, [this](const Error& error) { show_failure(error); });
  connect(&session, &TuneSession::imported, page, [this](const QString& path, const QString& name) {
    say(Banner::Severity::good, tr("Imported %1 as “%2”.").arg(QFileInfo(path).fileName(), name));
  });
  connect(&session, &TuneSession::known_already, page,
          [this](const QString& path, const QString& name, qint64 id) {
            standing.post({Banner::Severity::warn,
                           tr("%1 is here already: it is “%2”.").arg(QFileInfo(path).fileName(), name),
                           tr("Open"),
                           [this, id] { session.open(id); },
                           {}},
                          [this, id] { return !session.checklist() || session.checklist()->id != id; });
          });
  connect(&session, &TuneSession::exported, page, [this](const QString& path) {
    say(Banner::Severity::good, tr("Saved to %1").arg(path), tr("Open folder"),
        [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
  });
  connect(&session, &TuneSession::finished, page, [this](const QString& sentence, bool well) {
    Banner banner{well ? Banner::Severity::good : Banner::Severity::warn, sentence, {}, {}, {}};
    banner.finished = true;
    standing.post(banner, [this] { return !session.running(); });
  });
  connect(&session, &TuneSession::interrupted, page, [this](int measured) {
    standing.post(
        {Banner::Severity::warn,
         tr("%1 was cut off while it was measured. Its %n runs are kept.", nullptr, measured)
             .arg(engine_words(session.checklist()->name)),
         tr("Go on"),
         [this] { session.run(session.to_measure()); },
         {}},
        [this, id = session.checklist()->id] { return is_idle_on(id) && !session.to_measure().empty(); });
  });
  connect(&engine, &EngineController::state_changed, page, [this] { standing.review(); });
  connect(selector, &QComboBox::activated, page,
          [this] { session.open(selector->currentData().toLongLong()); });
  connect(list, &ItemList::chosen, page, [this] { show_item(); });
  connect(list, &ItemList::add_requested, page, [this] { add_item(); });
  connect(list, &ItemList::all_requested, run_all, &QAction::trigger);
  connect(list, &ItemList::edit_requested, page, [this] { edit_checklist(); });
  connect(list, &ItemList::sweep_requested, sweep, &QAction::trigger);
  connect(list, &ItemList::cancel_requested, page, [this] { session.cancel(); });
  connect(list, &ItemList::report_requested, page, [this] { ask_report(); });
  connect(list->view(), &QListView::doubleClicked, page, [this] { edit_item(); });
  connect(scatter, &ScatterChart::chosen, page, [this](int item) {
    if (item >= 0) list->set_current(item);
  });
  connect(scatter, &ScatterChart::latency_chosen, page, [this](const std::string& figure) {
    Checklist changed = *session.checklist();
    changed.latency = figure;
    session.change(std::move(changed));
  });
  connect(detail, &ItemDetail::run_requested, page, [this] { run_item(); });
  connect(detail, &ItemDetail::keep_requested, page, [this] { decide(ItemVerdict::keep); });
  connect(detail, &ItemDetail::revert_requested, page, [this] { decide(ItemVerdict::revert); });
  connect(detail, &ItemDetail::repeat_requested, page, [this] { session.repeat(current()); });
  connect(detail, &ItemDetail::decide_requested, page,
          [this] { session.decide_with_what_is_there(current()); });
  connect(detail, &ItemDetail::value_requested, page,
          [this](const std::string& value) { session.take_value(current(), value); });
  connect(detail, &ItemDetail::edit_requested, page, [this] { edit_item(); });
  connect(difference, &DifferenceCard::flags_requested, page, [this] {
    if (session.checklist()) show_recommended_flags(*session.checklist(), session.results(), page);
  });
}

void TunePage::State::show_list() {
  selector->clear();
  for (const ChecklistListItem& one : session.list())
    selector->addItem(
        one.imported_utc > 0 ? tr("%1, imported").arg(engine_words(one.name)) : engine_words(one.name),
        static_cast<qint64>(one.id));
  if (session.checklist())
    selector->setCurrentIndex(selector->findData(static_cast<qint64>(session.checklist()->id)));
  selector->setVisible(!session.list().empty());
  if (session.listed() && session.list().empty()) keep_focus([this] { show(); });
}

void TunePage::State::show() {
  const bool any = session.checklist().has_value();
  stack->setVisible(any || !session.reading());  // the templates are for those who have no checklist
  stack->setCurrentIndex(any ? 1 : 0);
  show_columns();
  source->setVisible(any);
  undo->setEnabled(session.can_undo());
  for (QAction* action : {edit, remove, sweep}) action->setEnabled(any && !session.running());
  from_template->setEnabled(!session.running());
  add->setEnabled(any);
  for (QAction* action : of_item) action->setEnabled(any && !session.checklist()->items.empty());
  run_all->setEnabled(!session.running() && !session.to_measure().empty());
  selector->setEnabled(!session.running());
  if (!any) return;
  const bool simulated = session.checklist()->target == TuneTarget::simulator;
  const bool begun = simulated || !session.base().runs.empty();
  const QString measured_on = begun ? target_word(session.checklist()->target) : tr("to be measured");
  source->set(simulated || !begun ? Tag::Kind::neutral : Tag::Kind::accent,
              session.checklist()->imported_utc > 0 ? tr("%1, imported").arg(measured_on) : measured_on);
  list->show_checklist(session);
  show_item();
}

void TunePage::State::show_columns() {
  const bool narrow = page->width() < units(kNarrowPageUnits);
  narrow_tabs->arrange(narrow, list, right);
  narrow_tabs->setVisible(narrow && session.checklist());
}

void TunePage::State::show_item() {
  if (!session.checklist()) return;
  scatter->show_checklist(session, list->current());
  detail->show_item(session, list->current());
  difference->show_item(session, list->current());
}

/// A button that goes hands the focus to whatever comes next in the window, and what is hidden keeps it out
/// of sight: it goes to what keys are for.
void TunePage::State::keep_focus(const std::function<void()>& change) {
  const QWidget* had = page->window()->focusWidget();
  const bool ours = had != nullptr && page->isAncestorOf(had);
  change();
  const QWidget* has = page->window()->focusWidget();
  if (ours && page->isVisible() && (has != had || !has->isVisible())) take_focus();
}

/// Nothing is in sight until the store has answered: the focus stays where it is.
void TunePage::State::take_focus() {
  if (session.checklist())
    list->view()->setFocus();
  else if (!session.reading())
    start->focus_first();
}

void TunePage::State::show_failure(const Error& error) {
  if (!session.checklist()) show();  // what was being read does not come
  Banner banner = banner_of(error);
  std::function<bool()> holds = [] { return true; };
  if (error.param == "model" && session.checklist()) {
    banner.verb = edit->text();
    banner.action = [this] { edit_checklist(); };
    holds = [this, id = session.checklist()->id] {
      return is_idle_on(id) && !check_model(*session.checklist());
    };
  } else if (error.kind == Error::Kind::busy && error.param == "target") {
    banner.verb = tr("Go to Serve");
    banner.action = [this] { Q_EMIT page->page_requested(QStringLiteral("serve")); };
    holds = [this] { return engine.engine() == nullptr && !session.running(); };
  } else if (error.kind == Error::Kind::busy && error.param == "requests") {
    banner.verb = tr("Try again");
    banner.action = [this] { session.run_again(); };
    holds = [this, id = session.checklist()->id] { return is_idle_on(id); };
  }
  standing.post(banner, std::move(holds));
}

void TunePage::State::show_job() {
  const QString job = QStringLiteral("tune.run");
  if (!session.running()) return void(Q_EMIT page->job_ended(job));
  const TuneProgress& now = session.progress();
  const double share = now.total > 0 ? static_cast<double>(now.done) / static_cast<double>(now.total)
                                     : std::numeric_limits<double>::quiet_NaN();
  Q_EMIT page->job_went_on(
      {job, tr("Item %1 of “%2”").arg(now.item + 1).arg(engine_words(session.checklist()->name)), share,
       [this] { session.cancel(); }});
}

void TunePage::State::ask_template(const std::string& origin) {
  ChecklistDialog dialog(origin, engine.model_path(), page);
  if (dialog.exec() == QDialog::Accepted) session.create(dialog.checklist());
}

void TunePage::State::edit_checklist() {
  if (!session.checklist() || session.running()) return;
  ChecklistDialog dialog(*session.checklist(), engine.model_path(), page);
  if (dialog.exec() == QDialog::Accepted) session.change(dialog.checklist());
}

void TunePage::State::add_item() {
  if (!session.checklist() || session.running()) return;
  const Checklist& checklist = *session.checklist();
  const auto base = settings_before(checklist, checklist.items.size());
  if (!base) return void(Q_EMIT page->banner_requested(banner_of(base.error())));
  ItemDialog dialog(checklist, *base, nullptr, page);
  if (dialog.exec() != QDialog::Accepted) return;
  append(dialog.items());
}

void TunePage::State::append(std::vector<Item> items) {
  Checklist changed = *session.checklist();
  std::int64_t last = 0;
  for (const Item& item : changed.items) last = std::max(last, item.id);
  for (Item& item : items) {
    item.id = ++last;
    changed.items.push_back(std::move(item));
  }
  session.change(changed);
  list->set_current(static_cast<int>(changed.items.size()) - 1);
}

void TunePage::State::ask_sweep() {
  if (!session.checklist() || session.running()) return;
  const Checklist& checklist = *session.checklist();
  const auto base = settings_before(checklist, checklist.items.size());
  if (!base) return void(Q_EMIT page->banner_requested(banner_of(base.error())));
  SweepDialog dialog(checklist, *base, page);
  if (dialog.exec() != QDialog::Accepted) return;
  append({dialog.item()});
  session.run({session.checklist()->items.size() - 1});
}

void TunePage::State::edit_item() {
  if (!has_item() || session.running()) return;
  Checklist changed = *session.checklist();
  const std::size_t at = current();
  const auto base = settings_before(changed, at);
  if (!base) return void(Q_EMIT page->banner_requested(banner_of(base.error())));
  ItemDialog dialog(changed, *base, &changed.items[at], page);
  if (dialog.exec() != QDialog::Accepted) return;
  std::int64_t last = 0;
  for (const Item& item : changed.items) last = std::max(last, item.id);
  const Item before = changed.items[at];
  changed.items.erase(changed.items.begin() + static_cast<std::ptrdiff_t>(at));
  std::size_t place = at;
  for (Item item : dialog.items()) {
    if (item.id == 0) item.id = ++last;
    const bool same = std::equal(
        item.changes.begin(), item.changes.end(), before.changes.begin(), before.changes.end(),
        [](const ItemChange& a, const ItemChange& b) { return a.setting == b.setting && a.to == b.to; });
    if (!same) {
      item.verdict = ItemVerdict::planned;
      item.by_user = false;
      item.error.clear();
    }
    changed.items.insert(changed.items.begin() + static_cast<std::ptrdiff_t>(place++), std::move(item));
  }
  session.change(changed);
}

void TunePage::State::remove_item() {
  if (!has_item() || session.running()) return;
  Checklist changed = *session.checklist();
  const QString name = engine_words(changed.items[current()].name);
  changed.items.erase(changed.items.begin() + static_cast<std::ptrdiff_t>(current()));
  session.change(changed);
  // What Undo takes back after the next change is something else.
  standing.post(undo_banner(tr("Removed %1.").arg(name), [this] { session.undo(); }), [] { return false; });
}

void TunePage::State::decide(ItemVerdict verdict) {
  if (!has_item() || session.running()) return;
  if (session.result(current()).pairs > 0) return session.decide(current(), verdict);
  const Checklist& checklist = *session.checklist();
  const Item& item = checklist.items[current()];
  standing.post(
      {Banner::Severity::warn,
       tr("%1 is not measured yet. Run it, then decide.").arg(engine_words(item.name)),
       tr("Run"),
       [this] { run_item(); },
       {}},
      [this, list_id = checklist.id, id = item.id] { return is_idle_on(list_id) && is_unmeasured(id); });
}

bool TunePage::State::is_unmeasured(std::int64_t item) const {
  const std::vector<Item>& items = session.checklist()->items;
  const auto found =
      std::find_if(items.begin(), items.end(), [item](const Item& one) { return one.id == item; });
  return found != items.end() && session.result(static_cast<std::size_t>(found - items.begin())).pairs == 0;
}

void TunePage::State::run_item() {
  if (has_item()) session.run({current()});
}

void TunePage::State::ask_report() {
  constexpr int kLongestName = 60;  // of a file: a checklist's may be any text
  const QString name = QString::fromStdString(session.checklist()->name)
                           .simplified()
                           .replace(QLatin1Char('/'), QLatin1Char('-'))
                           .left(kLongestName);
  const QString path = QFileDialog::getSaveFileName(page, tr("Export the report"),
                                                    QDir::home().filePath(name + QStringLiteral(".html")),
                                                    tr("Report (*.html);;Report (*.md);;All of it (*.json)"));
  if (!path.isEmpty()) page->export_to(path);
}

void TunePage::State::ask_import() {
  const QStringList paths = QFileDialog::getOpenFileNames(page, tr("Import checklists"), QDir::homePath(),
                                                          tr("Checklists (*.json);;All files (*)"));
  for (const QString& path : paths) page->open(path);
}

TunePage::TunePage(EngineController& engine, Store& store, TuneSession::FindGpu find_gpu, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, engine, store, std::move(find_gpu))) {
  setObjectName(id());
  state_->build();
  state_->build_actions();
  state_->connect_all();
  state_->show();
  state_->session.refresh();
}

TunePage::~TunePage() = default;

QString TunePage::id() const {
  return QStringLiteral("tune");
}
QString TunePage::title() const {
  return tr("Tune");
}
QList<QWidget*> TunePage::context_widgets() {
  return {state_->selector, state_->source};
}
QList<QAction*> TunePage::page_actions() {
  return {state_->from_template, state_->undo};
}
void TunePage::activated() {
  state_->session.refresh();
  state_->take_focus();
}
std::vector<PaletteEntry> TunePage::palette_entries() {
  std::vector<PaletteEntry> entries;
  for (const ChecklistListItem& one : state_->session.list())
    entries.push_back({PaletteEntry::Kind::checklist,
                       QString::number(one.id),
                       QString::fromStdString(one.name),
                       {},
                       {},
                       [this, id = one.id] { state_->session.open(id); }});
  return entries;
}
Badge TunePage::badge() const {
  const auto& checklist = state_->session.checklist();
  if (!checklist) return {};
  const auto waiting = std::count_if(checklist->items.begin(), checklist->items.end(),
                                     [](const Item& item) { return item.verdict == ItemVerdict::unclear; });
  return {static_cast<int>(waiting), tr("%1 to decide").arg(waiting)};
}
TuneSession& TunePage::session() {
  return state_->session;
}
void TunePage::start(const Checklist& checklist) {
  state_->session.create(checklist);
}

void TunePage::choose(int item) {
  state_->list->set_current(item);
}

void TunePage::export_to(const QString& path) {
  state_->session.export_to(path);
}

bool TunePage::accepts(const QString& path) const {
  return is_checklist_file(path);
}

void TunePage::open(const QString& path) {
  state_->importer->read(path, [this, path](const ImportReader::Text& text) {
    if (!text->ok()) return state_->show_failure(text->error());
    state_->session.import_file(path, {text, &**text});
  });
}

void TunePage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  state_->show_columns();
  if (state_->split_by_user) return;
  const int left = std::clamp(width() * 2 / 5, units(80), units(125));
  state_->columns->setSizes({left, width() - left});
}

}  // namespace pitwall::ui
