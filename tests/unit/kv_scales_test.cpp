// SPDX-License-Identifier: GPL-3.0-or-later
// KV scales of hub checkpoints: which names count, what they may be, and what is said about the others.
#include <QTest>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/model/model.h"
#include "engine/model/safetensors_reader.h"
#include "engine/serve/kv_choice.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;
namespace fs = std::filesystem;
using Floats = std::vector<float>;

namespace {

struct Scale {
  std::string name;
  Floats values;
  json shape = json::array();  ///< none: a single number
};

json read_json(const fs::path& file) {
  return json::parse(std::ifstream(file));
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// llama-gqa (3 layers, 2 kv heads) with these tensors beside its own.
class Checkpoint {
 public:
  explicit Checkpoint(const std::vector<Scale>& scales, const json& quantization = {}) {
    const fs::path golden = test::data("golden/llama-gqa");
    json config = read_json(golden / "config.json");
    if (!quantization.is_null()) config["quantization_config"] = quantization;
    write(folder_.path() / "config.json", config.dump());
    fs::copy_file(golden / "model.safetensors", folder_.path() / "weights.safetensors");

    json map, header;
    const auto source = SafetensorsFile::open(golden / "model.safetensors");
    for (const TensorView& view : source->tensors()) map[view.name] = "weights.safetensors";
    std::string data;
    for (const Scale& scale : scales) {
      const std::size_t begin = data.size();
      data.append(reinterpret_cast<const char*>(scale.values.data()), scale.values.size() * sizeof(float));
      header[scale.name] = {{"dtype", "F32"}, {"shape", scale.shape}, {"data_offsets", {begin, data.size()}}};
      map[scale.name] = "scales.safetensors";
    }
    const std::string text = header.is_null() ? "{}" : header.dump();
    const std::uint64_t length = text.size();
    write(folder_.path() / "scales.safetensors",
          std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + data);
    write(folder_.path() / "model.safetensors.index.json", json{{"weight_map", map}}.dump());
  }

  Result<std::shared_ptr<const Model>> open() const { return Model::open(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

std::string tensor(int layer, const std::string& name) {
  return "model.layers." + std::to_string(layer) + ".self_attn." + name;
}

}  // namespace

class KvScalesTest : public QObject {
  Q_OBJECT

 private slots:
  void effective_scales_are_the_files() {
    const auto plain = Checkpoint({}).open();
    PW_VERIFY(plain);
    const auto model =
        Checkpoint({{tensor(1, "k_scale"), {0.02f}}, {tensor(1, "v_scale"), {0.05f}, {1}}}).open();
    PW_VERIFY(model);
    const std::vector<LayerWeights>& layers = (*model)->weights().layers;
    QCOMPARE(layers[1].k_scales, Floats({0.02f, 0.02f}));
    QCOMPARE(layers[1].v_scales, Floats({0.05f, 0.05f}));
    for (std::size_t other : {0u, 2u}) {
      QVERIFY(layers[other].k_scales.empty() && layers[other].v_scales.empty());
    }
    QVERIFY((*model)->unused_scales().empty());
    QCOMPARE((*model)->parameters(), (*plain)->parameters());
    QCOMPARE((*model)->weight_bytes(), (*plain)->weight_bytes());
    QVERIFY((*plain)->weights().layers[1].k_scales.empty());
  }

  void every_exporters_name_counts() {
    for (const char* prefix : {"attn.", "", "_proj."}) {
      const auto named = [&](const char* part) {
        const std::string where = prefix[0] == '_' ? std::string(part) + prefix : std::string(prefix);
        return tensor(2, where + part + "_scale");
      };
      const auto model = Checkpoint({{named("k"), {0.5f}}, {named("v"), {0.25f}}}).open();
      PW_VERIFY(model);
      QCOMPARE((*model)->weights().layers[2].k_scales, Floats({0.5f, 0.5f}));
      QCOMPARE((*model)->weights().layers[2].v_scales, Floats({0.25f, 0.25f}));
    }
    const auto quark = Checkpoint({{tensor(0, "k_proj.output_scale"), {3}}}).open();
    PW_VERIFY(quark);
    QCOMPARE((*quark)->weights().layers[0].k_scales, Floats({3, 3}));
  }

  void each_kv_head_may_have_its_own() {
    const auto model =
        Checkpoint({{tensor(0, "k_scale"), {0.5f, 2}, {2}}, {tensor(0, "v_scale"), {0.1f, 0.2f}, {2, 1, 1}}})
            .open();
    PW_VERIFY(model);
    QCOMPARE((*model)->weights().layers[0].k_scales, Floats({0.5f, 2}));
    QCOMPARE((*model)->weights().layers[0].v_scales, Floats({0.1f, 0.2f}));
  }

  void values_never_take_the_scale_of_keys() {
    const auto model = Checkpoint({{tensor(1, "k_scale"), {0.5f}}}).open();
    PW_VERIFY(model);
    QVERIFY((*model)->weights().layers[1].v_scales.empty());
  }

  void unusable_scales_are_refused_by_layer_tensor_and_value_data() {
    QTest::addColumn<float>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("zero") << 0.0f << "is 0";
    QTest::newRow("negative") << -0.5f << "is -0.5";
    QTest::newRow("nan") << std::numeric_limits<float>::quiet_NaN() << "is nan";
    QTest::newRow("infinite") << std::numeric_limits<float>::infinity() << "is inf";
  }

  void unusable_scales_are_refused_by_layer_tensor_and_value() {
    QFETCH(float, value);
    QFETCH(QString, says);
    for (const char* name : {"k_scale", "v_scale"}) {
      const auto model = Checkpoint({{tensor(2, name), {1, value}, {2}}}).open();
      QVERIFY(!model);
      QCOMPARE(model.error().kind, Error::Kind::invalid_input);
      for (const QString& part : {QString("layer 2"), QString::fromStdString(tensor(2, name)), says}) {
        QVERIFY2(QString::fromStdString(model.error().what).contains(part), model.error().what.c_str());
      }
    }
  }

  void scales_that_do_not_fit_are_refused() {
    const auto count = Checkpoint({{tensor(0, "k_scale"), {1, 1, 1}, {3}}}).open();
    QVERIFY(!count);
    QVERIFY2(count.error().what.find("3 numbers") != std::string::npos, count.error().what.c_str());
    const auto twice = Checkpoint({{tensor(0, "k_scale"), {1}}, {tensor(0, "k_proj.k_scale"), {2}}}).open();
    QVERIFY(!twice);
    QVERIFY2(twice.error().what.find("beside another") != std::string::npos, twice.error().what.c_str());
  }

  void scales_without_a_use_are_listed() {
    const auto model = Checkpoint({{tensor(1, "q_scale"), {1}},
                                   {tensor(0, "kv_scale"), {1}},
                                   {tensor(0, "prob_output_scale"), {1}},
                                   {tensor(0, "k_scale"), {1}}})
                           .open();
    PW_VERIFY(model);
    QCOMPARE((*model)->unused_scales(),
             (std::vector<std::string>{tensor(0, "kv_scale"), tensor(0, "prob_output_scale"),
                                       tensor(1, "q_scale")}));
    QVERIFY((*model)->weights().layers[0].v_scales.empty());
    for (const std::string& name :
         {tensor(0, "q_proj.weight_scale"), std::string("model.layers.0.mlp.down_proj.k_scale")}) {
      const auto refused = Checkpoint({{name, {1}}}).open();  // of quantised weights, or of nothing known
      QVERIFY(!refused);
      QCOMPARE(refused.error().param, name);
    }
  }

  void fp8_takes_the_scales_and_says_what_is_missing() {
    const auto model = Checkpoint({{tensor(1, "k_scale"), {0.02f}},
                                   {tensor(1, "v_scale"), {0.05f}},
                                   {tensor(2, "k_scale"), {0.5f}},
                                   {tensor(2, "q_scale"), {1}}})
                           .open();
    PW_VERIFY(model);
    const KvChoice fp8 = choose_kv(**model, KvDtype::fp8_e4m3, 32);
    QCOMPARE(fp8.layout.layers[1].k_scales, Floats({0.02f, 0.02f}));
    QCOMPARE(fp8.layout.layers[1].v_scales, Floats({0.05f, 0.05f}));
    QCOMPARE(fp8.layout.layers[2].k_scales, Floats({0.5f, 0.5f}));
    QVERIFY(fp8.layout.layers[2].v_scales.empty());  // 1, never the keys'
    QCOMPARE(fp8.warnings.size(), 2u);
    QVERIFY2(fp8.warnings[0].find("2 of 3 layers") != std::string::npos, fp8.warnings[0].c_str());
    QVERIFY2(fp8.warnings[1].ends_with(tensor(2, "q_scale")), fp8.warnings[1].c_str());

    const KvChoice int8 = choose_kv(**model, KvDtype::int8, 16);
    QCOMPARE(int8.layout.block_size, 16);
    QCOMPARE(int8.layout.layers[0].kv_heads, 2);
    QCOMPARE(int8.layout.layers[0].head_dim, 64);
    QVERIFY(int8.layout.layers[1].k_scales.empty());
    QCOMPARE(int8.warnings.size(), 1u);
  }

  void a_checkpoint_quantised_for_kv_alone_opens() {
    json quantization = {{"quant_method", "compressed-tensors"},
                         {"config_groups", json::object()},
                         {"kv_cache_scheme", {{"type", "float"}, {"num_bits", 8}, {"strategy", "tensor"}}}};
    PW_VERIFY(Checkpoint({{tensor(0, "k_scale"), {1}}}, quantization).open());
    json weights_too = quantization;
    weights_too["config_groups"]["group_0"] = {{"weights", {{"num_bits", 3}}}};
    QVERIFY(!Checkpoint({}, weights_too).open());
    quantization["kv_cache_scheme"]["num_bits"] = 4;
    QVERIFY(!Checkpoint({}, quantization).open());
  }
};

QTEST_APPLESS_MAIN(KvScalesTest)
#include "kv_scales_test.moc"
