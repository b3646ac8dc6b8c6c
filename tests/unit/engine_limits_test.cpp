// SPDX-License-Identifier: GPL-3.0-or-later
// A command that is written for an engine starts there: what the engine would refuse is changed, and a note
// says it.
#include <QTest>
#include <algorithm>
#include <random>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_limits.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "tests/support/engine_readings.h"

using namespace pitwall;

namespace {

/// For llama-3.1-8b on an H200.
WrittenFlags told(const EngineReading& reading, const char* to) {
  const auto model = read_outline("llama-3.1-8b");
  const auto plan = plan_settings(reading.settings, *reading.engine, *model, find_gpu("H200").value(), 1);
  if (!plan) qFatal("%s", plan.error().text().c_str());
  const EngineProfile& engine = **find_engine(to);
  return translate(reading, engine, memory_terms_of(*plan), memory_terms_on(engine, *plan));
}

/// The engines' own checks, from their sources, of what a command tells.
std::string refusal(const EngineReading& reading) {
  const EngineSettings& told = reading.settings;
  const std::string& engine = reading.engine->name;
  const auto seqs = told.integer("max-num-seqs"), tokens = told.integer("max-num-batched-tokens"),
             length = told.integer("max-model-len"), input = told.integer("max-input-len"),
             kv = told.integer("kv-tokens"), block = told.integer("block-size");
  if ((engine == "vllm" || engine == "pitwall") && seqs && tokens && *tokens < *seqs)
    return "max_num_batched_tokens must be greater than or equal to max_num_seqs";
  const std::string* chunked = told.find("enable-chunked-prefill");
  if (engine == "vllm" && chunked != nullptr && *chunked == "false" && tokens &&
      *tokens < length.value_or(131072))
    return "max_num_batched_tokens is smaller than max_model_len";
  if (engine == "nano-vllm" && tokens.value_or(16384) < length.value_or(4096))
    return "max_num_batched_tokens >= max_model_len";
  if (engine == "sglang" && tokens && block && *tokens % *block != 0)
    return "chunked_prefill_size must be divisible by page_size";
  if (engine == "tgi") {
    if (input && length && *input >= *length) return "max_input_tokens must be < max_total_tokens";
    if (input && tokens && *input > *tokens) return "max_batch_prefill_tokens must be >= max_input_tokens";
    if (kv && length && *length > *kv) return "max_total_tokens must be <= max_batch_total_tokens";
    if (kv && tokens && *tokens > *kv) return "max_batch_prefill_tokens must be <= max_batch_total_tokens";
  }
  const auto micro = told.integer("micro-batch-tokens");
  if (engine == "llama.cpp" && micro && *micro > tokens.value_or(2048)) return "n_ubatch is cut to n_batch";
  return "";
}

struct Row {
  const char *from, *to, *flag, *note;
};

}  // namespace

class EngineLimitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_limit_is_kept_and_said_data();
  void each_limit_is_kept_and_said();
  void whole_prompts_where_the_length_is_not_known();
  void what_the_engine_fits_itself_is_not_told();
  void what_is_legal_stays();
  void random_settings_start_everywhere();
  void vllm_is_told_a_length_that_its_pool_holds();
};

