// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around the pages: where keys and the wheel go, what Esc closes, how large the first window is,
// and that texts of users and models are shown as they are.
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPaintEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include "engine/bench/checklist_template.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/one_screen.h"
#include "tests/ui/open_palette.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/plan_page.h"
#include "ui/shell/theme.h"
#include "ui/tune/tune_page.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

/// What a field says, or which tab is chosen.
QString value_of(QWidget* field) {
  if (auto* tabs = qobject_cast<QTabBar*>(field)) return tabs->tabText(tabs->currentIndex());
  if (auto* box = qobject_cast<QComboBox*>(field)) return box->currentText();
  if (auto* box = qobject_cast<QAbstractSpinBox*>(field)) return box->text();
  auto* slider = qobject_cast<QSlider*>(field);
  return slider != nullptr ? QString::number(slider->value()) : QString();
}

/// Combo boxes, spin boxes, sliders and tabs that can be used now.
QList<QWidget*> fields_in(QWidget& window) {
  QList<QWidget*> found;
  for (QWidget* one : window.findChildren<QWidget*>())
    if (one->isVisible() && one->isEnabled() &&
        (qobject_cast<QComboBox*>(one) || qobject_cast<QAbstractSpinBox*>(one) ||
         qobject_cast<QSlider*>(one) || qobject_cast<QTabBar*>(one)))
      found << one;
  return found;
}

void turn_wheel(QWidget* over, int by) {
  const QPointF at = over->rect().center();
  QWheelEvent event(at, over->mapToGlobal(at), {}, {0, by}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                    false);
  QSpontaneKeyEvent::setSpontaneous(&event);  // as from a mouse: only such an event goes up to the parents
  qApp->notify(over, &event);
}

/// Whether a widget has been painted from edge to edge.
class WholePaints : public QObject {
 public:
  explicit WholePaints(QWidget* watched) : watched_(watched) { watched->installEventFilter(this); }
  bool seen() const { return seen_; }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() == QEvent::Paint)
      seen_ = seen_ || static_cast<QPaintEvent*>(event)->region().boundingRect() == watched_->rect();
    return QObject::eventFilter(object, event);
  }

 private:
  QWidget* watched_;
  bool seen_ = false;
};

constexpr const char* kMarkup = "<b>bold</b><img src=\"/nowhere.png\">";

}  // namespace

class FrameTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void the_wheel_changes_the_focused_field_alone();
  void the_wheel_over_a_field_scrolls_the_page();
  void keys_of_a_page_work_from_the_frame();
  void a_click_on_the_frame_leaves_the_focus_to_the_page();
  void a_jump_takes_the_focus_along();
  void what_goes_out_of_sight_leaves_the_focus_in_the_page();
  void a_plan_takes_the_focus_into_its_form();
  void a_first_jump_to_serve_goes_to_its_models();
  void bare_keys_stay_with_their_page();
  void a_key_quits();
  void the_palette_knows_what_buttons_say();
  void esc_closes_the_banner_from_anywhere();
  void the_last_page_comes_back();
  void the_window_fits_its_screen();
  void buttons_without_room_go_into_a_menu();
  void the_status_bar_keeps_no_old_lines();
  void no_label_takes_text_for_html();

 private:
  void activate();
  QString page() const { return session_->window->current_page()->id(); }
  QWidget* rail(const char* id) {
    return session_->child<QWidget>((std::string("shell.rail.") + id).c_str());
  }
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::unique_ptr<test::ServeSession> session_;
};

void FrameTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void FrameTest::init() {
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::ServeSession>(data_->path());
}

void FrameTest::cleanup() {
  session_.reset();
  data_.reset();
}

void FrameTest::activate() {
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
}

