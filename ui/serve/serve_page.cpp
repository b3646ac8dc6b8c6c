// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/serve_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/threads.h"
#include "engine/library/models_folder.h"
#include "ui/serve/engine_log.h"
#include "ui/serve/events_card.h"
#include "ui/serve/goodput_card.h"
#include "ui/serve/laps.h"
#include "ui/serve/live_view.h"
#include "ui/serve/load_strip.h"
#include "ui/serve/memory_card.h"
#include "ui/serve/model_chooser.h"
#include "ui/serve/model_facts.h"
#include "ui/serve/model_list.h"
#include "ui/serve/palette_entries.h"
#include "ui/serve/planned_memory.h"
#include "ui/serve/prefix_card.h"
#include "ui/serve/recording_watch.h"
#include "ui/serve/serve_charts.h"
#include "ui/serve/settings_form.h"
#include "ui/serve/start_banners.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/engine_state.h"
#include "ui/shell/errands.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/shell/theme.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/narrow_tabs.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kWindowSeconds[] = {60, 120, 300, 600};
constexpr int kUsualWindow = 1;
constexpr double kRightUnits = 84;  // the right column

double utc_seconds() {
  return static_cast<double>(RealClock().utc_now()) / static_cast<double>(kNanosPerSecond);
}

}  // namespace

struct ServePage::State {
  State(EngineController& engine, Preferences& preferences) : engine(engine), preferences(preferences) {}

  EngineController& engine;
  Preferences& preferences;

  bool session_settings = false;  // the command line changed them: not remembered
  bool paused = false, narrow = false;

  QComboBox *window_box = nullptr, *device_box = nullptr;
  ModelChooser* models = nullptr;
  QAction *start_stop = nullptr, *start = nullptr, *stop = nullptr, *pause = nullptr, *window = nullptr,
          *load_test = nullptr;
  NarrowTabs* narrow_tabs = nullptr;
  QStackedWidget* left = nullptr;
  QScrollArea* right = nullptr;
  LiveView* live = nullptr;
  SettingsForm* form = nullptr;
  PrefixCard* prefix = nullptr;
  GoodputCard* goodput = nullptr;
  EventsCard* events = nullptr;
  LoadStrip* load_strip = nullptr;
  ProgressStrip* fetch_strip = nullptr;
  EventLog log;
  Nanos followed = 0;  // the change that the form has heard of
  RecordingWatch recording;
  Errands errands;
  std::shared_ptr<const Snapshot> shown;  // stands still while the view is paused

  std::uint64_t plans_asked = 0;            // answers to older questions are dropped
  WorkerPool planner{1, "memory planner"};  // last: it joins first

  int window_seconds() const { return kWindowSeconds[window_box->currentIndex()]; }
  bool busy() const {
    return engine.state() == EngineState::loading || engine.state() == EngineState::serving;
  }
};

ServePage::ServePage(EngineController& engine, Preferences& preferences, QWidget* parent)
    : Page(parent), state_(std::make_unique<State>(engine, preferences)) {
  setObjectName(QStringLiteral("serve"));
  build();
  build_actions();
  connect_engine();
  QString trouble;
  state_->form->set_settings(preferences.engine_settings(&trouble));
  if (!trouble.isEmpty())  // said once the frame listens
    QMetaObject::invokeMethod(
        this,
        [this, trouble] {
          Q_EMIT banner_requested(
              {Banner::Severity::warn, tr("Saved settings are not used. %1").arg(trouble), {}, {}, {}});
        },
        Qt::QueuedConnection);
  state_->models->scan();
  if (const QStringList recent = preferences.recent_models(); !recent.isEmpty()) choose_model(recent.front());
  show_state();
}

ServePage::~ServePage() = default;

QString ServePage::id() const {
  return QStringLiteral("serve");
}
QString ServePage::title() const {
  return tr("Serve");
}
QList<QWidget*> ServePage::context_widgets() {
  return {state_->models->box(), state_->device_box};
}
QList<QAction*> ServePage::page_actions() {
  return {state_->window, state_->pause, state_->load_test, state_->start_stop};
}

