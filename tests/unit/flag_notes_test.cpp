// SPDX-License-Identifier: GPL-3.0-or-later
// What another engine does otherwise with a deployment, said in bytes and in time.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "tests/support/engine_readings.h"

using namespace pitwall;

namespace {

struct Told {
  WrittenFlags flags;
  DeploymentPlan plan;  // of the first engine
  bool says(std::string_view text) const {
    return std::any_of(flags.notes.begin(), flags.notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }
  std::string value_of(std::string_view flag) const {
    const auto found = std::find(flags.arguments.begin(), flags.arguments.end(), flag);
    return found == flags.arguments.end() ? "" : *(found + 1);
  }
};

/// A command for llama-3.1-8b on H200s, told to `to`.
Told told(const std::string& command, const char* to, int gpus = 1) {
  const EngineReading reading = test::read_pasted(command);
  const auto model = read_outline("llama-3.1-8b");
  const auto plan = plan_settings(reading.settings, *reading.engine, *model, find_gpu("H200").value(), gpus);
  if (!plan) qFatal("%s", plan.error().text().c_str());
  const EngineProfile& engine = **find_engine(to);
  return {translate(reading, engine, memory_terms_of(*plan), memory_terms_on(engine, *plan)), *plan};
}

}  // namespace

class FlagNotesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// What the first engine would end with is said, wherever it goes.
  void numbers_that_an_engine_lacks() {
    const auto said = [](const char* command, const std::string& note) {
      const std::vector<std::string> notes = test::read_pasted(command).notes;
      return std::find(notes.begin(), notes.end(), note) != notes.end();
    };
    QVERIFY(said("vllm serve M --block-size 17", "--block-size is 17, and vLLM takes multiples of 16"));
    QVERIFY(said("lmdeploy serve api_server M --cache-block-seq-len 48",
                 "--cache-block-seq-len is 48, and LMDeploy takes multiples of 32"));
    QVERIFY(said("llama-server -m M -np 300", "-np is 300, and llama.cpp takes 256 at most"));
    QVERIFY(test::read_pasted("vllm serve M --block-size 48").notes.empty());
    const WrittenFlags same =
        translate(test::read_pasted("vllm serve M --block-size 17"), **find_engine("vllm"), std::nullopt);
    QVERIFY(command_text(same).find("--block-size") == std::string::npos);
  }

  void what_is_on_unasked_and_turned_off_is_said() {
    const WrittenFlags there = translate(
        test::read_pasted("python3 -m sglang.launch_server --model-path M --disable-overlap-schedule"),
        **find_engine("vllm"), std::nullopt);
    QVERIFY(std::any_of(there.notes.begin(), there.notes.end(), [](const std::string& note) {
      return note.find("overlap-schedule false") != std::string::npos;
    }));
  }

  /// "auto" of slots is four in llama.cpp, and another number elsewhere.
  void automatic_is_the_default_of_the_first() {
    const WrittenFlags there =
        translate(test::read_pasted("llama-server -m M -np -1"), **find_engine("vllm"), std::nullopt);
    QVERIFY(command_text(there).find("--max-num-seqs 4") != std::string::npos);
  }

  /// Llama-3.1-8B: 65,536 B a token in FP8, 131,072 in 16 bits.
  void a_format_that_falls_back_costs_bytes() {
    for (const char* engine : {"llama.cpp", "lmdeploy"}) {
      const Told there = told("vllm serve llama-3.1-8b --kv-cache-dtype fp8", engine);
      QVERIFY2(there.says("its default holds, which takes 131,072 B a token instead of 65,536"), engine);
      QVERIFY2(there.says("KV takes 131,072 B a token on each GPU, not 65,536"), engine);
      QVERIFY2(there.says(" tokens"), engine);
    }
  }

  /// 65,536 B a token on each of two ranks, 131,072 on the one GPU that is left: the same tokens, or what
  /// fits.
  void a_rank_s_kv_follows_its_ranks() {
    const Told fits = told("vllm serve llama-3.1-8b -tp 2 --kv-cache-memory-bytes 12g", "pitwall", 2);
    QCOMPARE(fits.value_of("--kv-cache-memory-bytes"), std::string("24000000000"));
    QVERIFY(fits.says("KV takes 131,072 B a token on each GPU, not 65,536"));
    QVERIFY(fits.says("tensor-parallel-size 2"));
    const Told full = told("vllm serve llama-3.1-8b -tp 2 --gpu-memory-utilization 0.9", "pitwall", 2);
    const Bytes kv = std::stoll(full.value_of("--kv-cache-memory-bytes"));
    QVERIFY(kv < full.plan.worst_rank().of(Category::kv));  // all weights are on one GPU now
    QVERIFY(full.says("are left for it"));
  }

