// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints as Models: GGUF, safetensors alone and sharded, and what of a config.json is refused.
#include <QtTest>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/model/model.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/safetensors_writer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

json read_json(const fs::path& file) {
  return json::parse(std::ifstream(file));
}

std::vector<float> floats_of(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.rows * view.columns));
  dequantize(view.type, view.data, values.data(), view.rows * view.columns);
  return values;
}

struct ConfigCase {
  const char* name;
  std::function<void(json&)> change;
  std::vector<std::string> says;
  const char* param = "";
};

const std::vector<ConfigCase>& refused_configs() {
  static const std::vector<ConfigCase> all = {
      {"architecture",
       [](json& c) { c["architectures"] = {"FooForCausalLM"}; },
       {"FooForCausalLM", "LlamaForCausalLM", "Qwen3MoeForCausalLM"},
       "architectures"},
      {"no architecture in the list",
       [](json& c) { c["architectures"] = json::array(); },
       {"architectures"},
       "architectures"},
      {"no architecture", [](json& c) { c.erase("architectures"); }, {"architectures"}, "architectures"},
      {"quantised",
       [](json& c) {
         c["quantization_config"] = {{"quant_method", "foo"}};
       },
       {"foo"},
       "quant_method"},
      {"mlp bias without tensors", [](json& c) { c["mlp_bias"] = true; }, {"gate_proj.bias", "missing"}},
      {"attention bias without tensors",
       [](json& c) { c["attention_bias"] = true; },
       {"q_proj.bias", "missing"}},
      {"activation", [](json& c) { c["hidden_act"] = "relu"; }, {"\"relu\""}, "hidden_act"},
      {"new rope scaling",
       [](json& c) {
         c["rope_parameters"] = {{"rope_type", "proportional"}, {"factor", 8.0}};
       },
       {"\"proportional\""},
       "rope_parameters"},
      {"old rope scaling",
       [](json& c) {
         c.erase("rope_parameters");
         c["rope_scaling"] = {{"type", "mrope"}, {"mrope_section", {8, 12, 12}}};
       },
       {"\"mrope\""},
       "rope_scaling"},
      {"rope scaling without its factor",
       [](json& c) {
         c["rope_parameters"] = {{"rope_type", "linear"}};
       },
       {"factor", "missing"},
       "factor"},
      {"longrope with too few factors",
       [](json& c) {
         c["rope_parameters"] = {{"rope_type", "longrope"}, {"short_factor", {1.0}}, {"long_factor", {2.0}}};
       },
       {"1 long factors", "needs 32"}},
      {"partial rotary of 0", [](json& c) { c["partial_rotary_factor"] = 0; }, {"partial_rotary_factor"}},
      {"hidden missing", [](json& c) { c.erase("hidden_size"); }, {"hidden_size", "missing"}, "hidden_size"},
      {"hidden as text",
       [](json& c) { c["hidden_size"] = "128"; },
       {"hidden_size", "expected a count"},
       "hidden_size"},
      {"hidden negative", [](json& c) { c["hidden_size"] = -128; }, {"-128"}, "hidden_size"},
      {"layers 0",
       [](json& c) { c["num_hidden_layers"] = 0; },
       {"\"num_hidden_layers\" is 0, expected a count from 1"}},
      {"layers 10^9",
       [](json& c) { c["num_hidden_layers"] = 1'000'000'000; },
       {"1000000000"},
       "num_hidden_layers"},
      {"layers 4", [](json& c) { c["num_hidden_layers"] = 4; }, {"model.layers.3.", "missing"}},
      {"layers 2",
       [](json& c) { c["num_hidden_layers"] = 2; },
       {"9 tensors have no place", "model.layers.2."}},
      {"heads uneven", [](json& c) { c["num_key_value_heads"] = 3; }, {"4 attention heads", "3 KV heads"}},
      {"head width",
       [](json& c) {
         c["num_attention_heads"] = 3;
         c.erase("head_dim");
       },
       {"128", "3 heads"}},
      {"shape",
       [](json& c) { c["intermediate_size"] = 255; },
       {"mlp.gate_proj.weight", "256 × 128", "255 × 128"}},
      {"vocabulary",
       [](json& c) { c["vocab_size"] = 500; },
       {"embed_tokens.weight", "512 × 128", "500 × 128"}},
      {"flag as number",
       [](json& c) { c["tie_word_embeddings"] = 1; },
       {"true or false"},
       "tie_word_embeddings"},
  };
  return all;
}

}  // namespace