void ServePage::build() {
  State& s = *state_;
  EngineLog::current();  // listens before an engine runs
  s.models = new ModelChooser(s.preferences, this);
  s.live = new LiveView(this);
  s.form = new SettingsForm(this);
  s.prefix = new PrefixCard(this);
  s.goodput = new GoodputCard(this);
  s.goodput->set_words(s.preferences.objectives());
  s.live->charts()->set_objectives(s.goodput->objectives());
  s.events = new EventsCard(this);
  s.load_strip = new LoadStrip(s.engine, this);
  s.live->add_strip(s.load_strip);
  s.fetch_strip = new ProgressStrip(
      {QStringLiteral("serve.fetchStrip"), tr("Fetch, share that is here"), tr("Cancel fetch")}, this);
  s.live->add_strip(s.fetch_strip);
  s.left = new QStackedWidget(this);
  s.left->addWidget(s.models->list());
  s.left->addWidget(s.live);

  auto* column = new QWidget;
  auto* right = new QVBoxLayout(column);
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(units(2.5));
  right->addWidget(s.models->card());
  right->addWidget(s.form, 5);
  right->addWidget(s.prefix);
  right->addWidget(s.goodput);
  right->addWidget(s.events, 2);
  s.right = new QScrollArea(this);  // in a low window
  s.right->setProperty("bare", true);
  s.right->setFrameShape(QFrame::NoFrame);
  s.right->setFocusPolicy(Qt::NoFocus);
  s.right->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  s.right->setWidgetResizable(true);
  s.right->setWidget(column);
  column->installEventFilter(this);
  for (QWidget* clear : {column, s.right->viewport()}) clear->setAutoFillBackground(false);

  s.narrow_tabs = new NarrowTabs(QStringLiteral("serve.narrowTabs"), tr("Engine or settings"),
                                 {tr("Engine"), tr("Model and settings")}, this);
  connect(s.narrow_tabs, &QTabBar::currentChanged, this, [this] { resizeEvent(nullptr); });

  auto* halves = new QHBoxLayout;
  halves->setSpacing(units(2.5));
  halves->addWidget(s.left, 1);
  halves->addWidget(s.right);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(units(3), units(2.5), units(3), units(2.5));
  page->setSpacing(units(2.5));
  page->addWidget(s.narrow_tabs);
  page->addWidget(s.live->figures());
  page->addLayout(halves, 1);

  build_top_bar();
  connect_models();
  connect_live();
}

void ServePage::build_top_bar() {
  State& s = *state_;
  s.window_box = new QComboBox(this);
  s.window_box->setObjectName(QStringLiteral("serve.window"));
  s.window_box->setAccessibleName(tr("Time window of the charts"));
  for (const int seconds : kWindowSeconds) s.window_box->addItem(tr("%1 min").arg(seconds / 60));
  s.window_box->setCurrentIndex(kUsualWindow);

  s.device_box = new QComboBox(this);
  s.device_box->setObjectName(QStringLiteral("serve.device"));
  s.device_box->setAccessibleName(tr("Device"));
  s.device_box->setAccessibleDescription(tr("Where the model runs; the setting named device."));
  for (const auto& [text, value] : {std::pair{tr("CPU"), "cpu"}, std::pair{tr("GPU, by CUDA"), "cuda"}})
    s.device_box->addItem(text, QLatin1String(value));

  connect(s.window_box, &QComboBox::currentIndexChanged, this, [this] { show_snapshot(); });
  connect(s.device_box, &QComboBox::activated, this, [this] {
    const std::string device = state_->device_box->currentData().toString().toStdString();
    if (state_->form->set("device", device)) Q_EMIT state_->form->edited();
  });
}