  void a_gpu_that_was_planned_is_named() {
    QCOMPARE(told("vllm serve llama-3.1-8b", "pitwall").value_of("--device"), std::string("cuda"));
    const WrittenFlags blind =
        translate(test::read_pasted("vllm serve M"), **find_engine("pitwall"), std::nullopt);
    QVERIFY(command_text(blind).find("--device") == std::string::npos);
  }

  void gguf_files_alone() {
    const Told awq = told("vllm serve org/Llama-3.1-8B-Instruct-AWQ", "llama.cpp");
    QVERIFY(awq.says("llama.cpp loads .gguf files alone"));
    QVERIFY(awq.says("weights in AWQ are not converted"));
    const Told quantised = told("vllm serve org/model --quantization gptq", "llama.cpp");
    QVERIFY(quantised.says("weights in GPTQ are not converted"));
    QVERIFY(!told("vllm serve /models/llama.gguf", "llama.cpp").says(".gguf files alone"));
    QVERIFY(!told("llama-server -m /models/llama.gguf", "vllm").says(".gguf files alone"));
  }

  void a_server_that_becomes_open() {
    QVERIFY(told("vllm serve M --api-key sk-1", "tensorrt-llm")
                .says("the server becomes open to all who reach it"));
    QVERIFY(told("pitwallctl serve --model M --api-key-file keys", "tensorrt-llm").says("becomes open"));
    const Told kept = told("vllm serve M --api-key sk-1", "sglang");
    QVERIFY(kept.says("without it the server is open"));
    QVERIFY(!kept.says("sk-1"));
    QVERIFY(!told("vllm serve M", "tensorrt-llm").says("open"));
  }

  /// llama.cpp takes the KV of all slots at the start, and has 256 at most.
  void slots_that_memory_holds() {
    const Told many =
        told("python -m sglang.launch_server --model-path llama-3.1-8b --context-length 16384", "llama.cpp");
    QVERIFY(many.says("max-num-seqs 2048 is not carried over: llama.cpp has at most 256 slots"));
    const std::int64_t held = std::stoll(many.value_of("-np")), context = std::stoll(many.value_of("-c"));
    QVERIFY(many.says("and memory holds " + std::to_string(held) + " of 16384 tokens"));
    QCOMPARE(context, held * 16384);
    QVERIFY(context * 131'072 < 140 * kGiB && (held + 16) * 16384 * 131'072 > 100 * kGiB);
    const Told few = told("vllm serve llama-3.1-8b --max-num-seqs 8 --max-model-len 8192", "llama.cpp");
    QCOMPARE(few.value_of("-np"), std::string("8"));
    QVERIFY(!few.says("memory holds"));
  }

  /// Flags without counterpart here, in the other engine's spelling.
  void flags_in_the_others_spelling() {
    const auto has = [](const Told& there, std::string_view word) {
      return std::find(there.flags.arguments.begin(), there.flags.arguments.end(), word) !=
             there.flags.arguments.end();
    };
    QVERIFY(has(told("vllm serve llama-3.1-8b --trust-remote-code", "tensorrt-llm"), "--trust_remote_code"));
    QVERIFY(has(told("trtllm-serve llama-3.1-8b --trust_remote_code", "vllm"), "--trust-remote-code"));
    QVERIFY(
        has(told("trtllm-serve llama-3.1-8b --trust_remote_code", "tensorrt-llm"), "--trust_remote_code"));
    // What the engine itself does not know is passed on, and said.
    const Told unknown = told("vllm serve llama-3.1-8b --max-num-s 8", "vllm");
    QVERIFY(has(unknown, "--max-num-s") && unknown.says("--max-num-s 8 is not known of vLLM"));
  }

