// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint of 200 GB, whose numbers nobody has written: `pitwallctl model` reads headers alone.
#include <sys/resource.h>

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kHidden = 8192, kIntermediate = 28672, kKv = 1024, kVocabulary = 128256;
constexpr std::size_t kLayers = 115, kShards = 58;

/// Shards as sparse files: real headers, the data a hole.
class Writer {
 public:
  explicit Writer(const fs::path& folder) : folder_(folder), headers_(kShards), ends_(kShards) {}

  void add(std::size_t shard, const std::string& name, const std::vector<std::int64_t>& shape) {
    std::uint64_t bytes = 2;
    for (const std::int64_t side : shape) bytes *= static_cast<std::uint64_t>(side);
    headers_[shard][name] = {
        {"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {ends_[shard], ends_[shard] + bytes}}};
    ends_[shard] += bytes;
    map_[name] = file_name(shard);
  }

  std::uint64_t finish() {
    std::uint64_t total = 0;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      const std::string text = headers_[shard].dump();
      const std::uint64_t length = text.size();
      std::ofstream(folder_ / file_name(shard), std::ios::binary)
          << std::string(reinterpret_cast<const char*>(&length), sizeof length) << text;
      fs::resize_file(folder_ / file_name(shard), sizeof length + length + ends_[shard]);
      total += ends_[shard];
    }
    std::ofstream(folder_ / "model.safetensors.index.json")
        << json{{"metadata", {{"total_size", total}}}, {"weight_map", map_}}.dump();
    return total;
  }

 private:
  static std::string file_name(std::size_t shard) {
    return QString("model-%1-of-%2.safetensors").arg(shard + 1).arg(kShards).toStdString();
  }
  fs::path folder_;
  std::vector<json> headers_;
  std::vector<std::uint64_t> ends_;
  json map_;
};

}  // namespace

class LargeCheckpointTest : public QObject {
  Q_OBJECT

 private slots:
  void headers_alone_are_read() {
    test::TemporaryFolder folder;
    std::ofstream(folder.path() / "config.json") << json{
        {"architectures", {"LlamaForCausalLM"}},
        {"model_type", "llama"},
        {"hidden_size", kHidden},
        {"intermediate_size", kIntermediate},
        {"num_hidden_layers", kLayers},
        {"num_attention_heads", 64},
        {"num_key_value_heads", 8},
        {"head_dim", 128},
        {"vocab_size", kVocabulary},
        {"max_position_embeddings", 8192},
        {"rms_norm_eps", 1e-5},
        {"rope_theta", 500000.0},
        {"hidden_act", "silu"},
        {"tie_word_embeddings", false},
        {"torch_dtype", "bfloat16"}}.dump();
    Writer writer(folder.path());
    writer.add(0, "model.embed_tokens.weight", {kVocabulary, kHidden});
    writer.add(kShards - 1, "lm_head.weight", {kVocabulary, kHidden});
    writer.add(kShards - 1, "model.norm.weight", {kHidden});
    for (std::size_t i = 0; i < kLayers; ++i) {
      const std::string layer = QString("model.layers.%1.").arg(i).toStdString();
      const std::size_t shard = i * kShards / kLayers;
      writer.add(shard, layer + "input_layernorm.weight", {kHidden});
      writer.add(shard, layer + "post_attention_layernorm.weight", {kHidden});
      writer.add(shard, layer + "self_attn.q_proj.weight", {kHidden, kHidden});
      writer.add(shard, layer + "self_attn.k_proj.weight", {kKv, kHidden});
      writer.add(shard, layer + "self_attn.v_proj.weight", {kKv, kHidden});
      writer.add(shard, layer + "self_attn.o_proj.weight", {kHidden, kHidden});
      writer.add(shard, layer + "mlp.gate_proj.weight", {kIntermediate, kHidden});
      writer.add(shard, layer + "mlp.up_proj.weight", {kIntermediate, kHidden});
      writer.add(shard, layer + "mlp.down_proj.weight", {kHidden, kIntermediate});
    }
    const std::uint64_t total = writer.finish();
    QVERIFY(total > 200'000'000'000);

    QVERIFY2(qEnvironmentVariableIsSet("PITWALL_CTL"), "PITWALL_CTL names the program; ctest sets it");
    const auto answer = [&](const QStringList& command) {
      QProcess process;
      QElapsedTimer timer;
      timer.start();
      process.start(
          qEnvironmentVariable("PITWALL_CTL"),
          command + QStringList{"--model", QString::fromStdString(folder.path().string()), "--json"});
      if (!process.waitForFinished() || process.exitCode() != 0)
        qFatal("%s", process.readAllStandardError().constData());
      qInfo("%s: %lld ms", qPrintable(command.front()), static_cast<long long>(timer.elapsed()));
      return process.readAllStandardOutput();
    };
    const QByteArray bytes = QByteArray::number(static_cast<qulonglong>(total));
    QVERIFY(answer({"model"}).contains(bytes));
    const QByteArray plan = answer({"plan", "--gpu", "H200x4"});
    QVERIFY(plan.contains(bytes) && plan.contains("\"weights_from_headers\":true"));
    // Of each rank a quarter of what is divided, and the norms whole.
    constexpr std::int64_t kDivided = 2 * kHidden * kHidden + 2 * kKv * kHidden + 3 * kHidden * kIntermediate;
    constexpr std::int64_t kRank =
        static_cast<std::int64_t>(kLayers) * (2LL * kDivided / 4 + 2LL * 2 * kHidden) +
        2LL * 2 * kVocabulary * kHidden / 4 + 2LL * kHidden;
    for (const json& rank : json::parse(plan.toStdString())["per_rank"])
      QCOMPARE(rank["weights"].get<std::int64_t>(), kRank);
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    qInfo("%ld MiB", usage.ru_maxrss / 1024);
    QVERIFY(usage.ru_maxrss < 100 * 1024);
  }
};

QTEST_GUILESS_MAIN(LargeCheckpointTest)
#include "large_checkpoint_test.moc"
