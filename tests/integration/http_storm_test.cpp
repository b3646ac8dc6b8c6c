// SPDX-License-Identifier: GPL-3.0-or-later
// Many clients that misbehave in every way at once, and ends that nobody asked for. Each case is a row of a
// table that is printed at the end: how many tried, how many were met as they should be. After each the
// server must answer, hold no block and no file descriptor more than before. PITWALL_STORM=20 runs twenty
// times as many.
#include <netinet/in.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/command.h"
#include "tests/support/http_fixture.h"
#include "tests/support/server_process.h"

using namespace pitwall;
using test::Json;
using test::RawHttp;

namespace {

constexpr int kSoon = 240'000;  // ms; what takes a second takes minutes under a sanitizer
const std::string kPostHead =
    "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

int times(int quick) {
  return quick * std::max(1, qEnvironmentVariableIntValue("PITWALL_STORM"));
}

int open_files(const std::string& process = "self") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd"))
    count += entry.is_symlink() ? 1 : 0;
  return count;
}

Bytes resident() {
  std::ifstream pages("/proc/self/statm");
  Bytes size = 0, held = 0;
  pages >> size >> held;
  return held * 4096;
}

struct Server : test::HttpFixture {
  Server()
      : HttpFixture({{"kv-cache-memory-bytes", "128MiB"}, {"max-num-seqs", "64"}}, options(),
                    {.context_length = 1 << 17}) {}
  static HttpOptions options() {
    HttpOptions result;
    result.max_connections = 4096;
    result.max_waiting = 0;
    return result;
  }
};

/// For a process that has just been forked: a file system in memory on `folder`, which nobody else sees.
bool mounts_own(const char* folder, const char* size) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder, "tmpfs", 0, size) == 0;
}

/// Whether it can be done, tried in a process of its own.
template <class Action>
bool can(Action&& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action() ? 0 : 1);
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

std::string endless(const std::string& user, bool stream) {
  return test::chat_body(user, {{"stream", stream}}).dump();
}

std::string with_length(const std::string& body) {
  return kPostHead + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// A connection refused, answered with an error, or ended: all but a hang.
bool is_refused(const std::string& answer, const std::string& status) {
  return answer.starts_with("HTTP/1.1 " + status) && answer.find("\"error\"") != std::string::npos;
}

}  // namespace

class HttpStormTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    server_ = std::make_unique<Server>();
    test::get(port(), "/health");
    files_ = open_files();
  }
  void cleanupTestCase() {
    server_.reset();
    std::printf("\n%-62s %8s %8s\n", "case", "clients", "as meant");
    for (const Row& row : table_) std::printf("%-62s %8d %8d\n", row.name.c_str(), row.clients, row.met);
    std::fflush(stdout);
    for (const Row& row : table_) QCOMPARE(row.met, row.clients);
  }
  void cleanup() {
    QTRY_VERIFY_WITH_TIMEOUT(server_->at_rest(), kSoon);
    QTRY_VERIFY_WITH_TIMEOUT(open_files() <= files_, kSoon);
    QCOMPARE(test::get(port(), "/health").status, 200);
  }

  void clients_that_vanish() {
    const std::string whole = endless("vanish", false), stream = endless("vanish", true);
    const std::string chat_head =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\n";
    const auto post = [&](const std::string& body) {
      return chat_head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    };
    struct Stage {
      const char* name;
      std::string sent, awaited;
    };
    const std::vector<Stage> stages = {
        {"vanish once connected", "", ""},
        {"vanish in the request line", "POST /v1/ch", ""},
        {"vanish in the header", chat_head + "X-Half", ""},
        {"vanish before the body", chat_head + "Content-Length: 100\r\n\r\n", ""},
        {"vanish in the body", chat_head + "Content-Length: 100\r\n\r\n{\"messages\":", ""},
        {"vanish in a chunk", chat_head + "Transfer-Encoding: chunked\r\n\r\nff\r\n{\"mess", ""},
        {"vanish while a reply is made", post(whole), ""},
        {"vanish before a stream begins", post(stream), ""},
        {"vanish behind a stream's head", post(stream), "\r\n\r\n"},
        {"vanish in a stream", post(stream), "data: "},
    };
    const int each = times(100);
    for (const Stage& stage : stages) {
      int met = 0;
      for (int i = 0; i < each; ++i) {
        RawHttp http(port());
        const bool sent = http.send(stage.sent);
        met += sent && (stage.awaited.empty() || http.read_until(stage.awaited).starts_with("HTTP/1.1 200"));
        if (i % 2 == 0) http.reset();
      }
      note(stage.name, each, met);
    }
  }

  void half_open_sockets() {
    const int each = times(20);
    int answered = 0, ended = 0;
    for (int i = 0; i < each; ++i) {
      RawHttp half(port()), nothing(port());
      half.send_post(test::kChat,
                     test::chat_body("half", {{"max_tokens", 3}, {"stream", i % 2 == 0}}).dump());
      half.finish_sending();
      answered += half.read_reply().status == 200 && half.ended();
      nothing.send(i % 2 == 0 ? "" : "POST /v1/comp");
      nothing.finish_sending();
      ended += nothing.ended();
    }
    note("half-closed with a request: answered", each, answered);
    note("half-closed without one: closed", each, ended);
  }

  void readers_of_a_byte_a_second() {
    const int count = times(8);
    const auto before = server_->engine().recorder().totals().requests_cancelled;
    std::vector<std::unique_ptr<RawHttp>> slow;
    for (int i = 0; i < count; ++i) {
      slow.push_back(std::make_unique<RawHttp>(port(), 2048));
      slow.back()->send_post(test::kChat, endless("slow", true));
    }
    const auto dropped = [&] { return server_->engine().recorder().totals().requests_cancelled - before; };
    for (int round = 0; round < kSoon / 100 && dropped() < count; ++round) {
      for (const auto& reader : slow) reader->read_byte();
      QTest::qWait(100);
    }
    note("readers of a few bytes a second: dropped", count, static_cast<int>(dropped()));
  }

  void bodies_without_end() {
    const Bytes before = resident();
    const int each = times(4);
    int by_length = 0, by_chunks = 0;
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    for (int i = 0; i < each; ++i) {
      RawHttp length(port());
      length.send(kPostHead + "Content-Length: 104857600\r\n\r\n");
      by_length += is_refused(length.read_all(), "413");
      RawHttp chunks(port());
      chunks.send(kPostHead + "Transfer-Encoding: chunked\r\n\r\n");
      for (int sent = 0; sent < 1600 && chunks.send(chunk); ++sent) {
      }
      by_chunks += is_refused(chunks.read_all(), "413");
    }
    note("100 MB body by length: 413", each, by_length);
    note("100 MB body in chunks: 413", each, by_chunks);
    note("  and memory grew by less than 64 MiB", 1, resident() - before < 64 * kMiB);
  }

  void what_is_no_json() {
    const auto refused = [&](const char* name, const std::string& body) {
      int met = 0;
      const int each = times(20);
      for (int i = 0; i < each; ++i) {
        RawHttp http(port());
        http.send(with_length(body));
        met += http.read_reply().status == 400;
      }
      note(name, each, met);
    };
    refused("100,000 levels: 400", std::string(100'000, '['));
    refused("100,000 objects in each other: 400", [] {
      std::string deep;
      for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
      return deep;
    }());
    refused("a million messages: 400", [] {
      std::string many = R"({"prompt":"x","messages":[)";
      for (int i = 0; i < 1'000'000; ++i) many += "1,";
      return many + "1]}";
    }());
    refused("invalid UTF-8: 400", "{\"prompt\":\"\xff\xfe\"}");
    refused("UTF-8 of a surrogate: 400", "{\"prompt\":\"\xed\xa0\x80\"}");
    refused("a lone surrogate: 400", R"({"prompt":"\ud800"})");
    refused("half a pair of surrogates: 400", R"({"prompt":"\ud83d\u0041"})");
    refused("a number without end: 400", R"({"prompt":"x","seed":1)" + std::string(100'000, '0') + "}");
    refused("a NUL in a name: 400", std::string("{\"prompt\":\"x\",\"\0\":", 18));
  }

  void header_floods() {
    const int each = times(10);
    int many = 0, endless_one = 0;
    for (int i = 0; i < each; ++i) {
      RawHttp flood(port());
      flood.send("GET /health HTTP/1.1\r\nHost: localhost\r\n");
      for (int line = 0; line < 2000 && flood.send("X-" + std::to_string(line) + ": y\r\n"); ++line) {
      }
      many += is_refused(flood.read_all(), "431");
      RawHttp one(port());
      one.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: ");
      for (int part = 0; part < 2000 && one.send(std::string(64, 'x')); ++part) {
      }
      endless_one += is_refused(one.read_all(), "431");
    }
    note("2,000 headers: 431", each, many);
    note("a header without end: 431", each, endless_one);
  }

  void pipelined_requests() {
    const int count = times(200);
    RawHttp http(port());
    std::thread sender([&] {
      for (int i = 0; i < count; ++i) {
        if (i % 10 == 0) {
          http.send_post(test::kChat, test::chat_body("p", {{"max_tokens", 1}}).dump());
        } else {
          http.send_get(i % 2 == 0 ? "/v1/models" : "/nothing");
        }
      }
    });
    int met = 0;
    for (int i = 0; i < count; ++i)
      met += http.read_reply().status == (i % 10 == 0 || i % 2 == 0 ? 200 : 404);
    sender.join();
    note("pipelined requests: answered in order", count, met);
  }

  void sigterm_under_load() {
    const test::TemporaryFolder home;
    const auto model = test::write_tiny_model(home.path(), {.context_length = 1 << 17});
    test::ServerProcess server(
        home.path(), model,
        {"--shutdown-timeout", "1", "--max-num-seqs", "8", "--kv-cache-memory", "128MiB"});
    QVERIFY2(server.port() > 0, server.log().c_str());
    const int count = times(12);
    std::vector<std::unique_ptr<RawHttp>> streams;
    for (int i = 0; i < count; ++i) {
      streams.push_back(std::make_unique<RawHttp>(server.port()));
      streams.back()->send_post(test::kChat, endless("term", true));
      QVERIFY(streams.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    }
    // All at once: what a client does not read cannot reach it within the time that the server has.
    std::vector<std::string> rests(streams.size());
    std::vector<std::thread> readers;
    for (std::size_t i = 0; i < streams.size(); ++i)
      readers.emplace_back([&, i] { rests[i] = streams[i]->read_all(); });
    server.send(SIGTERM);
    bool drains = false;
    for (int i = 0; i < kSoon / 10 && !drains; ++i) {
      drains = test::get(server.port(), "/health/ready").status == 503;
      QTest::qWait(10);
    }
    note("SIGTERM: not ready while it drains", 1, drains);
    note("SIGTERM: alive while it drains", 1, test::get(server.port(), "/health").status == 200);
    note("SIGTERM: a new request gets 503", 1,
         test::post(server.port(), test::kChat, endless("late", true)).status == 503);
    for (std::thread& reader : readers) reader.join();
    const auto met = std::ranges::count_if(rests, [](const std::string& rest) {
      const bool error = rest.find("data: {\"error\"") != std::string::npos;
      return error != (rest.find("data: [DONE]") != std::string::npos);
    });
    note("SIGTERM: streams end with an error event", count, static_cast<int>(met));
    note("SIGTERM: exit code 0", 1, server.exit_code() == 0);
    const Json runs = Json::parse(test::run_pitwallctl(home.path(), {"runs", "list", "--json"}).out);
    note("SIGTERM: the run is finished, with its rows", 1,
         runs["runs"][0]["status"] == "finished" && runs["runs"][0]["requests"] == count);
  }

  void killed_with_a_run_open() {
    const test::TemporaryFolder home;
    const auto model = test::write_tiny_model(home.path());
    const int count = times(10);
    {
      test::ServerProcess server(home.path(), model);
      QVERIFY2(server.port() > 0, server.log().c_str());
      for (int i = 0; i < count; ++i)
        test::post(server.port(), test::kChat, test::chat_body("kill", {{"max_tokens", 2}}).dump());
      // Written once a second: what another program sees in the file has been written.
      const auto rows = [&] {
        const auto list =
            Json::parse(test::run_pitwallctl(home.path(), {"runs", "list", "--json"}).out, nullptr, false);
        return list["runs"].empty() ? 0 : list["runs"][0]["requests"].get<int>();
      };
      QTRY_COMPARE_WITH_TIMEOUT(rows(), count, kSoon);
      RawHttp open(server.port());
      open.send_post(test::kChat, endless("open", true));
      open.read_until("data: ");
      server.send(SIGKILL);
      QCOMPARE(server.exit_code(), -1);
      QVERIFY(open.read_all().find("[DONE]") == std::string::npos);
    }
    const Json runs = Json::parse(test::run_pitwallctl(home.path(), {"runs", "list", "--json"}).out)["runs"];
    note("kill -9: the run is cut off, its rows are there", count,
         runs[0]["status"] == "cut_off" ? runs[0]["requests"].get<int>() : 0);
    test::ServerProcess again(home.path(), model);
    note("kill -9: the next server starts", 1, again.port() > 0);
    again.send(SIGTERM);
    QCOMPARE(again.exit_code(), 0);
  }

  void a_full_disk_data() {
    QTest::addColumn<bool>("real");
    QTest::newRow("a limit on the size of files") << false;
    QTest::newRow("a file system of its own") << true;
  }

  void a_full_disk() {
    QFETCH(bool, real);
    const test::TemporaryFolder folder, home;
    const auto model = test::write_tiny_model(folder.path());
    const auto small_files = [] {
      const rlimit limit{64 << 10, 64 << 10};  // of any file: the store cannot grow
      setrlimit(RLIMIT_FSIZE, &limit);
      std::signal(SIGXFSZ, SIG_IGN);  // as on a full disk: write() fails
    };
    // Seen by the server alone, and gone with it. The store is made, and full soon after.
    const auto small_disk = [&] { return mounts_own(home.path().c_str(), "size=224k"); };
    if (real && !can(small_disk)) QSKIP("Mounting takes a privilege that this process does not have");
    test::ServerProcess server(home.path(), model, {}, {}, [&] {
      if (real) {
        small_disk();
      } else {
        small_files();
      }
    });
    QVERIFY2(server.port() > 0, server.log().c_str());
    const int count = times(20);
    int met = 0;
    const auto gave_up = [&] {
      return server.log().find("not recorded") != std::string::npos ||
             server.log().find("no longer recorded") != std::string::npos;
    };
    for (int i = 0; i < count; ++i) {
      met +=
          test::complete(server.port(), test::kChat, test::chat_body("full", {{"max_tokens", 3}}), i % 2 == 0)
              .problem.empty();
    }
    QTRY_VERIFY_WITH_TIMEOUT(gave_up(), kSoon);
    met += test::get(server.port(), "/health").status == 200;
    const std::string disk = std::string("full disk, ") + QTest::currentDataTag();
    note(disk + ": requests go on", count + 1, met);
    server.send(SIGTERM);
    note(disk + ": exit code 0", 1, server.exit_code() == 0);
  }

 private:
  struct Row {
    std::string name;
    int clients, met;
  };
  int port() const { return server_->port(); }
  void note(const std::string& name, int clients, int met) { table_.push_back({name, clients, met}); }

  std::unique_ptr<Server> server_;
  int files_ = 0;
  std::vector<Row> table_;
};

QTEST_GUILESS_MAIN(HttpStormTest)
#include "http_storm_test.moc"