  /// Each word behind such a flag is its own.
  void flags_of_several_words() {
    const Told there = told("vllm serve llama-3.1-8b --lora-modules a=/x b=/y --max-num-seqs 8", "vllm");
    const Words& words = there.flags.arguments;
    const auto at = std::find(words.begin(), words.end(), "--lora-modules");
    QVERIFY(words.end() - at > 2);
    QCOMPARE(*(at + 1), std::string("a=/x"));
    QCOMPARE(*(at + 2), std::string("b=/y"));
    QVERIFY(!there.says("b=/y"));
    const EngineReading named = test::read_pasted("vllm serve M --served-model-name a b");
    QCOMPARE(*named.settings.find("served-model-name"), std::string("a,b"));
    QVERIFY(told("vllm serve llama-3.1-8b --served-model-name a b", "sglang").says("b is not carried over"));
  }

  void flags_that_are_gone() {
    const EngineReading old = test::read_pasted("vllm serve M -tp 2 --swap-space 8");
    QCOMPARE(*old.settings.find("swap-space"), std::to_string(16 * kGiB));  // of each GPU
    QVERIFY(std::any_of(old.notes.begin(), old.notes.end(), [](const std::string& note) {
      return note.find("--swap-space is gone from") != std::string::npos &&
             note.ends_with("--kv-offloading-size takes its place");
    }));
    const Told now = told("vllm serve llama-3.1-8b --swap-space 8", "vllm");
    QCOMPARE(now.value_of("--kv-offloading-size"), std::string("8"));
    QCOMPARE(now.value_of("--swap-space"), std::string());
  }

  /// TGI_WIGGLE_ROOM, 0.90 in server/text_generation_server/models/globals.py: all of the card is 0.9 of it
  /// to others, and 1 is never told to vLLM, which would not start.
  void shares_that_leave_a_tenth() {
    const auto blind = [](const char* command, const char* to, std::string_view flag) {
      const Told there{translate(test::read_pasted(command), **find_engine(to), std::nullopt), {}};
      return there.value_of(flag);
    };
    QCOMPARE(blind("text-generation-launcher --model-id M --cuda-memory-fraction 1", "vllm",
                   "--gpu-memory-utilization"),
             std::string("0.9"));
    QCOMPARE(blind("vllm serve M --gpu-memory-utilization 0.81", "tgi", "--cuda-memory-fraction"),
             std::string("0.9"));
    QCOMPARE(blind("vllm serve M --gpu-memory-utilization 0.95", "tgi", "--cuda-memory-fraction"),
             std::string());
    const Told plan = told("text-generation-launcher --model-id llama-3.1-8b", "vllm");
    QCOMPARE(plan.plan.budget.share, 0.9);
    QCOMPARE(plan.value_of("--kv-cache-memory-bytes"),
             std::to_string(plan.plan.worst_rank().limit - memory_terms_of(plan.plan).loaded()));
    QVERIFY(told("vllm serve llama-3.1-8b --gpu-memory-utilization 0.95", "tgi")
                .says("TGI takes no more than 0.9 of the GPU's memory"));
  }

  void the_last_of_many_is_said_once() {
    const EngineReading many =
        test::read_pasted("vllm serve M --max-num-seqs 8 --max-num-seqs 16 --max-num-seqs 32");
    QCOMPARE(std::count_if(many.notes.begin(), many.notes.end(),
                           [](const std::string& note) { return note.find("more than once") != note.npos; }),
             1);
    QCOMPARE(*many.settings.find("max-num-seqs"), std::string("32"));
  }

  void slots_share_a_context_that_is_not_stated() {
    const Told there = told("vllm serve llama-3.1-8b --max-num-seqs 64", "llama.cpp");
    QVERIFY(std::find(there.flags.arguments.begin(), there.flags.arguments.end(), "-kvu") !=
            there.flags.arguments.end());
    QVERIFY(there.says("64 slots share one context"));
  }

  /// 32,768 tokens of 131,072 B in all, however many slots share them.
  void a_shared_context_is_taken_once() {
    for (const char* command :
         {"llama-server -m llama-3.1-8b -c 32768 -np 4 -kvu", "llama-server -m llama-3.1-8b -c 32768",
          "llama-server -m llama-3.1-8b -c 32768 -np 4"})
      QCOMPARE(told(command, "vllm").value_of("--kv-cache-memory-bytes"), std::to_string(4 * kGiB));
    QVERIFY(!told("llama-server -m llama-3.1-8b -c 32768 -kvu", "vllm").says("kv-unified"));
  }

