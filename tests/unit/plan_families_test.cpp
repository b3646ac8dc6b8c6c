// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations as the hub has them against what the architectures' own classes make of them: KV bytes of a
// token by rank, states of fixed size, parameters. tests/data/plan/families.json names the source of each
// row.
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/json_text.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/kv_demand.h"
#include "engine/plan/weight_format.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

const json& families() {
  static const json rows = json::parse(*read_file(test::data("plan/families.json"), 1 << 20));
  return rows;
}

json config_of(const char* name) {
  for (const json& row : families()) {
    if (row["name"] == name) return row["config"];
  }
  qFatal("no row %s", name);
}

ModelOutline outline(const json& config) {
  auto result = outline_of_config(config.dump(), "test");
  if (!result) qFatal("%s", result.error().text().c_str());
  return *result;
}

KvDemand demand(const ModelOutline& model, int ranks = 1) {
  return KvDemand(model, {KvLaw::needed, find_kv_format("bfloat16").value(), ranks}, 0, model.layers.size());
}

int count(const ModelOutline& model, LayerState::Kind kind) {
  return static_cast<int>(std::count_if(model.layers.begin(), model.layers.end(),
                                        [&](const LayerState& layer) { return layer.kind == kind; }));
}

double billions(const ModelOutline& model) {
  return static_cast<double>(model.weight_bytes()) / 1e9;
}

}  // namespace

class PlanFamiliesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void published_definitions_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < families().size(); ++i)
      QTest::newRow(families()[i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
  }
  void published_definitions() {
    QFETCH(int, row);
    const json& family = families()[static_cast<std::size_t>(row)];
    const ModelOutline model = outline(family["config"]);
    for (std::size_t i = 0; i < 4; ++i)
      QCOMPARE(demand(model, 1 << i).per_token(), family["kv_bytes_per_token"][i].get<Bytes>());
    QCOMPARE(demand(model).state(), family["state_bytes"].get<Bytes>());
    const double wanted = family["parameters"].get<double>();
    const double error = std::abs(static_cast<double>(model.parameters()) / wanted - 1);
    QVERIFY2(
        error <= family["within"].get<double>(),
        qPrintable(QString("%1 parameters, %2 published").arg(model.parameters()).arg(wanted, 0, 'f', 0)));
  }

  /// Falcon's class reads num_kv_heads only in its newer layers; a stated key wins over the class's default.
  void one_head_for_all_queries() {
    json falcon = config_of("falcon-7b");
    falcon["multi_query"] = false;
    QCOMPARE(demand(outline(falcon)).per_token(), Bytes{32} * 2 * 71 * 64 * 2);
    json coder = config_of("gpt-bigcode-defaults");
    coder["multi_query"] = false;
    QCOMPARE(demand(outline(coder)).per_token(), Bytes{40} * 2 * 48 * 128 * 2);
  }

  /// transformers 5.24: configuration_gpt_oss.py, _qwen3_moe.py, _glm4_moe.py, _seed_oss.py and so on. A key
  /// that is there as null says as many as query heads.
  void heads_that_a_class_has_unasked() {
    const std::pair<const char*, int> classes[] = {
        {"SeedOssForCausalLM", 8},    {"Glm4MoeForCausalLM", 8},    {"Ernie4_5_MoeForCausalLM", 4},
        {"GptOssForCausalLM", 8},     {"Qwen3MoeForCausalLM", 4},   {"MistralForCausalLM", 8},
        {"MixtralForCausalLM", 8},    {"LlamaForCausalLM", 32},     {"Glm4ForCausalLM", 2},
        {"GlmForCausalLM", 2},        {"Starcoder2ForCausalLM", 2}, {"SmolLM3ForCausalLM", 4},
        {"Gemma2ForCausalLM", 4},     {"Gemma3ForCausalLM", 4},     {"MinistralForCausalLM", 8},
        {"Ministral3ForCausalLM", 8}, {"Qwen2_5_VLTextModel", 8},   {"Glm4vTextModel", 2},
        {"Glm4vMoeTextModel", 8},     {"VaultGemmaForCausalLM", 4}};
    for (const auto& [architecture, heads] : classes) {
      json config = {
          {"architectures", {architecture}}, {"hidden_size", 4096},      {"num_hidden_layers", 2},
          {"num_attention_heads", 32},       {"head_dim", 128},          {"intermediate_size", 1024},
          {"moe_intermediate_size", 1024},   {"num_experts_per_tok", 2}, {"vocab_size", 1000},
          {"max_position_embeddings", 4096}};
      for (const char* key : {"num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"})
        config[key] = 8;
      QCOMPARE(outline(config).layers.front().kv_heads, heads);
      config["num_key_value_heads"] = 16;
      QCOMPARE(outline(config).layers.front().kv_heads, 16);
      config["num_key_value_heads"] = nullptr;
      QCOMPARE(outline(config).layers.front().kv_heads, 32);
    }
  }

  /// A decoder that ranks or embeds keeps what it keeps, without the matrix to the vocabulary.
  void decoders_under_other_heads() {
    json config = {{"architectures", {"Qwen3ForCausalLM"}},
                   {"hidden_size", 1024},
                   {"num_hidden_layers", 2},
                   {"num_attention_heads", 16},
                   {"head_dim", 128},
                   {"num_key_value_heads", 8},
                   {"intermediate_size", 3072},
                   {"vocab_size", 1000},
                   {"max_position_embeddings", 4096}};
    const ModelOutline causal = outline(config);
    for (const char* head : {"Qwen3ForSequenceClassification", "Qwen3ForRewardModel", "Qwen3Model"}) {
      config["architectures"] = {head};
      const ModelOutline other = outline(config);
      QCOMPARE(other.architecture, std::string(head));
      QCOMPARE(other.parameters(), causal.parameters() - 1000 * 1024);
      QCOMPARE(demand(other).per_token(), demand(causal).per_token());
      QVERIFY(!other.runs_here());
    }
    for (const char* unknown : {"NobodyModel", "Model", "ForRewardModel", "DeepseekV4Model"}) {
      config["architectures"] = {unknown};
      QVERIFY2(!outline_of_config(config.dump(), "test").ok(), unknown);
    }
  }

  void language_models_inside_others() {
    const json text = {{"model_type", "qwen3"},     {"hidden_size", 1024}, {"num_hidden_layers", 2},
                       {"num_attention_heads", 16}, {"head_dim", 128},     {"num_key_value_heads", 8},
                       {"intermediate_size", 3072}, {"vocab_size", 1000},  {"max_position_embeddings", 4096}};
    for (const char* wrapper : {"InternS1ForConditionalGeneration", "VoxtralForConditionalGeneration"}) {
      const ModelOutline model = outline({{"architectures", {wrapper}}, {"text_config", text}});
      QCOMPARE(demand(model).per_token(), Bytes{2 * 2 * 8 * 128 * 2});
    }
  }

  void kinds_of_layers() {
    QCOMPARE(count(outline(config_of("exaone4-32b-pattern")), LayerState::Kind::sliding), 48);
    QCOMPARE(count(outline(config_of("command-r7b")), LayerState::Kind::full), 8);
    QCOMPARE(count(outline(config_of("lfm2-1.2b")), LayerState::Kind::recurrent), 10);
    QCOMPARE(count(outline(config_of("hunyuan-large")), LayerState::Kind::none), 32);
    json sharing = config_of("hunyuan-a13b");  // a factor beside use_cla that is off
    QCOMPARE(count(outline(sharing), LayerState::Kind::none), 0);
    json patterned = config_of("exaone4-32b-pattern");
    patterned["sliding_window_pattern"] = "LXG";
    QCOMPARE(outline_of_config(patterned.dump(), "x").error().param, std::string("sliding_window_pattern"));
  }

  /// nvidia/Llama-3_3-Nemotron-Super-49B: 8 heads share one, or a layer has no attention.
  void blocks_that_a_search_left() {
    const json attends = {{"n_heads_in_group", 8}, {"no_op", false}, {"replace_with_linear", false}};
    const json none = {{"n_heads_in_group", nullptr}, {"no_op", true}};
    const json config = {{"architectures", {"DeciLMForCausalLM"}},
                         {"hidden_size", 8192},
                         {"num_attention_heads", 64},
                         {"vocab_size", 128256},
                         {"max_position_embeddings", 131072},
                         {"block_configs",
                          {{{"attention", attends}, {"ffn", {{"ffn_mult", 5.25}}}},
                           {{"attention", none}, {"ffn", {{"ffn_mult", 1.3125}}}}}}};
    const ModelOutline model = outline(config);
    QCOMPARE(demand(model).per_token(), Bytes{2} * 8 * 128 * 2);
    QCOMPARE(model.intermediate, 28672);  // Llama 3's: 2/3 · 5.25 · 8,192
    QCOMPARE(model.layer_parameters[1].mlp, std::int64_t{3} * 8192 * 7168);
    QCOMPARE(model.layer_parameters[1].attention + model.layer_parameters[1].kv, std::int64_t{0});
  }

  /// Not the key of one model but the kind: whatever says which layers cache what, for how many heads.
  void keys_of_that_kind_are_not_passed_over_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* key, const char* value) {
      QTest::newRow(key) << key << QByteArray(value);
    };
    row("num_query_groups", "2");
    row("n_kv_heads", "2");
    row("swa_num_key_value_heads", "8");
    row("attention_types", R"([[["global", "local"], 12]])");
    row("attn_layer_idx", "[9, 18]");
    row("kv_sharing_map", R"({"1": 0})");
    row("hybrid_layer_pattern", "[0, 1]");
    row("hybrid_override_pattern", R"("M-*-")");
    row("attn_layer_indices", "[9, 18]");
    row("per_layer_config", R"({"05": {"head_dim": 512}})");
    row("block_types", R"(["recurrent", "attention"])");
  }
  void keys_of_that_kind_are_not_passed_over() {
    QFETCH(QString, key);
    QFETCH(QByteArray, value);
    for (const char* name : {"yi-34b", "stablelm-2-1.6b"}) {
      json config = config_of(name);
      config[key.toStdString()] = json::parse(value.toStdString());
      const auto result = outline_of_config(config.dump(), "x");
      QVERIFY(!result);
      QVERIFY2(
          result.error().what.starts_with("Cannot estimate") && result.error().param == key.toStdString(),
          result.error().what.c_str());
    }
  }

  void widths_are_not_guessed() {
    json config = config_of("stablelm-2-1.6b");
    config.erase("intermediate_size");
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("intermediate_size"));
    config["intermediate_size"] = 0;
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("intermediate_size"));
    config = config_of("stablelm-2-1.6b");
    config["head_dim"] = 0;
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("head_dim"));
    config["head_dim"] = 64;
    config["hidden_size"] = json::array({2048, 2048});
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("hidden_size"));
    config = config_of("gemma-3n-E2B");
    config["text_config"]["num_kv_shared_layers"] = 30;
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("num_kv_shared_layers"));
    QVERIFY(
        outline_of_config(config_of("gpt-j-6b").dump(), "x").ok());  // four times as wide: n_inner is null
  }

  /// moonshotai/Kimi-K2-Thinking: 594 GB of files, INT4 in groups of 32 for routed experts alone.
  void linears_that_stay_as_they_are() {
    json config = config_of("deepseek-v2-lite");
    config.update({{"architectures", {"DeepseekV3ForCausalLM"}},
                   {"hidden_size", 7168},
                   {"intermediate_size", 18432},
                   {"num_hidden_layers", 61},
                   {"num_attention_heads", 64},
                   {"vocab_size", 163840},
                   {"moe_intermediate_size", 2048},
                   {"n_routed_experts", 384},
                   {"n_shared_experts", 1},
                   {"q_lora_rank", 1536}});
    json settings = {{"quant_method", "compressed-tensors"},
                     {"config_groups",
                      {{"group_0", {{"weights", {{"num_bits", 4}, {"type", "int"}, {"group_size", 32}}}}}}}};
    settings["ignore"] = {"lm_head", "re:.*self_attn.*", "re:.*shared_experts.*",
                          "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"};
    config["quantization_config"] = settings;
    QVERIFY2(std::abs(billions(outline(config)) - 594) < 2,
             qPrintable(QString::number(billions(outline(config)))));
    // Layer by layer, as ModelOpt lists them; one layer alone is no rule.
    const auto attention_bits = [&](const json& ignored) {
      config["quantization_config"]["ignore"] = ignored;
      const ModelOutline model = outline(config);
      return 8.0 * static_cast<double>(model.layer_bytes[5].attention) /
             static_cast<double>(model.layer_parameters[5].attention);
    };
    json each = json::array();
    for (int i = 0; i < 61; ++i) each.push_back("model.layers." + std::to_string(i) + ".self_attn*");
    QCOMPARE(attention_bits(each), 16.0);
    QCOMPARE(attention_bits({"model.layers.0.self_attn*"}), 4.5);
    QCOMPARE(attention_bits({"re:.*self_attn.kv_a_proj_with_mqa"}), 4.5);
  }

  void senseless_groups_are_refused() {
    json config = config_of("yi-34b");
    for (const json& settings : {json{{"quant_method", "awq"}, {"bits", 1'000'000}},
                                 json{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", -7}},
                                 json{{"quant_method", "gptq"}, {"bits", "four"}}}) {
      config["quantization_config"] = settings;
      const auto result = outline_of_config(config.dump(), "x");
      QVERIFY(!result && result.error().what.starts_with("Cannot estimate"));
    }
    config["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 3}, {"group_size", -1}};
    QCOMPARE(outline(config).weight_bits, 3.0);
  }

  /// planning.md §4: ModelOpt's hf_quant_config.json stands beside config.json and says the KV format.
  void quantisation_beside_the_config() {
    const test::TemporaryFolder folder;
    const json config = config_of("yi-34b");
    std::ofstream(folder.path() / "config.json") << config.dump();
    std::ofstream(folder.path() / "hf_quant_config.json") << R"({"producer": {"name": "modelopt"},
                         "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8",
                                          "exclude_modules": ["lm_head"]}})";
    const auto model = read_outline(folder.path().string());
    PW_VERIFY(model);
    QCOMPARE(model->weight_bits, 8.0);
    QCOMPARE(model->kv_format, std::string("fp8_e4m3"));
    std::ofstream(folder.path() / "hf_quant_config.json") << "[";
    QVERIFY(!read_outline(folder.path().string()));
  }

  /// As nvidia/Nemotron-H-8B-Base-8K and mistralai/Mamba-Codestral-7B-v0.1 have it.
  void numbers_of_python() {
    json config = config_of("mamba-codestral-7b");
    config["note"] = "NaN \" Infinity";  // of a text nothing changes
    std::string text = config.dump();
    text.insert(1, R"("time_step_limit": [0.0, Infinity], "x": [-Infinity, NaN], )");
    const auto model = outline_of_config(text, "x");
    PW_VERIFY(model);
    QCOMPARE(model->parameters(), outline(config).parameters());
    QVERIFY(!outline_of_config(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": Infinite})", "x"));
    QCOMPARE(without_python_numbers(config.dump()), config.dump());
  }

  /// Where such a number is read it is no absent key.
  void numbers_of_python_are_no_sizes() {
    for (const auto& [name, key] : {std::pair{"yi-34b", "num_key_value_heads"},
                                    {"granite-4-h-small", "layer_types"},
                                    {"deepseek-v2-lite", "kv_lora_rank"},
                                    {"deepseek-v2-lite", "n_routed_experts"}}) {
      json config = config_of(name);
      config[key] = "@";
      for (const char* number : {"NaN", "Infinity", "-Infinity"}) {
        std::string text = config.dump();
        text.replace(text.find("\"@\""), 3, number);
        const auto result = outline_of_config(text, "x");
        QVERIFY2(!result && result.error().what.find(key) != std::string::npos, key);
        QVERIFY2(result.error().what.find(number) != std::string::npos, result.error().what.c_str());
      }
    }
  }

  /// Keys without which a class is another model are not guessed.
  void keys_that_a_class_is_nothing_without() {
    for (const auto& [name, key] : {std::pair{"deepseek-v2-lite", "kv_lora_rank"},
                                    {"deepseek-v2-lite", "n_routed_experts"},
                                    {"deepseek-v2-lite", "moe_intermediate_size"},
                                    {"granite-4-h-small", "layer_types"},
                                    {"granite-4-h-small", "num_local_experts"},
                                    {"qwen3-next-80b", "full_attention_interval"},
                                    {"kimi-linear-48b", "linear_attn_config"}}) {
      json config = config_of(name);
      QVERIFY2(config.contains(key), key);
      config.erase(key);
      const auto result = outline_of_config(config.dump(), "x");
      QVERIFY2(!result, name);
      QVERIFY2(!result.error().param.empty() && result.error().what.find("is missing") != std::string::npos,
               result.error().what.c_str());
    }
  }

  /// A count that something is multiplied with or divided by makes no model where it is 0.
  void sizes_are_above_zero_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("key");
    const auto row = [](const char* family, const char* key) {
      QTest::newRow(qPrintable(QString("%1 %2").arg(family, key))) << QString(family) << QString(key);
    };
    for (const char* key : {"encoder_attention_heads", "decoder_layers", "d_model", "encoder_ffn_dim"})
      row("whisper-v3", key);
    for (const char* key : {"linear_num_value_heads", "linear_value_head_dim", "full_attention_interval",
                            "decoder_sparse_step", "num_experts_per_tok", "moe_intermediate_size"})
      row("qwen3-next-80b", key);
    for (const char* key : {"mamba_d_state", "mamba_dt_rank", "expert_layer_period", "attn_layer_period"})
      row("jamba-v0.1", key);
    for (const char* key : {"qk_rope_head_dim", "qk_nope_head_dim", "kv_lora_rank", "v_head_dim",
                            "vocab_size", "n_routed_experts"})
      row("deepseek-v2-lite", key);
    row("stablelm-2-1.6b", "num_key_value_heads");
    for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads"})
      row("yi-34b", key);  // through ModelSpec
  }
  void sizes_are_above_zero() {
    QFETCH(QString, family);
    QFETCH(QString, key);
    json config = config_of(qPrintable(family));
    QVERIFY2(outline_of_config(config.dump(), "x").ok(), "as published");
    config[key.toStdString()] = 0;
    const auto result = outline_of_config(config.dump(), "x");
    QVERIFY(!result);
    QCOMPARE(result.error().param, key.toStdString());
    const QString text = QString::fromStdString(result.error().what);
    QVERIFY2(text.contains("is 0, expected a count from 1 to 2,147,483,647"), qPrintable(text));
  }

  /// An empty list is no missing key, and an offset lies within its period.
  void lists_name_each_layer() {
    for (const auto& [name, key] : {std::pair{"granite-4-h-small", "layer_types"},
                                    {"gemma4-e2b", "layer_types"},
                                    {"zamba2-1.2b-published", "layers_block_type"}}) {
      json config = config_of(name);
      config[key] = json::array();
      const auto result = outline_of_config(config.dump(), "x");
      QVERIFY2(!result && result.error().param == key, name);
      QVERIFY2(result.error().what.find("is [], expected one for each of the ") != std::string::npos,
               result.error().what.c_str());
    }
    json jamba = config_of("jamba-v0.1");
    jamba["attn_layer_offset"] = 8;
    const auto result = outline_of_config(jamba.dump(), "x");
    QVERIFY(!result);
    QCOMPARE(result.error().what, std::string("\"attn_layer_offset\" is 8, expected less than "
                                              "attn_layer_period, 8"));
  }

  /// FalconConfig has no key for a length; vLLM takes 2,048. A Mamba's state is the same at any length.
  void lengths_that_files_do_not_state() {
    QCOMPARE(outline(config_of("falcon-7b")).context_length, std::int64_t{2048});
    const auto gpu = find_gpu("H200");
    PW_VERIFY(gpu);
    const ModelOutline mamba = outline(config_of("mamba-codestral-7b"));
    QCOMPARE(mamba.context_length, std::int64_t{0});
    const auto plan = plan_memory({}, mamba, *gpu);
    PW_VERIFY(plan);
    QCOMPARE(plan->max_model_len, 2048);
    QVERIFY(std::any_of(plan->notes.begin(), plan->notes.end(), [](const std::string& note) {
      return note.find("has one size at any length") != std::string::npos;
    }));
  }

  /// Zamba 2 states its KV heads under two names.
  void two_names_for_one_count() {
    json config = config_of("zamba2-1.2b-published");
    config["num_query_groups"] = 8;
    QCOMPARE(outline_of_config(config.dump(), "x").error().param, std::string("num_query_groups"));
  }

  /// Llama 4's list of sparse layers stands above its step.
  void sparse_layers_that_are_listed() {
    json config = config_of("llama4-maverick");
    json& text = config.contains("text_config") ? config["text_config"] : config;
    const std::int64_t wanted = outline(config).parameters();
    json listed = json::array();
    for (int i = 1; i < 48; i += 2) listed.push_back(i);
    text["moe_layers"] = listed;
    text["interleave_moe_layer_step"] = 1;
    QCOMPARE(outline(config).parameters(), wanted);
  }

  /// Gemma 4 as transformers 5 writes it, and as its hub files are.
  void layers_that_differ() {
    json config = config_of("gemma4-26b-a4b");
    const ModelOutline wanted = outline(config);
    for (std::size_t i = 5; i < 30; i += 6)
      config["per_layer_config"][std::to_string(i)] = {{"head_dim", 512}, {"num_key_value_heads", 2}};
    config.erase("global_head_dim");
    config.erase("num_global_key_value_heads");
    const ModelOutline model = outline(config);
    QCOMPARE(model.parameters(), wanted.parameters());
    QCOMPARE(demand(model).per_token(), demand(wanted).per_token());
    for (const char* wrong :
         {R"({"5": {"sliding_window": 4}})", R"({"30": {}})", R"({"x": {}})", R"({"5": 1})"}) {
      config["per_layer_config"] = json::parse(wrong);
      const auto result = outline_of_config(config.dump(), "x");
      QVERIFY2(!result && result.error().param == "per_layer_config", wrong);
    }
  }

  /// Side by side, attention and MLP of StableLM 2 12B share a norm.
  void parallel_layers_share_a_norm() {
    json config = config_of("stablelm-2-1.6b");
    const ModelOutline apart = outline(config);
    config["use_parallel_residual"] = true;
    const auto layers = static_cast<std::int64_t>(apart.layers.size());
    QCOMPARE(apart.parameters() - outline(config).parameters(), layers * 2 * apart.hidden);
  }

  /// Known by name, and why no number is given.
  void layers_that_no_group_expresses() {
    json config = config_of("yi-34b");
    config["architectures"] = {"DeepseekV4ForCausalLM"};
    const auto result = outline_of_config(config.dump(), "x");
    QVERIFY(!result);
    QCOMPARE(result.error().kind, Error::Kind::unsupported);
    QVERIFY2(result.error().what.starts_with(
                 "Cannot estimate: layers of architecture `DeepseekV4ForCausalLM` keep "),
             result.error().what.c_str());
  }

  /// transformers 5 writes of each layer what first_k_dense_replace said of all.
  /// transformers 5 calls recurrent layers of every kind linear; the other keys say which it is.
  void linear_layers_of_mamba() {
    json config = config_of("granite-4-h-small");
    const ModelOutline wanted = outline(config);
    for (json& type : config["layer_types"]) type = type == "mamba" ? "linear_attention" : "full_attention";
    const ModelOutline model = outline(config);
    QCOMPARE(model.parameters(), wanted.parameters());
    QCOMPARE(demand(model).state(), demand(wanted).state());
  }

  void letters_that_are_spelt_out() {
    json config = config_of("nemotron-h-8b");
    const std::int64_t wanted = outline(config).parameters();
    json types = json::array();
    for (const char letter : config["hybrid_override_pattern"].get<std::string>())
      types.push_back(letter == 'M' ? "mamba" : letter == '*' ? "attention" : "mlp");
    config.erase("hybrid_override_pattern");
    config["layers_block_type"] = types;
    config["mtp_layers_block_type"] = {"attention", "moe"};
    QCOMPARE(outline(config).parameters(), wanted);
    config["layers_block_type"][0] = "rwkv";
    QVERIFY(!outline_of_config(config.dump(), "x"));
  }

  void latent_layers_of_unknown_types() {
    json config = config_of("deepseek-v2-lite");
    config["layer_types"] = std::vector<std::string>(27, "full_attention");
    QCOMPARE(demand(outline(config)).per_token(), Bytes{27} * 576 * 2);
    config["layer_types"][3] = "sliding_attention";
    config["sliding_window"] = 512;
    const auto result = outline_of_config(config.dump(), "x");
    QVERIFY(!result && result.error().what.find("sliding_attention") != std::string::npos);
  }

  void layers_that_say_whether_they_are_sparse() {
    json config = config_of("glm-4.7-flash");
    const std::int64_t wanted = outline(config).parameters();
    config.erase("first_k_dense_replace");
    std::vector<std::string> kinds(47, "sparse");
    kinds[0] = "dense";
    config["mlp_layer_types"] = kinds;
    QCOMPARE(outline(config).parameters(), wanted);
  }

  void towers_are_marked() {
    json config = config_of("qwen2-vl-2b");
    config["audio_config"] = {{"d_model", 1280}};
    const ModelOutline model = outline(config);
    const auto says = [&](std::string_view text) {
      return std::any_of(model.remarks.begin(), model.remarks.end(),
                         [&](const std::string& remark) { return remark.find(text) != std::string::npos; });
    };
    QVERIFY(says("vision tower is estimated"));
    QVERIFY(says("audio tower's weights are not counted"));
  }

  /// Stages share out the layers that are there: a prediction head that is off is none.
  void drafts_are_no_layers_of_a_stage() {
    const auto gpu = find_gpu("H200");
    PW_VERIFY(gpu);
    Deployment asked;
    asked.max_model_len = 4096;
    asked.engine = "needed";
    asked.gpus = asked.pipeline_parallel = 46;
    const ModelOutline air = [] {
      json config = config_of("glm-4.5");
      config["num_hidden_layers"] = 45;
      return outline(config);
    }();
    const auto plan = plan_memory(asked, air, *gpu);
    QVERIFY(!plan);
    QVERIFY2(plan.error().what.find("45 layers") != std::string::npos, plan.error().what.c_str());
    asked.gpus = asked.pipeline_parallel = 3;
    const auto thirds = plan_memory(asked, air, *gpu);
    PW_VERIFY(thirds);
    for (const RankPlan& rank : thirds->ranks) QCOMPARE(rank.kv_bytes_per_token, Bytes{15} * 2 * 8 * 128 * 2);
  }

  void nothing_is_left_of_a_card() {
    const auto gpu = find_gpu("H200");
    PW_VERIFY(gpu);
    const ModelOutline model = outline(config_of("yi-34b"));
    Deployment asked;
    asked.max_model_len = 4096;
    asked.budget.other_processes = 200 * kGiB;
    const auto crowded = plan_memory(asked, model, *gpu);
    QVERIFY(!crowded);
    QCOMPARE(crowded.error().param, std::string("other-processes"));
    QVERIFY(crowded.error().what.find("200.00 GiB") != std::string::npos);
    asked.budget = {.meaning = MemoryBudget::Meaning::margin, .bytes = 200 * kGiB};
    QCOMPARE(plan_memory(asked, model, *gpu).error().param, std::string("memory-margin"));
    asked.budget = {.meaning = MemoryBudget::Meaning::bytes, .bytes = 500 * kGiB};
    const auto plan = plan_memory(asked, model, *gpu);
    PW_VERIFY(plan);
    QVERIFY(plan->worst_rank().limit < gpu->memory);
    QVERIFY(std::any_of(plan->notes.begin(), plan->notes.end(), [](const std::string& note) {
      return note.find("memory-limit is 500.00 GiB, more than") != std::string::npos;
    }));
  }
};

QTEST_APPLESS_MAIN(PlanFamiliesTest)
#include "plan_families_test.moc"