class ModelTest : public QObject {
  Q_OBJECT
 private slots:

  void a_small_gguf_is_described() {
    test::TemporaryFolder folder;
    const auto opened = Model::open(test::tiny_llama().save(folder.path() / "tiny.gguf"));
    PW_VERIFY(opened);
    const Model& model = **opened;
    const ModelSpec& spec = model.spec();
    QCOMPARE(spec.architecture, std::string("llama"));
    QCOMPARE(spec.name, std::string("Tiny"));
    QCOMPARE(model.format(), std::string("GGUF v3"));
    QCOMPARE(spec.hidden, 8);
    QCOMPARE(spec.vocabulary, 6);
    QCOMPARE(spec.context_length, 64);
    QCOMPARE(spec.norm.epsilon, 1e-5f);
    QVERIFY(!spec.tied_embeddings);
    QCOMPARE(spec.layers.size(), 2u);
    const AttentionSpec& attention = spec.layers[1].attention;
    QCOMPARE(attention.heads, 2);
    QCOMPARE(attention.kv_heads, 1);
    QCOMPARE(attention.head_dim, 4);
    QCOMPARE(attention.scale, 0.5f);
    QCOMPARE(attention.rope->theta, 5000.0);
    QCOMPARE(attention.rope->rotary_dim, 4);
    QVERIFY(attention.rope->pairing == RopeSpec::Pairing::neighbours);
    QVERIFY(!attention.qkv_bias && !attention.window);
    QCOMPARE(spec.layers[0].mlp.intermediate, 12);
    QCOMPARE(spec.kv_bytes_per_token(2), 2 * 2 * 4 * 2);
    QCOMPARE(model.parameters(), 6 * 8 * 2 + 8 + 2 * (8 + 64 + 32 + 32 + 64 + 8 + 3 * 96));
    QCOMPARE(model.weight_bytes(), 4 * model.parameters());

    const VocabularyData& vocabulary = model.vocabulary();
    QVERIFY(vocabulary.source == VocabularyData::Source::gguf);
    QCOMPARE(vocabulary.model, std::string("gpt2"));
    QCOMPARE(vocabulary.pre, std::string("gpt-2"));
    QCOMPARE(vocabulary.tokens, (std::vector<std::string>{"<s>", "</s>", "a", "b", "c", "ab"}));
    QCOMPARE(vocabulary.token_types, (std::vector<std::int32_t>{3, 3, 1, 1, 1, 1}));
    QCOMPARE(vocabulary.merges, std::vector<std::string>{"a b"});
    QVERIFY(vocabulary.bos == 0 && vocabulary.eos == 1 && !vocabulary.unknown && vocabulary.add_bos &&
            !vocabulary.add_eos);
    QCOMPARE(model.chat_template(), std::string("{{ messages[0]['content'] }}"));
    QCOMPARE(model.header_sha256().size(), 64u);
  }

  void gguf_variants_are_read() {
    test::TemporaryFolder folder;
    auto writer = test::tiny_llama();
    writer.version = 2;
    writer.alignment = 64;
    writer.u32("general.alignment", 64);
    std::erase_if(writer.tensors, [](const auto& tensor) { return tensor.name == "output.weight"; });
    writer.remove("llama.attention.head_count_kv");
    writer.i32s("llama.attention.head_count_kv", {1, 1});
    writer.remove("llama.rope.dimension_count");
    writer.remove("tokenizer.ggml.model");
    const auto opened = Model::open(writer.save(folder.path() / "tiny.gguf"));
    PW_VERIFY(opened);
    QCOMPARE((*opened)->format(), std::string("GGUF v2"));
    QVERIFY((*opened)->spec().tied_embeddings);
    QCOMPARE((*opened)->weights().output.data, (*opened)->weights().embedding.data);
    QCOMPARE((*opened)->spec().layers[0].attention.rope->rotary_dim, 4);
    QVERIFY((*opened)->vocabulary().source == VocabularyData::Source::none);
    QCOMPARE((*opened)->weights().embedding.bytes, 6 * 8 * 4);
    QCOMPARE(std::memcmp((*opened)->weights().embedding.data, writer.tensors.front().data.data(), 6 * 8 * 4),
             0);
  }

