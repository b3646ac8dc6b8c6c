// SPDX-License-Identifier: GPL-3.0-or-later
// The window when the records cannot be opened: it works without them, and says so.
#include <sys/stat.h>

#include <QApplication>
#include <QLabel>
#include <QProcess>
#include <QTest>
#include <fstream>

#include "app/common/backend_factory.h"
#include "engine/base/file.h"
#include "engine/plan/gpu_profile.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"
#include "ui/chat/chat_page.h"
#include "ui/plan/plan_page.h"
#include "ui/serve/serve_page.h"
#include "ui/shell/banner_bar.h"
#include "ui/shell/compose.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/preferences.h"
#include "ui/shell/records_trouble.h"
#include "ui/shell/theme.h"
#include "ui/widgets/text_line.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

constexpr int kPatienceMs = 60'000;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

class RecordsTroubleTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void plan_and_serve_work_without_records();
  void runs_are_read_where_nothing_can_be_written();
  void the_program_starts_all_the_same_data();
  void the_program_starts_all_the_same();

 private:
  std::unique_ptr<test::TemporaryFolder> home_;
};

void RecordsTroubleTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void RecordsTroubleTest::plan_and_serve_work_without_records() {
  const test::TemporaryFolder data;
  const auto file = data.path() / "pitwall.db";
  std::filesystem::create_directories(file);
  const auto refused = Store::open(file);
  QVERIFY(!refused.ok());
  const auto store = Store::stand_in(file);
  PW_VERIFY(store);
  Preferences preferences(data.path());
  EngineController engine(backend_factory(), nullptr);
  const auto window =
      compose_window(engine, **store, preferences, [](const std::string& name) { return find_gpu(name); });
  window->restore();
  window->post(records_trouble(refused.error(), (*store)->access()), true);
  window->resize(1440, 900);
  window->show();
  const Banner* banner = window->findChild<BannerBar*>()->current();
  QVERIFY(banner != nullptr);
  QVERIFY2(banner->text.contains(u8("It is a folder.")) && banner->text.contains(u8("without records")),
           qPrintable(banner->text));
  QCOMPARE(banner->verb, u8("Open folder"));

  auto* plan = static_cast<PlanPage*>(window->page(u8("plan")));
  plan->start(shipped_deployments().front());
  QTRY_VERIFY_WITH_TIMEOUT(plan->answered(), kPatienceMs);
  auto* serve = static_cast<ServePage*>(window->page(u8("serve")));
  PW_VERIFY(serve->set_setting("port", "0"));
  PW_VERIFY(serve->set_setting("kv-cache-memory-bytes", "16MiB"));
  serve->choose_model(QString::fromStdString(test::write_tiny_model(data.path()).string()));
  serve->start();
  QTRY_VERIFY_WITH_TIMEOUT(engine.state() == EngineState::serving, kPatienceMs);
  const auto says = [&](const QString& words) {
    for (const auto* cell : window->findChild<QWidget*>(u8("shell.statusBar"))->findChildren<TextLine*>())
      if (cell->isVisible() && cell->text().contains(words)) return true;
    return false;
  };
  QTRY_VERIFY_WITH_TIMEOUT(says(u8("Not recorded")), kPatienceMs);
  banner = window->findChild<BannerBar*>()->current();
  QVERIFY2(banner && banner->text.contains(u8("without records")), "the start took the banner away");
  for (const QString& id : window->page_ids()) window->show_page(id);
  serve->stop();
  QTRY_VERIFY_WITH_TIMEOUT(engine.state() == EngineState::stopped, kPatienceMs);
  QVERIFY((*store)->runs()->empty());
}

void RecordsTroubleTest::runs_are_read_where_nothing_can_be_written() {
  const test::TemporaryFolder data;
  const auto file = data.path() / "pitwall.db";
  {
    const auto store = Store::open(file);
    PW_VERIFY(store);
    PW_VERIFY((*store)->create_chat("An old chat"));
  }
  const auto store = Store::stand_in(file);
  PW_VERIFY(store);
  Preferences preferences(data.path());
  EngineController engine(backend_factory(), nullptr);
  const auto window =
      compose_window(engine, **store, preferences, [](const std::string& name) { return find_gpu(name); });
  window->show();
  window->show_page(u8("chat"));
  Page* chat = window->page(u8("chat"));
  QTRY_COMPARE_WITH_TIMEOUT(chat->palette_entries().size(), std::size_t{1}, kPatienceMs);
  const Banner banner = records_trouble({Error::Kind::io, "Why", {}, {}, {}}, (*store)->access());
  QVERIFY2(banner.text.startsWith(u8("Why. ")) && banner.text.contains(u8("can be read")),
           qPrintable(banner.text));
}

void RecordsTroubleTest::the_program_starts_all_the_same_data() {
  QTest::addColumn<QString>("kind");
  for (const char* kind : {"folder", "pipe", "newer schema"}) QTest::newRow(kind) << u8(kind);
}

void RecordsTroubleTest::the_program_starts_all_the_same() {
  QFETCH(QString, kind);
  const test::TemporaryFolder home;
  const auto file = home.path() / "data" / "pitwall.db";
  std::filesystem::create_directories(file.parent_path());
  if (kind == u8("folder")) std::filesystem::create_directories(file);
  if (kind == u8("pipe")) QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
  if (kind == u8("newer schema")) {
    PW_VERIFY(Store::open(file));
    std::fstream header(file, std::ios::in | std::ios::out | std::ios::binary);
    header.seekp(63);  // the last byte of user_version, in the header of every SQLite file
    header.put('\x63');
  }
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(u8("PITWALL_HOME"), QString::fromStdString(home.path().string()));
  environment.insert(u8("QT_QPA_PLATFORM"), u8("offscreen"));
  QProcess program;
  program.setProcessEnvironment(environment);
  program.start(u8(PITWALL_BINARY_DIR "/app/pitwall/pitwall"), {u8("--report-first-paint")});
  QVERIFY(program.waitForFinished(kPatienceMs));
  const QByteArray said = program.readAllStandardError();
  QVERIFY2(said.contains("painted"), said.constData());
  QCOMPARE(program.exitCode(), 0);
}

QTEST_MAIN(RecordsTroubleTest)
#include "records_trouble_test.moc"