  /// What llama.cpp leaves free says nothing of what it takes of an unknown model.
  void a_margin_is_no_share() {
    const MemoryTerms card{.total = 140 * kGiB};
    const WrittenFlags written =
        translate(test::read_pasted("llama-server -hf org/model-GGUF:Q4_K_M"), **find_engine("vllm"), card);
    QVERIFY(std::find(written.arguments.begin(), written.arguments.end(), "--gpu-memory-utilization") ==
            written.arguments.end());
    QVERIFY(told("vllm serve llama-3.1-8b", "llama.cpp").says("KV of the context may take up to"));
  }

  /// SGLang's pages of one token are its own; TensorRT-LLM's kernels begin at 8.
  void block_sizes_that_no_kernel_has() {
    const Told unasked = told("python -m sglang.launch_server --model-path llama-3.1-8b", "tensorrt-llm");
    QVERIFY(unasked.flags.config.find("tokens_per_block") == std::string::npos);
    const Told asked =
        told("python -m sglang.launch_server --model-path llama-3.1-8b --page-size 4", "tensorrt-llm");
    QVERIFY(asked.flags.config.find("tokens_per_block") == std::string::npos);
    QVERIFY(asked.says("TensorRT-LLM cannot be told block-size 4"));
  }

  /// vLLM makes FP8 while it loads; TensorRT-LLM takes the checkpoint as it is.
  void weights_made_at_load() {
    QVERIFY(told("vllm serve llama-3.1-8b --quantization fp8", "tensorrt-llm")
                .says("loads weights as the checkpoint has them: take one in fp8"));
  }

  /// A plan that fits in vLLM's pages: llama.cpp has to take all of -c at the start, within the margin.
  void slots_of_a_plan() {
    Deployment asked;
    asked.model = "qwen2.5-72b-awq";
    asked.engine = "vllm";
    asked.gpu = "A100-80G";
    asked.gpus = asked.tensor_parallel = 2;
    asked.max_model_len = 16384;
    const auto plan = plan_memory(asked, *read_outline(asked.model), find_gpu(asked.gpu).value());
    QVERIFY(plan.ok());
    const WrittenFlags written = write_flags(**find_engine("llama.cpp"), *plan);
    const auto value = [&](std::string_view flag) {
      const auto found = std::find(written.arguments.begin(), written.arguments.end(), flag);
      return found == written.arguments.end() ? 0 : std::stoll(*(found + 1));
    };
    QVERIFY(value("-np") > 1 && value("-np") < 32);
    QCOMPARE(value("-c"), value("-np") * 16384);
    const Bytes kv = value("-c") * 327'680 / 2;  // of each card
    QVERIFY(kv <= plan->worst_rank().of(Category::kv));
    QVERIFY(kv + Bytes{16384} * 327'680 / 2 > plan->worst_rank().of(Category::kv) - kGiB);
  }

  /// Only what the other engine makes of a share is of interest.
  void shares_are_explained_for_the_target() {
    const EngineReading reading = test::read_pasted("vllm serve M --gpu-memory-utilization 0.9");
    const auto notes = memory_notes(reading, std::nullopt, *find_engine("sglang"));
    QCOMPARE(notes.size(), std::size_t{2});
    QVERIFY(notes[1].starts_with("In SGLang the same number stands for"));
    QCOMPARE(memory_notes(reading, std::nullopt, *find_engine("vllm")).size(), std::size_t{1});
    QVERIFY(memory_notes(reading, std::nullopt).size() > 3);
  }

  void docker_s_own_options_are_named() {
    const EngineReading reading = test::read_pasted(
        "docker run --gpus all -p 8080:80 -v /data:/data -e A=b vllm/vllm-openai:v0.26.0 --model M");
    QVERIFY(std::find(reading.notes.begin(), reading.notes.end(),
                      "Say again where it runs, docker run had them: -p 8080:80, -v /data:/data") !=
            reading.notes.end());
  }

  /// Every key is one, however many there are.
  void several_keys_stay_hidden() {
    const Told there = told("vllm serve M --api-key sk-1 sk-2 --port 9000", "vllm");
    QVERIFY(!there.says("sk-2"));
    QVERIFY(command_text(there.flags).find("sk-") == std::string::npos);
    QCOMPARE(test::read_pasted("./build/bin/llama-server.exe -m x.gguf -c 8192").engine->name,
             std::string("llama.cpp"));
  }
};

QTEST_APPLESS_MAIN(FlagNotesTest)
#include "flag_notes_test.moc"