void FrameTest::the_wheel_changes_the_focused_field_alone() {
  activate();
  static_cast<PlanPage*>(session_->window->page(u8("plan")))->start(shipped_deployments().front());
  int seen = 0;
  for (const QString& id : session_->window->page_ids()) {
    session_->window->show_page(id);
    QApplication::processEvents();
    rail(id.toUtf8())->setFocus();
    for (QWidget* field : fields_in(*session_->window)) {
      const QString before = value_of(field);
      for (const int by : {-120, 120, 120}) turn_wheel(field, by);
      const QString name = id + u8(": ") + field->accessibleName();
      QVERIFY2(value_of(field) == before, qPrintable(name));
      QVERIFY2(field->focusPolicy() != Qt::WheelFocus, qPrintable(name));
      ++seen;
    }
  }
  auto* tabs = session_->child<QTabBar>("serve.narrowTabs");
  session_->window->resize(session_->window->minimumSize());
  session_->window->show_page(u8("serve"));
  QTRY_VERIFY_WITH_TIMEOUT(tabs->isVisible(), kPatienceMs);
  turn_wheel(tabs, -120);
  QCOMPARE(tabs->currentIndex(), 0);
  QVERIFY2(seen > 20, qPrintable(QString::number(seen)));
  session_->window->show_page(u8("settings"));
  auto* theme = session_->child<QComboBox>("settings.refresh");
  theme->setFocus();
  turn_wheel(theme, -120);
  QCOMPARE(theme->currentIndex(), 1);
}

void FrameTest::the_wheel_over_a_field_scrolls_the_page() {
  session_->window->resize(session_->window->minimumSize());
  session_->window->show_page(u8("settings"));
  QApplication::processEvents();
  auto* scroll = session_->window->page(u8("settings"))->findChild<QScrollArea*>();
  QVERIFY(scroll->verticalScrollBar()->maximum() > 0);
  turn_wheel(session_->child<QComboBox>("settings.theme"), -120);
  QVERIFY(scroll->verticalScrollBar()->value() > 0);
}

void FrameTest::keys_of_a_page_work_from_the_frame() {
  activate();
  session_->window->show_page(u8("chat"));
  auto* input = session_->child<QPlainTextEdit>("chat.input");
  for (QWidget* place : {rail("chat"), session_->child<QWidget>("shell.commandsButton")}) {
    place->setFocus();
    QVERIFY(place->hasFocus());
    QTest::keyClick(place, Qt::Key_N, Qt::ControlModifier);
    QVERIFY2(input->hasFocus(), qPrintable(place->objectName()));
  }
  // A reply is stopped from there too.
  test::TinyModel endless;
  endless.context_length = 60'000;
  PW_VERIFY(session_->serve->set_setting("port", "0"));
  session_->serve->choose_model(
      QString::fromStdString(test::write_tiny_model(data_->path(), endless).string()));
  session_->serve->start();
  QVERIFY(session_->reaches(EngineState::serving));
  session_->window->show_page(u8("chat"));
  session_->child<QWidget>("chat.maxTokens")->setProperty("value", 0);
  input->setPlainText(u8("Never end"));
  session_->child<QPushButton>("chat.send")->click();
  QTRY_COMPARE_WITH_TIMEOUT(session_->child<QPushButton>("chat.send")->text(), u8("Stop"), kPatienceMs);
  rail("chat")->setFocus();
  QTest::keyClick(rail("chat"), Qt::Key_Escape);
  QTRY_COMPARE_WITH_TIMEOUT(session_->child<QPushButton>("chat.send")->text(), u8("Send"), kPatienceMs);
}

void FrameTest::a_click_on_the_frame_leaves_the_focus_to_the_page() {
  activate();
  QTest::mouseClick(rail("chat"), Qt::LeftButton);
  QCOMPARE(page(), u8("chat"));
  Page* chat = session_->window->page(u8("chat"));
  QVERIFY(chat->isAncestorOf(session_->window->focusWidget()));
  session_->window->post({Banner::Severity::warn, u8("Something"), u8("Do it"), [] {}, {}});
  for (const char* one : {"shell.banner.copy", "shell.banner.verb"}) {
    QTest::mouseClick(session_->child<QPushButton>(one), Qt::LeftButton);
    QVERIFY2(chat->isAncestorOf(session_->window->focusWidget()), one);
  }
}

void FrameTest::a_jump_takes_the_focus_along() {
  activate();
  rail("serve")->setFocus();
  QTest::keyClick(rail("serve"), Qt::Key_3, Qt::ControlModifier);
  QCOMPARE(page(), u8("chat"));
  QVERIFY(session_->window->current_page()->isAncestorOf(session_->window->focusWidget()));
  rail("chat")->setFocus();
  session_->window->show_page(u8("settings"));  // nobody pressed a key: the rail keeps it, on the page shown
  QCOMPARE(session_->window->focusWidget(), rail("settings"));
}

