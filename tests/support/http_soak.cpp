// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/http_soak.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/raw_http.h"

namespace pitwall::test {

namespace {

using Json = nlohmann::ordered_json;
using Random = std::mt19937_64;

const std::string kChat = "/v1/chat/completions", kCompletions = "/v1/completions";

int between(Random& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

/// Some begin alike, so that prefixes are found.
std::string words(Random& random) {
  std::string text = between(random, 0, 1) == 0 ? "The ship's log of this day. " : "";
  for (int i = between(random, 1, 60); i > 0; --i) text += static_cast<char>('a' + between(random, 0, 25));
  return text;
}

Json chat(Random& random, const Json& fields = Json::object()) {
  Json body{{"messages", {{{"role", "user"}, {"content", words(random)}}}},
            {"max_tokens", between(random, 1, 40)},
            {"temperature", between(random, 0, 1)}};
  body.update(fields);
  return body;
}

Json completion(Random& random, const Json& fields = Json::object()) {
  Json body{{"prompt", words(random)}, {"max_tokens", between(random, 1, 40)}};
  body.update(fields);
  return body;
}

bool answered(const RawReply& reply, int status = 200) {
  return reply.status == status && Json::accept(reply.body);
}

bool streamed(const RawReply& reply) {
  return reply.status == 200 && reply.body.ends_with("data: [DONE]\n\n");
}

bool hangs_up(int port, Random& random) {
  RawHttp client(port);
  client.send_post(kChat, chat(random, {{"stream", true}, {"max_tokens", 1000}}).dump());
  for (int i = between(random, 0, 5); i > 0; --i) client.read_until("data: ");
  between(random, 0, 1) == 0 ? client.close() : client.reset();
  return true;
}

bool half_a_request(int port, Random& random) {
  RawHttp client(port);
  const std::string request =
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{";
  client.send(
      request.substr(0, static_cast<std::size_t>(between(random, 1, static_cast<int>(request.size())))));
  client.close();
  return true;
}

const Json kSchema{
    {"type", "object"},
    {"properties", {{"city", {{"type", "string"}, {"maxLength", 8}}}, {"day", {{"type", "integer"}}}}},
    {"required", {"city", "day"}},
    {"additionalProperties", false}};

bool guided(int port, Random& random) {
  const Json format{{"type", "json_schema"}, {"json_schema", {{"name", "trip"}, {"schema", kSchema}}}};
  return answered(post(port, kChat, chat(random, {{"response_format", format}}).dump()));
}

bool tool(int port, Random& random) {
  const Json function{{"name", "plan"}, {"parameters", kSchema}};
  const Json choice{{"type", "function"}, {"function", {{"name", "plan"}}}};
  const Json fields{
      {"tools", {{{"type", "function"}, {"function", function}}}}, {"tool_choice", choice}, {"stream", true}};
  return streamed(post(port, kChat, chat(random, fields).dump()));
}

bool bad_request(int port, Random& random) {
  static const std::array<std::pair<std::string, int>, 8> bodies = {
      {{"{", 400},
       {R"({"prompt": "a", "n": 0})", 400},
       {R"({"prompt": "a", "model": "no"})", 404},
       {R"({"prompt": [1, 99999999]})", 400},
       {R"({"prompt": "a", "temperature": -1})", 400},
       {R"({"prompt": ""})", 400},
       {"\"\xED\xA0\x80\"", 400},
       {std::string(200, '['), 400}}};
  const auto& [body, status] = bodies[static_cast<std::size_t>(between(random, 0, 7))];
  return answered(post(port, kCompletions, body), status);
}

bool text_routes(int port, Random& random) {
  const RawReply tokens = post(port, "/tokenize", Json{{"prompt", words(random)}}.dump());
  if (!answered(tokens)) return false;
  const Json ids{{"tokens", Json::parse(tokens.body)["tokens"]}};
  return answered(post(port, "/detokenize", ids.dump()));
}

bool looks(int port, Random& random) {
  static const std::array<std::string, 5> routes = {"/metrics", "/pitwall/snapshot", "/pitwall/steps?last=50",
                                                    "/pitwall/requests?last=50", "/v1/models"};
  return get(port, routes[static_cast<std::size_t>(between(random, 0, 4))]).status == 200;
}

struct Kind {
  std::string name;
  bool (*ask)(int port, Random& random);
};

const std::array<Kind, 14> kKinds = {{
    {"chat", [](int port, Random& r) { return answered(post(port, kChat, chat(r).dump())); }},
    {"chat, streamed",
     [](int port, Random& r) {
       return streamed(post(port, kChat, chat(r, {{"stream", true}}).dump()));
     }},
    {"completion",
     [](int port, Random& r) { return answered(post(port, kCompletions, completion(r).dump())); }},
    {"n choices, streamed",
     [](int port, Random& r) {
       const Json fields{{"n", between(r, 2, 4)}, {"stream", true}, {"stop", {"zz"}}};
       return streamed(post(port, kCompletions, completion(r, fields).dump()));
     }},
    {"list of prompts",
     [](int port, Random& r) {
       const Json fields{{"prompt", {words(r), words(r), words(r)}}, {"cache_salt", "s"}};
       return answered(post(port, kCompletions, completion(r, fields).dump()));
     }},
    {"logprobs, echo",
     [](int port, Random& r) {
       const Json fields{{"logprobs", 5}, {"echo", true}};
       return answered(post(port, kCompletions, completion(r, fields).dump()));
     }},
    {"JSON schema", guided},
    {"named tool, streamed", tool},
    {"hangs up", hangs_up},
    {"half a request", half_a_request},
    {"bad request", bad_request},
    {"unknown route", [](int port, Random&) { return answered(get(port, "/v1/nothing"), 404); }},
    {"tokenize, detokenize", text_routes},
    {"metrics, snapshot …", looks},
}};

}  // namespace

SoakTable soak_over_http(int port, int clients, std::uint64_t seed, const std::atomic<bool>& stop,
                         std::int64_t most) {
  SoakTable table;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      Random random(seed + static_cast<std::uint64_t>(i));
      for (std::int64_t asked = 0; asked < most && !stop; ++asked) {
        const Kind& kind = kKinds[static_cast<std::size_t>(between(random, 0, std::ssize(kKinds) - 1))];
        const bool met = kind.ask(port, random);
        const std::lock_guard lock(mutex);
        ++table[kind.name].sent;
        table[kind.name].met += met ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return table;
}

ProcessFigures figures_of(std::int64_t pid) {
  const std::filesystem::path folder = "/proc/" + std::to_string(pid);
  ProcessFigures figures;
  Bytes size = 0, pages = 0;
  std::ifstream(folder / "statm") >> size >> pages;
  figures.resident = pages * 4096;
  const auto entries = [&](const char* name) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder / name), {}));
  };
  figures.files = entries("fd");
  figures.threads = entries("task");
  return figures;
}

bool server_rests(int port) {
  const Json now = Json::parse(get(port, "/pitwall/snapshot").body, nullptr, false);
  return now.is_object() && now["running"] == 0 && now["waiting"] == 0 && now["kv_blocks_used"] == 0;
}

}  // namespace pitwall::test