void ServePage::connect_models() {
  ModelList* list = state_->models->list();
  connect(list, &ModelList::fetch_progressed, state_->fetch_strip, &ProgressStrip::show_progress);
  connect(list, &ModelList::fetch_ended, state_->fetch_strip, &QWidget::hide);
  connect(state_->fetch_strip, &ProgressStrip::cancelled, list, &ModelList::cancel_fetch);
  connect(state_->models, &ModelChooser::chosen, this, [this] {
    show_state();
    const EngineController& engine = state_->engine;
    if (engine.state() == EngineState::serving && chosen_model() != engine.model_path()) offer_restart();
  });
  connect(list, &ModelList::serve_requested, this, &ServePage::start);
  connect(list, &ModelList::fetch_failed, this,
          [this](const Error& error) { Q_EMIT banner_requested(banner_of(error)); });
  connect(list, &ModelList::job_went_on, this, &ServePage::job_went_on);
  connect(list, &ModelList::job_ended, this, &ServePage::job_ended);
  connect(list, &ModelList::cancel_requested, this, [this] {
    if (state_->engine.state() == EngineState::loading) stop();
  });
}

void ServePage::connect_live() {
  State& s = *state_;
  connect(s.form, &SettingsForm::change_asked, &s.engine, &EngineController::change);
  connect(&s.engine, &EngineController::setting_changed, s.form, &SettingsForm::show_answer);
  connect(s.form, &SettingsForm::edited, this, [this] {
    show_device();
    if (state_->session_settings) return;
    if (auto saved = state_->preferences.set_engine_settings(state_->form->settings()); !saved)
      Q_EMIT banner_requested(banner_of(saved.error()));
  });
  connect(s.form, &SettingsForm::was_reset, this, [this](const Settings& before) {
    Q_EMIT banner_requested(undo_banner(tr("All settings are back at their defaults."),
                                        [this, before] { state_->form->restore(before); }));
  });
  connect(s.form, &SettingsForm::restart_asked, this, [this] {
    if (state_->form->complete()) restart();
  });
  connect(s.goodput, &GoodputCard::changed, this, [this](const QString& words) {
    state_->preferences.set_objectives(words);
    state_->live->charts()->set_objectives(state_->goodput->objectives());
    show_snapshot();
  });
  connect(s.live, &LiveView::redraw_asked, this, &ServePage::show_snapshot);
  connect(s.live, &LiveView::step_chosen, this, [this](quint64 step) {
    Engine* engine = state_->engine.engine();
    state_->live->tell_step(step, engine ? &engine->recorder() : nullptr);
  });
  connect(s.events, &EventsCard::chosen, s.live, [live = s.live](const ServeEvent& event) {
    event.step > 0 ? live->show_step(event.step) : live->show_time(event.at);
  });
  connect(s.load_strip, &LoadStrip::banner_requested, this, &ServePage::banner_requested);
  connect(s.load_strip, &LoadStrip::job_went_on, this, &ServePage::job_went_on);
  connect(s.load_strip, &LoadStrip::job_ended, this, &ServePage::job_ended);
  connect(s.load_strip, &LoadStrip::run_requested, this, &ServePage::run_requested);
  connect(s.load_strip, &LoadStrip::ended, this, &ServePage::show_state);
  connect(s.load_strip, &LoadStrip::began, this, [this](const QString& what, const QString& detail) {
    state_->load_test->setEnabled(false);
    state_->log.add({ServeEvent::Kind::load, utc_seconds(), what, detail});
  });
}

