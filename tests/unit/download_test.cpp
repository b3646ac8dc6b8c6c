// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching from addresses, against a server of the test that cuts, changes, redirects and refuses.
#include <QTest>
#include <atomic>
#include <memory>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "engine/library/fetch.h"
#include "engine/library/fetch_place.h"
#include "engine/library/models_folder.h"
#include "tests/support/file_server.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::FileAnswer;
using test::FileRequest;
using test::FileServer;
namespace fs = std::filesystem;

namespace {

std::string some_content(std::size_t size) {
  std::string content(size, '\0');
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>('a' + i * 7 % 26);
  return content;
}

std::string sum_of(const std::string& content) {
  Sha256 sum;
  sum.update(std::as_bytes(std::span(content)));
  return sum.finish();
}

}  // namespace

class DownloadTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void whole_file_arrives_verified();
  void already_there_is_taken_and_another_is_kept();
  void cut_connections_are_gone_on_from_data();
  void cut_connections_are_gone_on_from();
  void endless_cuts_end_and_the_next_fetch_goes_on();
  void changed_file_is_fetched_from_the_beginning();
  void change_between_two_tries_is_seen();
  void server_without_ranges_starts_again();
  void server_without_versions_starts_again();
  void wrong_sum_deletes_and_says_both();
  void hub_sum_is_checked();
  void redirects_are_followed();
  void redirect_loops_end();
  void token_stays_with_the_hub();
  void hub_addresses_are_read_data();
  void hub_addresses_are_read();
  void refusals_say_what_to_do_data();
  void refusals_say_what_to_do();
  void troubled_server_is_tried_again();
  void unreachable_server_is_said_at_once();
  void trickle_can_be_cancelled_and_resumed();
  void hostile_names_are_refused_data();
  void hostile_names_are_refused();
  void offered_names_are_used_and_checked_data();
  void offered_names_are_used_and_checked();
  void sets_are_fetched_whole();
  void web_pages_are_refused();
  void bad_sums_are_refused();
  void full_disk_is_said_before_anything_is_fetched();
  void second_fetch_at_once_is_busy();

 private:
  void serve(FileServer::Handler handler) { server_ = std::make_unique<FileServer>(std::move(handler)); }
  void serve_content() {
    serve([this](const FileRequest& request) { return test::file_answer(request, content_); });
  }
  Result<fs::path> fetch(const std::string& target = "/m.gguf") {
    return fetch_model(target.starts_with('/') ? server_->url(target) : target, options_);
  }
  fs::path file(const std::string& name) const { return default_models_folder() / name; }
  std::string ranges() const;
  bool noted(const std::string& part) const;
  bool nothing_left() const { return fs::is_empty(default_models_folder()); }

  std::unique_ptr<test::TemporaryFolder> home_;
  std::unique_ptr<FileServer> server_;
  std::string content_ = some_content(300'000);
  std::vector<std::string> notes_;
  FetchOptions options_;
};

void DownloadTest::init() {
  home_ = std::make_unique<test::TemporaryFolder>();
  qputenv("PITWALL_HOME", home_->path().c_str());
  for (const char* name : {"HF_TOKEN", "HF_ENDPOINT"}) qunsetenv(name);
  notes_.clear();
  options_ = {};
  options_.retry_pause = std::chrono::milliseconds(0);
  options_.on_note = [this](std::string_view note) { notes_.emplace_back(note); };
}

void DownloadTest::cleanup() {
  server_.reset();
  for (const char* name : {"PITWALL_HOME", "HF_TOKEN", "HF_ENDPOINT"}) qunsetenv(name);
}

/// The ranges asked for after the first look, one by one: "-" is none.
std::string DownloadTest::ranges() const {
  std::string out;
  for (const FileRequest& request : server_->requests()) {
    if (request.range() == "bytes=0-0") continue;
    if (!out.empty()) out += ' ';
    out += request.range().empty() ? "-" : request.range().substr(6);
  }
  return out;
}

