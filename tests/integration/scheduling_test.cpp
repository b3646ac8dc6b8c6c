// SPDX-License-Identifier: GPL-3.0-or-later
// The real CPU engine, float32: however requests are scheduled, preempted, cached or batched, the texts stay
// the same.
#include <QTest>
#include <atomic>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/engine_runner.h"
#include "tests/support/http_fixture.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

constexpr int kOutput = 40;

/// A golden checkpoint's five prompts, each also with others' beginnings before it, so that prefixes are
/// shared.
std::vector<std::vector<TokenId>> prompts_of(const std::filesystem::path& folder) {
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
  std::vector<std::vector<TokenId>> prompts;
  for (const auto& prompt : expected["tokens"]) prompts.push_back(prompt.get<std::vector<TokenId>>());
  const std::size_t given = prompts.size();
  for (std::size_t i = 0; i < given; ++i) {
    std::vector<TokenId> joined;
    while (joined.size() < 90) joined.insert(joined.end(), prompts[i].begin(), prompts[i].end());
    prompts.push_back(joined);
    joined.resize(70);
    joined.push_back(prompts[(i + 1) % given].front());
    prompts.push_back(joined);
  }
  return prompts;
}

std::vector<GenerationRequest> requests_for(const std::vector<std::vector<TokenId>>& prompts, bool seeded) {
  std::vector<GenerationRequest> requests;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    GenerationRequest request = greedy_request(prompts[i], kOutput + static_cast<int>(i % 3) * 7);
    if (seeded) {
      request.sampling.choice.temperature = 0.9f;
      request.sampling.choice.top_p = 0.95f;
      request.sampling.choice.seed = 1000 + i;
    }
    request.priority = static_cast<int>(i % 4);
    request.tenant = i % 2 == 0 ? "even" : "odd";
    requests.push_back(std::move(request));
  }
  return requests;
}

std::vector<std::vector<TokenId>> tokens_of(const std::vector<Reply>& replies) {
  std::vector<std::vector<TokenId>> tokens;
  for (const Reply& reply : replies) tokens.push_back(reply.tokens);
  return tokens;
}

}  // namespace

class SchedulingTest : public QObject {
  Q_OBJECT

 private slots:
  void texts_do_not_depend_on_scheduling_data() {
    QTest::addColumn<std::string>("model");
    QTest::addColumn<SettingList>("settings");
    for (const char* model : {"llama-gqa", "llama-mha-tied"}) {
      const auto row = [&](const char* name, SettingList settings) {
        settings.emplace_back("dtype", "float32");
        QTest::addRow("%s, %s", model, name) << std::string(model) << settings;
      };
      row("prefix cache off", {{"enable-prefix-caching", "false"}});
      row("chunks of 7 tokens", {{"max-num-batched-tokens", "7"}, {"max-num-seqs", "5"}});
      row("one at a time", {{"max-num-seqs", "1"}});
      row("static batching", {{"batching", "static"}, {"max-num-seqs", "4"}, {"max-model-len", "200"}});
      row("priority", {{"scheduling-policy", "priority"}, {"max-num-seqs", "3"}});
      row("fair", {{"scheduling-policy", "fair"}, {"max-num-seqs", "3"}});
      row("length-grouped", {{"scheduling-policy", "length-grouped"}, {"max-num-seqs", "3"}});
      row("long prompts limited", {{"long-prefill-token-threshold", "16"},
                                   {"max-long-partial-prefills", "1"},
                                   {"long-token-share", "0.5"},
                                   {"max-num-batched-tokens", "64"}});
      row("target for the time between tokens", {{"target-itl-ms", "1"}, {"max-num-batched-tokens", "256"}});
      row("blocks of 64", {{"block-size", "64"}});
    }
  }

  void texts_do_not_depend_on_scheduling() {
    QFETCH(std::string, model);
    QFETCH(SettingList, settings);
    const auto folder = data("golden/" + model);
    const auto prompts = prompts_of(folder);
    for (const bool seeded : {false, true}) {
      const auto plain = start_engine(folder, {{"dtype", "float32"}, {"enable-prefix-caching", "false"}});
      std::vector<std::vector<TokenId>> alone;
      for (GenerationRequest& request : requests_for(prompts, seeded)) {
        std::vector<GenerationRequest> one;
        one.push_back(std::move(request));
        alone.push_back(run_requests(*plain, std::move(one)).front().tokens);
      }
      const auto engine = start_engine(folder, settings);
      QCOMPARE(tokens_of(run_requests(*engine, requests_for(prompts, seeded))), alone);
      QCOMPARE(tokens_of(run_requests(*engine, requests_for(prompts, seeded))), alone);  // now from the cache
      QTRY_COMPARE(engine->snapshot()->kv_blocks_used, 0);
    }
  }

