// SPDX-License-Identifier: GPL-3.0-or-later
// Files dragged over the real window and dropped, as the desktop tells it: each kind finds its page, several
// come together, and what is none of them is said.
#include <sys/stat.h>
#include <QClipboard>
#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QUrl>
#include <QWindow>

#include "engine/base/file.h"
#include "engine/report/export_formats.h"
#include "engine/report/report.h"
#include "tests/support/made_up_run.h"
#include "tests/ui/serve_session.h"
#include "ui/plan/plan_page.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;
using test::kPatienceMs;

namespace {

namespace fs = std::filesystem;

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString text_of(const fs::path& path) {
  return QString::fromStdString(path.string());
}

}  // namespace

class DropTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void a_model_goes_to_serve_from_any_page();
  void a_folder_with_weights_goes_to_serve();
  void a_config_goes_to_plan();
  void exported_runs_go_to_reports_together();
  void of_several_models_the_first_is_opened();
  void what_no_page_opens_is_said_data();
  void what_no_page_opens_is_said();
  void a_model_that_is_not_there_is_refused();
  void an_address_is_to_be_fetched_first();
  void a_pipe_does_not_hold_the_window_up();
  void text_goes_into_the_chat();
  void what_is_no_file_is_not_taken();

 private:
  /// Whether the window took it. `over`: the page's middle unless given.
  bool drop(const QMimeData& data, QWidget* over = nullptr);
  bool drop(const std::vector<fs::path>& files, QWidget* over = nullptr);
  QString page() const { return session_->window->current_page()->id(); }
  QString banner() const {
    return session_->banner->current() ? session_->banner->current()->text : QString();
  }
  fs::path file(const char* name, const std::string& content) {
    const fs::path path = data_->path() / name;
    fs::create_directories(path.parent_path());
    if (!write_file_atomic(path, content)) qFatal("%s", name);
    return path;
  }
  fs::path config(const char* name) {
    return file(name, *read_file(test::data("golden/llama-gqa/config.json")));
  }

  std::unique_ptr<test::TemporaryFolder> home_, data_;
  fs::path model_;
  std::unique_ptr<test::ServeSession> session_;
};

void DropTest::initTestCase() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home_->path().string()));
  model_ = test::write_tiny_model(home_->path());
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  Theme::current().set_mode(ThemeMode::light);
}

void DropTest::init() {
  data_ = std::make_unique<test::TemporaryFolder>();
  session_ = std::make_unique<test::ServeSession>(data_->path());
  QVERIFY(QTest::qWaitForWindowExposed(session_->window.get()));
}

void DropTest::cleanup() {
  session_.reset();
  data_.reset();
}

bool DropTest::drop(const QMimeData& data, QWidget* over) {
  if (over == nullptr) over = session_->window->current_page();
  const QPoint at = over->mapTo(session_->window.get(), over->rect().center());
  QWindow* window = session_->window->windowHandle();
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  enter.ignore();
  QApplication::sendEvent(window, &enter);
  QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  move.setAccepted(enter.isAccepted());
  QApplication::sendEvent(window, &move);
  if (!move.isAccepted()) {
    QDragLeaveEvent leave;
    QApplication::sendEvent(window, &leave);
    return false;
  }
  QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window, &drop);
  return drop.isAccepted();
}

bool DropTest::drop(const std::vector<fs::path>& files, QWidget* over) {
  QMimeData data;
  QList<QUrl> urls;
  for (const fs::path& one : files) urls << QUrl::fromLocalFile(text_of(one));
  data.setUrls(urls);
  return drop(data, over);
}

void DropTest::a_model_goes_to_serve_from_any_page() {
  for (const QString& id : session_->window->page_ids()) {
    session_->serve->choose_model({});
    session_->window->show_page(id);
    QVERIFY2(drop({model_}), qPrintable(id));
    QCOMPARE(page(), u8("serve"));
    QCOMPARE(session_->serve->chosen_model(), text_of(model_));
  }
  session_->window->show_page(u8("chat"));
  QVERIFY(drop({model_}, session_->child<QWidget>("chat.input")));
  QCOMPARE(page(), u8("serve"));
}

void DropTest::a_folder_with_weights_goes_to_serve() {
  const fs::path folder = config("model/config.json").parent_path();
  fs::copy_file(test::data("golden/llama-gqa/model.safetensors"), folder / "model.safetensors");
  for (const fs::path& given : {folder, folder / "config.json"}) {
    session_->serve->choose_model({});
    session_->window->show_page(u8("plan"));
    QVERIFY(drop({given}));
    QCOMPARE(page(), u8("serve"));
    QCOMPARE(session_->serve->chosen_model(), text_of(folder));
  }
}

void DropTest::a_config_goes_to_plan() {
  session_->window->show_page(u8("tune"));
  QVERIFY(drop({config("bare/config.json")}));
  QCOMPARE(page(), u8("plan"));
  QTRY_VERIFY_WITH_TIMEOUT(static_cast<PlanPage*>(session_->window->current_page())->answered(), kPatienceMs);
}

