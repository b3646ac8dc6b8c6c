// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <span>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "engine/base/text_escape.h"
#include "engine/base/threads.h"
#include "engine/base/units.h"
#include "tests/support/test_support.h"

using namespace pitwall;
namespace fs = std::filesystem;

class BaseTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizes_are_read_data();
  void sizes_are_read();
  void bad_sizes_are_refused_data();
  void bad_sizes_are_refused();
  void exact_size_reads_back();
  void bytes_are_spelled();
  void durations_have_three_digits();
  void counts_are_grouped();
  void utc_is_iso_8601();
  void utf8_is_checked_strictly_data();
  void utf8_is_checked_strictly();
  void foreign_text_is_quoted();
  void html_is_escaped();
  void error_text_joins_its_parts();
  void file_is_mapped();
  void read_file_has_a_limit();
  void only_regular_files_are_read();
  void atomic_write_replaces();
  void atomic_write_that_fails_keeps_the_old_file();
  void atomic_write_goes_through_links_and_pipes();
  void home_variable_holds_all_folders();
  void worker_pool_runs_what_was_posted();
  void sha256_gives_the_standards_digests();
};

void BaseTest::sizes_are_read_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<qint64>("bytes");
  QTest::newRow("zero") << "0" << qint64{0};
  QTest::newRow("bare bytes") << "8589934592" << qint64{8589934592};
  QTest::newRow("bare 1 MiB") << "1048576" << qint64{1048576};
  QTest::newRow("MiB") << "512MiB" << qint64{536870912};
  QTest::newRow("fraction") << "1.5 GiB" << qint64{1610612736};
  QTest::newRow("fraction cut to bytes") << "0.1GiB" << qint64{107374182};
  QTest::newRow("KiB") << "64 KiB" << qint64{65536};
  QTest::newRow("bytes named") << "100 B" << qint64{100};
  QTest::newRow("case and spaces") << "  2gib " << qint64{2147483648};
  QTest::newRow("largest") << "9223372036854775807" << qint64{9223372036854775807};
  QTest::newRow("100,000 GiB") << "100000GiB" << qint64{107374182400000};
}

void BaseTest::sizes_are_read() {
  QFETCH(QString, text);
  QFETCH(qint64, bytes);
  const auto size = parse_size(text.toStdString());
  PW_VERIFY(size);
  QCOMPARE(qint64{*size}, bytes);
}

void BaseTest::bad_sizes_are_refused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("said");
  QTest::newRow("bare small number names the unit") << "512"
                                                    << "512MiB";
  QTest::newRow("1 below 1 MiB") << "1048575"
                                 << "below 1 MiB";
  QTest::newRow("GB") << "4GB"
                      << "GiB";
  QTest::newRow("G") << "4G"
                     << "GiB";
  QTest::newRow("mb") << "4 mb"
                      << "MiB";
  QTest::newRow("negative") << "-1GiB"
                            << "negative";
  QTest::newRow("fractional bytes") << "1.5"
                                    << "fraction";
  QTest::newRow("fractional bytes, named") << "1.5B"
                                           << "fraction";
  QTest::newRow("overflow of digits") << "9223372036854775808"
                                      << "9,223,372,036,854,775,807";
  QTest::newRow("overflow of unit") << "8589934592GiB"
                                    << "9,223,372,036,854,775,807";
  QTest::newRow("trailing text") << "4GiB!"
                                 << "not a size";
  QTest::newRow("empty") << ""
                         << "empty";
  QTest::newRow("spaces") << "   "
                          << "empty";
  QTest::newRow("words") << "lots"
                         << "begin with a number";
  QTest::newRow("plus") << "+4GiB"
                        << "begin with a number";
  QTest::newRow("point") << "4.GiB"
                         << "after the point";
  QTest::newRow("exponent") << "1e9"
                            << "not one of";
  QTest::newRow("hex") << "0x100000"
                       << "not one of";
}