  void the_identity_follows_the_header() {
    test::TemporaryFolder folder;
    const auto identity = [&](const test::GgufWriter& writer) {
      return (*Model::open(writer.save(folder.path() / "tiny.gguf")))->header_sha256();
    };
    auto renamed = test::tiny_llama();
    renamed.u32("general.note", 1);
    QCOMPARE(identity(test::tiny_llama()), identity(test::tiny_llama()));
    QVERIFY(identity(test::tiny_llama()) != identity(renamed));
  }

  void the_starter_model_is_described() {
    const auto path = test::starter_model();
    if (!path) QSKIP("the starter model has not been fetched (pitwallctl fetch smollm2)");
    const auto opened = Model::open(*path);
    PW_VERIFY(opened);
    const Model& model = **opened;
    QCOMPARE(model.spec().layers.size(), 30u);
    QCOMPARE(model.spec().hidden, 576);
    QCOMPARE(model.spec().vocabulary, 49152);
    QCOMPARE(model.spec().context_length, 8192);
    QVERIFY(model.spec().tied_embeddings);
    for (const LayerSpec& layer : model.spec().layers) {
      QCOMPARE(layer.attention.heads, 9);
      QCOMPARE(layer.attention.kv_heads, 3);
      QCOMPARE(layer.attention.head_dim, 64);
      QCOMPARE(layer.attention.rope->rotary_dim, 64);
      QCOMPARE(layer.attention.rope->theta, 100000.0);
      QCOMPARE(layer.mlp.intermediate, 1536);
    }
    std::map<std::string, int> tensors;
    for (const auto& count : model.type_counts())
      tensors[std::string(tensor_type_info(count.type).name)] = count.tensors;
    QCOMPARE(tensors, (std::map<std::string, int>{{"F32", 61}, {"Q4_1", 210}, {"Q8_0", 1}}));
    QCOMPARE(model.quantization(), std::string("Q4_1"));
    QCOMPARE(model.parameters(), 134'515'008);
    QCOMPARE(model.spec().kv_bytes_per_token(2), 30 * 2 * 3 * 64 * 2);
    QCOMPARE(model.vocabulary().tokens.size(), 49152u);
    QCOMPARE(model.vocabulary().merges.size(), 48900u);
    QVERIFY(model.vocabulary().bos == 1 && model.vocabulary().eos == 2 &&
            model.vocabulary().add_bos == false);
    QVERIFY(model.chat_template().find("<|im_start|>") != std::string::npos);
  }