  void texts_survive_preemption_data() {
    QTest::addColumn<std::string>("model");
    QTest::addColumn<std::string>("preemption");
    QTest::addColumn<std::string>("dtype");
    for (const char* model : {"llama-gqa", "llama-mha-tied"}) {
      for (const char* preemption : {"recompute", "swap", "auto"}) {
        for (const char* dtype : {"float32", "fp8_e4m3", "int8"}) {
          QTest::addRow("%s, %s, KV in %s", model, preemption, dtype)
              << std::string(model) << std::string(preemption) << std::string(dtype);
        }
      }
    }
  }

  void texts_survive_preemption() {
    QFETCH(std::string, model);
    QFETCH(std::string, preemption);
    QFETCH(std::string, dtype);
    const auto folder = data("golden/" + model);
    const auto prompts = prompts_of(folder);
    const SettingList base = {{"dtype", "float32"},
                              {"kv-cache-dtype", dtype},
                              {"block-size", "16"},
                              {"max-model-len", "192"},
                              {"max-num-seqs", "12"}};
    const auto roomy = start_engine(folder, base);
    const auto expected = tokens_of(run_requests(*roomy, requests_for(prompts, false)));
    QCOMPARE(roomy->recorder().totals().preemptions, std::int64_t{0});

    SettingList tight = base;
    tight.emplace_back("preemption", preemption);
    tight.emplace_back("kv-cache-memory-bytes", "1MiB");
    if (preemption != "recompute") tight.emplace_back("swap-space", "8MiB");
    const auto engine = start_engine(folder, tight);
    // The pool may hold more than a handful of sequences: ask for as many as it takes to overrun it.
    const auto snapshot = engine->snapshot();
    const int copies = 1 + snapshot->kv_blocks * snapshot->block_size / 600;
    std::vector<GenerationRequest> requests;
    std::vector<std::vector<TokenId>> all;
    for (int i = 0; i < copies; ++i) {
      for (GenerationRequest& request : requests_for(prompts, false)) {
        request.cache_salt = std::to_string(i);  // no sharing: the pool has to overrun
        requests.push_back(std::move(request));
      }
      all.insert(all.end(), expected.begin(), expected.end());
    }
    const auto replies = run_requests(*engine, std::move(requests));
    QCOMPARE(tokens_of(replies), all);
    const EngineTotals totals = engine->recorder().totals();
    qInfo("%d blocks, %lld preemptions, %lld tokens thrown away, %lld swapped", snapshot->kv_blocks,
          static_cast<long long>(totals.preemptions), static_cast<long long>(totals.recomputed_tokens),
          static_cast<long long>(totals.swapped_tokens));
    if (preemption == "recompute") QCOMPARE(totals.swapped_tokens, std::int64_t{0});
    for (const Reply& reply : replies) {
      const RequestRecord& r = reply.last.record;
      QVERIFY(std::abs(r.queue_ms() + r.prefill_ms() + r.decode_ms() + r.preempted_ms() - r.e2e_ms()) < 1e-6);
      QCOMPARE(r.output_tokens, static_cast<int>(reply.tokens.size()));  // recompute counts nothing twice
    }
    QTRY_COMPARE(engine->snapshot()->kv_blocks_used, 0);
  }

  void fp8_kv_is_the_same_in_chunks_and_from_the_cache() {  // case 057
    const auto folder = data("golden/llama-gqa");
    const auto prompts = prompts_of(folder);
    std::vector<std::vector<std::vector<TokenId>>> results;
    for (const char* tokens : {"2048", "17"}) {
      const auto engine = start_engine(folder, {{"dtype", "float32"},
                                                {"kv-cache-dtype", "fp8_e4m3"},
                                                {"max-num-batched-tokens", tokens},
                                                {"max-num-seqs", "16"}});
      for (int warm = 0; warm < 2; ++warm) {
        results.push_back(tokens_of(run_requests(*engine, requests_for(prompts, false))));
      }
    }
    for (const auto& result : results) QCOMPARE(result, results.front());
  }