/// Behind the pages in the chain stands a button that ends a job.
void FrameTest::what_goes_out_of_sight_leaves_the_focus_in_the_page() {
  activate();
  Page* reports = session_->window->page(u8("reports"));
  bool cancelled = false;
  Q_EMIT reports->job_went_on({u8("job"), u8("A sweep"), 0.5, [&] { cancelled = true; }});
  auto* cancel = session_->child<QPushButton>("shell.jobs.cancel");
  QVERIFY(cancel->isVisible());
  static_cast<PlanPage*>(session_->window->page(u8("plan")))->start(shipped_deployments().front());
  int seen = 0;
  for (const QString& id : session_->window->page_ids()) {
    session_->window->show_page(id);
    QApplication::processEvents();
    Page* shown = session_->window->current_page();
    for (QWidget* one : shown->findChildren<QWidget*>()) {
      if (!one->isVisible() || !one->isEnabled() || !(one->focusPolicy() & Qt::TabFocus)) continue;
      const QString name = id + u8(": ") + one->accessibleName();
      for (const auto go : {&QWidget::setHidden, &QWidget::setDisabled}) {
        one->setFocus();
        (one->*go)(true);
        QWidget* focused = session_->window->focusWidget();
        QVERIFY2(focused == nullptr || shown->isAncestorOf(focused) || focused == rail(id.toUtf8()),
                 qPrintable(name));
        (one->*go)(false);
      }
      ++seen;
    }
  }
  QVERIFY2(seen > 40, qPrintable(QString::number(seen)));
  cancel->setFocus();
  Q_EMIT reports->job_ended(u8("job"));
  QVERIFY(session_->window->current_page()->isAncestorOf(session_->window->focusWidget()));
  QVERIFY(!cancelled);
}

void FrameTest::a_plan_takes_the_focus_into_its_form() {
  activate();
  session_->window->show_page(u8("plan"));
  Q_EMIT session_->window->current_page()->job_went_on({u8("job"), u8("A sweep"), 0.5, [] {}});
  QTest::mouseClick(session_->child<QPushButton>("plan.start.go"), Qt::LeftButton);
  QVERIFY(session_->child<QWidget>("plan.form")->isAncestorOf(session_->window->focusWidget()));
}

/// Not to a button that puts all settings back.
void FrameTest::a_first_jump_to_serve_goes_to_its_models() {
  std::filesystem::create_directory(data_->path() / "another");
  Preferences preferences(data_->path() / "another");
  preferences.add_recent_model(QString::fromStdString(test::write_tiny_model(data_->path()).string()));
  Settings changed;
  PW_VERIFY(changed.set("max-num-seqs", "3"));
  PW_VERIFY(preferences.set_engine_settings(changed));
  const auto window = compose_window(session_->engine, *session_->store, preferences,
                                     [](const std::string& name) { return find_gpu(name); });
  window->show_page(u8("reports"));
  window->show();
  window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(window.get()));
  auto* models = window->findChild<DataTable*>(u8("serve.models"));
  QTRY_VERIFY_WITH_TIMEOUT(models->model()->rowCount() > 0, kPatienceMs);
  QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(window->focusWidget(), models);
}

void FrameTest::bare_keys_stay_with_their_page() {
  activate();
  auto* plan = static_cast<PlanPage*>(session_->window->page(u8("plan")));
  plan->start(shipped_deployments().front());
  session_->window->show_page(u8("plan"));
  auto* pin = session_->child<QAction>("plan.pin");
  QCOMPARE(pin->shortcutContext(), Qt::WidgetWithChildrenShortcut);
  pin->setShortcut(QKeySequence(u8("Ctrl+P")));
  QCOMPARE(pin->shortcutContext(), Qt::WindowShortcut);
  pin->setShortcut(QKeySequence(u8("F6")));
  QCOMPARE(pin->shortcutContext(), Qt::WindowShortcut);
  pin->setShortcut(QKeySequence(u8("Shift+P")));
  QCOMPARE(pin->shortcutContext(), Qt::WidgetWithChildrenShortcut);
}