void ServePage::build_actions() {
  State& s = *state_;
  const auto action = [this](const char* id, const QString& text, const QKeySequence& key) {
    auto* made = new QAction(text, this);
    made->setObjectName(QString::fromLatin1(id));
    if (!key.isEmpty()) made->setShortcut(key);
    addAction(made);
    return made;
  };
  s.start = action("serve.start", tr("Start engine"), Qt::Key_F5);
  s.stop = action("serve.stop", tr("Stop engine"), Qt::SHIFT | Qt::Key_F5);
  s.pause = action("serve.pause", tr("Pause view"), Qt::Key_Space);
  s.pause->setShortcutContext(Qt::WidgetWithChildrenShortcut);  // elsewhere Space presses the button it is on
  s.pause->setCheckable(true);
  s.pause->setIcon(icon(QStringLiteral("pause")));
  s.load_test = action("serve.loadTest", tr("Load test…"), {});
  connect(s.load_test, &QAction::triggered, this,
          [this] { state_->load_strip->ask(state_->goodput->objectives()); });
  const auto go = [this, action](const char* id, const QString& text, Qt::Key key, ServeEvent::Kind kind,
                                 int by) {
    QAction* made = action(id, text, key);
    made->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(made, &QAction::triggered, this, [this, kind, by] { state_->events->go(kind, by); });
  };
  go("serve.previousSpike", tr("Previous spike"), Qt::Key_BracketLeft, ServeEvent::Kind::spike, -1);
  go("serve.nextSpike", tr("Next spike"), Qt::Key_BracketRight, ServeEvent::Kind::spike, +1);
  go("serve.nextLap", tr("Next lap"), Qt::Key_L, ServeEvent::Kind::lap, +1);
  s.start_stop = action("serve.startStop", tr("Start engine"), {});
  auto* window = new QWidgetAction(this);
  window->setObjectName(QStringLiteral("serve.windowAction"));
  window->setText(tr("Window"));
  window->setDefaultWidget(s.window_box);
  s.window = window;
  connect(action("serve.openModel", tr("Open a model…"), QKeySequence::Open), &QAction::triggered, this,
          [this] { state_->models->open_file(); });
  connect(s.start, &QAction::triggered, this, &ServePage::start);
  connect(s.stop, &QAction::triggered, this, &ServePage::stop);
  connect(s.start_stop, &QAction::triggered, this, [this] { state_->busy() ? stop() : start(); });
  connect(s.pause, &QAction::toggled, this, [this](bool on) {
    state_->paused = on;
    state_->pause->setText(on ? tr("Resume view") : tr("Pause view"));
    if (on) return state_->live->finish_drawing();
    take_snapshot();
    show_snapshot();
  });
}

void ServePage::connect_engine() {
  EngineController& engine = state_->engine;
  connect(&engine, &EngineController::state_changed, this, [this](EngineState now) {
    state_->log.add({ServeEvent::Kind::state, utc_seconds(), state_word(now), {}});
    show_state();
    if (now == EngineState::failed) show_error();
    if (now == EngineState::serving) show_warnings();
    if (now == EngineState::serving || now == EngineState::loading) plan_memory();
  });
  connect(&engine, &EngineController::load_progress, this,
          [this](const QString& phase, qint64 done, qint64 total) {
            state_->models->list()->show_loading(model_name(state_->engine.model_path()), phase, done, total);
          });
  connect(&engine, &EngineController::snapshot_ready, this, [this] {
    take_snapshot();
    if (!state_->paused && isVisible() && state_->engine.watched()) show_snapshot();
  });
}

void ServePage::show_state() {
  State& s = *state_;
  const EngineState now = s.engine.state();
  const bool live =
      now == EngineState::serving || now == EngineState::stopping ||
      (now == EngineState::stopped && s.engine.snapshot() && chosen_model() == s.engine.model_path());
  s.left->setCurrentWidget(live ? static_cast<QWidget*>(s.live) : s.models->list());
  s.live->figures()->setVisible(live);
  s.models->card()->setVisible(!live);
  for (QWidget* card :
       {static_cast<QWidget*>(s.prefix), static_cast<QWidget*>(s.goodput), static_cast<QWidget*>(s.events)})
    card->setVisible(live);
  s.load_test->setEnabled(now == EngineState::serving && !s.load_strip->running());
  if (!live) s.form->clear_effective();  // they are another start's
  s.pause->setEnabled(live);
  s.window_box->setEnabled(live);
  s.device_box->setEnabled(!s.busy() && now != EngineState::stopping);
  show_device();
  s.models->box()->setEnabled(now != EngineState::loading && now != EngineState::stopping);
  s.start->setEnabled(!s.busy());  // while stopping too: it starts after
  s.stop->setEnabled(s.busy());
  s.start_stop->setProperty("primary", !s.busy());  // before the text: that is what tells the button to look
  s.start_stop->setText(now == EngineState::loading   ? tr("Cancel load")
                        : now == EngineState::serving ? tr("Stop engine")
                                                      : tr("Start engine"));
  s.start_stop->setEnabled(now != EngineState::stopping && (s.busy() || !chosen_model().isEmpty()));
  if (now == EngineState::loading)
    s.models->list()->show_loading(model_name(s.engine.model_path()), tr("Reading the header"), 0, 0);
  else
    s.models->list()->show_idle();
  if (now == EngineState::serving)
    s.form->serve(*s.engine.engine(), QUrl(s.engine.url()).port());
  else if (now == EngineState::loading)
    s.form->lock_while_loading();
  else
    s.form->unlock();
  if (live) {
    take_snapshot();
    show_snapshot();
  }
  const auto last = s.engine.snapshot();
  s.live->show_ended(now == EngineState::stopped && last ? tr("Stopped at %1").arg(time_text(last->utc))
                                                         : QString());
}