  void cached_tokens_are_those_that_were_not_computed() {  // case 041
    const auto engine = start_engine(data("golden/llama-gqa"), {{"dtype", "float32"}, {"block-size", "16"}});
    std::vector<TokenId> prompt;
    for (int i = 0; i < 100; ++i) prompt.push_back(1 + (i * 37) % 200);
    std::int64_t computed_before = 0;
    for (int turn = 0; turn < 3; ++turn) {
      auto replies = run_requests(*engine, {greedy_request(prompt, 8)});
      const RequestRecord& record = replies[0].last.record;
      std::int64_t computed = 0;
      for (const StepRecord& step : engine->recorder().last_steps(1000)) computed += step.prefill_tokens;
      QCOMPARE(record.prompt_tokens - record.cached_tokens, computed - computed_before);
      QCOMPARE(record.cached_tokens, turn == 0 ? 0 : 99);
      computed_before = computed;
    }
    GenerationRequest salted = greedy_request(prompt, 8);
    salted.cache_salt = "another tenant";
    const RequestRecord other = run_requests(*engine, {salted})[0].last.record;
    QCOMPARE(other.cached_tokens, 0);
    QCOMPARE(other.miss, MissReason::different_salt);
    prompt[50] = 222;
    const RequestRecord changed = run_requests(*engine, {greedy_request(prompt, 8)})[0].last.record;
    QCOMPARE(changed.cached_tokens, 50);
    QCOMPARE(changed.miss, MissReason::diverged);
    QCOMPARE(changed.miss_token, 50);
  }

  void an_aborted_prefill_leaves_only_what_was_computed() {  // case 048
    const auto folder = data("golden/llama-gqa");
    std::vector<TokenId> prompt;
    for (int i = 0; i < 400; ++i) prompt.push_back(1 + (i * 53) % 200);
    const auto clean = start_engine(folder, {{"dtype", "float32"}});
    const auto expected = run_requests(*clean, {greedy_request(prompt, 20)})[0].tokens;
    const auto engine = start_engine(folder, {{"dtype", "float32"}, {"max-num-batched-tokens", "32"}});
    std::promise<void> ended;
    const auto id = engine->submit(greedy_request(prompt, 20), [&](OutputEvent&& event) {
      if (event.finished) ended.set_value();
    });
    QTRY_VERIFY(!engine->recorder().last_steps(1).empty());
    engine->cancel(*id);
    ended.get_future().wait();
    std::int64_t computed = 0;
    for (const StepRecord& step : engine->recorder().last_steps(1000)) computed += step.prefill_tokens;
    const Reply again = run_requests(*engine, {greedy_request(prompt, 20)})[0];
    QCOMPARE(again.tokens, expected);
    QVERIFY(again.last.record.cached_tokens <= computed);
  }

  void settings_change_while_requests_run() {
    const auto folder = data("golden/llama-gqa");
    const auto prompts = prompts_of(folder);
    const auto plain = start_engine(folder, {{"dtype", "float32"}});
    const auto expected = tokens_of(run_requests(*plain, requests_for(prompts, false)));
    const auto engine = start_engine(folder, {{"dtype", "float32"}, {"max-num-seqs", "6"}});
    std::atomic<bool> done = false;
    std::thread changer([&] {
      const SettingList changes = {{"scheduling-policy", "fair"},
                                   {"max-num-seqs", "1"},
                                   {"batching", "static"},
                                   {"target-itl-ms", "2"},
                                   {"max-num-batched-tokens", "64"},
                                   {"scheduling-policy", "priority"},
                                   {"batching", "continuous"},
                                   {"max-num-seqs", "6"},
                                   {"prefix-cache-share", "0.5"},
                                   {"long-prefill-token-threshold", "20"},
                                   {"max-wait-ms", "1"},
                                   {"preemption", "recompute"}};
      for (std::size_t i = 0; !done; ++i) {
        const auto& [name, value] = changes[i % changes.size()];
        if (auto changed = engine->change(name, value, ChangedBy::client); !changed)
          qFatal("%s", changed.error().text().c_str());
      }
    });
    for (int round = 0; round < 5; ++round) {
      const auto replies = tokens_of(run_requests(*engine, requests_for(prompts, false)));
      if (replies != expected) done = true, changer.join();
      QCOMPARE(replies, expected);
    }
    done = true;
    changer.join();
    const auto refused = [&](const char* name, const char* value) {
      return engine->change(name, value, ChangedBy::client).error();
    };
    QCOMPARE(refused("max-num-seqs", "7").param,
             std::string("max-num-seqs"));  // more than the slots of the start
    QCOMPARE(refused("max-num-batched-tokens", "4096").param, std::string("max-num-batched-tokens"));
    QCOMPARE(refused("block-size", "16").param, std::string("block-size"));  // not live
    QCOMPARE(refused("preemption", "swap").param, std::string("swap-space"));
    QVERIFY(!engine->change("no-such-setting", "1", ChangedBy::client));
    QCOMPARE(engine->settings().integer("max-num-batched-tokens"), std::int64_t{64});
  }

