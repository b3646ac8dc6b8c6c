// SPDX-License-Identifier: GPL-3.0-or-later
// What engines run with unasked: a plan for one has the bytes of its plain command, and fields that nobody
// touched follow it.
#include <QTest>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_defaults.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using test::model_of;

/// As `plan --engine` asks.
Deployment asked_of(const std::string& engine, const char* gpu) {
  Deployment asked;
  asked.gpu = gpu;
  asked.engine = engine;
  follow_engine({}, asked);
  return asked;
}

}  // namespace

class EngineDefaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_plan_has_the_bytes_of_the_plain_command() {
    for (const EngineProfile& engine : engine_profiles()) {
      for (const char* name : {"llama-3.1-8b", "gemma-3-27b", "gpt-oss-20b"}) {
        for (const char* card : {"H200", "A100-80G", "L40S"}) {
          const std::string what = engine.name + " " + name + " " + card;
          const ModelOutline model = model_of(name);
          const GpuProfile gpu = find_gpu(card).value();
          const auto planned = plan_memory(asked_of(engine.name, card), model, gpu);
          const auto told = plan_settings({}, engine, model, gpu, 1);
          QVERIFY2(planned.ok() == told.ok(), what.c_str());
          if (!planned) continue;
          QVERIFY2(planned->worst_rank().bytes == told->worst_rank().bytes, what.c_str());
          QVERIFY2(planned->worst_rank().limit == told->worst_rank().limit, what.c_str());
        }
      }
    }
  }

  /// On a card of 70 GiB or more vLLM runs 1,024 sequences at once: 32 requests stay what they were.
  void the_demand_stays() {
    const Deployment large = asked_of("vllm", "H200"), small = asked_of("vllm", "L40S");
    QCOMPARE(large.max_num_seqs, 1024);
    QCOMPARE(large.max_num_batched_tokens, 8192);
    QCOMPARE(large.block_size, 16);
    QCOMPARE(large.requests, 32);
    QCOMPARE(small.max_num_seqs, 256);
    const Deployment few = asked_of("llama.cpp", "H200");
    QCOMPARE(few.max_num_seqs, 4);
    QCOMPARE(few.requests, 0);  // its four: nobody asked for more
    QVERIFY(few.shared_context && !large.shared_context);
  }

  void what_was_stated_does_not_follow() {
    Deployment before;
    before.max_num_seqs = 48;
    Deployment now = before;
    now.engine = "vllm";
    follow_engine(before, now);
    QCOMPARE(now.max_num_seqs, 48);
    QCOMPARE(now.requests, 0);
    QCOMPARE(now.max_num_batched_tokens, 8192);
    before = now;
    now.gpu = "L40S";  // the same engine takes less there
    follow_engine(before, now);
    QCOMPARE(now.max_num_batched_tokens, 2048);
    before = now;
    now.engine = "auto";
    follow_engine(before, now);
    QCOMPARE(now.max_num_seqs, 48);
    QCOMPARE(now.block_size, 32);
    before = now;
    now.max_num_batched_tokens = 512;  // no change of the engine: nothing follows
    follow_engine(before, now);
    QCOMPARE(now.max_num_batched_tokens, 512);
  }

  /// Blocks of 48 are legal for vLLM and for no TensorRT-LLM.
  void a_block_size_that_cannot_be_told_follows() {
    Deployment before = asked_of("vllm", "H200");
    before.block_size = 48;
    Deployment now = before;
    now.engine = "tensorrt-llm";
    follow_engine(before, now);
    QCOMPARE(now.block_size, step_defaults(now, find_gpu("H200")->memory).block_size);
  }

  void plans_name_the_defaults_that_they_take() {
    const GpuProfile gpu = find_gpu("H200").value();
    const ModelOutline model = model_of("llama-3.1-8b");
    const auto names = [&](const Deployment& asked, std::string_view text) {
      const auto plan = plan_memory(asked, model, gpu);
      return plan && std::find(plan->notes.begin(), plan->notes.end(), text) != plan->notes.end();
    };
    Deployment asked = asked_of("vllm", "H200");
    QVERIFY(names(
        asked, "By the defaults of vLLM: max-num-seqs 1,024, max-num-batched-tokens 8,192, block-size 16"));
    asked.max_num_seqs = 64;
    QVERIFY(names(asked, "By the defaults of vLLM: max-num-batched-tokens 8,192, block-size 16"));
    QCOMPARE(defaults_taken(Deployment(), gpu.memory), std::string());
  }
};

QTEST_APPLESS_MAIN(EngineDefaultsTest)
#include "engine_defaults_test.moc"