void ServePage::show_device() {
  const QString device = QString::fromStdString(state_->form->settings().text("device"));
  state_->device_box->setCurrentIndex(state_->device_box->findData(device));
}

/// What was planned stands beside what is booked: worked out while the first requests come in.
void ServePage::plan_memory() {
  State& s = *state_;
  s.live->memory()->show_planned(std::nullopt);
  const std::uint64_t asked = ++s.plans_asked;
  if (s.engine.state() != EngineState::serving) return;
  s.planner.post([this, asked, model = s.engine.model_path().toStdString(), settings = s.engine.settings(),
                  booked = s.engine.snapshot()->ledger] {
    const auto planned = planned_memory(model, settings, booked);
    if (!planned) return;
    QMetaObject::invokeMethod(
        this,
        [this, asked, bytes = planned->bytes] {
          if (asked == state_->plans_asked) state_->live->memory()->show_planned(bytes);
        },
        Qt::QueuedConnection);
  });
}

/// What must not be missed, whether it is drawn or not.
void ServePage::take_snapshot() {
  State& s = *state_;
  const auto snapshot = s.engine.snapshot();
  Engine* engine = s.engine.engine();
  if (!snapshot) return;
  s.live->take(*snapshot, engine ? &engine->recorder() : nullptr);
  s.log.take(*snapshot, s.live->steps());
  if (s.events->show_events(s.log.events())) s.live->charts()->set_spikes(s.log.events());
  const Nanos newest = snapshot->changes.empty() ? 0 : snapshot->changes.back().utc;
  if (engine && newest != s.followed) {
    s.followed = newest;
    const auto laps = laps_of(snapshot->changes, snapshot->first_lap);
    s.form->follow(*engine, snapshot->first_lap + static_cast<int>(laps.size()));
  }
  if (!s.paused) s.shown = snapshot;
  watch_recording(*snapshot);
}

void ServePage::watch_recording(const Snapshot& snapshot) {
  State& s = *state_;
  const RecordingWatch::News news = s.recording.look(snapshot);
  if (news == RecordingWatch::News::none || s.engine.runs() == nullptr) return;
  const double at = static_cast<double>(snapshot.utc) / static_cast<double>(kNanosPerSecond);
  s.log.add({ServeEvent::Kind::state, at, recording_event(news), {}});
  Q_EMIT banner_requested(recording_banner(news, snapshot, [this] { state_->live->show_log(); }));
}

void ServePage::show_snapshot() {
  State& s = *state_;
  if (!s.shown) return;
  s.live->show_snapshot(s.shown, s.window_seconds(), s.goodput->objectives());
  s.prefix->show_snapshot(*s.shown);
  s.goodput->show_snapshot(*s.shown);
}

void ServePage::show_error() {
  const Error error = state_->engine.last_error();
  if (error.kind == Error::Kind::cancelled) return;
  Q_EMIT banner_requested(failed_start_banner(error, {[this](int port) {
                                                        if (state_->form->set("port", std::to_string(port)))
                                                          start();
                                                      },
                                                      [this](const std::string& name) { show_setting(name); },
                                                      [this] { state_->models->open_file(); }}));
}

void ServePage::show_warnings() {
  for (const std::string& warning : state_->engine.engine()->warnings()) {
    Banner banner;
    banner.severity = Banner::Severity::warn;
    banner.text = engine_words(warning);
    Q_EMIT banner_requested(banner);
  }
}

void ServePage::show_setting(const std::string& name) {
  state_->narrow_tabs->setCurrentIndex(1);
  state_->form->focus_setting(name);
}