  void the_prefix_cache_is_reset_only_while_nothing_uses_it() {  // property 34
    const auto engine = start_engine(data("golden/llama-gqa"), {{"dtype", "float32"}});
    std::vector<TokenId> prompt(64, 7);
    std::promise<void> first, ended;
    std::atomic<bool> has_first = false;
    const auto id = engine->submit(greedy_request(prompt, 0), [&](OutputEvent&& event) {
      if (!has_first.exchange(true)) first.set_value();
      if (event.finished) ended.set_value();
    });
    const auto waits = engine->reset_prefix_cache();  // it has come, and may hold nothing yet
    QVERIFY(!waits);
    QCOMPARE(waits.error().kind, Error::Kind::busy);
    first.get_future().wait();
    const auto busy = engine->reset_prefix_cache();
    QVERIFY(!busy);
    QCOMPARE(busy.error().kind, Error::Kind::busy);
    engine->cancel(*id);
    ended.get_future().wait();
    QTRY_VERIFY(engine->reset_prefix_cache());
    QCOMPARE(engine->snapshot()->ledger.kv_cached, Bytes{0});
    QCOMPARE(run_requests(*engine, {greedy_request(prompt, 4)})[0].last.record.cached_tokens, 0);
    engine->stop();
    QCOMPARE(engine->reset_prefix_cache().error().kind, Error::Kind::busy);
    QCOMPARE(engine->change("max-num-seqs", "1", ChangedBy::client).error().kind, Error::Kind::busy);
  }

  void over_http() {
    const SettingList small_blocks = {{"block-size", "16"}};
    HttpFixture server(small_blocks);
    Json body = chat_body("What is the time now?", {{"max_tokens", 5}});
    Json system;
    system["role"] = "system";
    system["content"] = "It is 12:00:01. Be brief, kind, exact and helpful.";
    body["messages"].insert(body["messages"].begin(), system);
    const auto cached = [](const Completion& c) {
      return c.usage["prompt_tokens_details"]["cached_tokens"].get<int>();
    };
    const auto ask = [&](const Json& json) { return complete(server.port(), kChat, json, false); };
    QCOMPARE(cached(ask(body)), 0);
    const Completion again = ask(body);
    QVERIFY(cached(again) > 64);
    body["messages"][0]["content"] = "It is 12:00:02. Be brief, kind, exact and helpful.";
    ask(body);
    const auto requests = nlohmann::json::parse(get(server.port(), "/pitwall/requests?last=1").body);
    QCOMPARE(requests[0]["miss"].get<std::string>(), std::string("diverged"));
    // One token a byte: the differing digit is byte 13 of the content.
    QCOMPARE(requests[0]["miss_part"].get<std::string>(), std::string("messages[0] (system), token 13"));
    body["cache_salt"] = "b";
    QCOMPARE(cached(ask(body)), 0);

    const RawReply changed =
        post(server.port(), "/pitwall/settings", R"({"max-num-seqs": 2, "scheduling-policy": "fair"})");
    QCOMPARE(changed.status, 200);
    QCOMPARE(nlohmann::json::parse(changed.body)["max-num-seqs"].get<int>(), 2);
    QCOMPARE(nlohmann::json::parse(get(server.port(), "/pitwall/snapshot").body)["max_num_seqs"].get<int>(),
             2);
    const auto said_by = [&](const char* who, const char* body) {
      const RawReply reply = post(server.port(), std::string("/pitwall/settings?by=") + who, body);
      QVERIFY2(reply.status == 200, reply.body.c_str());
    };
    said_by("checklist", R"({"max-num-seqs": 1})");
    said_by("user", R"({"max-num-seqs": 2})");  // that is the window: here it is a client
    const auto makers = [&] {
      std::string all;
      const auto snapshot = nlohmann::json::parse(get(server.port(), "/pitwall/snapshot").body);
      for (const auto& change : snapshot["changes"]) all += change["by"].get<std::string>() + " ";
      return all;
    };
    QTRY_COMPARE(makers(), std::string("client client checklist client "));
    const RawReply refused = post(server.port(), "/pitwall/settings", R"({"block-size": 16})");
    QCOMPARE(refused.status, 400);
    QCOMPARE(nlohmann::json::parse(refused.body)["error"]["param"].get<std::string>(),
             std::string("block-size"));
    QCOMPARE(post(server.port(), "/reset_prefix_cache", "{}").status, 200);
    const std::string metrics = get(server.port(), "/metrics").body;
    QVERIFY(metrics.find("vllm:prefix_cache_hits_total") != std::string::npos);
    QVERIFY(
        metrics.find(
            "pitwall:prefix_cache_misses_total{model_name=\"tiny\",engine=\"0\",reason=\"diverged\"} 1") !=
        std::string::npos);
    const auto steps = nlohmann::json::parse(get(server.port(), "/pitwall/steps?last=1000").body);
    int joined = 0;
    for (const auto& step : steps) {
      for (const auto& event : step["events"]) joined += event["kind"] == "joined";
    }
    QCOMPARE(joined, 4);
  }
};

QTEST_GUILESS_MAIN(SchedulingTest)
#include "scheduling_test.moc"