  void golden_folders_are_described_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kv_heads");
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<bool>("tied");
    QTest::newRow("llama-gqa") << "llama-gqa" << 2 << 64 << false;
    QTest::newRow("llama-mha-tied") << "llama-mha-tied" << 4 << 32 << true;
  }
  void golden_folders_are_described() {
    QFETCH(QString, name);
    QFETCH(int, kv_heads);
    QFETCH(int, head_dim);
    QFETCH(bool, tied);
    const auto opened = Model::open(test::data("golden/" + name.toStdString()));
    PW_VERIFY(opened);
    const Model& model = **opened;
    QCOMPARE(model.format(), std::string("safetensors"));
    QCOMPARE(model.spec().name, name.toStdString());
    QCOMPARE(model.spec().layers.size(), 3u);
    const AttentionSpec& attention = model.spec().layers[2].attention;
    QCOMPARE(attention.heads, 4);
    QCOMPARE(attention.kv_heads, kv_heads);
    QCOMPARE(attention.head_dim, head_dim);
    QCOMPARE(attention.rope->theta, 10000.0);
    QCOMPARE(attention.rope->rotary_dim, head_dim);
    QVERIFY(attention.rope->pairing == RopeSpec::Pairing::halves);
    QCOMPARE(model.spec().tied_embeddings, tied);
    QCOMPARE(model.weights().output.data == model.weights().embedding.data, tied);
    QCOMPARE(model.quantization(), std::string("BF16"));
    QVERIFY(model.vocabulary().source == VocabularyData::Source::none);
    QVERIFY(model.vocabulary().bos == 1 && model.vocabulary().eos == 2);
    QCOMPARE(model.weight_bytes(), 2 * model.parameters());
    QCOMPARE(model.weights().layers[0].o.rows, 128);
    QCOMPARE(model.weights().layers[0].o.columns, 4 * head_dim);
    for (const float weight : floats_of(model.weights().output_norm)) QVERIFY(std::isfinite(weight));
  }

  void refused_configs_name_the_key_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < refused_configs().size(); ++i)
      QTest::newRow(refused_configs()[i].name) << static_cast<int>(i);
  }
  void refused_configs_name_the_key() {
    QFETCH(int, index);
    const ConfigCase& refused = refused_configs()[static_cast<std::size_t>(index)];
    test::TemporaryFolder folder;
    json config = read_json(test::data("golden/llama-gqa/config.json"));
    refused.change(config);
    write_text(folder.path() / "config.json", config.dump());
    fs::copy_file(test::data("golden/llama-gqa/model.safetensors"), folder.path() / "model.safetensors");
    const auto model = Model::open(folder.path());
    QVERIFY(!model.ok());
    const std::string text = model.error().text();
    qInfo() << text.c_str();
    for (const std::string& part : refused.says) QVERIFY2(text.find(part) != std::string::npos, part.c_str());
    if (*refused.param != '\0') QCOMPARE(model.error().param, std::string(refused.param));
  }

  void older_configs_mean_the_same() {
    test::TemporaryFolder folder;
    json config = read_json(test::data("golden/llama-gqa/config.json"));
    config.erase("rope_parameters");
    config["rope_theta"] = 500000.0;
    config["rope_scaling"] = nullptr;
    config["eos_token_id"] = {2, 3, 9};
    config["pad_token_id"] = -1;
    write_text(folder.path() / "config.json", config.dump());
    fs::copy_file(test::data("golden/llama-gqa/model.safetensors"), folder.path() / "model.safetensors");
    write_text(
        folder.path() / "tokenizer_config.json",
        R"({"chat_template": [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]})");
    const auto model = Model::open(folder.path());
    PW_VERIFY(model);
    QCOMPARE((*model)->spec().layers[0].attention.rope->theta, 500000.0);
    QVERIFY((*model)->vocabulary().eos == 2 &&
            (*model)->vocabulary().ends == (std::vector<TokenId>{2, 3, 9}) &&
            !(*model)->vocabulary().padding);
    QCOMPARE((*model)->chat_template(), std::string("D"));
  }

  void chat_templates_come_from_where_checkpoints_keep_them() {
    test::TemporaryFolder folder;
    fs::copy_file(test::data("golden/llama-gqa/config.json"), folder.path() / "config.json");
    fs::copy_file(test::data("golden/llama-gqa/model.safetensors"), folder.path() / "model.safetensors");
    const auto names_and_default = [&]() -> std::string {
      const auto model = Model::open(folder.path());
      if (!model.ok()) return model.error().what;
      std::string names;
      for (const NamedTemplate& each : (*model)->chat_templates())
        names += each.name + "=" + each.source + " ";
      return names + "| " + (*model)->chat_template() + " | " + (*model)->chat_template(true);
    };
    QCOMPARE(names_and_default(), std::string("|  | "));
    write_text(folder.path() / "tokenizer_config.json", R"({"chat_template": "C"})");
    QCOMPARE(names_and_default(), std::string("default=C | C | C"));
    write_text(folder.path() / "chat_template.json", R"({"chat_template": "J"})");
    QCOMPARE(names_and_default(), std::string("default=J | J | J"));
    write_text(folder.path() / "chat_template.jinja", "F");
    QCOMPARE(names_and_default(), std::string("default=F | F | F"));
    write_text(
        folder.path() / "tokenizer_config.json",
        R"({"chat_template": [{"name": "tool_use", "template": "L"}, {"name": "rag", "template": "R"}]})");
    QCOMPARE(names_and_default(), std::string("default=F rag=R tool_use=L | F | L"));
    fs::create_directory(folder.path() / "additional_chat_templates");
    write_text(folder.path() / "additional_chat_templates/tool_use.jinja", "T");
    QCOMPARE(names_and_default(), std::string("default=F rag=R tool_use=T | F | T"));
    write_text(folder.path() / "tokenizer_config.json", R"({"chat_template": [{"name": "x"}]})");
    QVERIFY(!Model::open(folder.path()).ok());
  }

  void chat_templates_of_gguf_files_have_names() {
    test::TemporaryFolder folder;
    auto writer = test::tiny_llama();
    writer.text("tokenizer.chat_template.tool_use", "T");
    writer.text("tokenizer.chat_template.rag", "R");
    writer.texts("tokenizer.chat_templates", {"rag", "tool_use"});
    const auto model = Model::open(writer.save(folder.path() / "tiny.gguf"));
    PW_VERIFY(model);
    QCOMPARE((*model)->chat_templates().size(), std::size_t{3});
    QCOMPARE((*model)->chat_templates()[0].name, std::string("default"));
    QCOMPARE((*model)->chat_templates()[1].source, std::string("R"));
    QCOMPARE((*model)->chat_template(), std::string("{{ messages[0]['content'] }}"));
    QCOMPARE((*model)->chat_template(true), std::string("T"));
  }

  void shards_are_one_model() {
    test::TemporaryFolder folder;
    write_shards(folder.path());
    const auto sharded = Model::open(folder.path()), whole = Model::open(test::data("golden/llama-gqa"));
    PW_VERIFY(sharded);
    QCOMPARE((*sharded)->parameters(), (*whole)->parameters());
    for (std::size_t i = 0; i < 3; ++i) {
      QCOMPARE(floats_of((*sharded)->weights().layers[i].mlp.down),
               floats_of((*whole)->weights().layers[i].mlp.down));
    }
  }

  void broken_shards_are_named() {
    test::TemporaryFolder folder;
    write_shards(folder.path());
    const fs::path index_file = folder.path() / "model.safetensors.index.json";
    const json index = read_json(index_file);
    const auto error_with = [&](const std::function<void(json&)>& change) {
      json changed = index;
      change(changed);
      write_text(index_file, changed.dump());
      const auto model = Model::open(folder.path());
      return model.ok() ? std::string() : model.error().text();
    };
    const auto contains = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    QVERIFY(contains(error_with([](json& i) { i["weight_map"]["lm_head.weight"] = "b.safetensors"; }),
                     "does not hold it"));
    QVERIFY(contains(error_with([](json& i) { i["weight_map"]["lm_head.weight"] = "gone.safetensors"; }),
                     "gone.safetensors"));
    QVERIFY(contains(error_with([](json& i) { i["weight_map"]["lm_head.weight"] = "../a.safetensors"; }),
                     "no plain file name"));
    QVERIFY(contains(error_with([](json& i) { i["weight_map"].erase("lm_head.weight"); }), "lm_head.weight"));
    QVERIFY(contains(error_with([](json& i) { i.erase("weight_map"); }), "weight_map"));
    write_text(index_file, "{");
    QVERIFY(contains(Model::open(folder.path()).error().text(), "not a JSON object"));
  }

  void only_the_files_of_the_index_count() {
    test::TemporaryFolder plain, stray;
    for (const auto* folder : {&plain, &stray}) write_shards(folder->path());
    for (const char* name : {"consolidated.safetensors", "model.safetensors", "adapter.safetensors"})
      fs::copy_file(test::data("golden/llama-mha-tied/model.safetensors"), stray.path() / name);
    const auto expected = Model::open(plain.path()), model = Model::open(stray.path());
    PW_VERIFY(expected);
    PW_VERIFY(model);
    QCOMPARE((*model)->weight_bytes(), (*expected)->weight_bytes());
    QCOMPARE((*model)->header_sha256(), (*expected)->header_sha256());

    // Without the index and the usual name nothing says which file is the model.
    fs::remove(stray.path() / "model.safetensors.index.json");
    fs::remove(stray.path() / "model.safetensors");
    const QString text = QString::fromStdString(Model::open(stray.path()).error().text());
    QVERIFY2(text.contains("adapter.safetensors, b.safetensors, consolidated.safetensors"), qPrintable(text));
  }

  void links_of_the_hub_cache_are_followed() {
    test::TemporaryFolder blobs, snapshot;
    fs::copy_file(test::data("golden/llama-gqa/config.json"), blobs.path() / "c0ffee");
    write_shards(blobs.path());
    fs::create_symlink(blobs.path() / "c0ffee", snapshot.path() / "config.json");
    for (const char* name : {"a.safetensors", "b.safetensors", "model.safetensors.index.json"})
      fs::create_symlink(blobs.path() / name, snapshot.path() / name);
    PW_VERIFY(Model::open(snapshot.path()));
    fs::remove(blobs.path() / "b.safetensors");
    const QString text = QString::fromStdString(Model::open(snapshot.path()).error().text());
    QVERIFY2(text.contains("b.safetensors is missing"), qPrintable(text));
  }

  void tensors_of_any_shape_are_rows_of_the_last_dimension() {
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "t.safetensors";
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"empty":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]},)"
        R"("experts":{"dtype":"I8","shape":[2,3,4],"data_offsets":[0,24]},)"
        R"("one":{"dtype":"F64","shape":[],"data_offsets":[24,32]}})";
    write_text(file, test::GgufWriter::pack(static_cast<std::uint64_t>(header.size())) + header +
                         std::string(32, '\0'));
    const auto opened = SafetensorsFile::open(file);
    PW_VERIFY(opened);
    const TensorView *experts = opened->find("experts"), *one = opened->find("one");
    QVERIFY(experts->rows == 6 && experts->columns == 4 && experts->type == TensorType::i8);
    QVERIFY(one->rows == 1 && one->columns == 1 && one->type == TensorType::f64);
    QCOMPARE(one->data - experts->data, 24);
    QCOMPARE(opened->find("empty")->bytes, 0);
  }

  void broken_safetensors_are_named_data() {
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QString>("says");
    QTest::newRow("no json") << QByteArray("nonsense") << "not a JSON object";
    QTest::newRow("array") << QByteArray("[1]") << "not a JSON object";
    QTest::newRow("number") << QByteArray(R"({"t":1e400})") << "number that is too large";
    QTest::newRow("deep") << QByteArray(R"({"t":)") + QByteArray(1000, '[') + QByteArray(1000, ']') + "}"
                          << "levels";
    QTest::newRow("dtype") << QByteArray(R"({"t":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})")
                           << "\"C64\"";
    QTest::newRow("no shape") << QByteArray(R"({"t":{"dtype":"F32","data_offsets":[0,8]}})") << "lacks";
    QTest::newRow("not an object") << QByteArray(R"({"t":7})") << "lacks";
    QTest::newRow("negative") << QByteArray(R"({"t":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})")
                              << "lacks";
    QTest::newRow("offsets") << QByteArray(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})")
                             << "needs 8 bytes";
    QTest::newRow("backwards") << QByteArray(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})")
                               << "needs 8 bytes";
    QTest::newRow("huge")
        << QByteArray(R"({"t":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})")
        << "4294967296";
    QTest::newRow("huge in three")
        << QByteArray(R"({"t":{"dtype":"F32","shape":[2097152,2097152,0],"data_offsets":[0,0]}})")
        << "2097152";
    QTest::newRow("one byte more") << QByteArray(R"({"t":{"dtype":"U8","shape":[7],"data_offsets":[0,7]}})")
                                   << "needs 68 bytes and has 69";
    QTest::newRow("hole")
        << QByteArray(
               R"({"s":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"t":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})")
        << "tensor \"t\" starts at byte 3";
    QTest::newRow("overlap")
        << QByteArray(
               R"({"s":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"t":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})")
        << "tensor \"t\" starts at byte 3";
    QTest::newRow("short") << QByteArray(R"({"t":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})")
                           << "incomplete";
    QTest::newRow("far")
        << QByteArray(
               R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551611,18446744073709551615]}})")
        << "18446744073709551611";
  }
  void broken_safetensors_are_named() {
    QFETCH(QByteArray, header);
    QFETCH(QString, says);
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "t.safetensors";
    write_text(file, test::GgufWriter::pack(static_cast<std::uint64_t>(header.size())) +
                         header.toStdString() + std::string(8, '\0'));
    const auto opened = SafetensorsFile::open(file);
    QVERIFY(!opened.ok());
    const QString text = QString::fromStdString(opened.error().text());
    QVERIFY2(text.contains(says) && text.contains("t.safetensors"), qPrintable(text));
  }

  void shorter_safetensors_are_refused() {
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "t.safetensors";
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    PW_VERIFY(write_safetensors(
        file, {{"a", 2, 2, std::span(values).first(4)}, {"b", 1, 2, std::span(values).last(2)}}));
    std::ifstream stream(file, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), {}};
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write_text(file, whole.substr(0, size));
      QVERIFY(!SafetensorsFile::open(file).ok());
    }
    write_text(file, std::string(8, '\xFF') + whole);
    QVERIFY(!SafetensorsFile::open(file).ok());
  }

  void what_the_writer_writes_the_reader_reads() {
    test::TemporaryFolder folder;
    const fs::path file = folder.path() / "t.safetensors";
    const std::vector<float> values = {1, -2, 3.5f, 4, 5, 6};
    PW_VERIFY(write_safetensors(
        file, {{"b", 2, 2, std::span(values).first(4)}, {"a", 1, 2, std::span(values).last(2)}}));
    const auto read = SafetensorsFile::open(file);
    PW_VERIFY(read);
    QCOMPARE(read->tensors().size(), 2u);
    QCOMPARE(read->find("b")->rows, 2);
    QCOMPARE(floats_of(*read->find("b")), (std::vector<float>{1, -2, 3.5f, 4}));
    QCOMPARE(floats_of(*read->find("a")), (std::vector<float>{5, 6}));
    QVERIFY(read->find("c") == nullptr);
  }

  void a_spec_is_checked() {
    ModelSpec spec = (*Model::open(test::data("golden/llama-gqa")))->spec();
    PW_VERIFY(spec.check());
    spec.layers[1].attention.window = 0;
    QVERIFY(spec.check().error().what.find("Layer 1") != std::string::npos);
  }

 private:
  // llama-gqa as two float32 shards: the embedding, the norms and lm_head in one, the layers' matrices in the
  // other.
  static void write_shards(const fs::path& folder) {
    const auto source = SafetensorsFile::open(test::data("golden/llama-gqa/model.safetensors"));
    std::vector<std::vector<float>> values;
    std::vector<NamedMatrix> a, b;
    json map;
    values.reserve(source->tensors().size());
    for (const TensorView& view : source->tensors()) {
      values.push_back(floats_of(view));
      const bool layer = view.name.starts_with("model.layers.");
      (layer ? b : a).push_back({view.name, view.rows, view.columns, values.back()});
      map[view.name] = layer ? "b.safetensors" : "a.safetensors";
    }
    QVERIFY(write_safetensors(folder / "a.safetensors", a).ok());
    QVERIFY(write_safetensors(folder / "b.safetensors", b).ok());
    write_text(folder / "model.safetensors.index.json", json{{"weight_map", map}}.dump());
    fs::copy_file(test::data("golden/llama-gqa/config.json"), folder / "config.json");
  }
};

QTEST_APPLESS_MAIN(ModelTest)
#include "model_test.moc"