void BaseTest::bad_sizes_are_refused() {
  QFETCH(QString, text);
  QFETCH(QString, said);
  const auto size = parse_size(text.toStdString());
  QVERIFY(!size.ok());
  QCOMPARE(size.error().kind, Error::Kind::invalid_input);
  const QString message = QString::fromStdString(size.error().text());
  QVERIFY2(message.contains(said), qPrintable(message));
}

void BaseTest::exact_size_reads_back() {
  QCOMPARE(exact_size(0), "0");
  QCOMPARE(exact_size(8 * kGiB), "8 GiB");
  QCOMPARE(exact_size(3 * kGiB / 2), "1536 MiB");
  QCOMPARE(exact_size(1000), "1000 B");
  for (const Bytes bytes :
       {Bytes{0}, Bytes{1}, kKiB, kMiB - 1, kMiB, kGiB + kKiB, std::numeric_limits<Bytes>::max()}) {
    const auto read = parse_size(exact_size(bytes));
    PW_VERIFY(read);
    QCOMPARE(*read, bytes);
  }
}

void BaseTest::bytes_are_spelled() {
  QCOMPARE(format_bytes(3 * kGiB / 2), "1.50 GiB");
  QCOMPARE(format_bytes(64 * kMiB), "64.0 MiB");
  QCOMPARE(format_bytes(512), "512 B");
  QCOMPARE(format_bytes(1536), "1.5 KiB");
  QCOMPARE(format_bytes(0), "0 B");
  QCOMPARE(format_bytes(-3 * kGiB / 2), "-1.50 GiB");
}