bool DownloadTest::noted(const std::string& part) const {
  return std::any_of(notes_.begin(), notes_.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

#define VERIFY_SAYS(error, part) \
  QVERIFY2((error).text().find(part) != std::string::npos, (error).text().c_str())

void DownloadTest::whole_file_arrives_verified() {
  serve_content();
  options_.sha256 = sum_of(content_);
  Bytes done = 0;
  options_.on_progress = [&](const FetchProgress& progress) {
    if (progress.phase != "Downloading") return;
    QVERIFY(progress.done >= done);
    QCOMPARE(progress.total, Bytes{300'000});
    done = progress.done;
  };
  const auto fetched = fetch("/a/b/m.gguf?download=true");
  PW_VERIFY(fetched);
  QCOMPARE(*fetched, file("m.gguf"));
  QCOMPARE(done, Bytes{300'000});
  QVERIFY(read_file(*fetched).value() == content_);
  QCOMPARE(ranges(), "-");
  QVERIFY(noted("needs " + format_bytes(300'000) + " of disk space"));
  QVERIFY(!noted("No sum"));
  QCOMPARE(std::distance(fs::directory_iterator(default_models_folder()), fs::directory_iterator()), 1);
}

void DownloadTest::already_there_is_taken_and_another_is_kept() {
  serve_content();
  PW_VERIFY(fetch());
  QVERIFY(noted("No sum of m.gguf is known"));
  server_->forget_requests();
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "");

  options_.sha256 = sum_of(content_);
  server_->forget_requests();
  PW_VERIFY(fetch());
  QVERIFY(server_->requests().empty());

  PW_VERIFY(write_file_atomic(file("m.gguf"), "a model of the user"));
  const auto refused = fetch();
  QVERIFY(!refused.ok());
  VERIFY_SAYS(refused.error(), "is there already, 19 B");
  QCOMPARE(read_file(file("m.gguf")).value(), "a model of the user");
}

void DownloadTest::cut_connections_are_gone_on_from_data() {
  QTest::addColumn<int>("at");
  for (const int at : {0, 1, 100'000, 299'999}) QTest::addRow("after %d bytes", at) << at;
}

void DownloadTest::cut_connections_are_gone_on_from() {
  QFETCH(int, at);
  serve([&, first = true](const FileRequest& request) mutable {
    FileAnswer answer = test::file_answer(request, content_);
    if (request.range() != "bytes=0-0" && std::exchange(first, false))
      answer.cut_at = static_cast<std::size_t>(at);
    return answer;
  });
  options_.sha256 = sum_of(content_);
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), at == 0 ? std::string("- -") : std::string("- ").append(std::to_string(at)).append("-"));
  QVERIFY(noted("try 2 of 5"));
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::endless_cuts_end_and_the_next_fetch_goes_on() {
  bool cuts = true;
  serve([&](const FileRequest& request) {
    FileAnswer answer = test::file_answer(request, content_);
    if (cuts) answer.cut_at = 1000;
    return answer;
  });
  const auto given_up = fetch();
  QVERIFY(!given_up.ok());
  VERIFY_SAYS(given_up.error(), "Given up after 5 tries");
  QCOMPARE(ranges(), "- 1000- 2000- 3000- 4000-");
  QVERIFY(!fs::exists(file("m.gguf")));
  QCOMPARE(fs::file_size(file("m.gguf.partial")), std::uintmax_t{5000});
  QVERIFY(fs::exists(file("m.gguf.partial.json")));

  server_.reset();  // the next server has another port: a note of its own
  const std::string url = [&] {
    serve([&](const FileRequest& request) {
      FileAnswer answer = test::file_answer(request, content_);
      if (cuts) answer.cut_at = 7000;
      return answer;
    });
    return server_->url("/m.gguf");
  }();
  QVERIFY(!fetch().ok());
  QVERIFY(noted("of another address"));
  cuts = false;
  server_->forget_requests();
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "35000-");
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::changed_file_is_fetched_from_the_beginning() {
  std::string etag = "\"v1\"";
  bool cuts = true;
  serve([&](const FileRequest& request) {
    FileAnswer answer = test::file_answer(request, content_, etag);
    if (cuts) answer.cut_at = 1000;
    return answer;
  });
  QVERIFY(!fetch().ok());
  cuts = false;
  etag = "\"v2\"";
  std::reverse(content_.begin(), content_.end());
  server_->forget_requests();
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "-");
  QVERIFY(noted("has changed at the server"));
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::change_between_two_tries_is_seen() {
  serve([&, number = 0](const FileRequest& request) mutable {
    FileAnswer answer = test::file_answer(request, content_, number < 2 ? "\"v1\"" : "\"v2\"");
    if (++number == 2) {
      answer.cut_at = 1000;
      std::reverse(content_.begin(), content_.end());
    }
    return answer;
  });
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "- 1000- -");
  QVERIFY(noted("has changed"));
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::server_without_ranges_starts_again() {
  serve([&, number = 0](const FileRequest&) mutable {
    FileAnswer answer = test::file_answer({}, content_);
    if (++number == 2) answer.cut_at = 1000;
    return answer;
  });
  PW_VERIFY(fetch());
  QVERIFY(noted("starting from the beginning"));
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::server_without_versions_starts_again() {
  bool cuts = true;
  serve([&](const FileRequest& request) {
    FileAnswer answer = test::file_answer(request, content_, "");
    if (cuts) answer.cut_at = 1000;
    return answer;
  });
  QVERIFY(!fetch().ok());
  cuts = false;
  server_->forget_requests();
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "-");
  QVERIFY(noted("does not say whether the file is still the same"));
}

void DownloadTest::wrong_sum_deletes_and_says_both() {
  serve_content();
  options_.sha256 = std::string(64, '0');
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), sum_of(content_));
  VERIFY_SAYS(fetched.error(), options_.sha256);
  QVERIFY(nothing_left());
}

void DownloadTest::hub_sum_is_checked() {
  std::string sum = sum_of(content_);
  serve([&](const FileRequest& request) {
    if (!request.target.ends_with("/m.gguf")) return test::file_answer(request, content_);
    FileAnswer answer = test::redirect_answer("/blob?key=secret");
    answer.headers.emplace_back("X-Linked-ETag", std::string("\"").append(sum).append("\""));
    return answer;
  });
  qputenv("HF_ENDPOINT", server_->url().c_str());
  PW_VERIFY(fetch("hf:org/repo/m.gguf"));
  QVERIFY(!noted("No sum"));
  fs::remove(file("m.gguf"));
  sum[5] = sum[5] == '0' ? '1' : '0';
  const auto fetched = fetch("hf:org/repo/m.gguf");
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), sum);
  QVERIFY(nothing_left());
}

void DownloadTest::redirects_are_followed() {
  serve([&](const FileRequest& request) {
    if (request.target == "/x/m.gguf") return test::redirect_answer("y");
    if (request.target == "/x/y") return test::redirect_answer("/z?a=b");
    if (request.target == "/z?a=b") return test::redirect_answer(server_->url("/last"));
    return test::file_answer(request, content_);
  });
  const auto fetched = fetch("/x/m.gguf");
  PW_VERIFY(fetched);
  QCOMPARE(*fetched, file("m.gguf"));
  QVERIFY(read_file(*fetched).value() == content_);
}

void DownloadTest::redirect_loops_end() {
  serve([](const FileRequest&) { return test::redirect_answer("/again"); });
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), "led on 11 times");
  QCOMPARE(server_->requests().size(), std::size_t{11});
}

void DownloadTest::token_stays_with_the_hub() {
  FileServer other([&](const FileRequest& request) { return test::file_answer(request, content_); });
  serve([&](const FileRequest&) { return test::redirect_answer(other.url("/blob")); });
  qputenv("HF_ENDPOINT", server_->url("/").c_str());
  qputenv("HF_TOKEN", "hf_secret\n");
  PW_VERIFY(fetch("hf:org/repo/m.gguf"));
  QVERIFY(!server_->requests().empty() && !other.requests().empty());
  for (const FileRequest& request : server_->requests()) {
    QCOMPARE(request.headers.at("authorization"), "Bearer hf_secret");
  }
  for (const FileRequest& request : other.requests()) QVERIFY(!request.headers.contains("authorization"));

  PW_VERIFY(fetch(other.url("/other.gguf")));  // nor is it sent when another host is asked straight away
  for (const FileRequest& request : other.requests()) QVERIFY(!request.headers.contains("authorization"));
  const auto note = read_file(file("m.gguf.partial.json"));
  QVERIFY(!note.ok());
}

void DownloadTest::hub_addresses_are_read_data() {
  QTest::addColumn<QByteArray>("source");
  QTest::addColumn<QByteArray>("target");  // empty: refused
  const auto row = [](const char* source, const char* target) {
    QTest::newRow(source) << QByteArray(source) << QByteArray(target);
  };
  row("hf:org/repo/m.gguf", "/org/repo/resolve/main/m.gguf");
  row("hf:org/repo/a/b c/m.gguf", "/org/repo/resolve/main/a/b%20c/m.gguf");
  row("hf:org/repo@v1.0/m.gguf", "/org/repo/resolve/v1.0/m.gguf");
  row("hf:org/repo@refs%2Fpr%2F1/m.gguf", "/org/repo/resolve/refs%2Fpr%2F1/m.gguf");
  row("hf:org/repo/50%.gguf", "/org/repo/resolve/main/50%25.gguf");
  row("hf:org/repo", "");
  row("hf:org/repo/", "");
  row("hf:org//m.gguf", "");
  row("hf:org/repo/../m.gguf", "");
  row("hf:org/repo@/m.gguf", "");
  row("hf:", "");
}

void DownloadTest::hub_addresses_are_read() {
  QFETCH(QByteArray, source);
  QFETCH(QByteArray, target);
  serve_content();
  qputenv("HF_ENDPOINT", server_->url().c_str());
  const auto fetched = fetch(source.toStdString());
  if (target.isEmpty()) {
    QVERIFY(!fetched.ok());
    QCOMPARE(fetched.error().kind, Error::Kind::invalid_input);
    VERIFY_SAYS(fetched.error(), "hf:org/repo/file.gguf");
    QVERIFY(server_->requests().empty());
    return;
  }
  PW_VERIFY(fetched);
  QCOMPARE(server_->requests().front().target, target.toStdString());
}

void DownloadTest::refusals_say_what_to_do_data() {
  QTest::addColumn<int>("status");
  QTest::addColumn<QByteArray>("token");
  QTest::addColumn<QByteArray>("said");
  QTest::newRow("no token") << 401 << QByteArray() << QByteArray("set HF_TOKEN");
  QTest::newRow("token without the right")
      << 403 << QByteArray("hf_secret") << QByteArray("The account of HF_TOKEN may not");
  QTest::newRow("no such file") << 404 << QByteArray("hf_secret") << QByteArray("Check the spelling");
  QTest::newRow("too many") << 429 << QByteArray() << QByteArray("Try again after \"7\" seconds");
  QTest::newRow("trouble") << 503 << QByteArray() << QByteArray("trouble of its own");
  QTest::newRow("odd") << 418 << QByteArray() << QByteArray("HTTP 418");
}

void DownloadTest::refusals_say_what_to_do() {
  QFETCH(int, status);
  QFETCH(QByteArray, token);
  QFETCH(QByteArray, said);
  serve([&](const FileRequest&) {
    return FileAnswer{.status = status, .headers = {{"Retry-After", "7"}}, .body = "no"};
  });
  qputenv("HF_ENDPOINT", server_->url().c_str());
  qputenv("HF_TOKEN", token);
  const auto fetched = fetch("hf:org/repo/m.gguf");
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), said.toStdString());
  VERIFY_SAYS(fetched.error(), "/org/repo/resolve/main/m.gguf was answered with HTTP");
  QVERIFY(fetched.error().text().find("hf_secret") == std::string::npos);
  QVERIFY(!fetched.error().action.empty());
}