void EngineLimitsTest::each_limit_is_kept_and_said_data() {
  QTest::addColumn<std::string>("from");
  QTest::addColumn<std::string>("to");
  QTest::addColumn<std::string>("flag");
  QTest::addColumn<std::string>("note");
  static constexpr Row kRows[] = {
      {"python -m sglang.launch_server --model-path M --chunked-prefill-size 1024", "vllm",
       "--max-num-seqs 1024",
       "max-num-seqs is 1024 instead of 2048: vLLM starts with no more than max-num-batched-tokens"},
      {"text-generation-launcher --model-id M --max-batch-size 4096 --max-batch-prefill-tokens 2048", "vllm",
       "--max-num-seqs 2048", "max-num-seqs is 2048 instead of 4096"},
      {"llama-server -m M -b 512 -np 1024", "vllm", "--max-num-seqs 512",
       "max-num-seqs is 512 instead of 1024"},
      {"trtllm-serve M --max_batch_size 64", "vllm", "--max-num-batched-tokens 8192",
       "enable-chunked-prefill stays on: without it vLLM does not start with max-num-batched-tokens 8192 and "
       "max-model-len 131072"},
      {"vllm serve M --max-num-seqs 4 --max-num-batched-tokens 8", "pitwall", "--max-num-batched-tokens 8",
       ""},
      {"python -m sglang.launch_server --model-path M --max-running-requests 512 --chunked-prefill-size 128",
       "pitwall", "--max-num-seqs 128",
       "max-num-seqs is 128 instead of 512: Pitwall starts with no more than max-num-batched-tokens"},
      {"vllm serve M --max-num-batched-tokens 1000", "sglang", "--chunked-prefill-size 992",
       "max-num-batched-tokens is 992 instead of 1000: SGLang starts with multiples of block-size alone"},
      {"vllm serve M --max-num-batched-tokens 4096 --max-model-len 16384", "nano-vllm",
       "max_num_batched_tokens=16384",
       "max-num-batched-tokens is 16384 instead of 4096: nano-vLLM starts with no less than max-model-len"},
      {"trtllm-serve M --max_input_len 8192 --max_seq_len 8192 --max_num_tokens 4096", "tgi",
       "--max-input-tokens 8191",
       "max-input-len is 8191 instead of 8192: TGI starts with less than max-model-len"},
      {"trtllm-serve M --max_input_len 8000 --max_seq_len 8192 --max_num_tokens 4000", "tgi",
       "--max-batch-prefill-tokens 8000",
       "max-num-batched-tokens is 8000 instead of 4000: TGI starts with no less than max-input-len"},
      {"llama-server -m M -b 512 -ub 1024", "llama.cpp", "-ub 512",
       "micro-batch-tokens is 512 instead of 1024: llama.cpp starts with no more than "
       "max-num-batched-tokens"}};
  for (const Row& row : kRows)
    QTest::newRow(row.from) << std::string(row.from) << std::string(row.to) << std::string(row.flag)
                            << std::string(row.note);
}

void EngineLimitsTest::each_limit_is_kept_and_said() {
  QFETCH(std::string, from);
  QFETCH(std::string, to);
  QFETCH(std::string, flag);
  QFETCH(std::string, note);
  const WrittenFlags written = told(test::read_pasted(from), to.c_str());
  std::string command;
  for (const std::string& word : command_words(written)) command += word + " ";
  QVERIFY2(command.find(flag) != std::string::npos, command.c_str());
  QVERIFY2(test::joined(written.notes).find(note) != std::string::npos, test::joined(written.notes).c_str());
  QCOMPARE(refusal(test::read_pasted(command_text(written), written.engine)), std::string());
}

void EngineLimitsTest::whole_prompts_where_the_length_is_not_known() {
  const WrittenFlags written =
      translate(test::read_pasted("trtllm-serve M --max_batch_size 64"), **find_engine("vllm"), std::nullopt);
  QVERIFY(command_text(written).find("chunked-prefill") == std::string::npos);
  QVERIFY2(test::joined(written.notes).find("enable-chunked-prefill stays on") != std::string::npos,
           test::joined(written.notes).c_str());
}

/// vLLM takes whole sequences as a step where it is told no tokens of one, and as many sequences as those.
void EngineLimitsTest::what_the_engine_fits_itself_is_not_told() {
  const WrittenFlags whole = told(
      test::read_pasted("python3 -m sglang.launch_server --model-path M --chunked-prefill-size -1"), "vllm");
  QVERIFY2(command_text(whole).find("--no-enable-chunked-prefill") != std::string::npos,
           command_text(whole).c_str());
  QVERIFY(command_text(whole).find("--max-num-batched-tokens") == std::string::npos);
  const WrittenFlags few = told(test::read_pasted("vllm serve M --max-num-batched-tokens 512"), "vllm");
  QVERIFY(command_text(few).find("--max-num-seqs") == std::string::npos);
  QVERIFY(few.notes.empty());
}