void BaseTest::durations_have_three_digits() {
  QCOMPARE(format_duration(0), "0.00 ms");
  QCOMPARE(format_duration(5'200'000), "5.20 ms");
  QCOMPARE(format_duration(14'000'000), "14.0 ms");
  QCOMPARE(format_duration(318'000'000), "318 ms");
  QCOMPARE(format_duration(1'250'000'000), "1.25 s");
  QCOMPARE(format_duration(520'000), "0.52 ms");
  QCOMPARE(format_duration(9'999'000), "10.0 ms");
  QCOMPARE(format_duration(99'990'000), "100 ms");
  QCOMPARE(format_duration(999'900'000), "1.00 s");
  QCOMPARE(format_duration(-5'200'000), "-5.20 ms");
}

void BaseTest::counts_are_grouped() {
  QCOMPARE(format_count(0), "0");
  QCOMPARE(format_count(999), "999");
  QCOMPARE(format_count(6030), "6,030");
  QCOMPARE(format_count(1234567), "1,234,567");
  QCOMPARE(format_count(-1234), "-1,234");
  QCOMPARE(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

void BaseTest::utc_is_iso_8601() {
  QCOMPARE(format_utc(0), "1970-01-01T00:00:00Z");
  QCOMPARE(format_utc(1'785'067'200 * kNanosPerSecond), "2026-07-26T12:00:00Z");  // date -u -d @1785067200
}

void BaseTest::utf8_is_checked_strictly_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("replaced");
  const QByteArray bad = "\xEF\xBF\xBD";
  QTest::newRow("ascii") << QByteArray("abc") << QByteArray("abc");
  QTest::newRow("nul inside") << QByteArray("a\0b", 3) << QByteArray("a\0b", 3);
  QTest::newRow("2, 3 and 4 bytes") << QByteArray("é€😀") << QByteArray("é€😀");
  QTest::newRow("lone continuation") << QByteArray("a\x80z") << "a" + bad + "z";
  QTest::newRow("overlong slash") << QByteArray("\xC0\xAF") << bad + bad;
  QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << bad + bad + bad;
  QTest::newRow("above U+10FFFF") << QByteArray("\xF4\x90\x80\x80") << bad + bad + bad + bad;
  QTest::newRow("cut at the end") << QByteArray("a\xF0\x9F\x98") << "a" + bad;
  // The Unicode standard's own example of maximal subparts, table 3-8.
  QTest::newRow("standard's example") << QByteArray("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64")
                                      << "a" + bad + bad + bad + "b" + bad + "c" + bad + bad + "d";
}

void BaseTest::utf8_is_checked_strictly() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, replaced);
  QCOMPARE(is_valid_utf8(text.toStdString()), text == replaced);
  QCOMPARE(QByteArray::fromStdString(replace_invalid_utf8(text.toStdString())), replaced);
}

void BaseTest::foreign_text_is_quoted() {
  QCOMPARE(quote_for_message("plain 中文"), "\"plain 中文\"");
  QCOMPARE(quote_for_message("a\nb\t\"\\\x1b"), R"("a\nb\t\"\\\u001b")");
  QCOMPARE(quote_for_message("\xFF\xE2\x80"), R"("\xff\xe2\x80")");
  QCOMPARE(quote_for_message("x\xE2\x80\xAEy"), R"("x\u202ey")");  // right-to-left override
  QCOMPARE(quote_for_message("中文字", 2), "\"中文…\"");
  QCOMPARE(quote_for_message("中文", 2), "\"中文\"");
}

void BaseTest::html_is_escaped() {
  QCOMPARE(escape_html("<a href=\"x\">'&'</a>"), "&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

void BaseTest::error_text_joins_its_parts() {
  QCOMPARE((Error{Error::Kind::io, "It broke", "", "Mend it", ""}.text()), "It broke. Mend it.");
  QCOMPARE((Error{Error::Kind::io, "Why?", "Because!", "", ""}.text()), "Why? Because!");
}

void BaseTest::file_is_mapped() {
  const test::TemporaryFolder folder;
  PW_VERIFY(write_file_atomic(folder.path() / "a", "hello"));
  PW_VERIFY(write_file_atomic(folder.path() / "empty", ""));
  auto opened = MappedFile::open(folder.path() / "a");
  PW_VERIFY(opened);
  const MappedFile moved = std::move(*opened);
  QCOMPARE(std::string(reinterpret_cast<const char*>(moved.bytes().data()), moved.bytes().size()), "hello");
  const auto empty = MappedFile::open(folder.path() / "empty");
  PW_VERIFY(empty);
  QVERIFY(empty->bytes().empty());
  const auto missing = MappedFile::open(folder.path() / "none");
  QVERIFY(!missing.ok());
  QCOMPARE(missing.error().kind, Error::Kind::not_found);
  QVERIFY(missing.error().text().find("none") != std::string::npos);
  QVERIFY(!MappedFile::open(folder.path()).ok());
}

void BaseTest::read_file_has_a_limit() {
  const test::TemporaryFolder folder;
  PW_VERIFY(write_file_atomic(folder.path() / "a", "12345"));
  QCOMPARE(read_file(folder.path() / "a", 5).value(), "12345");
  const auto refused = read_file(folder.path() / "a", 4);
  QVERIFY(!refused.ok());
  QVERIFY(refused.error().text().find("5 B") != std::string::npos);
  QVERIFY(refused.error().text().find("4 B") != std::string::npos);
  QVERIFY(!read_file(folder.path()).ok());
  QVERIFY(!read_file("/proc/self/status").value().empty());  // has no size before it is read
}

void BaseTest::only_regular_files_are_read() {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "run.json";  // nobody writes into it
  QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = (folder.path() / "socket").string();
  QVERIFY(place.size() < sizeof address.sun_path);
  std::copy(place.begin(), place.end(), address.sun_path);
  QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::pair<fs::path, std::string> others[] = {
      {pipe, "pipe"}, {folder.path(), "folder"}, {place, "socket"}, {"/dev/zero", "device"}};
  for (const auto& [path, kind] : others) {
    for (const Error& error :
         {read_file(path).error(), MappedFile::open(path).error(), check_is_file(path).error()})
      QCOMPARE(error.text(), path.string() + " is not a file. It is a " + kind + ". Check the path.");
  }
  ::close(listener);
  PW_VERIFY(check_is_file(folder.path() / "none"));
  PW_VERIFY(write_file_atomic(folder.path() / "a", "x"));
  PW_VERIFY(check_is_file(folder.path() / "a"));
}

void BaseTest::atomic_write_replaces() {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  PW_VERIFY(write_file_atomic(path, "one"));
  QCOMPARE(::chmod(path.c_str(), 0640), 0);
  PW_VERIFY(write_file_atomic(path, "two"));
  QCOMPARE(read_file(path).value(), "two");
  QCOMPARE(fs::status(path).permissions(), fs::perms{0640});
  QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

void BaseTest::atomic_write_that_fails_keeps_the_old_file() {
  const test::TemporaryFolder folder;
  const auto nowhere = write_file_atomic(folder.path() / "no such folder" / "a", "x");
  QVERIFY(!nowhere.ok());
  QVERIFY2(nowhere.error().what.find("no such folder/a:") != std::string::npos, nowhere.error().what.c_str());
  QVERIFY(!write_file_atomic(folder.path(), "x").ok());
  // A name of 255 bytes is legal, the temporary name beside it is not.
  const fs::path path = folder.path() / std::string(255, 'n');
  { std::ofstream(path) << "old"; }
  QVERIFY(!write_file_atomic(path, "new").ok());
  QCOMPARE(read_file(path).value(), "old");
  QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

void BaseTest::atomic_write_goes_through_links_and_pipes() {
  const test::TemporaryFolder folder;
  PW_VERIFY(write_file_atomic(folder.path() / "target", "old"));
  fs::create_symlink("target", folder.path() / "link");
  PW_VERIFY(write_file_atomic(folder.path() / "link", "new"));
  QVERIFY(fs::is_symlink(folder.path() / "link"));
  QCOMPARE(read_file(folder.path() / "target").value(), "new");
  PW_VERIFY(write_file_atomic("/dev/null", "gone"));
  QVERIFY(fs::is_character_file("/dev/null"));
}

void BaseTest::home_variable_holds_all_folders() {
  const test::TemporaryFolder folder;
  qputenv("PITWALL_HOME", folder.path().c_str());
  QCOMPARE(data_folder(), folder.path() / "data");
  QCOMPARE(config_folder(), folder.path() / "config");
  QCOMPARE(cache_folder(), folder.path() / "cache");
  QVERIFY(fs::is_directory(folder.path() / "cache"));
  qunsetenv("PITWALL_HOME");
  qputenv("XDG_DATA_HOME", (folder.path() / "xdg").c_str());
  QCOMPARE(data_folder(), folder.path() / "xdg" / "pitwall");
  qunsetenv("XDG_DATA_HOME");
}

void BaseTest::worker_pool_runs_what_was_posted() {
  std::atomic<int> ran{0};
  {
    WorkerPool pool(3, "test-workers");
    for (int i = 0; i < 100; ++i) pool.post([&] { ++ran; });
  }
  QCOMPARE(ran.load(), 100);
}

// FIPS 180-2, appendix B.1 and B.2, and the digest of nothing.
void BaseTest::sha256_gives_the_standards_digests() {
  const auto digest = [](std::initializer_list<std::string_view> parts) {
    Sha256 sum;
    for (const std::string_view part : parts) sum.update(std::as_bytes(std::span(part)));
    return sum.finish();
  };
  QCOMPARE(digest({}), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  QCOMPARE(digest({"abc"}), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  QCOMPARE(digest({"abcdbcdecdefdefgefghfghighijhijk", "ijkljklmklmnlmnomnopnopq"}),
           std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
}

QTEST_APPLESS_MAIN(BaseTest)
#include "base_test.moc"
