// SPDX-License-Identifier: GPL-3.0-or-later
// Which requests are answered at all, and where routes lead.
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/serve/http_guard.h"
#include "engine/serve/http_routes.h"
#include "engine/serve/http_server.h"
#include "engine/settings/settings.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

HttpOptions options() {
  HttpOptions result;
  result.allowed_hosts = {"Workstation.example", "other.example:9000"};
  result.allowed_origins = {"https://chat.example"};
  return result;
}

int status(const RequestHead& head) {
  const auto refusal = HttpGuard(options()).check(head);
  return refusal ? refusal->status : 200;
}

int get_status(std::string_view host) {
  return status({.method = "GET", .host = host, .origin = {}, .content_type = {}, .host_count = 1});
}

int post_status(std::string_view origin, std::string_view content_type) {
  return status({.method = "POST",
                 .host = "localhost",
                 .origin = origin,
                 .content_type = content_type,
                 .host_count = 1});
}

}  // namespace

class HttpGuardTest : public QObject {
  Q_OBJECT

 private slots:
  void hosts() {
    for (const char* host : {"localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080",
                             "workstation.example", "WORKSTATION.example:80", "other.example:9000"}) {
      QVERIFY2(get_status(host) == 200, host);
    }
    for (const char* host :
         {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:8080",
          "other.example", "127.0.0.2", "[::2]", "localhost:80:80", "localhost:port"}) {
      QVERIFY2(get_status(host) == 403, host);
    }
  }

  void host_headers_are_counted() {
    QCOMPARE(status({.method = "GET", .host = {}, .origin = {}, .content_type = {}, .host_count = 0}), 400);
    QCOMPARE(
        status({.method = "GET", .host = "localhost", .origin = {}, .content_type = {}, .host_count = 2}),
        400);
    QCOMPARE(status({.method = "GET",
                     .host = {},
                     .origin = {},
                     .content_type = {},
                     .host_count = 0,
                     .http_1_0 = true}),
             200);
  }

