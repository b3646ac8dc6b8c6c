// SPDX-License-Identifier: GPL-3.0-or-later
// Quantised linears of hub checkpoints: layouts against numbers that numpy made, kernels against double
// precision on those numbers, and what is refused. Data: tests/data/quantised/make_linears.py.
#include <QTest>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/execute/reference_ops.h"
#include "engine/model/hf_quantization.h"
#include "engine/model/kv_scales.h"
#include "engine/model/quantized_linear.h"
#include "engine/model/safetensors_reader.h"
#include "kernels/cpu/packed_weight.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/cpu_harness.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using nlohmann::json;
using Floats = std::vector<float>;
namespace fs = std::filesystem;

namespace {

struct Layer {
  json config;
  std::int64_t rows = 0, columns = 0;
  std::vector<TensorView> parts;
  Floats expected;
};

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

class QuantizedLinearTest : public QObject {
  Q_OBJECT

  std::optional<SafetensorsFile> file_;
  std::map<std::string, Layer> layers_;
  TemporaryFolder empty_;

  /// The assembled linear, or the first error.
  Result<TensorView> assemble(const Layer& layer, const fs::path& folder) const {
    const json config = layer.config.is_null() ? json::object() : json{{"quantization_config", layer.config}};
    auto assembler = make_weight_assembler(config, folder);
    if (!assembler) return std::move(assembler).error();
    WeightBinder binder(layer.parts, assembler->get());
    TensorView view = binder.matrix("layer.weight", layer.rows, layer.columns);
    auto totals = binder.finish();
    if (!totals) return std::move(totals).error();
    if (totals->parameters != layer.rows * layer.columns)
      return Error{Error::Kind::internal, "parameters are counted wrongly", {}, {}, {}};
    return view;
  }
  Result<TensorView> assemble(const Layer& layer) const { return assemble(layer, empty_.path()); }

  static TensorView& part(Layer& layer, const std::string& name) {
    for (TensorView& view : layer.parts) {
      if (view.name == "layer." + name) return view;
    }
    throw std::runtime_error("no part " + name);
  }

 private slots:
  void initTestCase() {
    auto file = SafetensorsFile::open(data("quantised/linears.safetensors"));
    PW_VERIFY(file);
    file_ = *std::move(file);
    const json all = json::parse(std::ifstream(data("quantised/linears.json")));
    for (const auto& [name, entry] : all.items()) {
      Layer& layer = layers_[name];
      layer.config = entry["config"];
      layer.rows = entry["rows"];
      layer.columns = entry["columns"];
      for (TensorView view : file_->tensors()) {
        if (!view.name.starts_with(name + ".")) continue;
        view.name = "layer" + view.name.substr(name.size());
        if (view.name != "layer.expected") {
          layer.parts.push_back(view);
          continue;
        }
        layer.expected.resize(static_cast<std::size_t>(view.rows * view.columns));
        std::memcpy(layer.expected.data(), view.data, static_cast<std::size_t>(view.bytes));
      }
    }
  }

