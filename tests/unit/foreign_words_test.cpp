// SPDX-License-Identifier: GPL-3.0-or-later
// Words that engines made up (parsers, formats of weights, variables) are told in the other's, or not at all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QTest>
#include <algorithm>

#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_writer.h"
#include "tests/support/engine_readings.h"

using namespace pitwall;

namespace {

WrittenFlags told(const std::string& command, const char* to) {
  return translate(test::read_pasted(command), **find_engine(to), std::nullopt);
}

std::string text_of(const std::string& command, const char* to) {
  return fmt::format("{}", fmt::join(told(command, to).arguments, " "));
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class ForeignWordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parsers_have_each_engines_names() {
    const std::string sglang = text_of(
        "vllm serve M --enable-auto-tool-choice --tool-call-parser llama3_json --reasoning-parser "
        "deepseek_r1",
        "sglang");
    QVERIFY2(holds(sglang, "--tool-call-parser llama3 --reasoning-parser deepseek-r1"), sglang.c_str());
    QVERIFY(!holds(sglang, "auto-tool-choice"));
    const std::string vllm = text_of(
        "python3 -m sglang.launch_server --model-path M --tool-call-parser gpt-oss --reasoning-parser "
        "gpt-oss",
        "vllm");
    for (const char* part :
         {"--enable-auto-tool-choice", "--tool-call-parser openai", "--reasoning-parser openai_gptoss"})
      QVERIFY2(holds(vllm, part), vllm.c_str());
    const std::string trtllm = text_of(
        "vllm serve M --enable-auto-tool-choice --tool-call-parser hermes "
        "--reasoning-parser deepseek_r1",
        "tensorrt-llm");
    QVERIFY2(holds(trtllm, "--tool_parser qwen3 --reasoning_parser deepseek-r1"), trtllm.c_str());
  }

  void formats_have_each_engines_names() {
    QVERIFY(
        holds(text_of("vllm serve M --quantization modelopt_fp4", "sglang"), "--quantization modelopt_fp4"));
    QVERIFY(holds(text_of("vllm serve M --quantization gguf", "sglang"), "--quantization gguf"));
  }

  void what_the_other_is_not_known_to_have_is_left_out() {
    for (const auto& [command, to, word] :
         {std::tuple{"text-generation-launcher --model-id M --quantize exl2", "vllm", "exl2"},
          {"vllm serve M --quantization experts_int8", "tgi", "experts_int8"},
          {"vllm serve M --quantization gguf", "tgi", "gguf"},
          {"python3 -m sglang.launch_server --model-path M --quantization w8a8_fp8", "vllm", "w8a8_fp8"},
          {"python3 -m sglang.launch_server --model-path M --tool-call-parser trinity", "vllm", "trinity"}}) {
      const WrittenFlags flags = told(command, to);
      QVERIFY2(!holds(command_text(flags), word), command);
      QVERIFY2(holds(test::joined(flags.notes), std::string(word) + " is not carried over"), command);
    }
  }

  /// An engine's plugins may add words: to itself they stand.
  void own_words_stand() {
    const std::string same = text_of(
        "vllm serve M --quantization mine --enable-auto-tool-choice --tool-call-parser theirs", "vllm");
    QVERIFY2(holds(same, "--quantization mine") && holds(same, "--tool-call-parser theirs"), same.c_str());
  }

  /// llama.cpp's variables are its flags behind LLAMA_ARG_.
  void variables_that_are_flags() {
    const EngineReading reading = test::read_pasted(
        "LLAMA_ARG_MODEL=/m/a.gguf LLAMA_ARG_CTX_SIZE=4096 LLAMA_ARG_N_PARALLEL=2 LLAMA_ARG_FLASH_ATTN=on "
        "LLAMA_ARG_ENDPOINT_METRICS=1 llama-server");
    QCOMPARE(*reading.settings.find("model"), std::string("/m/a.gguf"));
    QCOMPARE(*reading.settings.integer("max-model-len"), std::int64_t{2048});
    QVERIFY(std::all_of(reading.unmatched.begin(), reading.unmatched.end(),
                        [](const UnmatchedFlag& flag) { return flag.known; }));
    QVERIFY(holds(test::joined(told("VLLM_USE_V1=1 vllm serve M", "sglang").notes),
                  "VLLM_USE_V1=1 has no counterpart in SGLang"));
  }

  /// A stated number of tokens is llama.cpp's context, not a margin of what it leaves.
  void tokens_become_a_shared_context() {
    const std::string text =
        text_of("vllm serve M --num-gpu-blocks-override 1000 --max-num-seqs 8", "llama.cpp");
    QVERIFY2(holds(text, "-c 16000") && holds(text, "-kvu") && !holds(text, "-fitt"), text.c_str());
  }

  void shares_of_a_model_that_is_not_known_are_no_bytes() {
    const MemoryTerms terms{.total = 100 * kGiB};
    QCOMPARE(memory_meaning("memory-share-after-weights", "0.5", terms, 1),
             memory_meaning("memory-share-after-weights", "0.5", std::nullopt, 1));
    QVERIFY(holds(memory_meaning("memory-share-of-total", "0.5", terms, 1), "50.00 GiB"));
  }

  void weights_off_the_gpu_are_said() {
    QVERIFY(holds(test::joined(test::read_pasted("vllm serve M --cpu-offload-gb 10").notes),
                  "--cpu-offload-gb 10 is not planned"));
  }
};

QTEST_GUILESS_MAIN(ForeignWordsTest)
#include "foreign_words_test.moc"
