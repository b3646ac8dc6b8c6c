// SPDX-License-Identifier: GPL-3.0-or-later
// Neither API keys nor prompts nor replies are anywhere that others may read: records, exports, logs,
// metrics, snapshots, settings, the process list.
#include <sys/stat.h>

#include <QTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/http_fixture.h"
#include "tests/support/server_process.h"

using namespace pitwall;
using test::Json;

namespace {

const std::string kKeys[] = {"listed-KEYa91f", "second-KEYb82e", "filed-KEYc73d", "environment-KEYd64c"};
const std::string kPrompt = "a PROMPT that nobody else may read";

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

test::RawReply ask(int port, const std::string& key, const std::string& target,
                   const std::string& body = {}) {
  test::RawHttp http(port);
  const std::string header = "Authorization: Bearer " + key + "\r\n";
  body.empty() ? http.send_get(target, header) : http.send_post(target, body, header);
  return http.read_reply();
}

}  // namespace

class SecretsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    model_ = test::write_tiny_model(folder_.path());
    key_file_ = folder_.path() / "keys";
    std::ofstream(key_file_) << "alice:" << kKeys[2] << "\n";  // readable by others: warned about
    std::filesystem::permissions(key_file_, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
  }

  void keys_on_the_command_line_and_in_a_file() {
    serve_and_look({"--api-key", text(kKeys[0]), "--api-key=" + text(kKeys[1]), "--api-key-file",
                    QString::fromStdString(key_file_.string())},
                   {}, {kKeys[0], kKeys[1], kKeys[2]});
    QVERIFY2(shown_.at("log").find("chmod 600") != std::string::npos, shown_.at("log").c_str());
    QCOMPARE(Json::parse(shown_.at("export json"))["requests"].back()["tenant"].get<std::string>(), "alice");
    QVERIFY(shown_.at("metrics").find("key=\"alice\"") != std::string::npos);
  }

  void a_key_in_the_environment() { serve_and_look({}, {"PITWALL_API_KEY=" + text(kKeys[3])}, {kKeys[3]}); }

  void a_file_that_is_none_ends_the_start() {
    const auto pipe = folder_.path() / "pipe";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);  // nobody writes into it
    for (const auto& [file, why] : {std::pair(std::string("/nowhere/keys"), "No such file"),
                                    std::pair(pipe.string(), "is not a file")}) {
      const auto ran =
          test::run_pitwallctl(folder_.path(), {"serve", "--model", QString::fromStdString(model_.string()),
                                                "--api-key-file", QString::fromStdString(file)});
      QCOMPARE(ran.code, 1);
      QVERIFY2(ran.err.find(file) != std::string::npos && ran.err.find(why) != std::string::npos,
               ran.err.c_str());
    }
  }

 private:
  static QString text(const std::string& key) { return QString::fromStdString(key); }

  /// Serves with a fresh data folder, asks with each key, gathers everything that is shown, and looks through
  /// it.
  void serve_and_look(const QStringList& flags, const QStringList& environment,
                      const std::vector<std::string>& keys) {
    const test::TemporaryFolder home;
    shown_.clear();
    test::ServerProcess server(home.path(), model_, flags, environment);
    QVERIFY2(server.port() > 0, server.log().c_str());
    const auto process = std::filesystem::path("/proc") / std::to_string(server.pid());
    shown_["command line"] = read_file(process / "cmdline");
    shown_["environment"] = read_file(process / "environ");
    QVERIFY(shown_.at("command line").find("serve") != std::string::npos);
    const std::string body = test::chat_body(kPrompt, {{"max_tokens", 40}, {"seed", 5}}).dump();
    std::string reply;
    for (const std::string& key : keys) {
      const auto answer = ask(server.port(), key, test::kChat, body);
      QVERIFY2(answer.status == 200, answer.body.c_str());
      reply = test::read_whole(answer).text;
      QCOMPARE(ask(server.port(), key + "x", test::kChat, body).status, 401);
      shown_["refusal " + key.substr(0, 4)] = ask(server.port(), key + "x", "/metrics").body;
    }
    QVERIFY(reply.size() >= 40);
    for (const char* path : {"/metrics", "/pitwall/snapshot", "/pitwall/steps", "/pitwall/requests",
                             "/pitwall/settings", "/v1/models", "/version", "/load"}) {
      const auto answer = ask(server.port(), keys.back(), path);
      QVERIFY2(answer.status == 200, path);
      shown_[std::filesystem::path(path).filename()] = answer.body;
    }
    shown_["change refused"] =
        ask(server.port(), keys.back(), "/pitwall/settings", Json{{"api-key", keys[0]}}.dump()).body;
    server.send(SIGTERM);
    QCOMPARE(server.exit_code(), 0);
    shown_["log"] = server.log();
    gather_records(home.path());
    for (const auto& [place, content] : shown_) {
      for (const std::string& key : keys)
        QVERIFY2(content.find(key) == std::string::npos, ("a key in " + place).c_str());
      QVERIFY2(content.find("PROMPT") == std::string::npos, ("the prompt in " + place).c_str());
      QVERIFY2(content.find(reply) == std::string::npos, ("the reply in " + place).c_str());
    }
  }

  void gather_records(const std::filesystem::path& home) {
    const auto run = [&](const QStringList& arguments) {
      const auto ran = test::run_pitwallctl(home, arguments);
      QVERIFY2(ran.code == 0 && !ran.out.empty(), qPrintable(arguments.join(' ') + ": " + text(ran.err)));
      shown_[arguments.front().toStdString() + " " + arguments.back().toStdString()] = ran.out;
    };
    run({"runs", "list", "--json"});
    shown_["runs list"] = shown_.at("runs --json");
    run({"runs", "show", "1", "--json"});
    for (const char* format : {"json", "csv", "vllm", "aiperf", "perfetto"}) {
      run({"runs", "export", "1", "--format", format});
      shown_["export " + std::string(format)] = shown_.at("runs " + std::string(format));
    }
    for (const char* format : {"md", "html", "json"}) {
      const auto file = home / ("report." + std::string(format));
      const auto ran = test::run_pitwallctl(
          home, {"report", "1", "--format", format, "--output", QString::fromStdString(file.string())});
      QVERIFY2(ran.code == 0, ran.err.c_str());
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) {
      if (entry.is_regular_file())
        shown_["file " + entry.path().filename().string()] = read_file(entry.path());
    }
    QVERIFY(shown_.contains("file pitwall.db") && shown_.contains("file report.html"));
  }

  test::TemporaryFolder folder_;
  std::filesystem::path model_, key_file_;
  std::map<std::string, std::string> shown_;  // by where
};

QTEST_GUILESS_MAIN(SecretsTest)
#include "secrets_test.moc"
