// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers and keys of a bench result, and the machine of a simulation, against hand-computed values.
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/bench/bench_result.h"
#include "engine/bench/simulated_machine.h"
#include "engine/library/model_profile.h"
#include "engine/plan/model_outline.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

constexpr Nanos kMs = kNanosPerMs;

RequestRecord record_of(std::uint64_t id, int prompt, Nanos arrival, Nanos first_token, Nanos last_token,
                        int output) {
  RequestRecord record;
  record.id = RequestId{id};
  record.prompt_tokens = prompt;
  record.arrival = arrival;
  record.scheduled = arrival + 10 * kMs;
  record.first_token = first_token;
  record.last_token = record.finished = last_token;
  record.output_tokens = output;
  record.finish = FinishReason::length;
  return record;
}

/// Three requests: 1 was preempted twice and found 32 tokens; 2 was refused; 3 has one token.
std::vector<RequestRecord> scene() {
  std::vector<RequestRecord> records{record_of(1, 100, 1000 * kMs, 1100 * kMs, 2000 * kMs, 3),
                                     record_of(2, 500, 1020 * kMs, 0, 0, 0),
                                     record_of(3, 50, 1030 * kMs, 1100 * kMs, 1100 * kMs, 1)};
  records[0].preemptions = 2;
  records[0].cached_tokens = 32;
  records[0].miss = MissReason::diverged;
  records[1].scheduled = 0;
  records[1].finish = FinishReason::error;
  records[1].finished = 1020 * kMs;
  records[2].miss = MissReason::cold;
  return records;
}

const std::vector<double> kGaps{20, 880};  // of request 1, in ms

}  // namespace

class BenchResultTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void result_matches_hand_computed_values();
  void json_has_vllms_keys();
  void nothing_completed_is_null_not_zero();
  void machine_leaves_the_rest_to_kv();
  void machine_without_room_says_so();
};

void BenchResultTest::result_matches_hand_computed_values() {
  const BenchResult result = summarize_bench(scene(), kGaps);
  QCOMPARE(result.completed, std::int64_t{2});
  QCOMPARE(result.failed, std::int64_t{1});
  QCOMPARE(result.duration_s, 1.0);
  QCOMPARE(result.input_tokens, std::int64_t{150});
  QCOMPARE(result.output_tokens, std::int64_t{4});
  QCOMPARE(result.request_throughput, 2.0);
  QCOMPARE(result.output_throughput, 4.0);
  QCOMPARE(result.total_token_throughput, 154.0);
  QCOMPARE(result.ttft.mean, 85.0);   // 100 and 70
  QCOMPARE(result.ttft.p90, 97.0);    // type 7: 70 + 0.9·30
  QCOMPARE(result.ttft.std, 15.0);    // the population's
  QCOMPARE(result.tpot.mean, 450.0);  // request 1 alone has two tokens
  QCOMPARE(result.itl.mean, 450.0);
  QCOMPARE(result.itl.max, 880.0);
  QCOMPARE(result.e2el.p50, 535.0);  // 1000 and 70
  QCOMPARE(result.query_tokens, std::int64_t{150});
  QCOMPARE(result.hit_tokens, std::int64_t{32});
  QCOMPARE(result.misses[static_cast<std::size_t>(MissReason::diverged)], std::int64_t{1});
  QCOMPARE(result.misses[static_cast<std::size_t>(MissReason::cold)], std::int64_t{1});
  QCOMPARE(result.preemptions, std::int64_t{2});
}