void FrameTest::a_key_quits() {
  activate();
  QTest::keyClick(session_->window.get(), Qt::Key_Q, Qt::ControlModifier);
  QVERIFY(!session_->window->isVisible());
}

void FrameTest::the_palette_knows_what_buttons_say() {
  activate();
  session_->window->show_page(u8("tune"));
  static_cast<TunePage*>(session_->window->current_page())->start(checklist_templates().front());
  QTRY_VERIFY_WITH_TIMEOUT(session_->child<QAction>("tune.action.sweep")->isEnabled(), kPatienceMs);
  CommandPalette* palette = test::open_palette(*session_->window);
  auto* field = palette->findChild<QLineEdit*>(u8("shell.palette.field"));
  for (const auto& [typed, id] :
       {std::pair{"quit", "shell.quit"}, {"close", "shell.quit"}, {"sweep", "tune.action.sweep"}}) {
    field->setText(u8(typed));
    QVERIFY2(palette->chosen() != nullptr, typed);
    QCOMPARE(palette->chosen()->id, u8(id));
  }
  field->setText(u8("zzzz"));
  QCOMPARE(palette->chosen(), nullptr);
  QApplication::processEvents();
  QVERIFY(!palette->findChild<DataTable*>()->horizontalScrollBar()->isVisible());
}

void FrameTest::esc_closes_the_banner_from_anywhere() {
  activate();
  for (const char* id : {"plan", "reports", "settings"}) {
    session_->window->show_page(u8(id));
    for (QWidget* place : {rail(id), session_->window->current_page()->nextInFocusChain()}) {
      session_->window->post({Banner::Severity::warn, u8("Something"), {}, {}, {}});
      QVERIFY(session_->banner->isVisible());
      place->setFocus();
      QWidget* focused = session_->window->focusWidget();
      QTest::keyClick(focused != nullptr ? focused : session_->window.get(), Qt::Key_Escape);
      QVERIFY2(session_->banner->isHidden(), id);
    }
  }
}

void FrameTest::the_last_page_comes_back() {
  session_->window->restore();
  session_->window->show_page(u8("tune"));
  session_->window->close();
  session_.reset();
  Preferences preferences(data_->path());
  auto store = Store::open(data_->path() / "pitwall.db");
  PW_VERIFY(store);
  EngineController engine(backend_factory(), store->get());
  const auto window =
      compose_window(engine, **store, preferences, [](const std::string& name) { return find_gpu(name); });
  window->restore();
  QCOMPARE(window->current_page()->id(), u8("tune"));
}

void FrameTest::the_window_fits_its_screen() {
  Preferences preferences(data_->path() / "another");
  const auto window = compose_window(session_->engine, *session_->store, preferences,
                                     [](const std::string& name) { return find_gpu(name); });
  const QRect room = window->screen()->availableGeometry();
  QCOMPARE(room.size(), QSize(1440, 900));
  const auto fits = [&] {
    return window->frameGeometry() != window->geometry() && room.contains(window->frameGeometry());
  };
  window->restore();
  window->show();
  QTRY_VERIFY_WITH_TIMEOUT(fits(), kPatienceMs);
  window->reset_layout();
  QTRY_VERIFY_WITH_TIMEOUT(fits(), kPatienceMs);
}

void FrameTest::buttons_without_room_go_into_a_menu() {
  const auto shown = [&](const char* name) { return session_->child<QWidget>(name)->isVisible(); };
  QVERIFY(!shown("serve.moreActions"));
  session_.reset();
  Theme::current().set_text_percent(150);
  session_ = std::make_unique<test::ServeSession>(data_->path());
  const auto menu = [&] {
    return session_->child<QPushButton>("serve.moreActions")->findChild<QMenu*>()->actions();
  };
  QTRY_VERIFY_WITH_TIMEOUT(shown("serve.moreActions"), kPatienceMs);
  QVERIFY(menu().contains(session_->child<QAction>("serve.pause")));
  QVERIFY(!shown("serve.pause"));
  QVERIFY(shown("serve.startStop"));
  QVERIFY(session_->child<QWidget>("serve.moreActions")->focusPolicy() & Qt::TabFocus);
  session_->window->resize(4000, 900);
  QTRY_VERIFY_WITH_TIMEOUT(!shown("serve.moreActions") && shown("serve.pause"), kPatienceMs);
  QVERIFY(menu().isEmpty());
  Theme::current().set_text_percent(100);
}