  void layouts_equal_the_reference_data() {
    QTest::addColumn<QString>("name");
    for (const auto& [name, layer] : layers_) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void layouts_equal_the_reference() {
    QFETCH(QString, name);
    const Layer& layer = layers_.at(name.toStdString());
    const auto view = assemble(layer);
    PW_VERIFY(view);
    PW_VERIFY(view->quantized->check_numbers());
    Floats values(layer.expected.size());
    dequantize_rows(*view, 0, layer.rows, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      QVERIFY2(values[i] == layer.expected[i],
               qPrintable(QString("%1: %2 for %3").arg(i).arg(values[i]).arg(layer.expected[i])));
    }
    // A part of the rows, as a fused projection is cut up.
    const TensorView slice = slice_rows(*view, 3, 4);
    Floats four(static_cast<std::size_t>(4 * layer.columns));
    dequantize_rows(slice, 0, 4, four.data());
    QVERIFY(std::equal(four.begin(), four.end(), values.begin() + 3 * layer.columns));
  }

  void kernels_equal_double_precision_data() { layouts_equal_the_reference_data(); }
  void kernels_equal_double_precision() {
    QFETCH(QString, name);
    const Layer& layer = layers_.at(name.toStdString());
    const auto whole = assemble(layer);
    PW_VERIFY(whole);
    std::mt19937 random(3);
    const auto columns = static_cast<int>(layer.columns);
    for (const Isa isa : usable_isas()) {
      for (const bool automatic : {false, true}) {
        for (const int batch : {1, 5, 17}) {
          CpuBackendOptions options;
          options.isa = isa;
          options.quantized_activations = automatic;
          options.threads = 2;
          CpuHarness harness(options, {});
          const auto rows = static_cast<int>(layer.rows) - 1;  // the slice without its first row
          const OwnedTensor input = random_tensor(TensorType::f32, batch, columns, random);
          const OwnedTensor norm = random_tensor(TensorType::f32, 1, columns, random);
          const OwnedTensor identity = random_tensor(TensorType::f32, rows, columns, random);
          const Weight x = harness.upload(input), n = harness.upload_vector(norm);
          const Weight w = take(harness.backend().upload(slice_rows(*whole, 1, rows)));
          const Weight plain = harness.upload(identity);
          const Tensor in = harness.tensor(columns), out = harness.tensor(rows), other = harness.tensor(rows);
          const bool normed = batch == 5;
          const Floats got = harness.run_rows(batch, out, rows, [&] {
            harness.backend().embed(x, 1, in);
            const LinearOutput outputs[] = {{plain, other, {}, {}}, {w, out, {}, {}}};
            harness.backend().linear(in, normed ? NormPrologue{n, 1e-5f} : NormPrologue{}, outputs);
          });
          std::vector<double> expected;
          const Floats inputs = input.values();
          for (int i = 0; i < batch; ++i) {
            Floats seen(inputs.begin() + i * columns, inputs.begin() + (i + 1) * columns);
            if (normed) seen = reference::rms_norm(seen, norm.values(), 1e-5f);
            for (int r = 1; r <= rows; ++r) {
              double sum = 0;
              for (int k = 0; k < columns; ++k)
                sum += static_cast<double>(layer.expected[static_cast<std::size_t>(r * columns + k)]) *
                       seen[static_cast<std::size_t>(k)];
              expected.push_back(sum);
            }
          }
          const double error = test::relative_l2(got, expected);
          // 16-bit activations: half a step of 1/32512 of the largest of 32 values.
          QVERIFY2(error <= (automatic ? 1e-4 : 2e-6),
                   qPrintable(QString("%1 on %2").arg(error).arg(static_cast<int>(isa))));
        }
      }
    }
  }

  void gate_and_up_may_have_orders_of_their_own() {
    const auto gate = assemble(layers_.at("gptq-64-shuffled")), up = assemble(layers_.at("packed-order"));
    PW_VERIFY(gate);
    PW_VERIFY(up);
    std::mt19937 random(5);
    for (const Isa isa : usable_isas()) {
      for (const bool automatic : {false, true}) {
        CpuBackendOptions options;
        options.isa = isa;
        options.quantized_activations = automatic;
        CpuHarness harness(options, {});
        const OwnedTensor input = random_tensor(TensorType::f32, 9, 128, random);
        const Weight x = harness.upload(input), g = take(harness.backend().upload(*gate)),
                     u = take(harness.backend().upload(slice_rows(*up, 0, 8)));
        const Tensor in = harness.tensor(128), out = harness.tensor(8);
        const Floats got = harness.run_rows(9, out, 8, [&] {
          harness.backend().embed(x, 1, in);
          harness.backend().gated_linear(in, {}, {g, u, {}, {}, Activation::silu}, out);
        });
        std::vector<double> expected;
        const Floats inputs = input.values();
        for (int i = 0; i < 9; ++i) {
          const std::span<const float> seen(inputs.data() + i * 128, 128);
          const Floats& ups = layers_.at("packed-order").expected;
          for (float y :
               reference::gated(reference::linear(layers_.at("gptq-64-shuffled").expected, seen),
                                reference::linear(std::span(ups).first(8 * 128), seen), Activation::silu))
            expected.push_back(y);
        }
        QVERIFY(test::relative_l2(got, expected) <= (automatic ? 1e-4 : 5e-6));
      }
    }
  }

  void embeddings_may_be_quantised() {
    for (const char* name : {"awq-64", "gptq-uneven", "gptq-8bit", "fp8-blocks"}) {
      const Layer& layer = layers_.at(name);
      const auto view = assemble(layer);
      PW_VERIFY(view);
      CpuHarness harness({}, {});
      const auto rows = static_cast<int>(layer.rows), columns = static_cast<int>(layer.columns);
      const Weight table = take(harness.backend().upload(*view));
      const Tensor out = harness.tensor(columns);
      QCOMPARE(harness.run_rows(rows, out, columns, [&] { harness.backend().embed(table, 1, out); }),
               layer.expected);
    }
  }

  void an_order_that_is_none_changes_no_bit() {
    Layer trivial = layers_.at("gptq-64-trivial");
    const auto ordered = assemble(trivial);
    PW_VERIFY(ordered);
    std::erase_if(trivial.parts, [](const TensorView& view) { return view.name == "layer.g_idx"; });
    const auto plain = assemble(trivial);
    PW_VERIFY(plain);
    std::mt19937 random(9);
    CpuHarness harness({}, {});
    const OwnedTensor input = random_tensor(TensorType::f32, 7, 128, random);
    const Weight x = harness.upload(input);
    const Tensor in = harness.tensor(128), out = harness.tensor(8);
    Floats results[2];
    for (int i = 0; i < 2; ++i) {
      const Weight w = take(harness.backend().upload(i == 0 ? *ordered : *plain));
      results[i] = harness.run_rows(7, out, 8, [&] {
        harness.backend().embed(x, 1, in);
        const LinearOutput output{w, out, {}, {}};
        harness.backend().linear(in, {}, {&output, 1});
      });
    }
    QCOMPARE(results[0], results[1]);
  }

  void memory_stays_near_the_files() {
    const auto packed = [](const TensorView& view) {
      const PackedLayout layout = packed_layout(view);
      return static_cast<double>(layout.values + layout.scales);
    };
    for (int i = 0; i <= static_cast<int>(TensorType::f8_e4m3); ++i) {
      const auto type = static_cast<TensorType>(i);
      const TensorView view{"w", type, 4096, 4096, nullptr, tensor_bytes(type, 4096 * 4096)};
      QVERIFY2(packed(view) <= 1.06 * static_cast<double>(view.bytes), tensor_type_info(type).name.data());
    }
    for (const int group : {32, 128, 4096}) {
      for (const TensorType type : {TensorType::i4, TensorType::i8, TensorType::f8_e4m3}) {
        QuantizedLinear linear;
        linear.type = type;
        linear.rows = linear.columns = 4096;
        linear.group_columns = type == TensorType::f8_e4m3 ? std::max(group, 128) : group;
        linear.groups = 4096 / linear.group_columns;
        const int bits = linear.bits();  // a code; a scale of 16 bits and a zero for each group
        const double file =
            4096.0 * (4096.0 * bits / 8 + static_cast<double>(linear.groups) * (2 + bits / 8.0));
        TensorView view{"w", type, 4096, 4096};
        view.quantized = std::make_shared<const QuantizedLinear>(linear);
        QVERIFY2(packed(view) <= 1.06 * file,
                 qPrintable(QString("%1 bits, groups of %2").arg(bits).arg(group)));
      }
    }
  }

  void damaged_parts_are_named_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("part");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("scales") << "awq-64"
                            << "scales" << 3 << 8;
    QTest::newRow("zeros") << "awq-64"
                           << "qzeros" << 2 << 2;
    QTest::newRow("qweight") << "awq-64"
                             << "qweight" << 127 << 1;
    QTest::newRow("gptq rows") << "gptq-64-plain"
                               << "qweight" << 15 << 8;
    QTest::newRow("g_idx") << "gptq-64-shuffled"
                           << "g_idx" << 1 << 127;
    QTest::newRow("packed") << "packed-group"
                            << "weight_packed" << 8 << 15;
    QTest::newRow("groups") << "packed-group"
                            << "weight_scale" << 8 << 3;
    QTest::newRow("blocks") << "fp8-blocks"
                            << "weight_scale_inv" << 2 << 3;
  }
  void damaged_parts_are_named() {
    QFETCH(QString, name);
    QFETCH(QString, part);
    QFETCH(int, rows);
    QFETCH(int, columns);
    Layer layer = layers_.at(name.toStdString());
    TensorView& view = QuantizedLinearTest::part(layer, part.toStdString());
    view.rows = rows;
    view.columns = columns;
    const auto result = assemble(layer);
    QVERIFY(!result.ok());
    const QString text = QString::fromStdString(result.error().text());
    QVERIFY2(text.contains("layer.") && text.contains("shape"), qPrintable(text));
    std::erase_if(layer.parts, [&](const TensorView& v) { return v.name == "layer." + part.toStdString(); });
    if (part != "g_idx" && part != "qzeros" && part != "qweight" && part != "weight_packed") {
      const auto missing = assemble(layer);
      QVERIFY(!missing.ok());
      QVERIFY(QString::fromStdString(missing.error().text()).contains("missing"));
    }
  }