void EngineLimitsTest::what_is_legal_stays() {
  for (const char* text :
       {"vllm serve M --max-num-seqs 64 --max-num-batched-tokens 64",
        "vllm serve M --no-enable-chunked-prefill --max-model-len 4096 --max-num-batched-tokens 4096",
        "text-generation-launcher --model-id M --max-input-tokens 4095 --max-total-tokens 4096 "
        "--max-batch-prefill-tokens 4095 --max-batch-total-tokens 4096",
        "python3 -m sglang.launch_server --model-path M --chunked-prefill-size 4096 --page-size 64"}) {
    const EngineReading reading = test::read_pasted(text);
    const WrittenFlags written = told(reading, reading.engine->name.c_str());
    QVERIFY2(test::joined(written.notes).find("starts with") == std::string::npos,
             test::joined(written.notes).c_str());
    QCOMPARE(test::read_pasted(command_text(written)).settings.values, reading.settings.values);
  }
}

void EngineLimitsTest::random_settings_start_everywhere() {
  constexpr std::uint32_t kSeed = 20;
  qInfo("seed %u", kSeed);
  std::mt19937 random(kSeed);
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  static constexpr std::pair<const char*, int> kNumbers[] = {
      {"max-num-seqs", 4096},    {"max-num-batched-tokens", 65536},
      {"max-model-len", 131072}, {"max-input-len", 65536},
      {"kv-tokens", 400000},     {"micro-batch-tokens", 4096}};
  for (int i = 0; i < 200; ++i) {
    for (const EngineProfile& from : engine_profiles()) {
      EngineReading reading;
      reading.engine = &from;
      reading.settings.values["model"] = "llama-3.1-8b";
      for (const auto& [name, most] : kNumbers) {
        if (from.find(name) != nullptr && between(0, 1) == 1)
          reading.settings.values[name] = std::to_string(between(1, most));
      }
      if (from.find("enable-chunked-prefill") != nullptr && between(0, 3) == 0)
        reading.settings.values["enable-chunked-prefill"] = "false";
      for (const EngineProfile& to : engine_profiles()) {
        const WrittenFlags written = told(reading, to.name.c_str());
        auto command = read_command(command_text(written), &to);
        if (!written.config.empty()) command->config = read_config(written.config, &to)->config;
        const auto back = read_engine_settings(*command);
        QVERIFY2(back.ok(), command_text(written).c_str());
        const std::string refused = refusal(*back);
        QVERIFY2(refused.empty(), (refused + ": " + command_text(written)).c_str());
      }
    }
  }
}

/// SGLang starts with a pool that is less than one sequence of the model's length, vLLM does not: 1,250
/// blocks of 16, one of which is its null block.
void EngineLimitsTest::vllm_is_told_a_length_that_its_pool_holds() {
  const EngineReading sglang = test::read_pasted(
      "python -m sglang.launch_server --model-path m/x --max-total-tokens 20000 --context-length 32768");
  const WrittenFlags written = told(sglang, "vllm");
  const std::string text = command_text(written), notes = test::joined(written.notes);
  QVERIFY2(text.find("--max-model-len 19984") != std::string::npos, text.c_str());
  QVERIFY2(notes.find("max-model-len is 19,984 instead of 32,768") != std::string::npos, notes.c_str());
  const EngineReading whole = test::read_pasted(
      "python -m sglang.launch_server --model-path m/x --max-total-tokens 40000 --context-length 32768");
  QVERIFY(command_text(told(whole, "vllm")).find("--max-model-len 32768") != std::string::npos);
}

QTEST_APPLESS_MAIN(EngineLimitsTest)
#include "engine_limits_test.moc"
