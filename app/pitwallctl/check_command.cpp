// SPDX-License-Identifier: GPL-3.0-or-later
// check: one streamed chat request through the whole house, timed where a client would time it.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/pitwallctl/commands.h"
#include "app/pitwallctl/console.h"
#include "app/pitwallctl/engine_start.h"
#include "app/pitwallctl/number_checks.h"
#include "app/pitwallctl/setting_flags.h"
#include "engine/library/http_client.h"
#include "engine/serve/http_server.h"

namespace pitwall::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::unique_ptr<SettingFlags> flags;
  std::string prompt = "Say hello to the pit crew in one sentence.";
  int max_tokens = 64;
  bool json = false;
};

struct Measured {
  std::string text;
  std::int64_t tokens = 0;
  double ttft_ms = 0, tpot_ms = 0;
};

// Hears the events of one streamed reply.
class ReplyStream {
 public:
  explicit ReplyStream(bool echo) : echo_(echo) {}

  bool hear(std::string_view data) {
    if (data == "[DONE]") return true;
    const Json event = Json::parse(data.begin(), data.end(), nullptr, false);
    if (const auto error = event.find("error"); error != event.end())
      error_ = error->value("message", error->dump());
    if (const auto usage = event.find("usage"); usage != event.end() && usage->is_object()) {
      tokens_ = usage->value("completion_tokens", std::int64_t{0});
    }
    const std::string text = event.value("/choices/0/delta/content"_json_pointer, std::string());
    if (text.empty()) return true;
    last_ = Clock::now();
    if (text_.empty()) first_ = last_;
    text_ += text;
    if (echo_) print(text);
    return true;
  }

  Result<Measured> measured() const {
    if (!error_.empty()) return failure("The stream ended with an error: " + error_);
    if (text_.empty() || tokens_ == 0) return failure("The reply is empty");
    const auto ms = [](Clock::duration span) {
      return std::chrono::duration<double, std::milli>(span).count();
    };
    const double tpot = tokens_ > 1 ? ms(last_ - first_) / static_cast<double>(tokens_ - 1) : 0;
    return Measured{text_, tokens_, ms(first_ - sent_), tpot};
  }

 private:
  static Error failure(std::string what) { return {Error::Kind::internal, std::move(what), "", "", ""}; }
  bool echo_;
  std::string text_, error_;
  std::int64_t tokens_ = 0;
  Clock::time_point sent_ = Clock::now(), first_, last_;
};

Result<Measured> ask(const std::string& url, const std::string& model, const Options& options) {
  const Json body = {{"model", model},
                     {"messages", Json::array({{{"role", "user"}, {"content", options.prompt}}})},
                     {"max_tokens", options.max_tokens},
                     {"temperature", 0},
                     {"stream", true},
                     {"stream_options", {{"include_usage", true}}}};
  HttpRequest request;
  request.method = "POST";
  request.url = url + "/v1/chat/completions";
  request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  ReplyStream stream(!options.json);
  const auto response = http_stream(request, [&](std::string_view data) { return stream.hear(data); });
  if (!response.ok()) return response.error();
  if (response->status != 200) {
    return Error{Error::Kind::internal,
                 fmt::format("The server answered with status {}: {}", response->status, response->body), "",
                 "", ""};
  }
  return stream.measured();
}

void print_outcome(const Options& options, const Measured& measured, RunId run,
                   const std::string& store_file) {
  if (options.json) {
    return print_json({{"text", measured.text},
                       {"tokens", measured.tokens},
                       {"ttft_ms", measured.ttft_ms},
                       {"tpot_ms", measured.tpot_ms},
                       {"run_id", run.value},
                       {"store", store_file}});
  }
  const auto text = [](double ms) {
    return format_duration(static_cast<Nanos>(ms * static_cast<double>(kNanosPerMs)));
  };
  print(fmt::format("\nTTFT {} · TPOT {} · {} tokens, measured at the client\nSaved as run {} in {}\n",
                    text(measured.ttft_ms), text(measured.tpot_ms), measured.tokens, run.value, store_file));
}

Result<void> check(const Options& options) {
  auto store = open_store();
  if (!store.ok()) return store.error();
  EngineOptions engine_options;
  engine_options.settings = options.flags->settings();
  engine_options.runs = store->get();
  engine_options.run_kind = "check";
  auto engine = start_engine(std::move(engine_options));
  if (!engine.ok()) return engine.error();
  HttpOptions http;
  http.port = 0;
  auto server = HttpServer::start(**engine, http);
  if (!server.ok()) return server.error();
  const auto measured = ask((*server)->url(), (*engine)->served_name(), options);
  (*server)->stop();
  (*engine)->stop();
  if (!measured.ok()) return measured.error();
  print_outcome(options, *measured, (*engine)->run(), Store::default_file().string());
  return {};
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Start engine and server, ask one question over HTTP, and say how it went");
  options->flags =
      std::make_unique<SettingFlags>(*command, engine_setting, SettingFlags::Presets{{"max-num-seqs", "1"}});
  command->add_option("--prompt", options->prompt, "What to ask")->capture_default_str();
  command->add_option("--max-tokens", options->max_tokens, "Longest reply in tokens")
      ->check(check_above_zero)
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON document on stdout");
  command->callback([&action, options] { action = [options] { return check(*options); }; });
}

}  // namespace pitwall::ctl
