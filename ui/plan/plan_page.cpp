// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/plan_page.h"

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/plan/deployment_files.h"
#include "engine/plan/machine_profile.h"
#include "engine/store/store.h"
#include "ui/plan/alternatives.h"
#include "ui/plan/command_dialog.h"
#include "ui/plan/deployment_selector.h"
#include "ui/plan/engine_flags.h"
#include "ui/plan/fix_list.h"
#include "ui/plan/header_text.h"
#include "ui/plan/measured_runs.h"
#include "ui/plan/model_choices.h"
#include "ui/plan/model_files.h"
#include "ui/plan/notice_strip.h"
#include "ui/plan/plan_answer.h"
#include "ui/plan/plan_form.h"
#include "ui/plan/plan_rows.h"
#include "ui/plan/recipe_dialog.h"
#include "ui/plan/serve_settings.h"
#include "ui/plan/slow_lookup.h"
#include "ui/plan/start_view.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/errands.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/narrow_tabs.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/page_action.h"

namespace pitwall::ui {

namespace {

constexpr double kNarrowForm = 130;   // a field may stand so far from its name
constexpr double kNarrowUnits = 250;  // without the rail: below it the form becomes a tab
constexpr int kRestMs =
    120;  // without a change, until changes that help are looked for: that takes many plans
constexpr double kSameDevice = 0.1;  // share by which two readings of one device's memory may differ

QString qs(const std::string& text) {
  return QString::fromStdString(text);
}

/// "Reading the headers of NAME, 38.7 GiB"; 0: not known yet.
QString reading_text(const QString& model, Bytes bytes) {
  const QString name = model.contains(QLatin1Char('/')) ? QFileInfo(model).fileName() : model;
  return bytes > 0 ? PlanPage::tr("Reading the headers of %1, %2").arg(name, bytes_text(bytes))
                   : PlanPage::tr("Reading %1").arg(name);
}

}  // namespace

struct PlanPage::State {
  State(PlanPage* owner, EngineController& engine, Store& store, Preferences& preferences, GpuSource find_gpu)
      : page(owner),
        preferences(preferences),
        measured(engine, store),
        outlines(
            owner, "plan: headers", [](const std::string& model) { return read_outline(model); },
            [this] { ask(); }),
        sizes(owner, "plan: sizes", size_on_disk, [this] { show(); }),
        gpus(owner, "plan: GPUs", std::move(find_gpu), [this] { ask(); }) {}

  PlanPage* page;
  Preferences& preferences;
  Alternatives alternatives;
  MeasuredRuns measured;
  SlowLookup<ModelOutline> outlines;
  SlowLookup<Bytes> sizes;      // of models, on the disk
  SlowLookup<GpuProfile> gpus;  // this machine is measured
  QTimer turn;                  // one answer for all changes of a turn of the event loop
  QTimer rest;                  // the input rests
  double took_ms = 0;
  std::vector<ModelChoice> offered;
  int opening = 0;  // paths that are being looked at
  Errands errands;

  DeploymentSelector* selector = nullptr;
  QPointer<CommandDialog> command_dialog;  // while it is open
  QAction *read_command = nullptr, *recipe = nullptr, *flags = nullptr, *pin = nullptr, *serve = nullptr,
          *save_action = nullptr;
  NarrowTabs* narrow_tabs = nullptr;
  StartView* start_view = nullptr;
  PlanForm* form = nullptr;
  PlanAnswer* answer = nullptr;

  void build();
  void build_actions();
  QAction* action(const char* id, const QString& text, const QKeySequence& key,
                  std::function<void()> triggered);
  void connect_parts();
  void offer_deployments();
  void find_models();
  void offer_models(const std::vector<ModelEntry>& found);
  void offer_gpus();

