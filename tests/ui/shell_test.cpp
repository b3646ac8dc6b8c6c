// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window as a citizen of the desktop: palette, dropped files, badges, jobs, notifications, what is
// restored, the settings page, and two starts of the program.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDBusConnection>
#include <QDBusServer>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSplitter>
#include <QTest>
#include <QUrl>
#include <fstream>

#include "engine/bench/checklist_template.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/open_palette.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/plan_page.h"
#include "ui/serve/load_strip.h"
#include "ui/shell/action_registry.h"
#include "ui/shell/desktop_notifier.h"
#include "ui/shell/theme.h"
#include "ui/tune/tune_page.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString text_of(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

QString program() {
  return u8(PITWALL_BINARY_DIR "/app/pitwall/pitwall");
}

}  // namespace

class NoteTaker : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  QStringList shown;

 public Q_SLOTS:
  uint Notify(const QString&, uint, const QString&, const QString& title, const QString&, const QStringList&,
              const QVariantMap&, int) {
    shown << title;
    return static_cast<uint>(shown.size());
  }
};

class ShellTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void palette_leads_to_everything();
  void palette_remembers_what_was_done();
  void files_go_to_the_page_for_them();
  void a_dropped_file_is_opened();
  void an_item_to_decide_is_a_badge();
  void a_load_is_a_job_and_its_end_is_told();
  void notifications_can_be_turned_off();
  void shortcuts_are_changed_in_the_settings();
  void layout_and_page_come_back();
  void settings_of_the_view_are_kept();
  void a_second_start_hands_over_its_model();
  void a_start_ends_once_it_has_painted();

 private:
  QString pick(const QString& typed);
  std::unique_ptr<test::TemporaryFolder> home_, data_;
  std::filesystem::path model_;
  std::unique_ptr<test::ServeSession> session_;
};

void ShellTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  model_ = test::write_tiny_model(home_->path());
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void ShellTest::init() {
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::ServeSession>(data_->path());
}

void ShellTest::cleanup() {
  session_.reset();
  data_.reset();
}

/// Types into the palette and presses Enter; what was chosen, with its kind.
QString ShellTest::pick(const QString& typed) {
  auto* palette = test::open_palette(*session_->window);
  auto* field = palette->findChild<QLineEdit*>();
  QTest::keyClicks(field, typed);
  const QString chosen = palette->chosen() ? full_id(*palette->chosen()) : QString();
  QTest::keyClick(field, palette->chosen() ? Qt::Key_Return : Qt::Key_Escape);
  return chosen;
}

void ShellTest::palette_leads_to_everything() {
  session_->preferences.add_recent_model(text_of(model_));
  const auto chat = session_->store->create_chat("Stutter of long prompts");
  PW_VERIFY(chat);
  Checklist checklist = checklist_templates().front();
  checklist.name = "Evening checklist";
  const auto added = session_->store->add_checklist(checklist);
  PW_VERIFY(added);
  static_cast<PlanPage*>(session_->window->page(u8("plan")))->start(shipped_deployments().front());
  session_->serve_model(model_);
  (void)session_->generate(5);
  const qint64 run = session_->engine.engine()->run().value;
  session_->serve->stop();
  QVERIFY(session_->reaches(EngineState::stopped));
  for (const char* page : {"chat", "tune", "reports"}) session_->window->show_page(u8(page));  // they read

  const auto page = [&] { return session_->window->current_page()->id(); };
  QTRY_VERIFY_WITH_TIMEOUT(!session_->window->page(u8("chat"))->palette_entries().empty(), kPatienceMs);
  QTRY_VERIFY_WITH_TIMEOUT(!session_->window->page(u8("tune"))->palette_entries().empty(), kPatienceMs);
  QTRY_VERIFY_WITH_TIMEOUT(!session_->window->page(u8("reports"))->palette_entries().empty(), kPatienceMs);
  QCOMPARE(pick(u8("mnseqs")), u8("setting:max-num-seqs"));
  QCOMPARE(page(), u8("serve"));
  QCOMPARE(session_->window->focusWidget(), session_->child<QLineEdit>("serve.setting.max-num-seqs"));
  QCOMPARE(pick(u8("settings")), u8("page:settings"));
  QCOMPARE(page(), u8("settings"));
  QCOMPARE(pick(u8("stutter")), u8("chat:%1").arg(*chat));
  QCOMPARE(page(), u8("chat"));
  QCOMPARE(pick(u8("evening")), u8("checklist:%1").arg(added->id));
  QCOMPARE(page(), u8("tune"));
  QCOMPARE(pick(u8("R-%1").arg(run)), u8("run:%1").arg(run));
  QCOMPARE(page(), u8("reports"));
  QCOMPARE(pick(QFileInfo(text_of(model_)).completeBaseName()), u8("model:") + text_of(model_));
  QCOMPARE(page(), u8("serve"));
  QCOMPARE(pick(u8("next alternative")), u8("action:plan.next"));
  QCOMPARE(page(), u8("plan"));
  QCOMPARE(pick(u8("no such thing")), QString());
}

