// SPDX-License-Identifier: GPL-3.0-or-later
// Random deployments through every engine's flags, and damaged command lines.
#include <QTest>
#include <algorithm>
#include <random>

#include "engine/plan/command_line.h"
#include "engine/plan/deployment.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/manifest.h"

using namespace pitwall;

namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool coin() { return between(0, 1) == 1; }
  template <class List>
  auto one_of(const List& list) {
    return *(std::begin(list) + between(0, static_cast<std::int64_t>(std::size(list)) - 1));
  }

 private:
  std::mt19937 engine_;
};

const MemoryTerms kTerms{
    .total = 80 * kGiB, .weights = 20 * kGiB, .working = 4 * kGiB, .kv_per_token = 131072};

Deployment random_deployment(Dice& dice) {
  using Meaning = MemoryBudget::Meaning;
  Deployment out;
  out.model = "org/model";
  out.tensor_parallel = static_cast<int>(std::int64_t{1} << dice.between(0, 3));
  out.pipeline_parallel = static_cast<int>(dice.between(1, 2));
  out.gpus = out.tensor_parallel * out.pipeline_parallel * static_cast<int>(dice.between(1, 2));
  out.max_num_seqs = static_cast<int>(dice.between(1, 1024));
  out.max_num_batched_tokens = static_cast<int>(dice.between(std::max(64, out.max_num_seqs), 65536));
  if (dice.coin()) out.max_model_len = dice.between(256, 1 << 20);
  out.block_size = dice.one_of(std::initializer_list<int>{16, 32, 64});
  out.kv_cache_dtype =
      dice.one_of(std::initializer_list<const char*>{"auto", "bfloat16", "fp8_e4m3", "int8"});
  if (dice.coin()) out.quantization = dice.one_of(std::initializer_list<const char*>{"awq", "gptq", "fp8"});
  out.prefix_caching = dice.coin();
  out.graphs = dice.coin();
  if (out.graphs && dice.coin()) out.graph_sizes = {1, 2, 4, 8};
  out.budget.meaning = dice.one_of(std::initializer_list<Meaning>{
      Meaning::bytes, Meaning::share_of_total, Meaning::share_of_free, Meaning::kv_bytes, Meaning::margin});
  const bool share =
      out.budget.meaning == Meaning::share_of_total || out.budget.meaning == Meaning::share_of_free;
  if (share) out.budget.share = static_cast<double>(dice.between(50, 99)) / 100;
  if (!share) out.budget.bytes = dice.between(30, 50) * kGiB;
  return out;
}

Result<EngineReading> read_back(const WrittenFlags& written) {
  auto command = read_command(command_text(written), written.engine);
  if (!command.ok()) return command.error();
  if (!written.config.empty()) {
    const auto config = read_config(written.config, written.engine);
    if (!config.ok()) return config.error();
    command->config = config->config;
  }
  return read_engine_settings(*command);
}

}  // namespace

class FlagTranslationFuzzTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void deployments_come_back();
  void damaged_lines_end_in_an_answer();
  void damaged_files_end_in_an_answer();
};

// Whatever an engine has a word for comes back; KV bytes come back within four digits of a share of the GPU
// and one block.
void FlagTranslationFuzzTest::deployments_come_back() {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    const Deployment deployment = random_deployment(dice);
    const EngineSettings asked = settings_of(deployment);
    for (const EngineProfile& engine : engine_profiles()) {
      const WrittenFlags written = write_flags(engine, asked, kTerms);
      const auto reading = read_back(written);
      const std::string where = "seed " + std::to_string(seed) + ", " + command_text(written);
      QVERIFY2(reading.ok(), (where + (reading.ok() ? "" : reading.error().text())).c_str());
      QVERIFY2(reading->unmatched.empty(), where.c_str());
      for (const auto& [name, value] : asked.values) {
        const std::string* back = reading->settings.find(name);
        if (back == nullptr || !can_tell(engine, name, value)) continue;  // others are cut to what it has
        const std::string change = name + " is " + *back + " instead of " + value;
        const bool said = std::any_of(written.notes.begin(), written.notes.end(),
                                      [&](const std::string& note) { return note.starts_with(change); });
        QVERIFY2(*back == value || said, (where + ": " + name + " " + *back + ", not " + value).c_str());
      }
      const auto wanted = kv_bytes_of(asked, kTerms, deployment.block_size);
      const auto reached = kv_bytes_of(reading->settings, kTerms, deployment.block_size);
      if (!reached) continue;
      QVERIFY2(*reached <= *wanted && *wanted - *reached <= kTerms.total / 10000 + kMiB,
               (where + ": KV " + std::to_string(*reached) + ", not " + std::to_string(*wanted)).c_str());
    }
  }
}