void BenchResultTest::json_has_vllms_keys() {
  const auto json = to_json_value(summarize_bench(scene(), kGaps));
  // Keys that `vllm bench serve --save-result` writes (vllm/benchmarks/serve.py at 009e6d4a1c).
  for (const char* key : {"duration", "completed", "failed", "total_input_tokens", "total_output_tokens",
                          "request_throughput", "output_throughput", "total_token_throughput",
                          "max_output_tokens_per_s", "max_concurrent_requests"}) {
    QVERIFY2(json.contains(key) && json.at(key).is_number(), key);
  }
  for (const std::string metric : {"ttft", "tpot", "itl", "e2el"}) {
    for (const char* statistic : {"mean_", "median_", "std_", "p50_", "p90_", "p95_", "p99_"}) {
      const std::string key = statistic + metric + "_ms";
      QVERIFY2(json.contains(key) && json.at(key).is_number(), key.c_str());
    }
  }
  QCOMPARE(json.at("median_ttft_ms").get<double>(), 85.0);
  QCOMPARE(json.at("p99_itl_ms").get<double>(), 20 + 0.99 * 860);
  const auto& prefix = json.at("prefix_cache");
  QCOMPARE(prefix.at("hit_tokens").get<int>(), 32);
  QCOMPARE(prefix.at("query_tokens").get<int>(), 150);
  QCOMPARE(prefix.at("misses_by_reason").at("cold").get<int>(), 1);
  QVERIFY(!prefix.at("misses_by_reason").contains("none"));
  QCOMPARE(json.at("preemptions").get<int>(), 2);
  QVERIFY(json.contains("peak_kv_bytes"));
}

void BenchResultTest::nothing_completed_is_null_not_zero() {
  const auto json = to_json_value(summarize_bench({}, {}));
  QCOMPARE(json.at("completed").get<int>(), 0);
  QCOMPARE(nlohmann::json::parse(json.dump()).at("mean_ttft_ms").is_null(), true);
}

void BenchResultTest::machine_leaves_the_rest_to_kv() {
  MachineWish wish;
  wish.model = outline_of(find_model_spec("llama-3.1-8b").value());
  wish.gpu = find_gpu("H200").value();
  const auto machine = make_machine(wish);
  PW_VERIFY(machine);
  const Bytes weights = Bytes{2} * 8030261248;
  QCOMPARE(machine->ledger.of(Category::weights), weights);
  // All that the plan leaves beside weights, activations, graphs and the rest, 32 tokens of 128 KiB a block.
  const Bytes beside = machine->ledger.accounted() - machine->ledger.of(Category::kv);
  constexpr Bytes kPages = 32 * 2 * kMiB;  // at the end of each layer's array
  QCOMPARE(machine->blocks, static_cast<int>((machine->ledger.limit - beside - kPages) / (4 * kMiB)));
  QVERIFY(beside > weights + kGiB / 2 && machine->ledger.limit > wish.gpu.memory * 97 / 100);
  QCOMPARE(machine->max_model_len, 131072);
  QCOMPARE(machine->ledger.unaccounted(), Bytes{0});

  wish.memory_limit = 20 * kGiB;
  QCOMPARE(make_machine(wish)->blocks, static_cast<int>((20 * kGiB - beside - kPages) / (4 * kMiB)));
  QCOMPARE(make_machine(wish)->max_model_len, make_machine(wish)->blocks * 32);

  wish.kv_bytes = 100'000 * kGiB;
  wish.max_model_len = 1'000'000;
  QCOMPARE(make_machine(wish)->blocks, 25'600'000);
  QCOMPARE(make_machine(wish)->max_model_len, 1'000'000);
}

void BenchResultTest::machine_without_room_says_so() {
  MachineWish wish;
  wish.model = outline_of(find_model_spec("llama-3.1-8b").value());
  wish.gpu = find_gpu("H200").value();
  wish.memory_limit = 10 * kGiB;
  const auto small = make_machine(wish);
  QVERIFY(!small.ok());
  QVERIFY2(small.error().text().find("needs 14.96 GiB for weights") != std::string::npos,
           small.error().text().c_str());
  wish.kv_bytes = kMiB;
  QVERIFY(make_machine(wish).error().text().find("is 1.0 MiB; one KV block takes 4.0 MiB") !=
          std::string::npos);
  wish.kv_bytes = 64 * kMiB;
  wish.max_model_len = 4096;
  const auto shorter = make_machine(wish);
  QVERIFY(!shorter.ok());
  QVERIFY2(shorter.error().text().find("holds 512 tokens in 64.0 MiB; max-model-len is 4,096") !=
               std::string::npos,
           shorter.error().text().c_str());
}

QTEST_APPLESS_MAIN(BenchResultTest)
#include "bench_result_test.moc"