  void posts_need_json_and_a_known_origin() {
    for (const char* type :
         {"application/json", "Application/JSON; charset=utf-8", "application/json ;charset=utf-8"}) {
      QVERIFY2(post_status("", type) == 200, type);
    }
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                             "application/jsonp", "text/plain; application/json"}) {
      QVERIFY2(post_status("", type) == 415, type);
    }
    QCOMPARE(post_status("https://chat.example", "application/json"), 200);
    for (const char* origin :
         {"null", "http://chat.example", "https://chat.example.evil", "http://127.0.0.1:8080"}) {
      QVERIFY2(post_status(origin, "application/json") == 403, origin);
    }
  }

  void lists_of_the_settings_are_parted_by_commas() {
    Settings settings;
    PW_VERIFY(settings.set("port", "9000"));
    PW_VERIFY(settings.set("allowed-hosts", " box.lan,, other.lan , "));
    const auto read = http_options(settings);
    PW_VERIFY(read);
    const HttpOptions& options = *read;
    QCOMPARE(options.port, 9000);
    QCOMPARE(options.allowed_hosts, (std::vector<std::string>{"box.lan", "other.lan"}));  // no empty name
    QVERIFY(options.allowed_origins.empty());
  }

  void keys_are_told_apart_by_name() {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "keys";
    std::ofstream(file) << "# who may ask\n\nalice:a-key\r\n  bob : b:key \nbare\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const auto keys = ApiKeys::read("first, second", file.string());
    PW_VERIFY(keys);
    const auto name = [&](std::string_view header) { return keys->find(header).value_or("nobody"); };
    QCOMPARE(name("Bearer first"), "key-1");
    QCOMPARE(name("bearer second"), "key-2");
    QCOMPARE(name("BEARER   a-key "), "alice");
    QCOMPARE(name("Bearer b:key"), "bob");
    QCOMPARE(name("Bearer bare"), "key-5");
    for (const char* wrong : {"", "Bearer", "Bearer ", "first", "Basic first", "Bearer firs", "Bearer first1",
                              "Bearer First", "Bearer first second", "Bearer key-1", "Bearer alice:a-key"}) {
      QVERIFY2(name(wrong) == "nobody", wrong);
    }
  }

  void keys_that_cannot_be_are_refused_without_showing_them() {
    const test::TemporaryFolder folder;
    const auto error_of_file = [&](const std::string& text) {
      const auto file = folder.path() / "keys";
      std::ofstream(file) << text;
      const auto keys = ApiKeys::read("", file.string());
      return keys ? std::string() : keys.error().text();
    };
    for (const char* text :
         {"", "# nothing\n", "name:\n", ":secretkey\n", "good\nsecret key\n", "n\x01:secretkey\n"}) {
      const std::string error = error_of_file(text);
      QVERIFY2(!error.empty() && error.find("secret") == std::string::npos, text);
    }
    QVERIFY(error_of_file("good\nsecret key\n").find("Line 2") != std::string::npos);
    QVERIFY(!ApiKeys::read("", (folder.path() / "none").string()));
    QVERIFY(!ApiKeys::read("", folder.path().string()));
    QVERIFY(!ApiKeys::read("two words", ""));
    QVERIFY(!ApiKeys::read(" , ", ""));
    QVERIFY(ApiKeys::read("", "").ok() && ApiKeys::read("", "")->empty());
  }

  void the_guard_asks_for_a_key_where_there_is_one() {
    HttpOptions closed;
    closed.keys = *ApiKeys::read("k", "");
    QCOMPARE(HttpGuard(HttpOptions()).caller("").value_or("nobody"), "");
    QCOMPARE(HttpGuard(closed).caller("Bearer k").value_or("nobody"), "key-1");
    QVERIFY(!HttpGuard(closed).caller("") && !HttpGuard(closed).caller("Bearer x"));
    QCOMPARE(no_valid_key(false).status, 401);
    QVERIFY(no_valid_key(true).headers.front().first == "WWW-Authenticate");
  }

  void limits_of_the_settings() {
    Settings settings;
    for (const auto& [name, value] : {std::pair{"max-waiting", "7"},
                                      {"max-connections", "9"},
                                      {"max-body-size", "2MiB"},
                                      {"max-header-size", "4KiB"},
                                      {"max-messages", "11"},
                                      {"max-json-depth", "13"}}) {
      PW_VERIFY(settings.set(name, value));
    }
    const auto options = http_options(settings);
    PW_VERIFY(options);
    QCOMPARE(options->max_waiting, 7);
    QCOMPARE(options->max_connections, 9);
    QCOMPARE(options->max_body, std::size_t{2} << 20);
    QCOMPARE(options->max_header, std::size_t{4} << 10);
    QCOMPARE(options->max_messages, std::size_t{11});
    QCOMPARE(options->max_json_depth, 13);
    QVERIFY(options->keys.empty());
  }

  void only_health_is_open() {
    std::string_view query;
    for (const char* path : {"/health", "/health/ready", "/ping"})
      QVERIFY2(find_route("GET", path, query).route->open, path);
    for (const char* path : {"/metrics", "/v1/models", "/version", "/load", "/pitwall/snapshot",
                             "/pitwall/settings", "/pitwall/steps", "/pitwall/requests"}) {
      QVERIFY2(!find_route("GET", path, query).route->open, path);
    }
    for (const char* path : {"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize",
                             "/pitwall/abort", "/pitwall/settings", "/reset_prefix_cache"}) {
      QVERIFY2(!find_route("POST", path, query).route->open, path);
    }
  }

  void what_openai_has_and_we_have_not_is_said() {
    std::string_view query;
    for (const char* path :
         {"/v1/embeddings", "/v1/responses", "/v1/audio/speech", "/v1/images/generations", "/v1/files"}) {
      const RouteMatch match = find_route("POST", path, query);
      QCOMPARE(match.refusal.status, 404);
      QVERIFY2(match.refusal.code == "not_provided", path);
      QVERIFY(match.refusal.body.find("/v1/chat/completions") != std::string::npos);
    }
    QCOMPARE(find_route("POST", "/v1/nope", query).refusal.code, "not_found");
  }

  void routes() {
    std::string_view query;
    QVERIFY(find_route("POST", "/v1/chat/completions", query).route != nullptr);
    QVERIFY(find_route("GET", "/pitwall/steps?last=5&x", query).route != nullptr);
    QCOMPARE(std::string(query), "last=5&x");
    const RouteMatch wrong_method = find_route("GET", "/v1/completions", query);
    QVERIFY(wrong_method.route == nullptr);
    QCOMPARE(wrong_method.refusal.status, 405);
    QCOMPARE(wrong_method.refusal.headers.front().second, "POST");
    for (const char* path : {"/", "", "/v1/nope", "/v1/models/", "/V1/models", "*", "/v1/../health"}) {
      QVERIFY2(find_route("GET", path, query).refusal.status == 404, path);
    }
    QVERIFY(find_route("GET", std::string(100'000, 'x'), query).refusal.body.size() < 4096);
  }
};

QTEST_APPLESS_MAIN(HttpGuardTest)
#include "http_guard_test.moc"