void DropTest::exported_runs_go_to_reports_together() {
  const Run run = test::made_up_run();
  session_->window->show_page(u8("chat"));
  session_->window->show_page(u8("plan"));
  QVERIFY(drop({file("run.json", run_json(run)), file("result.vllm.json", vllm_json(run))}));
  QCOMPARE(page(), u8("reports"));
  QTRY_COMPARE_WITH_TIMEOUT(session_->child<DataTable>("report.list")->model()->rowCount(), 2, kPatienceMs);
}

void DropTest::of_several_models_the_first_is_opened() {
  const fs::path other = data_->path() / "other.gguf";
  fs::copy_file(model_, other);
  QVERIFY(drop({model_, other, file("notes.odt", "x")}));
  QCOMPARE(session_->serve->chosen_model(), text_of(model_));
  QVERIFY2(banner().startsWith(u8("No page opens notes.odt.")), qPrintable(banner()));
  session_->banner->dismiss();
  QCOMPARE(banner(), u8("One model is opened at a time. Left out: other.gguf."));
}

void DropTest::what_no_page_opens_is_said_data() {
  QTest::addColumn<QString>("name");
  for (const char* name : {"photo.png", "folder", "vanished", "no-suffix"}) QTest::newRow(name) << u8(name);
}

void DropTest::what_no_page_opens_is_said() {
  QFETCH(QString, name);
  const fs::path path = data_->path() / name.toStdString();
  if (name == u8("folder"))
    fs::create_directory(path);
  else if (name != u8("vanished"))
    file(name.toUtf8(), "content");
  session_->window->show_page(u8("plan"));
  QVERIFY(drop({path}));
  QCOMPARE(page(), u8("plan"));
  QVERIFY2(banner().startsWith(u8("No page opens %1.").arg(name)), qPrintable(banner()));
}

void DropTest::a_model_that_is_not_there_is_refused() {
  session_->window->show_page(u8("plan"));
  const QString before = session_->serve->chosen_model();
  session_->window->open_path(u8("/nowhere/at-all.gguf"));
  QVERIFY2(banner().startsWith(u8("There is nothing at /nowhere/at-all.gguf.")), qPrintable(banner()));
  QCOMPARE(session_->serve->chosen_model(), before);
  QCOMPARE(page(), u8("plan"));
}

void DropTest::an_address_is_to_be_fetched_first() {
  session_->serve->choose_model({});
  const QString before = session_->serve->chosen_model();
  session_->window->open_path(u8("https://example.org/z.gguf"));
  QVERIFY2(banner().startsWith(u8("https://example.org/z.gguf is an address.")), qPrintable(banner()));
  session_->banner->current()->action();
  QCOMPARE(QApplication::clipboard()->text(), u8("pitwallctl fetch https://example.org/z.gguf"));
  QCOMPARE(session_->serve->chosen_model(), before);
}

void DropTest::a_pipe_does_not_hold_the_window_up() {
  const fs::path pipe = data_->path() / "pipe.json", run = file("run.json", run_json(test::made_up_run()));
  QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
  QVERIFY(drop({pipe, run}));
  QCOMPARE(page(), u8("reports"));
  QTRY_VERIFY_WITH_TIMEOUT(banner().contains(u8("pipe.json is not a file")), kPatienceMs);
  QTRY_COMPARE_WITH_TIMEOUT(session_->child<DataTable>("report.list")->model()->rowCount(), 1, kPatienceMs);
}

void DropTest::text_goes_into_the_chat() {
  session_->window->show_page(u8("chat"));
  auto* input = session_->child<QPlainTextEdit>("chat.input");
  const auto attached = [&] {
    QStringList names;
    for (const QWidget* chip : session_->window->findChildren<QWidget*>(u8("chat.attachment")))
      if (chip->isVisible()) names << chip->accessibleName().section(u8(" · "), 0, 0);
    return names;
  };
  QVERIFY(drop({file("a.txt", "one"), file("b.csv", "1,2")}));
  QVERIFY(drop({file("c.txt", "three")}, input));
  QTRY_COMPARE_WITH_TIMEOUT(attached(), QStringList({u8("a.txt"), u8("b.csv"), u8("c.txt")}), kPatienceMs);
  QMimeData words;
  words.setText(u8("some words"));
  QVERIFY(drop(words, input));
  QCOMPARE(input->toPlainText(), u8("some words"));
  QCOMPARE(page(), u8("chat"));
}

void DropTest::what_is_no_file_is_not_taken() {
  QMimeData words, remote;
  words.setText(u8("words"));
  remote.setUrls({QUrl(u8("https://example.org/model.gguf"))});
  session_->window->show_page(u8("reports"));
  QVERIFY(!drop(words));
  QVERIFY(!drop(remote));
  QCOMPARE(page(), u8("reports"));
}

QTEST_MAIN(DropTest)
#include "drop_test.moc"