void ShellTest::palette_remembers_what_was_done() {
  QCOMPARE(pick(u8("reports")), u8("page:reports"));
  QCOMPARE(pick(u8("block-size")), u8("setting:block-size"));
  QCOMPARE(pick({}), u8("setting:block-size"));
  QCOMPARE(session_->preferences.recent_commands(),
           (QStringList{u8("setting:block-size"), u8("page:reports")}));
  QCOMPARE(Preferences(data_->path()).recent_commands().size(), 2);
}

void ShellTest::files_go_to_the_page_for_them() {
  std::filesystem::create_directories(data_->path() / "bare");
  std::ofstream(data_->path() / "bare" / "config.json") << "{}";
  std::ofstream(data_->path() / "notes.txt") << "nothing";
  session_->window->open_path(text_of(model_));
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  QCOMPARE(session_->serve->chosen_model(), text_of(model_));
  session_->window->open_path(text_of(data_->path() / "bare"));
  QCOMPARE(session_->window->current_page()->id(), u8("plan"));
  session_->window->open_path(text_of(data_->path() / "notes.txt"));
  QCOMPARE(session_->window->current_page()->id(), u8("plan"));
  QVERIFY(session_->banner->current()->text.contains(u8("notes.txt")));
}

void ShellTest::a_dropped_file_is_opened() {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(text_of(model_))});
  const QPoint at(300, 300);
  session_->window->show_page(u8("reports"));
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(session_->window.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(session_->window.get(), &drop);
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));
  QCOMPARE(session_->serve->chosen_model(), text_of(model_));
  QMimeData words;
  words.setText(u8("words"));
  QDragEnterEvent other(at, Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
  other.ignore();
  QApplication::sendEvent(session_->window.get(), &other);
  QVERIFY(!other.isAccepted());
}

void ShellTest::an_item_to_decide_is_a_badge() {
  auto* button = session_->child<QWidget>("shell.rail.tune");
  QCOMPARE(button->accessibleName(), u8("Tune"));
  const QImage plain = button->grab().toImage();
  auto* tune = static_cast<TunePage*>(session_->window->page(u8("tune")));
  Checklist checklist = checklist_templates().front();
  checklist.items[0].verdict = ItemVerdict::unclear;
  tune->start(checklist);
  QTRY_COMPARE_WITH_TIMEOUT(button->accessibleName(), u8("Tune, 1 to decide"), kPatienceMs);
  QVERIFY(button->grab().toImage() != plain);
  tune->session().decide(0, ItemVerdict::keep);
  QTRY_COMPARE_WITH_TIMEOUT(button->accessibleName(), u8("Tune"), kPatienceMs);
  QCOMPARE(button->grab().toImage(), plain);
}

