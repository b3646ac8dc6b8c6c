// SPDX-License-Identifier: GPL-3.0-or-later
// The load generator against a stub that misbehaves on request, and against our own server and engine.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "engine/bench/bench_job.h"
#include "engine/bench/bench_run.h"
#include "engine/bench/engine_load.h"
#include "engine/bench/http_load.h"
#include "engine/bench/server_watch.h"
#include "engine/store/store.h"
#include "tests/support/http_fixture.h"
#include "tests/support/stub_server.h"

using namespace pitwall;
using test::StubAnswer;
using test::StubRequest;
using test::StubServer;

namespace {

Trace trace_of(int requests, int output_tokens, Nanos gap = 0) {
  Trace trace{"test", {}};
  for (int i = 0; i < requests; ++i) {
    TraceRequest request;
    request.arrival = gap * i;
    request.prompt_tokens = 8;
    request.output_tokens = output_tokens;
    trace.requests.push_back(request);
  }
  return trace;
}

HttpLoadTarget target_of(const StubServer& stub, const Load& load, bool chat = false) {
  HttpLoadTarget target;
  target.url = stub.url() + (chat ? "/v1/chat/completions" : "/v1/completions");
  target.body = [&load, chat](std::size_t index) {
    nlohmann::json body{{"number", index}, {"stream", true}, {"stream_options", {{"include_usage", true}}}};
    body[chat ? "max_completion_tokens" : "max_tokens"] = load.trace.requests[index].output_tokens;
    return body.dump();
  };
  return target;
}

PlayedLoad play(const StubServer& stub, const Load& load, bool chat = false) {
  auto played = play_over_http(load, target_of(stub, load, chat));
  if (!played.ok()) qFatal("%s", played.error().text().c_str());
  return std::move(*played);
}

std::size_t count(const PlayedLoad& played, StreamEnd end) {
  return static_cast<std::size_t>(
      std::count_if(played.records.begin(), played.records.end(),
                    [&](const StreamRecord& record) { return record.end == end; }));
}

/// Times never go back, whatever the wall clock does (case 195), and nothing is read before it was sent.
void verify_times(const PlayedLoad& played) {
  for (const StreamRecord& record : played.records) {
    if (record.sent == 0) continue;
    QVERIFY(record.due <= record.ready && record.ready <= record.sent && record.sent <= record.closed);
    Nanos last = record.sent;
    for (const ChunkTime& chunk : record.chunks) {
      QVERIFY(chunk.at >= last);
      last = chunk.at;
    }
    QVERIFY(record.chunks.empty() || record.closed >= last);
  }
}

}  // namespace

class LoadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void streams_in_every_form_data() {
    QTest::addColumn<bool>("chat");
    QTest::addColumn<int>("form");
    for (const bool chat : {false, true}) {
      for (int form = 0; form < 8; ++form)
        QTest::addRow("%s %d", chat ? "chat" : "completion", form) << chat << form;
    }
  }
  void streams_in_every_form() {
    QFETCH(bool, chat);
    QFETCH(int, form);
    StubServer stub([form](const StubRequest&) {
      StubAnswer answer;
      answer.crlf = (form & 1) != 0;
      answer.comments = answer.spaces = (form & 2) != 0;
      answer.write_bytes = (form & 4) != 0 ? 3 : 0;
      answer.token_ids = (form & 1) != 0;
      answer.tokens_per_chunk = 2;
      return answer;
    });
    Load load;
    load.trace = trace_of(20, 7);
    const PlayedLoad played = play(stub, load, chat);
    QCOMPARE(count(played, StreamEnd::ended), std::size_t{20});
    for (const StreamRecord& record : played.records) {
      QCOMPARE(record.completion_tokens, 7);
      QCOMPARE(record.prompt_tokens, 7);
      QCOMPARE(record.finish_reason, std::string("length"));
      QCOMPARE(stream_times(record).itl_chunk.size(), std::size_t{3});
      QCOMPARE(stream_times(record).itl_token.size(), std::size_t(form & 1 ? 5 : 0));
      QCOMPARE(vllm_times(record).itl.size(), std::size_t(chat ? 5 : 4));
    }
    verify_times(played);
  }

  void hundreds_of_streams_at_once() {
    StubServer stub([](const StubRequest& request) {
      StubAnswer answer;
      answer.first_ms = 1000;  // all are open before the first one speaks
      answer.gap_ms = 5;
      answer.tokens = 5 + static_cast<int>(request.number % 7);
      return answer;
    });
    Load load;
    load.trace = trace_of(600, 8);
    const PlayedLoad played = play(stub, load);
    QCOMPARE(count(played, StreamEnd::ended), std::size_t{600});
    QCOMPARE(played.peak_live, 600);
    QVERIFY2(stub.most_streams() > 300, std::to_string(stub.most_streams()).c_str());
    std::set<std::string> ids;
    std::int64_t chunks = 0, tokens = 0;
    for (const StreamRecord& record : played.records) {  // no stream got another's chunks
      ids.insert(record.id);
      chunks += std::count_if(record.chunks.begin(), record.chunks.end(),
                              [](const ChunkTime& c) { return c.output; });
      tokens += record.completion_tokens;
    }
    QCOMPARE(ids.size(), std::size_t{600});
    QCOMPARE(chunks, tokens);
    QVERIFY(played.lag.loop_delay_ms.n > 0);
    verify_times(played);
  }

  void failures_are_told_apart() {  // case 196
    StubServer stub([](const StubRequest& request) {
      StubAnswer answer;
      switch (request.number % 6) {
        case 1:
          answer.status = 500;
          break;
        case 2:
          answer.cut_after = 2;
          break;
        case 3:
          answer.error_after = 2;
          break;
        case 4:
          answer.finish = answer.done = false;
          break;
        case 5:
          answer.silent_after = 1;
          break;
        default:
          break;
      }
      return answer;
    });
    Load load;
    load.trace = trace_of(36, 4);
    HttpLoadTarget target = target_of(stub, load);
    target.silence = 2 * kNanosPerSecond;
    const auto played = play_over_http(load, target);
    PW_VERIFY(played);
    QCOMPARE(count(*played, StreamEnd::ended), std::size_t{6});
    QCOMPARE(count(*played, StreamEnd::refused), std::size_t{6});
    QCOMPARE(count(*played, StreamEnd::cut), std::size_t{12});
    QCOMPARE(count(*played, StreamEnd::stream_error), std::size_t{6});
    QCOMPARE(count(*played, StreamEnd::timed_out), std::size_t{6});
    const LoadReport report = make_report({}, {&*played, 1});
    QCOMPARE(report.ttft.n, std::int64_t{6});
    QCOMPARE(report.vllm.output_tokens, std::int64_t{24});
    QCOMPARE(report.failed_output_tokens, std::int64_t{6 * (2 + 2 + 4 + 1)});
    bool refused = false;
    for (const auto& [reason, number] : report.failure_reasons)
      refused |= reason.find("HTTP 500: \"refused by the stub\"") != std::string::npos && number == 6;
    QVERIFY(refused);
  }

  void connections_are_used_again() {
    std::atomic<bool> closes{false};
    StubServer stub([&](const StubRequest&) {
      StubAnswer answer;
      answer.first_ms = 20;  // an answer at once may be over before the next request is there
      answer.close = closes;
      return answer;
    });
    Load load;
    load.trace = trace_of(60, 3);
    load.max_concurrency = 4;
    const PlayedLoad kept = play(stub, load);
    QCOMPARE(count(kept, StreamEnd::ended), std::size_t{60});
    QCOMPARE(kept.peak_live, 4);
    QCOMPARE(stub.most_streams(), 4);
    QCOMPARE(stub.connections(), 4);
    closes = true;
    const PlayedLoad closed = play(stub, load);
    QCOMPARE(count(closed, StreamEnd::ended), std::size_t{60});
    QCOMPARE(stub.connections(), 64);
  }

  void a_kept_connection_that_died_costs_no_request() {  // case 138
    StubServer stub([](const StubRequest&) {
      StubAnswer answer;
      answer.close_unsaid = true;
      return answer;
    });
    Load load;
    load.trace = trace_of(40, 3);
    load.max_concurrency = 4;
    const PlayedLoad played = play(stub, load);
    QCOMPARE(count(played, StreamEnd::ended), std::size_t{40});
    QCOMPARE(stub.requests().size(), std::size_t{40});
    QCOMPARE(stub.connections(), 40);
  }

  void open_loop_does_not_wait_for_answers() {  // case 194
    StubServer stub([](const StubRequest&) {
      StubAnswer answer;
      answer.first_ms = 1000;  // longer than all arrivals take
      return answer;
    });
    Load load;
    load.trace = trace_of(10, 2, 10 * kNanosPerMs);
    const PlayedLoad open = play(stub, load);
    QCOMPARE(open.peak_live, 10);
    for (std::size_t i = 0; i < 10; ++i)
      QCOMPARE(open.records[i].due - open.start, 10 * kNanosPerMs * static_cast<Nanos>(i));
    load.max_concurrency = 5;
    const PlayedLoad limited = play(stub, load);
    QCOMPARE(limited.peak_live, 5);
    LoadSetup setup;
    setup.open_loop = true;
    const LoadReport report = make_report(setup, {&limited, 1});
    QCOMPARE(report.held_back, std::int64_t{5});
    QVERIFY(report.ttft_due.max > report.ttft.max + 300);  // the wait is not hidden
  }

  void later_turns_wait_for_the_reply() {
    StubServer stub([](const StubRequest&) {
      StubAnswer answer;
      answer.first_ms = 20;
      return answer;
    });
    Load load;
    load.trace = trace_of(6, 2);
    for (std::size_t i = 1; i < 6; ++i) {
      if (i == 3) continue;
      load.trace.requests[i].after = static_cast<std::int32_t>(i) - 1;
      load.trace.requests[i].think = 5 * kNanosPerMs;
    }
    const PlayedLoad played = play(stub, load);
    QCOMPARE(count(played, StreamEnd::ended), std::size_t{6});
    QCOMPARE(played.peak_live, 2);
    for (std::size_t i = 0; i < 6; ++i) {
      QCOMPARE(played.records[i].turn, static_cast<int>(i % 3));
      QCOMPARE(played.records[i].conversation, i - i % 3);
    }
    for (const std::size_t i : {1, 2, 4, 5})
      QVERIFY(played.records[i].sent >= played.records[i - 1].closed + 5 * kNanosPerMs);
  }

  void a_cancelled_load_ends_at_once() {
    StubServer stub([](const StubRequest&) {
      StubAnswer answer;
      answer.silent_after = 1;
      return answer;
    });
    std::atomic<bool> cancel{false};
    Load load;
    load.trace = trace_of(12, 5);
    load.trace.requests.back().arrival = 3600 * kNanosPerSecond;
    load.cancel = &cancel;
    load.on_progress = [&](const PlayProgress& progress) { cancel = progress.sent == 11; };
    const PlayedLoad played = play(stub, load);
    QCOMPARE(count(played, StreamEnd::cancelled), std::size_t{12});
    QCOMPARE(played.records.back().sent, Nanos{0});
  }

  void what_cannot_be_reached_is_said() {
    Load load;
    load.trace = trace_of(3, 2);
    HttpLoadTarget target;
    target.body = [](std::size_t) { return std::string("{}"); };
    target.url = "ftp://127.0.0.1/v1/completions";
    QVERIFY(!play_over_http(load, target).ok());
    int port = 0;
    {
      port = QUrl(QString::fromStdString(StubServer([](const StubRequest&) { return StubAnswer(); }).url()))
                 .port();
    }
    target.url = "http://127.0.0.1:" + std::to_string(port) + "/v1/completions";
    const auto played = play_over_http(load, target);
    PW_VERIFY(played);
    QCOMPARE(count(*played, StreamEnd::unreachable), std::size_t{3});
    target.headers = {{"Authorization", "Bearer secret\r\nX: y"}};
    const auto refused = play_over_http(load, target);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().text().find("secret") == std::string::npos);
  }

  void the_server_is_asked_and_watched() {
    StubServer stub([](const StubRequest&) { return StubAnswer(); });
    const ServerAddress address{stub.url() + "/v1/", "/v1/completions", "sk-1"};
    QCOMPARE(address.base(), stub.url());
    QCOMPARE(ask_model(address, "")->name, std::string("stub"));
    QVERIFY(!ask_model(address, "")->pitwall);
    QCOMPARE(ask_model(address, "mine")->name, std::string("mine"));

    stub.set_metrics(
        "# HELP x y\nvllm:prefix_cache_queries_total{engine=\"0\"} 100\n"
        "vllm:prefix_cache_queries_total{engine=\"1\"} 50\nvllm:prefix_cache_hits_total{engine=\"0\"} 1e1\n"
        "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"a b\"} 0.25\n");
    ServerWatch watch(address);
    stub.set_metrics(
        "vllm:prefix_cache_queries_total 400\nvllm:prefix_cache_hits_total 30\n"
        "vllm:kv_cache_usage_perc 0.5\nvllm:num_preemptions_total 2\n");
    const ServerSide side = watch.stop();
    QCOMPARE(side.query_tokens, std::optional<std::int64_t>(250));
    QCOMPARE(side.hit_tokens, std::optional<std::int64_t>(20));
    QVERIFY(!side.preemptions);  // unknown before: no difference, not 2
    QVERIFY(!side.misses && !side.peak_kv_bytes);
    QCOMPARE(side.peak_kv_usage, std::optional<double>(0.5));
    QCOMPARE(side.gaps, 0);

    stub.set_metrics("");  // a read that fails is a gap, not a zero
    ServerWatch blind(address);
    const ServerSide nothing = blind.stop();
    QVERIFY(!nothing.query_tokens && !nothing.peak_kv_usage);
    QCOMPARE(nothing.gaps, nothing.reads);
  }

  void a_job_warms_repeats_and_stores() {
    StubServer stub([](const StubRequest&) {
      StubAnswer answer;
      answer.gap_ms = 1;
      return answer;
    });
    const test::TemporaryFolder folder;
    const auto store = Store::open(folder.path() / "s.db").value();
    const ServerAddress address{stub.url(), "/v1/completions", "sk-secret-key"};
    const ServerModel model{"stub", false};
    BenchJob job;
    job.source.workload = find_workload("chat").value();
    job.source.num_prompts = 6;
    job.source.request_rate = INFINITY;
    job.setup.warmups = 2;
    job.setup.repeats = 3;
    job.setup.workload = "chat";
    job.runs = store.get();
    job.header = client_run_header("stub");
    job.vocabulary = 1000;
    job.play = [&](const Load& load, const PromptMaker& prompts) {
      HttpLoadTarget target;
      target.url = address.base() + address.endpoint;
      target.headers = address.headers();
      target.body = [&](std::size_t index) {
        return request_body(prompts, load.trace, index, address, model, {.ignore_eos = true});
      };
      return play_over_http(load, target);
    };
    const auto outcome = run_bench(job);
    PW_VERIFY(outcome);
    const auto asked = stub.requests();
    QCOMPARE(asked.size(), std::size_t{2 + 18});
    std::set<std::string> prompts;
    for (const StubRequest& request : asked) {
      const auto body = nlohmann::json::parse(request.body);
      prompts.insert(body.at("prompt").dump());
      QVERIFY(body.at("ignore_eos") == true);
      QVERIFY(body.at("temperature") == 0.0);
      QVERIFY(body.at("stream_options").at("include_usage") == true);
      QVERIFY(!body.contains("return_token_ids"));
      QCOMPARE(request.authorization, std::string("Bearer sk-secret-key"));
    }
    QCOMPARE(prompts.size(), std::size_t{20});  // case 193: no prompt comes twice

    const LoadReport& report = outcome->report;
    QCOMPARE(report.vllm.completed, std::int64_t{18});
    QCOMPARE(report.run_ids.size(), std::size_t{3});
    QCOMPARE(report.repeated.at("output_throughput").values.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i) {
      const auto run = store->run(RunId{report.run_ids[i]});
      PW_VERIFY(run);
      QCOMPARE(run->header.kind, std::string("bench"));
      QCOMPARE(run->summary.status, RunStatus::finished);
      QCOMPARE(run->requests.size(), std::size_t{6});
      QVERIFY(!run->seconds.empty());
      std::int64_t tokens = 0;
      for (const RequestRecord& request : run->requests) tokens += request.output_tokens;
      const PlayedLoad& played = outcome->plays[i];
      QCOMPARE(tokens, std::accumulate(played.records.begin(), played.records.end(), std::int64_t{0},
                                       [](std::int64_t sum, const StreamRecord& r) {
                                         return sum + r.completion_tokens;
                                       }));
      // One definition: the run's TTFT are the report's.
      const LoadReport alone = make_report(report.setup, {&played, 1});
      QCOMPARE(run->summary.metrics.at("ttft_ms").p99, alone.ttft.p99);
      QCOMPARE(run->summary.metrics.at("tpot_ms").p50, alone.tpot.p50);
      for (const ConfigEntry& entry : run->header.config)
        QVERIFY(entry.value.find("sk-secret") == std::string::npos);
    }
  }

  void our_own_server() {
    test::HttpFixture fixture({{"max-model-len", "512"}, {"max-num-seqs", "16"}});
    const ServerAddress address{fixture.server().url(), "/v1/completions", ""};
    const auto model = ask_model(address, "");
    PW_VERIFY(model);
    QVERIFY(model->pitwall);
    for (const bool chat : {false, true}) {
      ServerAddress where = address;
      if (chat) where.endpoint = "/v1/chat/completions";
      Load load;
      load.trace = trace_of(24, 12);
      load.max_concurrency = 8;
      for (std::size_t i = 0; i < 24; ++i) load.trace.requests[i].prompt_tokens = 20 + static_cast<int>(i);
      const PromptMaker prompts(load.trace, 3, fixture.engine().tokenizer());
      HttpLoadTarget target;
      target.url = where.base() + where.endpoint;
      target.body = [&](std::size_t index) {
        return request_body(prompts, load.trace, index, where, *model, {.ignore_eos = true});
      };
      ServerWatch watch(where);
      auto played = play_over_http(load, target);
      PW_VERIFY(played);
      played->server = watch.stop();
      QCOMPARE(count(*played, StreamEnd::ended), std::size_t{24});
      verify_times(*played);
      for (const StreamRecord& record : played->records) {
        QCOMPARE(record.completion_tokens, 12);
        if (!chat) QCOMPARE(record.prompt_tokens, record.planned_prompt_tokens);
        QVERIFY(stream_times(record).tokens_known);
        QCOMPARE(record.stated_tokens(), 12);
      }
      const LoadReport report = make_report({}, {&*played, 1});
      QCOMPARE(report.count_mismatches, std::int64_t{0});
      QVERIFY(played->server.query_tokens.value_or(0) > 0);
      QVERIFY(played->server.misses.has_value() && played->server.peak_kv_bytes.has_value());
    }
  }

  void the_engine_in_this_process() {
    test::HttpFixture fixture({{"max-model-len", "256"}, {"max-num-seqs", "4"}});
    Engine& engine = fixture.engine();
    Load load;
    load.trace = trace_of(12, 9, 2 * kNanosPerMs);
    load.trace.requests[11].prompt_tokens = 400;  // refused: more than the context
    load.max_concurrency = 6;
    const PromptMaker prompts(load.trace, 9, engine.tokenizer());
    const test::TemporaryFolder folder;
    const auto store = Store::open(folder.path() / "s.db").value();
    auto run = BenchRun::begin(*store, client_run_header("tiny"), &engine);
    PW_VERIFY(run);
    load.listener = run->get();
    const PlayedLoad played =
        play_in_process(load, {engine, [&](std::size_t i) { return prompts.tokens(i); }, true, 0, true});
    PW_VERIFY((*run)->end());
    QCOMPARE(count(played, StreamEnd::ended), std::size_t{11});
    QCOMPARE(count(played, StreamEnd::refused), std::size_t{1});
    QVERIFY2(played.records[11].reason.find("400") != std::string::npos, played.records[11].reason.c_str());
    verify_times(played);
    for (std::size_t i = 0; i < 11; ++i) {
      const StreamRecord& record = played.records[i];
      QCOMPARE(record.output_tokens(), 9);
      QCOMPARE(record.stated_tokens(), 9);
      QCOMPARE(record.text.size(), std::size_t{9});
      QVERIFY(record.engine.has_value());
      // The client cannot hear a token before the engine had it.
      QVERIFY(stream_times(record).e2e >= record.engine->e2e_ms());
    }
    QCOMPARE(played.server.query_tokens, std::optional<std::int64_t>(11 * 8));
    QVERIFY(played.server.peak_kv_bytes.has_value());
    const auto stored = store->run((*run)->id());
    PW_VERIFY(stored);
    QCOMPARE(stored->requests.size(), std::size_t{12});
    QCOMPARE(stored->summary.totals.requests_finished, std::int64_t{12});
    QVERIFY(stored->summary.totals.steps > 0);
    QVERIFY(stored->summary.ledger.of(Category::kv) > 0);
    QTRY_VERIFY(fixture.at_rest());
  }
};

QTEST_GUILESS_MAIN(LoadTest)
#include "load_test.moc"
