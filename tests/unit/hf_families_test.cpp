// SPDX-License-Identifier: GPL-3.0-or-later
// What a config.json means where it is silent or says a thing twice: as transformers 5.17 takes it.
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/hf_config.h"
#include "engine/model/model.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/safetensors_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json golden_config(const std::string& name) {
  return json::parse(std::ifstream(test::data("golden/" + name + "/config.json")));
}

ModelSpec spec_of(const json& config) {
  auto spec = read_hf_spec(config);
  if (!spec.ok()) throw std::runtime_error(spec.error().text());
  return std::move(spec).value();
}

/// llama-mha-tied in float32, with `output` as lm_head.weight where it has numbers.
void write_tied(const fs::path& folder, const std::vector<float>& output, std::int64_t rows) {
  const fs::path golden = test::data("golden/llama-mha-tied");
  fs::copy_file(golden / "config.json", folder / "config.json", fs::copy_options::overwrite_existing);
  const auto file = SafetensorsFile::open(golden / "model.safetensors");
  std::vector<std::vector<float>> numbers;
  std::vector<NamedMatrix> matrices;
  numbers.reserve(file->tensors().size());
  for (const TensorView& view : file->tensors()) {
    numbers.emplace_back(static_cast<std::size_t>(view.rows * view.columns));
    dequantize(view.type, view.data, numbers.back().data(), view.rows * view.columns);
    matrices.push_back({view.name, view.rows, view.columns, numbers.back()});
  }
  if (!output.empty()) matrices.push_back({"lm_head.weight", rows, std::ssize(output) / rows, output});
  if (auto ok = write_safetensors(folder / "model.safetensors", matrices); !ok.ok())
    throw std::runtime_error(ok.error().text());
}

}  // namespace

class HfFamiliesTest : public QObject {
  Q_OBJECT

 private slots:
  void an_output_of_its_own_counts_in_spite_of_the_tie() {
    const auto golden = Model::open(test::data("golden/llama-mha-tied"));
    PW_VERIFY(golden);
    const TensorView& embedding = (*golden)->weights().embedding;
    std::vector<float> output(static_cast<std::size_t>(embedding.rows * embedding.columns));
    dequantize(embedding.type, embedding.data, output.data(), embedding.rows * embedding.columns);

    test::TemporaryFolder folder;
    write_tied(folder.path(), output, embedding.rows);  // the same numbers twice
    auto model = Model::open(folder.path());
    PW_VERIFY(model);
    QVERIFY((*model)->spec().tied_embeddings);
    for (float& number : output) number += 1;
    write_tied(folder.path(), output, embedding.rows);
    model = Model::open(folder.path());
    PW_VERIFY(model);
    QVERIFY(!(*model)->spec().tied_embeddings);
    QVERIFY((*model)->weights().output.data != (*model)->weights().embedding.data);
    write_tied(folder.path(), std::vector<float>(21), 7);
    model = Model::open(folder.path());
    QVERIFY(!model.ok());
    QVERIFY(model.error().text().find("lm_head.weight") != std::string::npos);
  }

  void the_outer_configuration_ties() {
    json config = {{"architectures", {"Mistral3ForConditionalGeneration"}},
                   {"tie_word_embeddings", true},
                   {"text_config", golden_config("mistral-yarn")}};
    config["text_config"]["tie_word_embeddings"] = false;
    QVERIFY(spec_of(config).tied_embeddings);
  }

  void gemma3_may_leave_out_what_its_first_model_has() {
    const json text =
        json::parse(R"({"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
      "num_hidden_layers": 34, "sliding_window": 1024, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})");
    const ModelSpec spec =
        spec_of({{"architectures", {"Gemma3ForConditionalGeneration"}}, {"text_config", text}});
    QCOMPARE(spec.vocabulary, 262208);
    QCOMPARE(spec.layers[0].attention.heads, 8);
    QCOMPARE(spec.layers[0].attention.kv_heads, 4);
    QCOMPARE(spec.layers[0].attention.head_dim, 256);
    QVERIFY(spec.layers[4].attention.window == 1024 && !spec.layers[5].attention.window);
    QVERIFY(spec.layers[5].attention.rope->scaling.kind == RopeSpec::Scaling::Kind::linear);
    QVERIFY(spec.layers[4].attention.rope->scaling.kind == RopeSpec::Scaling::Kind::none);
    QCOMPARE(spec.layers[5].attention.rope->theta, 1e6);
    QVERIFY(spec.tied_embeddings);
  }

  void the_older_scaling_goes_before_the_newer() {
    json config = golden_config("llama-gqa");
    config["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 500.0}};
    config["rope_scaling"] = {{"type", "linear"}, {"factor", 3.0}};
    QCOMPARE(spec_of(config).layers[0].attention.rope->scaling.factor, 3.0);
  }

  void a_share_of_the_head_is_rotated_where_the_family_does_so() {
    json config = golden_config("llama-gqa");
    config["partial_rotary_factor"] = 0.5;
    QCOMPARE(spec_of(config).layers[0].attention.rope->rotary_dim, 64);
    config = golden_config("phi3-fused");
    config["rope_parameters"]["partial_rotary_factor"] = 0.5;
    QCOMPARE(spec_of(config).layers[0].attention.rope->rotary_dim, 16);
  }

  void layer_types_count_where_the_family_has_them() {
    const auto windows = [](json config, const char* second) {
      config["sliding_window"] = 8u;
      config["use_sliding_window"] = false;
      config["layer_types"] = json::array();
      for (std::size_t i = 0; i < config["num_hidden_layers"].get<std::size_t>(); ++i)
        config["layer_types"].push_back(i == 1 ? second : "full_attention");
      int count = 0;
      for (const LayerSpec& layer : spec_of(config).layers) count += layer.attention.window ? 1 : 0;
      return count;
    };
    QCOMPARE(windows(golden_config("mixtral-moe"), "full_attention"), 3);
    QCOMPARE(windows(golden_config("qwen3-moe"), "sliding_attention"), 0);
    QCOMPARE(windows(golden_config("mistral-window"), "sliding_attention"), 1);
    QCOMPARE(windows(golden_config("smollm3-nope"), "sliding_attention"), 1);
  }

  void gemmas_rotation_is_scaled_from_its_own_context() {
    json config = golden_config("gemma3-linear");
    config["max_position_embeddings"] = 48u;
    config["rope_scaling"] = {{"rope_type", "yarn"}, {"factor", 4.0}};
    const ModelSpec spec = spec_of(config);
    QCOMPARE(spec.context_length, 192);
    QCOMPARE(spec.layers[2].attention.rope->scaling.original_context, 48);
  }

  void gemma_says_its_activation_under_another_key() {
    json config = golden_config("gemma2-softcaps");
    config.erase("hidden_activation");
    config["hidden_act"] = "gelu";
    QVERIFY(spec_of(config).layers[0].mlp.activation == Activation::gelu_tanh);
  }
};

QTEST_GUILESS_MAIN(HfFamiliesTest)
#include "hf_families_test.moc"
