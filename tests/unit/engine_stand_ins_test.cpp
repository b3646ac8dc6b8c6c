// SPDX-License-Identifier: GPL-3.0-or-later
// Near ideas of engines in each other's words: ways to experts, first nodes, prompts that are not divided.
#include <QTest>
#include <algorithm>

#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"

using namespace pitwall;

namespace {

struct Told {
  std::string text;
  std::vector<std::string> notes;
  bool holds(std::string_view part) const { return text.find(part) != std::string::npos; }
  bool says(std::string_view part) const {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
  }
};

Told told(const EngineCommand& command, const char* to) {
  const auto reading = read_engine_settings(command);
  if (!reading.ok()) qFatal("%s", reading.error().text().c_str());
  const WrittenFlags written = translate(*reading, **find_engine(to), std::nullopt);
  QString line = QString::fromStdString(command_text(written));
  line.replace(" \\\n  ", " ");
  Told out{line.toStdString(), reading->notes};
  out.notes.insert(out.notes.end(), written.notes.begin(), written.notes.end());
  return out;
}

Told told(const std::string& text, const char* to) {
  const auto command = read_command(text, nullptr);
  if (!command.ok()) qFatal("%s: %s", text.c_str(), command.error().text().c_str());
  return told(*command, to);
}

const std::string kSglang =
    "python3 -m sglang.launch_server --model-path M --tp 8 --dp 8 --enable-dp-attention ";

}  // namespace

class EngineStandInsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// In SGLang the way to the experts deals them out; in vLLM another flag does.
  void ways_to_the_experts() {
    const Told vllm = told(kSglang + "--moe-a2a-backend deepep", "vllm");
    QVERIFY2(vllm.holds("--enable-expert-parallel --all2all-backend deepep_high_throughput"),
             vllm.text.c_str());
    QVERIFY(vllm.says("With --moe-a2a-backend whole experts are dealt out to all 8 GPUs"));
    const Told back =
        told("vllm serve M -dp 8 --enable-expert-parallel --all2all-backend deepep_low_latency", "sglang");
    QVERIFY2(back.holds("--ep-size 8 --moe-a2a-backend deepep"), back.text.c_str());
    QVERIFY(back.says("low latency for replies alone"));
    const Told slices = told("vllm serve M -tp 8 --all2all-backend deepep_low_latency", "sglang");
    QVERIFY2(!slices.holds("--moe-a2a-backend"), slices.text.c_str());
    QVERIFY(slices.says("with --moe-a2a-backend whole experts would be dealt out"));
    QVERIFY(
        told(kSglang + "--moe-a2a-backend mooncake", "vllm").says("cannot be told expert-exchange mooncake"));
    const Told none = told(kSglang + "--moe-a2a-backend none", "vllm");
    QVERIFY2(!none.holds("--enable-expert-parallel") && !none.holds("--all2all-backend"), none.text.c_str());
  }

  void flags_of_large_deployments_are_known() {
    const Told there = told(kSglang +
                                "--moe-a2a-backend deepep --deepep-mode auto --enable-eplb "
                                "--ep-num-redundant-experts 32 --moe-dense-tp-size 1 --enable-dp-lm-head",
                            "vllm");
    for (const std::string& note : there.notes)
      QVERIFY2(note.find("is not known of") == std::string::npos, note.c_str());
    QVERIFY2(there.holds("--enable-eplb"), there.text.c_str());
    QVERIFY(there.says("--ep-num-redundant-experts 32 is not planned: copies of experts add to the weights"));
    QVERIFY(!told("vllm serve M --enable-expert-parallel --enable-eplb", "sglang").says("is not known of"));
  }

  void first_nodes() {
    const Told vllm = told(kSglang + "--nnodes 2 --node-rank 0 --dist-init-addr 10.0.0.1:5000", "vllm");
    QVERIFY2(vllm.holds("--nnodes 2 --master-addr 10.0.0.1 --master-port 5000"), vllm.text.c_str());
    const Told back = told("vllm serve M -tp 16 --nnodes 2 --node-rank 1 --master-addr host", "sglang");
    QVERIFY2(back.holds("--nnodes 2 --node-rank 1 --dist-init-addr host:29501"), back.text.c_str());
    QVERIFY(back.says("No port of the first node is stated: 29501 is told"));
    QVERIFY(told("vllm serve M -tp 16 --nnodes 2 --master-addr host", "lmdeploy")
                .says("no counterpart of first-node host"));
  }

  /// SGLang's one flag says the length of pieces or that there are none; another then says tokens of a step.
  void prompts_that_are_not_divided() {
    const Told sglang = told("trtllm-serve M --max_num_tokens 4096", "sglang");
    QVERIFY2(sglang.holds("--chunked-prefill-size -1 --max-prefill-tokens 4096"), sglang.text.c_str());
    QVERIFY(!sglang.says("is not written"));
    const Told unasked = told("trtllm-serve M", "sglang");
    QVERIFY2(unasked.holds("--chunked-prefill-size -1 --max-prefill-tokens 8192"), unasked.text.c_str());
    const Told back = told(
        "python3 -m sglang.launch_server --model-path M --chunked-prefill-size -1 "
        "--max-prefill-tokens 4096",
        "trtllm");
    QVERIFY2(back.holds("--max_num_tokens 4096"), back.text.c_str());
  }

  void files_of_tensorrt_llm_are_known() {
    const EngineProfile& trt = **find_engine("trtllm");
    const auto file = read_config(
        "print_iter_log: true\nstream_interval: 20\nmoe_config:\n  backend: TRTLLM\ncuda_graph_config:\n"
        "  enable_padding: true\n  max_batch_size: 64\n",
        &trt);
    QVERIFY(file.ok());
    QVERIFY(told(*file, "vllm").says("moe_config.backend TRTLLM has no counterpart in vLLM"));
    QVERIFY(told(*file, "trtllm").says("stream_interval 20 stays in the configuration file"));
    QVERIFY(!told(*file, "vllm").says("is not known of"));
  }
};

QTEST_APPLESS_MAIN(EngineStandInsTest)
#include "engine_stand_ins_test.moc"