void DownloadTest::troubled_server_is_tried_again() {
  serve([&, number = 0](const FileRequest& request) mutable {
    return ++number % 2 == 1 ? FileAnswer{.status = 503} : test::file_answer(request, content_);
  });
  PW_VERIFY(fetch());
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::unreachable_server_is_said_at_once() {
  serve_content();
  const std::string url = server_->url("/m.gguf?key=secret");
  server_.reset();
  const auto fetched = fetch_model(url, options_);
  QVERIFY(!fetched.ok());
  QVERIFY(notes_.empty());
  VERIFY_SAYS(fetched.error(), "127.0.0.1");
  QVERIFY(fetched.error().text().find("secret") == std::string::npos);
}

void DownloadTest::trickle_can_be_cancelled_and_resumed() {
  bool holds = true;
  serve([&](const FileRequest& request) {
    FileAnswer answer = test::file_answer(request, content_);
    if (holds && request.range() != "bytes=0-0") answer.cut_at = 1000, answer.hold = true;
    return answer;
  });
  std::atomic<bool> cancel{false};
  options_.cancel = &cancel;
  options_.on_progress = [&](const FetchProgress& progress) {
    if (progress.phase == "Downloading" && progress.done > 0) cancel = true;
  };
  const auto cancelled = fetch();
  QVERIFY(!cancelled.ok());
  QCOMPARE(cancelled.error().kind, Error::Kind::cancelled);
  QVERIFY(!fs::exists(file("m.gguf")));

  holds = cancel = false;
  options_.on_progress = {};
  server_->forget_requests();
  PW_VERIFY(fetch());
  QCOMPARE(ranges(), "1000-");
  QVERIFY(read_file(file("m.gguf")).value() == content_);
}

void DownloadTest::hostile_names_are_refused_data() {
  QTest::addColumn<QByteArray>("target");
  const auto row = [](const char* target) { QTest::newRow(target) << QByteArray(target); };
  row("/");
  row("/a/..");
  row("/.hidden.gguf");
  row("/%2e%2e%2fm.gguf");
  row("/..%5Cm.gguf");
  row("/m%00.gguf");
  row("/m%0A.gguf");
  row("/%FF.gguf");
  QTest::newRow("long") << QByteArray("/" + QByteArray(241, 'a'));
}

void DownloadTest::hostile_names_are_refused() {
  QFETCH(QByteArray, target);
  serve_content();
  const auto fetched = fetch(target.toStdString());
  QVERIFY(!fetched.ok());
  QCOMPARE(fetched.error().kind, Error::Kind::invalid_input);
  QVERIFY(!fs::exists(default_models_folder()) || nothing_left());
  QVERIFY(!fs::exists(home_->path() / "data/m.gguf"));
}

void DownloadTest::offered_names_are_used_and_checked_data() {
  QTest::addColumn<QByteArray>("disposition");
  QTest::addColumn<QByteArray>("name");  // empty: refused
  QTest::newRow("plain") << QByteArray("attachment; filename=m.gguf") << QByteArray("m.gguf");
  QTest::newRow("quoted") << QByteArray("attachment; filename=\"a b.gguf\"") << QByteArray("a b.gguf");
  QTest::newRow("extended") << QByteArray(
                                   "inline; filename=\"x.gguf\"; filename*=UTF-8''%E6%A8%A1%E5%9E%8B.gguf")
                            << QByteArray("模型.gguf");
  QTest::newRow("escaping") << QByteArray("attachment; filename=\"../../m.gguf\"") << QByteArray();
  QTest::newRow("absolute") << QByteArray("attachment; filename*=UTF-8''%2Fetc%2Fm") << QByteArray();
  QTest::newRow("none") << QByteArray() << QByteArray("download");
}

void DownloadTest::offered_names_are_used_and_checked() {
  QFETCH(QByteArray, disposition);
  QFETCH(QByteArray, name);
  serve([&](const FileRequest& request) {
    FileAnswer answer = test::file_answer(request, content_);
    if (!disposition.isEmpty()) answer.headers.emplace_back("Content-Disposition", disposition.toStdString());
    return answer;
  });
  const auto fetched = fetch("/download?id=5");
  QCOMPARE(fetched.ok(), !name.isEmpty());
  if (fetched) QCOMPARE(*fetched, file(name.toStdString()));
}

void DownloadTest::sets_are_fetched_whole() {
  serve([&](const FileRequest& request) { return test::file_answer(request, request.target); });
  const auto fetched = fetch("/q4/big-00002-of-00003.gguf?x=1");
  PW_VERIFY(fetched);
  QCOMPARE(*fetched, file("big-00001-of-00003.gguf"));
  for (int i = 1; i <= 3; ++i) {
    const std::string name = "big-0000" + std::to_string(i) + "-of-00003.gguf";
    QCOMPARE(read_file(file(name)).value(), "/q4/" + name + "?x=1");
  }
  QVERIFY(!fetch("/big-00004-of-00003.gguf").ok());
}

void DownloadTest::web_pages_are_refused() {
  serve([](const FileRequest&) {
    return FileAnswer{.headers = {{"Content-Type", "text/html; charset=utf-8"}}, .body = "<html>"};
  });
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), "is a web page");
}