void ShellTest::a_load_is_a_job_and_its_end_is_told() {
  NoteTaker desktop;
  QDBusServer server;
  std::unique_ptr<QDBusConnection> other_end;
  connect(&server, &QDBusServer::newConnection, this, [&](QDBusConnection connection) {
    other_end = std::make_unique<QDBusConnection>(connection);
    other_end->registerObject(u8("/org/freedesktop/Notifications"), &desktop,
                              QDBusConnection::ExportAllContents);
  });
  session_->window->notifier().set_bus(QDBusConnection::connectToPeer(server.address(), u8("load")));
  QTRY_VERIFY(other_end != nullptr);
  session_->serve_model(model_);
  auto* strip = session_->child<LoadStrip>("serve.load");
  auto* job = session_->child<QLabel>("shell.jobs.text");
  LoadWish wish;
  wish.requests = 4;
  wish.at_once = 2;
  QWidget elsewhere;  // the user is not looking
  session_->window->hide();
  QTRY_VERIFY(QApplication::activeWindow() == nullptr);
  strip->start(wish);
  QVERIFY(job->text().startsWith(u8("Load chat")));
  QTRY_VERIFY_WITH_TIMEOUT(!strip->running(), kPatienceMs);
  QTRY_COMPARE_WITH_TIMEOUT(desktop.shown, (QStringList{u8("Serve")}), kPatienceMs);
  QVERIFY(session_->child<QWidget>("shell.jobs")->isHidden());
  QVERIFY(session_->banner->current()->finished);

  session_->window->show();
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  wish.requests = 400;
  strip->start(wish);
  QVERIFY(!session_->child<QWidget>("shell.jobs")->isHidden());
  QTest::mouseClick(session_->child<QPushButton>("shell.jobs.cancel"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(!strip->running(), kPatienceMs);
  QTRY_VERIFY_WITH_TIMEOUT(session_->child<QWidget>("shell.jobs")->isHidden(), kPatienceMs);
  QCOMPARE(desktop.shown.size(), 1);
  QDBusConnection::disconnectFromPeer(u8("load"));
}

void ShellTest::notifications_can_be_turned_off() {
  session_->window->show_page(u8("settings"));
  auto* box = session_->child<QCheckBox>("settings.notifications");
  QVERIFY(box->isChecked());
  box->click();
  QVERIFY(!Preferences(data_->path()).notifications());
}

void ShellTest::shortcuts_are_changed_in_the_settings() {
  session_->window->registry().set_key(u8("shell.go.reports"), QKeySequence(u8("Ctrl+R")));
  session_->window->registry().set_key(u8("shell.commands"), QKeySequence(u8("Ctrl+P")));
  QCOMPARE(session_->child<QWidget>("shell.rail.reports")->toolTip(), u8("Reports (Ctrl+R)"));
  QCOMPARE(session_->child<QPushButton>("shell.commandsButton")->text(), u8("Commands Ctrl+P"));
  session_->window->activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(session_->window.get()));
  QTest::keyClick(session_->window.get(), Qt::Key_R, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("reports"));
  QTest::keyClick(session_->window.get(), Qt::Key_2, Qt::ControlModifier);
  QTest::keyClick(session_->window.get(), Qt::Key_7, Qt::ControlModifier);
  QCOMPARE(session_->window->current_page()->id(), u8("serve"));  // the usual key is no longer
  session_.reset();
  session_ = std::make_unique<test::ServeSession>(data_->path());
  QCOMPARE(session_->window->registry().find(u8("shell.go.reports"))->action->shortcut(),
           QKeySequence(u8("Ctrl+R")));
}

void ShellTest::layout_and_page_come_back() {
  session_->window->restore();
  session_->window->show_page(u8("reports"));
  auto* splitter = session_->child<QSplitter>("report.columns");
  QApplication::processEvents();
  QWidget* handle = splitter->handle(1);
  const QPoint middle = handle->rect().center();
  QTest::mousePress(handle, Qt::LeftButton, Qt::NoModifier, middle);
  QTest::mouseMove(handle, middle + QPoint(120, 0));
  QTest::mouseRelease(handle, Qt::LeftButton, Qt::NoModifier, middle + QPoint(120, 0));
  const int list = splitter->sizes().front();
  session_->window->close();
  session_.reset();
  QCOMPARE(Preferences(data_->path()).last_page(), u8("reports"));
  session_ = std::make_unique<test::ServeSession>(data_->path());  // which shows another page
  session_->preferences.set_last_page(u8("reports"));
  session_->window->restore();
  QApplication::processEvents();
  QCOMPARE(session_->window->current_page()->id(), u8("reports"));
  QCOMPARE(session_->child<QSplitter>("report.columns")->sizes().front(), list);
  session_->window->reset_layout();
  QVERIFY(!session_->preferences.layout(u8("report.columns")).isValid());
  QVERIFY(session_->preferences.geometry().isEmpty());
}

void ShellTest::settings_of_the_view_are_kept() {
  const auto choose = [&](const char* box, int index) {
    auto* combo = session_->child<QComboBox>(box);
    combo->setCurrentIndex(index);
    Q_EMIT combo->activated(index);
  };
  choose("settings.textSize", 3);
  choose("settings.refresh", 4);
  choose("settings.sendKey", 1);
  const Preferences again(data_->path());
  QCOMPARE(again.text_percent(), 150);
  QCOMPARE(again.refresh_hz(), 10);
  QCOMPARE(again.send_key(), SendKey::enter);
  QVERIFY(session_->banner->current()->text.contains(u8("next start")));

  const QFont before = Theme::current().font(FontRole::body);
  const double unit = Theme::current().u();
  Theme::current().set_text_percent(150);
  QCOMPARE(Theme::current().font(FontRole::body).pointSizeF(), before.pointSizeF() * 1.5);
  QVERIFY(Theme::current().u() > unit * 1.4);
  Theme::current().set_text_percent(100);
  QCOMPARE(Theme::current().u(), unit);
}

void ShellTest::a_second_start_hands_over_its_model() {
  // XDG_RUNTIME_DIR must be short and one's own.
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(u8("PITWALL_HOME"), text_of(data_->path()));
  environment.insert(u8("XDG_RUNTIME_DIR"), text_of(data_->path()));
  environment.insert(u8("QT_QPA_PLATFORM"), u8("offscreen"));
  std::filesystem::permissions(data_->path(), std::filesystem::perms::owner_all);
  QProcess first, second;
  for (QProcess* one : {&first, &second}) one->setProcessEnvironment(environment);
  first.start(program(), {});
  QVERIFY(first.waitForStarted());
  const auto has_socket = [&] {
    for (const auto& file : std::filesystem::directory_iterator(data_->path()))
      if (file.is_socket()) return true;
    return false;
  };
  QTRY_VERIFY_WITH_TIMEOUT(has_socket(), kPatienceMs);
  second.start(program(), {u8("--port"), u8("0"), u8("--serve"), u8("--model"), text_of(model_)});
  QVERIFY2(second.waitForFinished(kPatienceMs), "the second start does not end");
  QCOMPARE(second.exitCode(), 0);
  // The first serves it: a run is in its store.
  const auto runs = [&] {
    const auto store = Store::open(data_->path() / "data" / "pitwall.db");
    return store && (*store)->runs() ? (*store)->runs()->size() : 0;
  };
  QTRY_VERIFY_WITH_TIMEOUT(runs() == 1, kPatienceMs);
  QCOMPARE(first.state(), QProcess::Running);
  first.terminate();
  QVERIFY(first.waitForFinished(kPatienceMs));
}

void ShellTest::a_start_ends_once_it_has_painted() {
  QProcess program_run;
  program_run.start(program(), {u8("--report-first-paint")});
  QVERIFY(program_run.waitForFinished(kPatienceMs));
  QCOMPARE(program_run.exitCode(), 0);
  QVERIFY(program_run.readAllStandardError().contains("painted"));
}

QTEST_MAIN(ShellTest)
#include "shell_test.moc"
