// SPDX-License-Identifier: GPL-3.0-or-later
// Which requests are answered at all, and where routes lead.
#include <QTest>

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
    const HttpOptions options = http_options(settings);
    QCOMPARE(options.port, 9000);
    QCOMPARE(options.allowed_hosts, (std::vector<std::string>{"box.lan", "other.lan"}));  // no empty name
    QVERIFY(options.allowed_origins.empty());
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