void ServePage::activated() {
  state_->models->scan();
  show_state();
}

void ServePage::choose_model(const QString& path) {
  state_->models->choose(path);
}

QString ServePage::chosen_model() const {
  return state_->models->model();
}

/// Here too: what is chosen may be gone, or no model.
void ServePage::offer_restart() {
  look_at_model([this] {
    if (state_->engine.state() == EngineState::serving)
      Q_EMIT banner_requested(
          restart_banner(chosen_model(), state_->engine.model_path(), [this] { restart(); }));
  });
}

void ServePage::restart() {
  look_at_model([this] { load(); });
}

/// What runs goes on until the chosen file is known to be there: `then` is for a sound one.
void ServePage::look_at_model(std::function<void()> then) {
  state_->errands.send([this, model = chosen_model(), then = std::move(then)]() -> Errands::Answer {
    auto facts = read_model_facts(model);
    return [this, model, then, facts = std::move(facts)] {
      if (model != chosen_model()) return;
      facts ? then() : Q_EMIT banner_requested(banner_of(facts.error()));
    };
  });
}

Result<void> ServePage::set_setting(std::string_view name, std::string_view text) {
  state_->session_settings = true;
  return state_->form->set(name, text);
}

void ServePage::take_plan(const QString& model,
                          const std::vector<std::pair<std::string, std::string>>& settings) {
  const auto path = resolve_model(model.toStdString());
  if (!path) return refuse_plan(model, path.error());
  Q_EMIT page_requested(id());
  for (const auto& [name, text] : settings)
    if (auto set = set_setting(name, text); !set) Q_EMIT banner_requested(banner_of(set.error()));
  choose_model(QString::fromStdString(path->string()));
}

/// Nothing changes here: settings of a model that is not there would be those of the next one's start.
void ServePage::refuse_plan(const QString& model, const Error& error) {
  Q_EMIT banner_requested(absent_model_banner(model, error, [this](bool fetchable) {
    Q_EMIT page_requested(id());
    if (!fetchable) state_->models->open_file();
  }));
}

void ServePage::start() {
  State& s = *state_;
  if (s.busy() || !s.form->complete()) return;
  if (chosen_model().isEmpty()) return s.models->open_file();
  load();
}

void ServePage::load() {
  state_->preferences.add_recent_model(chosen_model());
  state_->engine.start(chosen_model(), state_->form->settings());
}

void ServePage::stop() {
  state_->engine.stop();
}

void ServePage::open(const QString& path) {
  const QFileInfo file(path);
  choose_model(file.fileName() == QLatin1String("config.json") ? file.absolutePath() : path);
}

bool ServePage::accepts(const QString& path) const {
  return has_weights(path);
}

std::vector<PaletteEntry> ServePage::palette_entries() {
  return serve_palette_entries(
      state_->preferences.recent_models(), [this](const std::string& name) { show_setting(name); },
      [this](const QString& path) { choose_model(path); });
}

bool ServePage::event(QEvent* event) {
  // A focused button keeps its Space.
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
    QWidget* focused = focusWidget();
    if (qobject_cast<QAbstractButton*>(focused) || qobject_cast<QComboBox*>(focused)) event->accept();
  }
  return Page::event(event);
}

/// The right column asks for more room once its settings say what is in effect.
bool ServePage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::LayoutRequest && !state_->narrow) fit_right();
  return Page::eventFilter(watched, event);
}

void ServePage::fit_right() {
  State& s = *state_;
  const int wide = std::max(units(kRightUnits), s.right->widget()->minimumSizeHint().width() +
                                                    s.right->verticalScrollBar()->sizeHint().width());
  s.right->setMaximumWidth(s.narrow ? QWIDGETSIZE_MAX : wide);
  s.right->setMinimumWidth(s.narrow ? 0 : wide);
}

void ServePage::resizeEvent(QResizeEvent* event) {
  if (event) Page::resizeEvent(event);
  State& s = *state_;
  s.narrow = width() < units(kNarrowPageUnits);
  s.narrow_tabs->arrange(s.narrow, s.left, s.right);
  fit_right();
}

}  // namespace pitwall::ui
