// SPDX-License-Identifier: GPL-3.0-or-later
// config.json as an outline: what each layer keeps, the keys that mislead, and what is refused.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/library/model_profile.h"
#include "engine/model/model_spec.h"
#include "engine/plan/kv_demand.h"
#include "engine/plan/model_memory.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

using Kind = LayerState::Kind;

json llama() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", 4096},
          {"intermediate_size", 14336},
          {"num_hidden_layers", 32},
          {"num_attention_heads", 32},
          {"num_key_value_heads", 8},
          {"vocab_size", 128256},
          {"max_position_embeddings", 8192}};
}

ModelOutline outline(const json& config) {
  auto result = outline_of_config(config.dump(), "test");
  if (!result) qFatal("%s", result.error().text().c_str());
  return *result;
}

Bytes per_token(const ModelOutline& model, const char* format = "bfloat16") {
  return KvDemand(model, {KvLaw::needed, find_kv_format(format).value()}, 0, model.layers.size()).per_token();
}
Bytes per_token(const json& config) {
  return per_token(outline(config));
}
Bytes at(const json& config, std::int64_t tokens) {
  const ModelOutline model = outline(config);
  return KvDemand(model, {KvLaw::needed, find_kv_format("bfloat16").value()}, 0, model.layers.size())
      .sequence(tokens);
}

int count(const ModelOutline& model, Kind kind) {
  return static_cast<int>(std::count_if(model.layers.begin(), model.layers.end(),
                                        [&](const LayerState& layer) { return layer.kind == kind; }));
}

json decoder(const char* architecture) {
  json config = llama();
  config["architectures"] = {architecture};
  return config;
}

/// Latent attention with experts, as all of that kind are.
json latent_decoder(const char* architecture) {
  json config = decoder(architecture);
  config.update({{"kv_lora_rank", 512},
                 {"qk_rope_head_dim", 64},
                 {"n_routed_experts", 2},
                 {"moe_intermediate_size", 64}});
  return config;
}

}  // namespace

class PlanConfigTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_the_engine_runs_goes_through_its_spec() {
    const ModelOutline model = outline(llama());
    QVERIFY(model.runs_here());
    QCOMPARE(model.parameters(), std::int64_t{8'030'261'248});
    QCOMPARE(model.parameters(), count_parameters(*model.spec).total());
    for (const ModelProfile& profile : model_profiles()) {
      if (profile.config.empty()) continue;
      const auto described = outline_of_config(profile.config, profile.name);
      QVERIFY2(described.ok(),
               described.ok() ? "" : (profile.name + ": " + described.error().text()).c_str());
      QCOMPARE(described->runs_here(), profile.spec.has_value());
      QVERIFY(described->context_length > 0);
      QVERIFY2(profile.config.size() < 2048, profile.name.c_str());
      if (profile.spec) QCOMPARE(described->parameters(), count_parameters(*profile.spec).total());
    }
  }

  void keys_that_mislead() {
    json config = llama();
    config.erase("num_key_value_heads");
    QCOMPARE(per_token(config), Bytes{524'288});
    config["num_key_value_heads"] = nullptr;
    QCOMPARE(per_token(config), Bytes{524'288});
    config["num_key_value_heads"] = 8;
    config["head_dim"] = 64;
    QCOMPARE(per_token(config), Bytes{65'536});
    // One number for each layer.
    config = decoder("LlamaForCausalLM");
    config["num_key_value_heads"] = json::array();
    for (int i = 0; i < 32; ++i) config["num_key_value_heads"].push_back(i < 16 ? 8 : 1);
    QCOMPARE(per_token(config), Bytes{16 * 8 + 16 * 1} * 2 * 128 * 2);
    // A window that is off.
    config = decoder("Qwen2ForCausalLM");
    config["sliding_window"] = 4096;
    config["use_sliding_window"] = false;
    config["max_window_layers"] = 28;
    QCOMPARE(at(config, 8192), Bytes{131'072} * 8192);
    config["use_sliding_window"] = true;
    QCOMPARE(at(config, 8192), Bytes{4096} * (28 * 8192 + 4 * 4096));
    // MLA: key-value heads and head_dim say nothing.
    json latent = latent_decoder("DeepseekV2ForCausalLM");
    latent.update({{"head_dim", 192}, {"num_key_value_heads", 128}, {"num_attention_heads", 128}});
    QCOMPARE(per_token(latent), Bytes{32} * 576 * 2);
    // A file without architectures.
    config = llama();
    config.erase("architectures");
    config["model_type"] = "llama";
    QCOMPARE(per_token(config), Bytes{131'072});
  }

  void sparse_attention_indexers() {
    json config = latent_decoder("GlmMoeDsaForCausalLM");
    config.update({{"index_head_dim", 128}, {"num_hidden_layers", 4}});
    QCOMPARE(per_token(config), Bytes{4} * (1152 + 132));
    config["indexer_types"] = {"full", "shared", "shared", "full"};
    QCOMPARE(per_token(config), Bytes{4} * 1152 + 2 * 132);
  }

  void gemma_4_has_two_kinds_of_heads() {
    const ModelOutline model = *read_outline("gemma-4-26b-a4b");
    QCOMPARE(count(model, Kind::sliding), 25);
    QCOMPARE(per_token(model), Bytes{25} * 2 * 8 * 256 * 2 + Bytes{5} * 2 * 2 * 512 * 2);
    json shared = decoder("Gemma3nForCausalLM");
    shared["num_kv_shared_layers"] = 10;
    shared["head_dim"] = 128;
    shared["layer_types"] = std::vector<std::string>(32, "full_attention");
    QCOMPARE(per_token(shared), Bytes{22} * 2 * 8 * 128 * 2);
  }

  void chunks_and_windows() {
    const ModelOutline scout = *read_outline("llama-4-scout");
    QCOMPARE(count(scout, Kind::full), 12);
    QCOMPARE(count(scout, Kind::chunked), 36);
    const ModelOutline oss = *read_outline("gpt-oss-120b");
    QCOMPARE(count(oss, Kind::sliding), 18);
    QCOMPARE(oss.layers[0].kind, Kind::sliding);
    QCOMPARE(oss.layers[0].window, 128);
    json types = decoder("GptOssForCausalLM");
    types["sliding_window"] = 128;
    types["num_local_experts"] = 2;
    types["layer_types"] = std::vector<std::string>(32, "full_attention");
    QCOMPARE(count(outline(types), Kind::full), 32);
  }

  /// Case 006, lilbee#721: 16 of 64 layers attend; states are counted once.
  void hybrids() {
    json config = decoder("Qwen3NextForCausalLM");
    config.update({{"num_hidden_layers", 64},
                   {"num_attention_heads", 16},
                   {"num_key_value_heads", 4},
                   {"head_dim", 256},
                   {"full_attention_interval", 4},
                   {"linear_num_key_heads", 16},
                   {"linear_num_value_heads", 32},
                   {"linear_key_head_dim", 128},
                   {"linear_value_head_dim", 128},
                   {"moe_intermediate_size", 512},
                   {"num_experts", 0}});
    const ModelOutline model = outline(config);
    const KvDemand kv(model, {KvLaw::needed, find_kv_format("float16").value()}, 0, model.layers.size());
    QCOMPARE(kv.tokens_part(262'144), 16'384 * kMiB);
    QVERIFY(kv.state() > 0);

    json jamba = decoder("JambaForCausalLM");
    jamba.update({{"attn_layer_period", 8},
                  {"attn_layer_offset", 4},
                  {"mamba_d_state", 16},
                  {"mamba_d_conv", 4},
                  {"mamba_expand", 2},
                  {"num_experts", 16},
                  {"expert_layer_period", 2},
                  {"expert_layer_offset", 1},
                  {"num_experts_per_tok", 2}});
    const ModelOutline mixed = outline(jamba);
    QCOMPARE(count(mixed, Kind::full), 4);
    QCOMPARE(count(mixed, Kind::recurrent), 28);
    QCOMPARE(mixed.layers[0].recurrent_numbers, std::int64_t{8192} * 16);
    QVERIFY(mixed.parameters() > 45'000'000'000 && mixed.parameters() < 55'000'000'000);  // Jamba: 52 B

    json nemotron = decoder("NemotronHForCausalLM");
    nemotron.update({{"hybrid_override_pattern", "M-M*-M-"},
                     {"mamba_num_heads", 128},
                     {"mamba_head_dim", 64},
                     {"ssm_state_size", 128},
                     {"n_groups", 8},
                     {"conv_kernel", 4}});
    const ModelOutline pattern = outline(nemotron);
    QCOMPARE(count(pattern, Kind::recurrent), 3);
    QCOMPARE(count(pattern, Kind::full), 1);
    QCOMPARE(pattern.layers[0].recurrent_numbers, std::int64_t{128} * 64 * 128);
    QCOMPARE(pattern.layers[0].convolution_numbers, std::int64_t{128 * 64 + 2 * 8 * 128} * 3);
    nemotron["hybrid_override_pattern"] = "MXM";
    QVERIFY(!outline_of_config(nemotron.dump(), "x"));
  }

  void encoders_and_cross_attention() {
    const json whisper = {{"architectures", {"WhisperForConditionalGeneration"}},
                          {"d_model", 1280},
                          {"vocab_size", 51866},
                          {"encoder_layers", 32},
                          {"decoder_layers", 32},
                          {"encoder_attention_heads", 20},
                          {"decoder_attention_heads", 20},
                          {"encoder_ffn_dim", 5120},
                          {"decoder_ffn_dim", 5120},
                          {"max_source_positions", 1500},
                          {"max_target_positions", 448}};
    const ModelOutline model = outline(whisper);
    QCOMPARE(count(model, Kind::none), 32);
    QCOMPARE(count(model, Kind::cross), 32);
    QCOMPARE(per_token(model), Bytes{32} * 2 * 1280 * 2);
    QCOMPARE(model.context_length, std::int64_t{448});
    QVERIFY(model.parameters() > 1'500'000'000 && model.parameters() < 1'560'000'000);  // 1.54 B
    json vision = decoder("MllamaForConditionalGeneration");
    json text = llama();
    text.erase("architectures");
    text["num_hidden_layers"] = 40;
    text["cross_attention_layers"] = {3, 8, 13, 18, 23, 28, 33, 38};
    const ModelOutline mllama =
        outline({{"architectures", {"MllamaForConditionalGeneration"}}, {"text_config", text}});
    QCOMPARE(count(mllama, Kind::cross), 8);
    QCOMPARE(count(mllama, Kind::full), 32);
  }

  void nested_language_models() {
    json text = llama();
    text.erase("architectures");
    text["model_type"] = "llama";
    const json llava = {
        {"architectures", {"LlavaForConditionalGeneration"}},
        {"text_config", text},
        {"vision_config", {{"hidden_size", 1024}, {"intermediate_size", 4096}, {"num_hidden_layers", 24}}}};
    const ModelOutline model = outline(llava);
    QCOMPARE(per_token(model), Bytes{131'072});
    QVERIFY(model.other_parameters > 300'000'000);
    QVERIFY(!model.remarks.empty());
  }

  /// Case 013.
  void context_lengths_data() {
    QTest::addColumn<QByteArray>("changes");
    QTest::addColumn<qint64>("context");
    const auto row = [](const char* name, const char* changes, qint64 context) {
      QTest::newRow(name) << QByteArray(changes) << context;
    };
    row("plain", R"({"max_position_embeddings": 32768})", 32'768);
    row("linear", R"({"max_position_embeddings": 32768, "rope_scaling": {"type": "linear", "factor": 4.0}})",
        131'072);
    row("dynamic",
        R"({"max_position_embeddings": 32768, "rope_scaling": {"type": "dynamic", "factor": 4.0}})", 131'072);
    row("llama3",
        R"({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
         "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})",
        131'072);
    row("yarn of an original",
        R"({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 32768}})",
        131'072);
    row("yarn", R"({"max_position_embeddings": 32768, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 32768}})",
        131'072);
  }
  void context_lengths() {
    QFETCH(QByteArray, changes);
    QFETCH(qint64, context);
    for (const char* architecture : {"LlamaForCausalLM", "StableLmForCausalLM"}) {
      json config = decoder(architecture);
      config.update(json::parse(changes.toStdString()));
      QCOMPARE(outline(config).context_length, context);
    }
  }
  void a_sentinel_is_no_length() {
    json config = decoder("StableLmForCausalLM");
    config["model_max_length"] = 1000000000000000019884624838656.0;
    QCOMPARE(outline(config).context_length, std::int64_t{8192});
    config.erase("max_position_embeddings");
    QCOMPARE(outline(config).context_length, std::int64_t{0});
  }

  /// Cases 006 and 162: never a number for what is not understood.
  void fails_closed_data() {
    QTest::addColumn<QByteArray>("changes");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* changes, const char* named) {
      QTest::newRow(named) << QByteArray(changes) << QByteArray(named);
    };
    row(R"({"architectures": ["FooForCausalLM"]})", "architecture `FooForCausalLM` is unknown");
    row(R"({"architectures": ["FooVLForConditionalGeneration"], "text_config": {"model_type": "qwen3_moe"}})",
        "`FooVLForConditionalGeneration` is unknown, though its language model, `Qwen3MoeForCausalLM`, is "
        "known");
    row(R"({"architectures": ["BarVLForConditionalGeneration"], "llm_config": {"architectures": ["Qwen2ForCausalLM"]}})",
        "though its language model, `Qwen2ForCausalLM`, is known");
    row(R"({"architectures": ["LlavaForConditionalGeneration"], "text_config": {"architectures": ["Bar"]}})",
        "of Bar");
    row(R"({"kv_lora_rank": 512})", "`kv_lora_rank`");
    row(R"({"full_attention_interval": 4})", "`full_attention_interval`");
    row(R"({"attention_chunk_size": 8192})", "`attention_chunk_size`");
    row(R"({"use_cla": true})", "`use_cla`");
    row(R"({"architectures": ["Qwen3NextForCausalLM"], "linear_attn_config": {"x": 1}})",
        "`linear_attn_config`");
    row(R"({"architectures": ["GptOssForCausalLM"], "num_hidden_layers": 1, "num_local_experts": 2, "layer_types": ["hyper_attention"]})",
        "\"hyper_attention\"");
    row(R"({"architectures": ["Qwen3ForCausalLM"], "num_hidden_layers": 1, "layer_types": ["hyper_attention"]})",
        "\"hyper_attention\"");
    row(R"({"quantization_config": {"quant_method": "magic"}})", "magic");
  }
  void fails_closed() {
    QFETCH(QByteArray, changes);
    QFETCH(QByteArray, named);
    json config = llama();
    config.update(json::parse(changes.toStdString()));
    const auto result = outline_of_config(config.dump(), "x");
    QVERIFY(!result);
    QCOMPARE(result.error().kind, Error::Kind::unsupported);
    QVERIFY2(result.error().what.starts_with("Cannot estimate"), result.error().what.c_str());
    QVERIFY2(result.error().what.find(named.toStdString()) != std::string::npos, result.error().what.c_str());
    QVERIFY(!result.error().action.empty());
  }
  /// A class over a language model that nobody knows either.
  void unknown_all_the_way() {
    json config = llama();
    config["architectures"] = {"FooVLForConditionalGeneration"};
    config["text_config"] = {{"model_type", "bar"}};
    const auto result = outline_of_config(config.dump(), "x");
    QVERIFY(!result);
    QVERIFY2(result.error().what.ends_with("`FooVLForConditionalGeneration` is unknown"),
             result.error().what.c_str());
  }
  void neutral_values_are_no_keys() {
    json config = llama();
    config.update({{"kv_lora_rank", nullptr}, {"num_kv_shared_layers", 0}, {"use_cla", false}});
    QVERIFY(outline(config).runs_here());
  }

  void nonsense_is_named_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("param");
    const auto row = [](const char* text, const char* param) {
      QTest::newRow(text) << QByteArray(text) << QByteArray(param);
    };
    row("[]", "");
    row("{", "");
    row("", "");
    row(R"({"architectures": 5})", "architectures");
    row(R"({})", "architectures");
    const auto with = [&](const char* key, const json& value, const char* param,
                          const char* architecture = "LlamaForCausalLM") {
      json config = decoder(architecture);
      if (value.is_null()) {
        config.erase(key);
      } else {
        config[key] = value;
      }
      QTest::addRow("%s %s %s", architecture, key, value.dump().substr(0, 20).c_str())
          << QByteArray::fromStdString(config.dump()) << QByteArray(param);
    };
    for (const char* architecture : {"LlamaForCausalLM", "StableLmForCausalLM"}) {
      with("num_hidden_layers", nullptr, "num_hidden_layers", architecture);
      with("num_hidden_layers", -3, "num_hidden_layers", architecture);
      with("num_hidden_layers", 1'000'000'000, "num_hidden_layers", architecture);
      with("hidden_size", "wide", "hidden_size", architecture);
      with("hidden_size", json::array({1}), "hidden_size", architecture);
      with("vocab_size", 1e30, "vocab_size", architecture);
    }
    with("num_attention_heads", 0, "num_attention_heads", "StableLmForCausalLM");
    with("num_key_value_heads", 0, "num_key_value_heads", "StableLmForCausalLM");
    with("num_key_value_heads", 7, "num_key_value_heads", "StableLmForCausalLM");
    with("num_hidden_layers", 0, "num_hidden_layers", "StableLmForCausalLM");
    with("head_dim", 1'000'000'000, "head_dim", "StableLmForCausalLM");
  }
  void nonsense_is_named() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, param);
    const auto result = outline_of_config(text.toStdString(), "x");
    QVERIFY(!result);
    QVERIFY(!result.error().what.empty());
    if (!param.isEmpty()) QCOMPARE(result.error().param, param.toStdString());
  }
  void no_heads_of_a_model_that_runs() {
    json config = llama();
    config["num_attention_heads"] = 0;
    QVERIFY(!outline_of_config(config.dump(), "x"));
  }

  void weight_formats() {
    json config = llama();
    const Bytes plain = outline(config).weight_bytes();
    config["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}};
    const ModelOutline four = outline(config);
    QCOMPARE(four.weight_bits, 4 + 20.0 / 32);
    QVERIFY(four.weight_bytes() < plain / 2);
    config["quantization_config"] = {
        {"quant_method", "compressed-tensors"},
        {"kv_cache_scheme", {{"num_bits", 8}, {"type", "float"}}},
        {"config_groups",
         {{"group_0", {{"weights", {{"num_bits", 8}, {"type", "float"}, {"strategy", "channel"}}}}}}}};
    QCOMPARE(outline(config).weight_bits, 8.0);
    QCOMPARE(outline(config).kv_format, std::string("fp8_e4m3"));
    config.erase("quantization_config");
    config["torch_dtype"] = "float32";
    QCOMPARE(outline(config).weight_bytes(), 2 * plain);
    // MXFP4: experts alone. openai/gpt-oss-120b's files hold 60.8 GiB.
    const ModelOutline oss = *read_outline("gpt-oss-120b");
    const double gib = static_cast<double>(oss.weight_bytes()) / static_cast<double>(kGiB);
    QVERIFY2(gib > 60.3 && gib < 61.3, qPrintable(QString::number(gib)));
    // deepseek-ai/DeepSeek-V3: 671 GB of fp8 in blocks.
    const double v3 = static_cast<double>(read_outline("deepseek-v3")->weight_bytes()) / 1e9;
    QVERIFY2(v3 > 670 && v3 < 676, qPrintable(QString::number(v3)));
  }
};

QTEST_APPLESS_MAIN(PlanConfigTest)
#include "plan_config_test.moc"
