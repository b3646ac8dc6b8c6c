// SPDX-License-Identifier: GPL-3.0-or-later
// Random weights in a real shape.
#include "engine/model/synthetic_model.h"

#include <QTest>

#include <cmath>

#include "engine/library/model_profile.h"
#include "engine/model/quantized_linear.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

ModelSpec shape(const char* folder) {
  auto spec = find_model_spec(test::data(std::string("golden/") + folder + "/config.json").string());
  if (!spec) qFatal("%s", spec.error().text().c_str());
  return *spec;
}

std::shared_ptr<const Model> make(const ModelSpec& spec, SyntheticWeights weights, std::uint64_t seed = 1) {
  auto model = make_synthetic_model(spec, weights, seed);
  if (!model) qFatal("%s", model.error().text().c_str());
  return *model;
}

std::vector<float> values_of(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.rows * view.columns));
  dequantize_rows(view, 0, view.rows, values.data());
  return values;
}

double spread(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

class SyntheticModelTest : public QObject {
  Q_OBJECT

 private slots:
  void weights_are_of_a_models_size_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"bf16", "awq-g128", "q4_0"}) QTest::newRow(name) << QString::fromLatin1(name);
  }

  void weights_are_of_a_models_size() {
    QFETCH(QString, name);
    const auto kind = find_synthetic_weights(name.toStdString());
    QVERIFY(kind.has_value());
    const auto model = make(shape("llama-gqa"), *kind);
    const ModelSpec& spec = model->spec();
    QCOMPARE(model->weights().layers.size(), spec.layers.size());
    for (const LayerWeights& layer : model->weights().layers) {
      for (const TensorView* view : {&layer.q, &layer.k, &layer.o, &layer.mlp.gate, &layer.mlp.down}) {
        if (view->quantized) PW_VERIFY(view->quantized->check_numbers());
        const std::vector<float> values = values_of(*view);
        QVERIFY2(spread(values) > 0.01 && spread(values) < 0.04, view->name.c_str());
      }
    }
    QVERIFY(spread(values_of(model->weights().output)) > 0.01);
  }

  void the_seed_decides() {
    const ModelSpec spec = shape("llama-gqa");
    const auto one = make(spec, SyntheticWeights::bf16, 5), same = make(spec, SyntheticWeights::bf16, 5),
               other = make(spec, SyntheticWeights::bf16, 6);
    const auto first = [](const auto& model) { return values_of(model->weights().layers[1].o); };
    QVERIFY(first(one) == first(same));
    QVERIFY(first(one) != first(other));
    QVERIFY(first(one) != values_of(one->weights().layers[0].o));
  }

  void bytes_are_counted_as_a_file_would_hold_them() {
    auto profile = find_model_spec("llama-3-8b");
    PW_VERIFY(profile);
    const auto model = make(*profile, SyntheticWeights::bf16);
    QCOMPARE(model->parameters(), std::int64_t{8'030'261'248});  // of Meta-Llama-3-8B
    QCOMPARE(model->weight_bytes(), 2 * model->parameters());
    const auto packed = make(*profile, SyntheticWeights::q4_0);
    QCOMPARE(packed->weight_bytes() * 32 / 18 / packed->parameters(), std::int64_t{1});
  }

  void experts_and_features_have_their_tensors() {
    const auto mixtral = make(shape("mixtral-moe"), SyntheticWeights::bf16);
    const LayerWeights& layer = mixtral->weights().layers.front();
    QVERIFY(layer.router.valid());
    QCOMPARE(static_cast<int>(layer.experts.size()), mixtral->spec().layers.front().mlp.moe->experts);
    QVERIFY(make(shape("qwen2-bias"), SyntheticWeights::bf16)->weights().layers.front().q_bias.valid());
    QVERIFY(make(shape("qwen3-qknorm"), SyntheticWeights::bf16)->weights().layers.front().k_norm.valid());
  }

  void what_a_format_cannot_store_is_refused() {
    const auto refused = make_synthetic_model(shape("gemma1"), SyntheticWeights::awq_g128, 1);  // 32 columns
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("128") != std::string::npos);
    QVERIFY(!find_synthetic_weights("fp4").has_value());
  }
};

QTEST_GUILESS_MAIN(SyntheticModelTest)
#include "synthetic_model_test.moc"