  void parts_that_the_settings_call_for_are_missed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* setting, const char* part) {
      QTest::newRow(part) << name << setting << part;
    };
    row("awq-64", R"({"zero_point": true})", "qzeros");
    row("gptq-64-shuffled", R"({"desc_act": true})", "g_idx");
  }
  void parts_that_the_settings_call_for_are_missed() {
    QFETCH(QString, name);
    QFETCH(QString, setting);
    QFETCH(QString, part);
    Layer layer = layers_.at(name.toStdString());
    layer.config.update(json::parse(setting.toStdString()));
    QVERIFY(assemble(layer).ok());
    std::erase_if(layer.parts, [&](const TensorView& v) { return v.name == "layer." + part.toStdString(); });
    const auto result = assemble(layer);
    QVERIFY(!result.ok());
    const QString text = QString::fromStdString(result.error().text());
    QVERIFY2(text.contains(part) && text.contains("missing"), qPrintable(text));
  }

  void bad_numbers_are_named() {
    Layer layer = layers_.at("gptq-64-shuffled");
    std::vector<std::int32_t> groups(128, 1);
    groups[77] = 2;
    part(layer, "g_idx").data = reinterpret_cast<const std::byte*>(groups.data());
    CpuBackend backend({});
    auto refused = backend.upload(*assemble(layer));
    QVERIFY(!refused.ok());
    QVERIFY(QString::fromStdString(refused.error().text()).contains("input 77 in group 2"));

    layer = layers_.at("awq-64");
    std::vector<std::uint16_t> scales(16, 0x3C00);
    scales[11] = 0x7C00;
    part(layer, "scales").data = reinterpret_cast<const std::byte*>(scales.data());
    refused = backend.upload(*assemble(layer));
    QVERIFY(!refused.ok());
    const QString text = QString::fromStdString(refused.error().text());
    QVERIFY2(text.contains("layer.weight") && text.contains("scale inf for output 3, group 1"),
             qPrintable(text));
  }

  void settings_that_are_not_read_are_named_data() {
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* base, const char* change, const char* says) {
      QTest::newRow(name) << base << change << says;
    };
    row("method", "awq-64", R"({"quant_method": "foo"})", "\"foo\"");
    row("known methods", "awq-64", R"({"quant_method": "bitsandbytes"})", "awq, gptq, fp8");
    row("no method", "awq-64", R"({"quant_method": null})", "quant_method");
    row("gemv", "awq-64", R"({"version": "gemv"})", "\"gemv\"");
    row("awq bits", "awq-64", R"({"bits": 8})", "bits = 8");
    row("gptq bits", "gptq-64-plain", R"({"bits": 3})", "bits = 3");
    row("group 0", "gptq-64-plain", R"({"group_size": 0})", "group_size = 0");
    row("group text", "gptq-64-plain", R"({"group_size": "64"})", "group_size");
    row("marlin", "gptq-64-plain", R"({"checkpoint_format": "marlin"})", "\"marlin\"");
    row("dynamic", "gptq-64-plain", R"({"dynamic": {"-:.*": {}}})", "dynamic");
    row("e5m2", "fp8-tensor", R"({"fmt": "e5m2"})", "\"e5m2\"");
    row("block", "fp8-blocks", R"({"weight_block_size": [0, 128]})", "weight_block_size");
    row("sparse", "packed-group", R"({"sparsity_config": {"format": "sparse-24-bitmask"}})", "sparse-24");
    row("marlin-24", "packed-group", R"({"format": "marlin-24"})", "marlin-24");
    row("transforms", "packed-group", R"({"transform_config": {"a": 1}})", "transform_config");
    row("nvfp4", "packed-group", R"({"config_groups": {"g": {"weights": {"num_bits": 4, "type": "float"}}}})",
        "num_bits = 4");
  }
  void settings_that_are_not_read_are_named() {
    QFETCH(QString, base);
    QFETCH(QString, change);
    QFETCH(QString, says);
    Layer layer = layers_.at(base.toStdString());
    layer.config.update(json::parse(change.toStdString()));
    const auto result = assemble(layer);
    QVERIFY(!result.ok());
    const QString text = QString::fromStdString(result.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
  }

  void a_second_statement_must_agree() {
    TemporaryFolder folder;
    write_text(folder.path() / "quantize_config.json", R"({"bits": 8, "group_size": 64, "desc_act": false})");
    const auto refused = assemble(layers_.at("gptq-64-plain"), folder.path());
    QVERIFY(!refused.ok());
    const QString text = QString::fromStdString(refused.error().text());
    QVERIFY2(text.contains("bits is 4 and 8") && !text.contains("group_size"), qPrintable(text));

    // Alone it speaks for the checkpoint.
    fs::remove(folder.path() / "quantize_config.json");
    write_text(folder.path() / "quant_config.json",
               R"({"w_bit": 4, "q_group_size": 64, "zero_point": true, "version": "GEMM"})");
    Layer layer = layers_.at("awq-64");
    PW_VERIFY(assemble(layer, folder.path()));
    layer.config = nullptr;
    PW_VERIFY(assemble(layer, folder.path()));
  }

  void parts_without_settings_are_named() {
    Layer layer = layers_.at("awq-64");
    layer.config = nullptr;
    const QString text = QString::fromStdString(assemble(layer).error().text());
    QVERIFY2(text.contains("layer.qweight") && text.contains("quantization_config"), qPrintable(text));
  }

  void a_bias_of_zeros_is_none() {
    Layer layer = layers_.at("gptq-64-plain");
    std::vector<std::uint16_t> bias(8);
    layer.parts.push_back(
        {"layer.bias", TensorType::f16, 1, 8, reinterpret_cast<std::byte*>(bias.data()), 16});
    PW_VERIFY(assemble(layer));
    bias[7] = 0x3C00;
    const auto refused = assemble(layer);
    QVERIFY(!refused.ok());
    QVERIFY(QString::fromStdString(refused.error().text()).contains("layer.bias"));
  }

  void scales_of_activations_are_listed_as_unused() {
    const Layer& layer = layers_.at("fp8-tensor");
    const json config{{"quantization_config", layer.config}};
    const auto assembler = make_weight_assembler(config, empty_.path());
    PW_VERIFY(assembler);
    std::vector<TensorView> parts = layer.parts;
    const float scale = 0.5f;
    parts.push_back(
        {"layer.input_scale", TensorType::f32, 1, 1, reinterpret_cast<const std::byte*>(&scale), 4});
    WeightBinder binder(parts, assembler->get());
    QVERIFY(binder.matrix("layer.weight", layer.rows, layer.columns).valid());
    QVERIFY(!binder.finish().ok());
    QCOMPARE(ignore_unknown_scales(binder), std::vector<std::string>{"layer.input_scale"});
    PW_VERIFY(binder.finish());
  }

  void types_that_are_no_weights_are_refused() {
    std::byte bytes[64]{};
    for (const TensorType type : {TensorType::f64, TensorType::f8_e5m2, TensorType::i32, TensorType::u8}) {
      WeightBinder binder({{"layer.weight", type, 2, 4, bytes, tensor_bytes(type, 8)}});
      QVERIFY(!binder.matrix("layer.weight", 2, 4).valid());
      const QString text = QString::fromStdString(binder.finish().error().text());
      QVERIFY2(text.contains(tensor_type_info(type).name.data()) && text.contains("layer.weight"),
               qPrintable(text));
    }
  }
};

QTEST_APPLESS_MAIN(QuantizedLinearTest)
#include "quantized_linear_test.moc"