/// Its lines stand between its cells, which go when the engine stops.
void FrameTest::the_status_bar_keeps_no_old_lines() {
  activate();
  session_->serve_model(test::write_tiny_model(data_->path()));
  auto* url = session_->child<QWidget>("shell.url");
  QTRY_VERIFY_WITH_TIMEOUT(url->isVisible(), kPatienceMs);
  QApplication::processEvents();
  const WholePaints paints(session_->child<QWidget>("shell.statusBar"));
  session_->serve->stop();
  QTRY_VERIFY_WITH_TIMEOUT(!url->isVisible() && paints.seen(), kPatienceMs);
}

void FrameTest::no_label_takes_text_for_html() {
  // As the name of a file it may hold no slash.
  const auto model = test::write_tiny_model(home_->path());
  const auto named = data_->path() / "<b>bold<img src=x>.gguf";
  std::filesystem::copy_file(model, named);
  const auto chat = session_->store->create_chat(kMarkup);
  PW_VERIFY(chat);
  ChatMessage prompt;
  prompt.role = "user";
  prompt.content = kMarkup;
  prompt.state = "error: " + std::string(kMarkup);
  prompt.attachments = {{kMarkup, "text", 1}};
  PW_VERIFY(session_->store->add_message(*chat, prompt));
  Checklist checklist = checklist_templates().front();
  checklist.name = checklist.note = checklist.items[0].name = checklist.items[0].hypothesis = kMarkup;
  RunHeader header;
  header.name = header.model_name = kMarkup;
  const auto run = session_->store->begin(header);
  PW_VERIFY(run);
  PW_VERIFY(session_->store->end(*run, {}));
  PW_VERIFY(session_->store->set_note(*run, kMarkup));

  session_->serve->choose_model(QString::fromStdString(named.string()));
  static_cast<TunePage*>(session_->window->page(u8("tune")))->start(checklist);
  session_->window->post({Banner::Severity::bad, u8(kMarkup), u8("Do it"), {}, {}});
  for (const QString& id : session_->window->page_ids()) session_->window->show_page(id);
  session_->window->show_page(u8("chat"));
  QTRY_VERIFY_WITH_TIMEOUT(!session_->window->page(u8("chat"))->palette_entries().empty(), kPatienceMs);
  session_->window->page(u8("chat"))->palette_entries().front().open();
  const auto shows = [&](const QString& part) {
    int labels = 0;
    for (const auto* label : session_->window->findChildren<QLabel*>())
      labels += label->text().contains(part) ? 1 : 0;
    return labels;
  };
  QTRY_VERIFY_WITH_TIMEOUT(shows(u8("<b>bold</b>")) >= 2, kPatienceMs);  // banner and title at least
  QTRY_VERIFY_WITH_TIMEOUT(shows(u8("<b>bold<img src=x>")) >= 1, kPatienceMs);
  for (const QString& id : session_->window->page_ids()) {
    session_->window->show_page(id);
    QApplication::processEvents();
  }
  QToolTip::showText(QPoint(10, 10), u8(kMarkup), session_->window.get());
  bool tip_seen = false;
  for (const QWidget* widget : QApplication::allWidgets()) {
    const auto* label = qobject_cast<const QLabel*>(widget);
    if (label == nullptr || !label->testAttribute(Qt::WA_WState_Polished)) continue;
    tip_seen = tip_seen || label->inherits("QTipLabel");
    const QString what = label->objectName() + u8(": ") + label->text();
    QVERIFY2(label->textFormat() != Qt::AutoText, qPrintable(what));
    if (label->textFormat() == Qt::RichText)
      QVERIFY2(!label->text().contains(u8("<b>bold")), qPrintable(what));
  }
  QVERIFY(tip_seen);
  QToolTip::hideText();
}

/// On a screen that is just as large as the window at first wants to be, with frames around windows.
int main(int argc, char** argv) {
  return test::run_on_screen<FrameTest>(1440, 900, argc, argv);
}

#include "frame_test.moc"