void DownloadTest::bad_sums_are_refused() {
  serve_content();
  options_.sha256 = "abc";
  QVERIFY(!fetch().ok());
  options_.sha256 = sum_of(content_);
  const auto set = fetch("/big-00001-of-00003.gguf");
  QVERIFY(!set.ok());
  QCOMPARE(set.error().param, "sha256");
  QCOMPARE(fetch("smollm2").error().param, "sha256");
  QVERIFY(server_->requests().empty());
  for (char& c : options_.sha256) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  PW_VERIFY(fetch());
}

void DownloadTest::full_disk_is_said_before_anything_is_fetched() {
  serve([](const FileRequest&) {
    return FileAnswer{
        .status = 206, .headers = {{"Content-Range", "bytes 0-0/4000000000000000000"}}, .body = "x"};
  });
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  VERIFY_SAYS(fetched.error(), "The disk is full");
  VERIFY_SAYS(fetched.error(), format_bytes(4'000'000'000'000'000'000));
  QCOMPARE(server_->requests().size(), std::size_t{1});
  QVERIFY(nothing_left());
}

void DownloadTest::second_fetch_at_once_is_busy() {
  serve_content();
  fs::create_directories(default_models_folder());
  const FetchLock lock(file("m.gguf.partial"));
  PW_VERIFY(lock.held("m.gguf"));
  const auto fetched = fetch();
  QVERIFY(!fetched.ok());
  QCOMPARE(fetched.error().kind, Error::Kind::busy);
  QCOMPARE(ranges(), "");
}

QTEST_APPLESS_MAIN(DownloadTest)
#include "download_test.moc"