  void start(Deployment deployment);
  void edit(const Deployment& deployment);
  void select(qint64 key);
  void ask();  // all changed alternatives, at the end of this turn
  void answer_asked();
  void answer_one(Alternative& one);
  void look_for_fixes();  // of one alternative, and of the next in a later turn
  void show();
  void show_notice(const Alternative& subject);
  std::optional<MeasuredMemory> measured_of(const Alternative& subject);
  void show_layout();

  void toggle_pin();
  void apply(qint64 key, const std::vector<Fix>& changes);
  void serve_subject();
  void save();
  void open_model();
  void open(const QString& path);
  void plan_model(const QString& model);
  void show_header();
  void ask_command();
  std::optional<MemoryTerms> terms_of_command(const EngineReading& reading);
  void show_flags();
  void show_recipe();
  void add_pinned(const Deployment& deployment);
};

void PlanPage::State::build() {
  form = new PlanForm(page);
  answer = new PlanAnswer(page);
  start_view = new StartView(page);
  narrow_tabs = new NarrowTabs(QStringLiteral("plan.narrowTabs"), tr("Form or answer"),
                               {tr("Deployment"), tr("Answer")}, page);
  auto* halves = new QHBoxLayout;
  halves->setSpacing(units(2.5));
  halves->addWidget(form);
  halves->addWidget(answer, 1);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(units(3), units(2.5), units(3), units(2.5));
  column->setSpacing(units(2.5));
  column->addWidget(start_view, 1);
  column->addWidget(narrow_tabs);
  column->addLayout(halves, 1);

  selector = new DeploymentSelector(page);
}

QAction* PlanPage::State::action(const char* id, const QString& text, const QKeySequence& key,
                                 std::function<void()> triggered) {
  return add_page_action(page, QLatin1String(id), text, {key}, std::move(triggered));
}

void PlanPage::State::build_actions() {
  read_command = action("plan.readCommand", tr("Read a command line…"), {}, [this] { ask_command(); });
  recipe = action("plan.recipe", tr("Tuning recipe…"), {}, [this] { show_recipe(); });
  flags = action("plan.flags", tr("Flags for other engines…"), {}, [this] { show_flags(); });
  pin = action("plan.pin", tr("Pin this"), Qt::Key_P, [this] { toggle_pin(); });
  pin->setIcon(icon(QStringLiteral("pin")));
  serve = action("plan.serve", tr("Serve this"), Qt::CTRL | Qt::Key_Return, [this] { serve_subject(); });
  save_action = action("plan.save", tr("Save as deployment…"), QKeySequence::Save, [this] { save(); });
  action("plan.openModel", tr("Plan another model…"), {}, [this] { open_model(); });
  const auto step = [this](int by) {
    alternatives.move(by);
    if (alternatives.subject() != nullptr) select(alternatives.subject()->key);
  };
  action("plan.previous", tr("Previous alternative"), Qt::ALT | Qt::Key_Up, [step] { step(-1); });
  action("plan.next", tr("Next alternative"), Qt::ALT | Qt::Key_Down, [step] { step(+1); });
}

void PlanPage::State::connect_parts() {
  turn.setSingleShot(true);
  turn.setInterval(0);
  connect(&turn, &QTimer::timeout, page, [this] { answer_asked(); });
  rest.setSingleShot(true);
  connect(&rest, &QTimer::timeout, page, [this] { look_for_fixes(); });
  connect(form, &PlanForm::edited, page, [this] { edit(form->deployment()); });
  connect(form, &PlanForm::refused, page, [this] { show(); });
  connect(form, &PlanForm::serve_requested, page, [this] { serve_subject(); });
  connect(form, &PlanForm::save_requested, page, [this] { save(); });
  connect(form, &PlanForm::open_requested, page, [this] { open_model(); });
  connect(&measured, &MeasuredRuns::changed, page, [this] { show(); });
  connect(answer, &PlanAnswer::chosen, page, [this](qint64 key) { select(key); });
  connect(answer, &PlanAnswer::fix_chosen, page,
          [this](qint64 key, const std::vector<Fix>& changes) { apply(key, changes); });
  connect(answer->notice(), &NoticeStrip::verb_chosen, page, [this] { show_header(); });
  connect(start_view, &StartView::chosen, page, [this](const Deployment& deployment) { start(deployment); });
  connect(start_view, &StartView::open_requested, page, [this] { open_model(); });
  connect(start_view, &StartView::read_command_requested, page, [this] { ask_command(); });
  connect(start_view, &StartView::recipe_requested, page, [this] { show_recipe(); });
  connect(selector, &DeploymentSelector::chosen, page,
          [this](const Deployment& deployment) { start(deployment); });
  connect(narrow_tabs, &QTabBar::currentChanged, page, [this] { show_layout(); });
}

void PlanPage::State::offer_deployments() {
  std::vector<Deployment> offered = shipped_deployments();
  std::string trouble;
  for (Deployment& saved : saved_deployments(&trouble)) offered.push_back(std::move(saved));
  if (!trouble.empty())
    Q_EMIT page->banner_requested(
        {Banner::Severity::warn, tr("A saved deployment is left out. %1").arg(qs(trouble)), {}, {}, {}});
  start_view->set_deployments(offered);
  selector->set_offered(std::move(offered));
  if (const Alternative* subject = alternatives.subject()) selector->show_deployment(subject->deployment);
}

/// Those in folders come when the disk has answered.
void PlanPage::State::find_models() {
  if (offered.empty()) offer_models({});
  errands.send([this, places = model_places(preferences)]() -> Errands::Answer {
    return [this, found = scan_models(places)] { offer_models(found); };
  });
}

void PlanPage::State::offer_models(const std::vector<ModelEntry>& found) {
  std::vector<ModelChoice> models = model_choices(preferences, found);
  if (models == offered) return;
  offered = std::move(models);
  form->set_models(offered);
  start_view->set_models(offered);
}

void PlanPage::State::offer_gpus() {
  QStringList names{QString::fromLatin1(kThisMachine.data(), static_cast<qsizetype>(kThisMachine.size()))};
  for (const GpuProfile& gpu : gpu_profiles()) names << qs(gpu.name);
  form->set_gpus(names);
  start_view->set_gpus(names);
}

void PlanPage::State::start(Deployment deployment) {
  deployment.requests = requests_asked(deployment);  // a field of its own here
  alternatives.start(deployment);
  form->set_deployment(deployment);
  preferences.set_last_deployment(qs(deployment.name));
  show_layout();
  ask();
}

void PlanPage::State::edit(const Deployment& deployment) {
  alternatives.edit(deployment);
  ask();
}

void PlanPage::State::select(qint64 key) {
  alternatives.select(key);
  form->set_deployment(alternatives.subject()->deployment);
  ask();
}

void PlanPage::State::ask() {
  if (command_dialog) command_dialog->read();
  if (!alternatives.empty()) turn.start();
}

void PlanPage::State::answer_asked() {
  QElapsedTimer clock;
  clock.start();
  bool any = false;
  for (Alternative& one : alternatives.all()) {
    if (!one.asked) continue;
    answer_one(one);
    any = any || !one.asked;
  }
  if (any) took_ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
  rest.start(kRestMs);
  show();
}

void PlanPage::State::answer_one(Alternative& one) {
  const auto* outline = outlines.find(qs(one.deployment.model));
  const auto* gpu = gpus.find(qs(one.deployment.gpu));
  if (outline == nullptr || gpu == nullptr) return;  // what arrives asks again
  one.asked = false;
  one.error.reset();
  auto plan = !*outline ? Result<DeploymentPlan>(outline->error())
              : !*gpu   ? Result<DeploymentPlan>(gpu->error())
                        : plan_memory(one.deployment, ***outline, ***gpu);
  if (!plan) {
    one.error = plan.error();
    return;
  }
  plan->predicted = predict_times(*plan);
  one.plan = std::make_shared<const DeploymentPlan>(std::move(*plan));
  one.fixes.reset();
  one.fix_pair.clear();
  if (one.plan->verdict == Verdict::fits) one.fixes.emplace();
}

void PlanPage::State::look_for_fixes() {
  for (Alternative& one : alternatives.all()) {
    if (!one.plan || one.fixes || one.asked) continue;
    one.fixes = find_fixes(*one.plan);
    one.fix_pair = find_fix_pair(*one.plan, *one.fixes);
    rest.start(0);
    break;
  }
  show();
}

void PlanPage::State::show() {
  const Alternative* subject = alternatives.subject();
  if (subject == nullptr) return;
  const auto* outline = outlines.find(qs(subject->deployment.model));
  if (outline != nullptr && *outline) form->show_outline(***outline);
  show_notice(*subject);
  if (subject->error && (outline == nullptr || *outline))  // the notice says the others
    form->show_error(*subject->error);
  else if (subject->plan && !subject->asked)
    form->show_plan(*subject->plan);
  selector->show_deployment(subject->deployment);
  const bool wrong = subject->error || form->has_wrong_field();
  const bool old = subject->asked || wrong;
  answer->set_muted(old);
  save_action->setEnabled(!wrong);
  form->set_can_save(!wrong);
  const bool can_serve = subject->plan && !old && subject->plan->model.runs_here();
  serve->setEnabled(can_serve);
  form->set_can_serve(can_serve,
                      old ? tr("There is no answer to serve.")
                          : tr("This engine does not run %1.")
                                .arg(subject->plan ? qs(subject->plan->model.architecture) : QString()));
  pin->setText(subject->pinned ? tr("Unpin this") : tr("Pin this"));
  pin->setEnabled(subject->pinned || alternatives.pinned() < Alternatives::kMostPinned);
  answer->show_alternatives(alternatives, took_ms, measured_of(*subject), form->is_sliding());
}

/// Another machine's figures say nothing about this plan.
std::optional<MeasuredMemory> PlanPage::State::measured_of(const Alternative& subject) {
  if (!subject.plan) return std::nullopt;
  auto found = measured.find(qs(subject.deployment.model));
  const auto device = static_cast<double>(subject.plan->worst_rank().device_total);
  if (found && std::abs(static_cast<double>(found->ledger.device_total) - device) > kSameDevice * device)
    found.reset();
  return found;
}

void PlanPage::State::show_notice(const Alternative& subject) {
  const QString model = qs(subject.deployment.model);
  if (outlines.waiting(model)) {
    const auto* size = sizes.find(model);
    const QString text = reading_text(model, size && *size ? ***size : 0);
    form->show_reading(text);
    return answer->notice()->show_progress(text);
  }
  if (gpus.waiting(qs(subject.deployment.gpu)))
    return answer->notice()->show_progress(tr("Measuring the speed of %1").arg(qs(subject.deployment.gpu)));
  const auto* outline = outlines.find(model);
  if (outline == nullptr || *outline) return answer->notice()->hide();
  const Error& error = outline->error();
  QString reason = qs(error.cause);
  if (!error.action.empty())
    reason += (reason.isEmpty() ? QString() : QStringLiteral(". ")) + qs(error.action);
  answer->notice()->show_error(qs(error.what), reason, tr("Show header"));
  form->show_no_model();
}

void PlanPage::State::show_layout() {
  const bool empty = alternatives.empty();
  const bool narrow = page->width() < units(kNarrowUnits);
  narrow_tabs->arrange(narrow, form, answer);
  if (empty)
    for (QWidget* part :
         {static_cast<QWidget*>(narrow_tabs), static_cast<QWidget*>(form), static_cast<QWidget*>(answer)})
      part->hide();
  start_view->setVisible(empty);  // last: it hands the focus to what is in sight
  const int wide = std::max(units(69), form->minimumSizeHint().width());
  form->setMaximumWidth(narrow ? units(kNarrowForm) : wide);
  form->setMinimumWidth(narrow ? 0 : wide);
  for (QAction* act : page->actions())
    if (act != read_command && act != recipe && act->objectName() != QStringLiteral("plan.openModel"))
      act->setEnabled(!empty);
}

void PlanPage::State::toggle_pin() {
  const Alternative* subject = alternatives.subject();
  if (subject == nullptr) return;
  subject->pinned ? alternatives.unpin() : static_cast<void>(alternatives.pin());
  show();
}

void PlanPage::State::apply(qint64 key, const std::vector<Fix>& changes) {
  alternatives.select(key);
  if (alternatives.subject() == nullptr) return;
  Result<Deployment> changed = alternatives.subject()->deployment;
  for (const Fix& fix : changes)
    if (changed) changed = with_fix(*changed, fix);
  if (!changed) {
    Q_EMIT page->banner_requested(banner_of(changed.error()));
    return;
  }
  form->set_deployment(*changed);
  edit(*changed);
}

void PlanPage::State::serve_subject() {
  const Alternative* subject = alternatives.subject();
  if (subject == nullptr || !subject->plan || !serve->isEnabled()) return;
  Q_EMIT page->serve_requested(qs(subject->deployment.model), serve_settings(*subject->plan));
}

void PlanPage::State::save() {
  const Alternative* subject = alternatives.subject();
  if (subject == nullptr) return;
  bool named = false;
  const QString name = QInputDialog::getText(page, tr("Save as deployment"), tr("Name"), QLineEdit::Normal,
                                             qs(subject->deployment.name), &named)
                           .trimmed();
  if (named) page->save_as(name);
}

void PlanPage::State::open_model() {
  const QString path = QFileDialog::getOpenFileName(page, tr("Plan a model"), {},
                                                    tr("Models (*.gguf config.json);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

void PlanPage::State::open(const QString& path) {
  ++opening;
  errands.send([this, path]() -> Errands::Answer {
    return [this, model = model_at(path)] {
      --opening;
      plan_model(model);
    };
  });
}

void PlanPage::State::plan_model(const QString& model) {
  outlines.forget(model);
  sizes.forget(model);
  Deployment deployment = alternatives.empty() ? start_view->deployment() : form->deployment();
  deployment.model = model.toStdString();
  if (alternatives.empty()) return start(deployment);
  form->set_deployment(deployment);
  edit(deployment);
}

void PlanPage::State::show_header() {
  if (alternatives.subject() == nullptr) return;
  const QString model = qs(alternatives.subject()->deployment.model);
  QDialog dialog(page);
  dialog.setObjectName(QStringLiteral("plan.header"));
  dialog.setWindowTitle(tr("Header of %1").arg(QFileInfo(model).fileName()));
  auto* text = new QPlainTextEdit(header_text(model), &dialog);
  text->setReadOnly(true);
  text->setAccessibleName(dialog.windowTitle());
  text->setFont(Theme::current().font(FontRole::code));
  auto* column = new QVBoxLayout(&dialog);
  column->addWidget(text);
  dialog.resize(units(170), units(120));
  dialog.exec();
}

std::optional<MemoryTerms> PlanPage::State::terms_of_command(const EngineReading& reading) {
  const Deployment said = deployment_from(reading, form->deployment(), std::nullopt);
  const auto* outline = outlines.find(qs(said.model));
  const auto* gpu = gpus.find(qs(said.gpu));
  if (outline == nullptr || gpu == nullptr || !*outline || !*gpu) return std::nullopt;
  return terms_of(reading, ***outline, ***gpu);
}

void PlanPage::State::ask_command() {
  CommandDialog dialog(
      form->deployment(), [this](const EngineReading& reading) { return terms_of_command(reading); }, page);
  command_dialog = &dialog;
  if (dialog.exec() != QDialog::Accepted || !dialog.deployment()) return;
  if (alternatives.empty()) return start(*dialog.deployment());
  form->set_deployment(*dialog.deployment());
  edit(*dialog.deployment());
}

void PlanPage::State::show_flags() {
  const Alternative* subject = alternatives.subject();
  if (!subject || !subject->plan) return;
  const auto plan = subject->plan;  // lives as long as the dialog
  show_engine_flags(*plan, page);
}

void PlanPage::State::show_recipe() {
  RecipeDialog dialog(page);
  connect(&dialog, &RecipeDialog::step_chosen, page, [this](const Deployment& step) { add_pinned(step); });
  dialog.exec();
}

/// Beside all that there is: the draft would go, so it is pinned too while there is room.
void PlanPage::State::add_pinned(const Deployment& deployment) {
  alternatives.pin();
  alternatives.start(deployment);
  alternatives.pin();
  form->set_deployment(deployment);
  show_layout();
  ask();
}

PlanPage::PlanPage(EngineController& engine, Store& store, Preferences& preferences, GpuSource find_gpu,
                   QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(this, engine, store, preferences, std::move(find_gpu))) {
  setObjectName(id());
  state_->build();
  state_->build_actions();
  state_->connect_parts();
  state_->find_models();
  state_->offer_gpus();
  state_->offer_deployments();
  const QString last = preferences.last_deployment();
  const std::vector<Deployment> offered = state_->selector->offered();
  for (const Deployment& deployment : offered)
    if (!last.isEmpty() && qs(deployment.name) == last && state_->alternatives.empty())
      state_->start(deployment);
  state_->show_layout();
}

PlanPage::~PlanPage() = default;

QString PlanPage::id() const {
  return QStringLiteral("plan");
}
QString PlanPage::title() const {
  return tr("Plan");
}
QList<QWidget*> PlanPage::context_widgets() {
  return {state_->selector};
}
QList<QAction*> PlanPage::page_actions() {
  return {state_->read_command, state_->recipe, state_->flags, state_->pin};
}

void PlanPage::activated() {
  state_->find_models();
  state_->show();
}

bool PlanPage::accepts(const QString& path) const {
  return has_config(path) && !has_weights(path);  // what has weights can be served
}

void PlanPage::open(const QString& path) {
  state_->open(path);
}

void PlanPage::start(const Deployment& deployment) {
  state_->start(deployment);
}

void PlanPage::compare(const std::vector<Deployment>& deployments) {
  for (const Deployment& deployment : deployments) {
    state_->start(deployment);
    state_->alternatives.pin();
  }
  if (!deployments.empty()) state_->select(state_->alternatives.all().front().key);
}

bool PlanPage::answered() const {
  const auto& all = state_->alternatives.all();
  return state_->opening == 0 && !state_->turn.isActive() &&
         std::none_of(all.begin(), all.end(), [](const Alternative& one) { return one.asked; });
}

double PlanPage::last_answer_ms() const {
  return state_->took_ms;
}

void PlanPage::save_as(const QString& name) {
  State& s = *state_;
  if (s.alternatives.subject() == nullptr) return;
  Deployment deployment = s.alternatives.subject()->deployment;
  deployment.name = name.toStdString();
  const auto saved = save_deployment(deployment);
  if (!saved) {
    Q_EMIT banner_requested(banner_of(saved.error()));
    return;
  }
  s.form->set_deployment(deployment);
  s.alternatives.find(s.alternatives.subject()->key)->deployment.name = deployment.name;
  s.preferences.set_last_deployment(name);
  s.offer_deployments();
  s.show();
  Q_EMIT banner_requested({Banner::Severity::good, tr("Saved as %1").arg(name), {}, {}, qs(saved->string())});
}

void PlanPage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  state_->show_layout();
}

}  // namespace pitwall::ui