void FlagTranslationFuzzTest::damaged_lines_end_in_an_answer() {
  const std::string sound =
      "A=1 docker run --gpus all vllm/vllm-openai:v1 --model 'org/m' --max-num-seqs 8 -tp=2 \\\n "
      "--kv-cache-dtype fp8 "
      "--speculative-config '{\"method\": \"ngram\"}' > log";
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    std::string text = sound;
    for (auto faults = dice.between(1, 8); faults > 0; --faults) {
      const auto at = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(text.size()) - 1));
      if (dice.coin()) text[at] = static_cast<char>(dice.between(1, 255));
      if (!dice.coin()) text.erase(at, static_cast<std::size_t>(dice.between(0, 3)));
    }
    for (const EngineProfile* engine : {static_cast<const EngineProfile*>(nullptr), *find_engine("vllm")}) {
      const auto command = read_command(text, engine);
      if (!command.ok()) {
        QVERIFY2(!command.error().what.empty(), ("seed " + std::to_string(seed)).c_str());
        continue;
      }
      const auto reading = read_engine_settings(*command);
      if (reading.ok()) (void)command_text(translate(*reading, **find_engine("sglang"), kTerms));
    }
    (void)read_config(text, nullptr);
  }
}

// Compose files and manifests with letters changed, lost and doubled, and lines moved.
void FlagTranslationFuzzTest::damaged_files_end_in_an_answer() {
  const std::string sound[] = {
      "x-a: &a\n  image: vllm/vllm-openai:${TAG:-v1}\n  environment: &e {A: $B, C: ${D:?no}}\nservices:\n  "
      "one:\n"
      "    <<: *a\n    command: --model ${MODEL:-${ORG:-o}/m} -tp 2 $$X '$(Y)'\n    environment:\n      <<: "
      "[*e]\n"
      "    deploy: {resources: {reservations: {devices: [{count: 2}]}}}\n  two: {image: nginx, ports: "
      "['80:80']}\n",
      "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\ndata: {k: '8'}\n---\nkind: "
      "Deployment\napiVersion: v1\n"
      "spec:\n  replicas: 2\n  template:\n    spec: &p\n      containers:\n      - name: x\n        image: "
      "nginx\n"
      "      - image: lmsysorg/sglang\n        command: [sh, -c]\n        args: [\"A=$M; python3 -m "
      "sglang.launch_server --model-path $A --tp $(T)\"]\n        env:\n        - {name: M, value: m}\n"
      "        - {name: T, valueFrom: {configMapKeyRef: {name: c, key: k}}}\n        envFrom: "
      "[{configMapRef: {name: "
      "c}}]\n        resources: {limits: {nvidia.com/gpu: 1}}\n"};
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    Dice dice(seed);
    std::string text = sound[seed % 2];
    for (auto faults = dice.between(1, 8); faults > 0; --faults) {
      const auto place = [&] {
        return static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(text.size()) - 1));
      };
      const std::size_t at = place();
      if (dice.coin())
        text[at] = dice.one_of(std::initializer_list<char>{'$', '{', '}', '"', '*', '<', ':', '\n'});
      if (!dice.coin()) text.erase(at, static_cast<std::size_t>(dice.between(0, 12)));
      if (!dice.coin()) text.insert(place(), text.substr(place(), 20));
    }
    const auto command = read_config(text, nullptr);
    if (!command.ok()) {
      QVERIFY2(!command.error().what.empty(), ("seed " + std::to_string(seed)).c_str());
      continue;
    }
    const auto reading = read_engine_settings(*command);
    if (!reading.ok()) continue;
    const WrittenFlags written = translate(*reading, **find_engine("vllm"), kTerms);
    QVERIFY2(compose_file(written, {}).ok() && kubernetes_manifest(written, {}).ok(),
             ("seed " + std::to_string(seed)).c_str());
  }
}

QTEST_APPLESS_MAIN(FlagTranslationFuzzTest)
#include "flag_translation_fuzz_test.moc"
