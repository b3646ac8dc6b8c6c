// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints that this engine does not serve: bytes from their headers, layers from what describes them.
#include <sys/stat.h>

#include <QTest>
#include <fstream>

#include "engine/model/model.h"
#include "engine/model/safetensors_writer.h"
#include "engine/plan/kv_demand.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

using Kind = LayerState::Kind;

void add(test::GgufWriter& file, const std::string& name, std::uint64_t columns, std::uint64_t rows) {
  file.tensors.push_back({name, {columns, rows}, 0, std::string(columns * rows * 4, '\0')});
}

/// A hybrid of 4 layers, every second one attending.
test::GgufWriter hybrid() {
  test::GgufWriter file;
  file.text("general.architecture", "qwen35");
  file.u32("qwen35.block_count", 4);
  file.u32("qwen35.embedding_length", 64);
  file.u32("qwen35.context_length", 4096);
  file.u32("qwen35.attention.head_count", 4);
  file.u32("qwen35.attention.head_count_kv", 2);
  file.u32("qwen35.attention.key_length", 32);
  file.u32("qwen35.attention.value_length", 32);
  file.u32("qwen35.full_attention_interval", 2);
  file.u32("qwen35.ssm.conv_kernel", 4);
  file.u32("qwen35.ssm.state_size", 16);
  file.u32("qwen35.ssm.inner_size", 128);
  file.u32("qwen35.ssm.group_count", 2);
  add(file, "token_embd.weight", 64, 100);
  add(file, "output.weight", 64, 100);
  for (int i = 0; i < 4; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    add(file, layer + "attn_q.weight", 64, 128);
    add(file, layer + "attn_k.weight", 64, 64);
    add(file, layer + "ffn_up.weight", 64, 96);
    add(file, layer + "attn_norm.weight", 64, 1);
  }
  return file;
}

Bytes per_token(const ModelOutline& model) {
  return KvDemand(model, {KvLaw::needed, find_kv_format("float16").value()}, 0, model.layers.size())
      .per_token();
}

/// Keys of one architecture.
void add_numbers(test::GgufWriter& file, const std::string& prefix,
                 std::initializer_list<std::pair<const char*, std::uint32_t>> numbers) {
  for (const auto& [key, value] : numbers) file.u32(prefix + key, value);
}

}  // namespace

class PlanHeadersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_hybrid_gguf() {
    const test::TemporaryFolder folder;
    const auto outline = read_outline(hybrid().save(folder.path() / "hybrid.gguf").string());
    PW_VERIFY(outline);
    QVERIFY(!outline->runs_here());
    QVERIFY(outline->from_headers);
    QCOMPARE(outline->layers[0].kind, Kind::recurrent);
    QCOMPARE(outline->layers[1].kind, Kind::full);
    QCOMPARE(outline->layers[0].recurrent_numbers, std::int64_t{128 * 16});
    QCOMPARE(outline->layers[0].convolution_numbers, std::int64_t{(128 + 2 * 2 * 16) * 3});
    QCOMPARE(per_token(*outline), Bytes{2} * 2 * 2 * 32 * 2);
    QCOMPARE(outline->vocabulary, 100);
    QCOMPARE(outline->weight_bytes(), 4 * outline->parameters());
    QCOMPARE(outline->layer_bytes[0].kv, Bytes{64} * 64 * 4);
    QVERIFY(!outline->remarks.empty());
  }

  void latent_rows_and_windows() {
    const test::TemporaryFolder folder;
    test::GgufWriter file;
    file.text("general.architecture", "deepseek2");
    add_numbers(file, "deepseek2.",
                {{"block_count", 2u},
                 {"embedding_length", 64u},
                 {"context_length", 4096u},
                 {"attention.head_count", 4u},
                 {"attention.head_count_kv", 1u},
                 {"attention.kv_lora_rank", 512u},
                 {"rope.dimension_count", 64u}});
    add(file, "token_embd.weight", 64, 100);
    add(file, "blk.0.attn_kv_a_mqa.weight", 64, 576);
    add(file, "blk.1.attn_kv_a_mqa.weight", 64, 576);
    const auto latent = read_outline(file.save(folder.path() / "latent.gguf").string());
    PW_VERIFY(latent);
    QCOMPARE(per_token(*latent), Bytes{2} * 576 * 2);
    QVERIFY(latent->layer_bytes[0].replicated > 0);

    test::GgufWriter window;
    window.text("general.architecture", "gpt-oss");
    add_numbers(window, "gpt-oss.",
                {{"block_count", 2u},
                 {"embedding_length", 64u},
                 {"context_length", 4096u},
                 {"attention.head_count", 4u},
                 {"attention.head_count_kv", 2u},
                 {"attention.key_length", 16u},
                 {"attention.sliding_window", 128u}});
    add(window, "token_embd.weight", 64, 100);
    add(window, "blk.0.attn_q.weight", 64, 64);
    const auto sliding = read_outline(window.save(folder.path() / "window.gguf").string());
    PW_VERIFY(sliding);
    QCOMPARE(sliding->layers[0].window, 128);
    QCOMPARE(sliding->layers[1].kind, Kind::full);
    // Gemma 3n and 4 list them, as booleans.
    constexpr std::uint32_t kArray = 9, kBoolean = 7;
    window.raw(
        "gpt-oss.attention.sliding_window_pattern", kArray,
        test::GgufWriter::pack(kBoolean) + test::GgufWriter::pack(std::uint64_t{2}) + std::string("\0\1", 2));
    const auto listed = read_outline(window.save(folder.path() / "listed.gguf").string());
    PW_VERIFY(listed);
    QCOMPARE(listed->layers[0].kind, Kind::full);
    QCOMPARE(listed->layers[1].window, 128);
  }

  /// Falcon-H1: each block attends and has a Mamba 2 state (falcon-h1.cpp of llama.cpp's models).
  void blocks_of_both() {
    test::GgufWriter file;
    file.text("general.architecture", "falcon-h1");
    add_numbers(file, "falcon-h1.",
                {{"block_count", 2},
                 {"embedding_length", 64},
                 {"context_length", 4096},
                 {"attention.head_count", 4},
                 {"attention.head_count_kv", 2},
                 {"attention.key_length", 16},
                 {"attention.value_length", 16},
                 {"ssm.conv_kernel", 4},
                 {"ssm.state_size", 8},
                 {"ssm.inner_size", 128},
                 {"ssm.group_count", 1},
                 {"ssm.time_step_rank", 4}});
    add(file, "token_embd.weight", 64, 100);
    for (int i = 0; i < 2; ++i) {
      const std::string layer = "blk." + std::to_string(i) + ".";
      add(file, layer + "attn_k.weight", 64, 32);
      add(file, layer + "ffn_up.weight", 64, 96);
    }
    const test::TemporaryFolder folder;
    const auto model = read_outline(file.save(folder.path() / "m.gguf").string());
    PW_VERIFY(model);
    QCOMPARE(model->layers.size(), std::size_t{4});
    QCOMPARE(per_token(*model), Bytes{2} * 2 * 2 * 16 * 2);
    QCOMPARE(model->layers[1].recurrent_numbers, std::int64_t{128 * 8});
    QCOMPARE(model->layers[3].convolution_numbers, std::int64_t{3 * (128 + 2 * 8)});
    QCOMPARE(model->layer_parameters[2].total(), std::int64_t{64 * (32 + 96)});
    QCOMPARE(model->layer_parameters[3].total(), std::int64_t{0});
    QCOMPARE(model->weight_bytes(), Bytes{4} * (6400 + 2 * 64 * (32 + 96)));
  }

  /// llama.cpp's Llama 4 chunks three of four layers, unless the file states a window of 0; layers of a
  /// searched Llama (deci) may have no KV heads; encoders keep nothing.
  void kinds_that_only_the_name_tells() {
    const auto read = [](const char* name, std::optional<std::uint32_t> window, bool lists) {
      test::GgufWriter file;
      const std::string prefix = std::string(name) + ".";
      file.text("general.architecture", name);
      add_numbers(file, prefix,
                  {{"block_count", 4},
                   {"embedding_length", 64},
                   {"context_length", 4096},
                   {"attention.head_count", 4},
                   {"attention.key_length", 16}});
      if (lists)
        file.i32s(prefix + "attention.head_count_kv", {2, 0, 4, 2});
      else
        file.u32(prefix + "attention.head_count_kv", 2);
      if (window) file.u32(prefix + "attention.sliding_window", *window);
      add(file, "token_embd.weight", 64, 100);
      for (int i = 0; i < 4; ++i) add(file, "blk." + std::to_string(i) + ".attn_k.weight", 64, 32);
      const test::TemporaryFolder folder;
      return read_outline(file.save(folder.path() / "m.gguf").string());
    };
    const auto kinds = [](const Result<ModelOutline>& model) {
      std::vector<Kind> list;
      if (!model) qFatal("%s", model.error().text().c_str());
      for (const LayerState& layer : model->layers) list.push_back(layer.kind);
      return list;
    };
    const auto chunked = read("llama4", std::nullopt, false);
    QVERIFY(kinds(chunked) == (std::vector{Kind::chunked, Kind::chunked, Kind::chunked, Kind::full}));
    QCOMPARE(chunked->layers[0].window, 8192);
    QVERIFY(kinds(read("llama4", 0, false)) == std::vector(4, Kind::full));
    const auto searched = read("deci", std::nullopt, true);
    QVERIFY(kinds(searched) == (std::vector{Kind::full, Kind::none, Kind::full, Kind::full}));
    QCOMPARE(per_token(*searched), Bytes{2} * (2 + 4 + 2) * 16 * 2);
    QVERIFY(kinds(read("bert", std::nullopt, false)) == std::vector(4, Kind::none));
  }

  void a_folder_that_is_not_served() {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "config.json")
        << R"({"architectures": ["DeepseekV2ForCausalLM"], "hidden_size": 8,
      "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 10, "kv_lora_rank": 4,
      "qk_rope_head_dim": 2, "qk_nope_head_dim": 2, "v_head_dim": 2, "n_routed_experts": 2, "moe_intermediate_size": 4, "first_k_dense_replace": 1,
      "max_position_embeddings": 128})";
    const std::vector<float> numbers(80, 0.0f);
    const auto matrix = [&](const char* name, std::int64_t rows) {
      return NamedMatrix{name, rows, 8, std::span(numbers).first(static_cast<std::size_t>(8 * rows))};
    };
    PW_VERIFY(write_safetensors(
        folder.path() / "model.safetensors",
        {matrix("lm_head.weight", 10), matrix("model.embed_tokens.weight", 10),
         matrix("model.layers.0.mlp.gate_proj.weight", 4),
         matrix("model.layers.0.self_attn.kv_a_proj_with_mqa.weight", 6),
         matrix("model.layers.1.mlp.experts.0.up_proj.weight", 4),
         matrix("model.layers.1.self_attn.o_proj.weight", 3), matrix("model.norm.weight", 1)}));
    const auto outline = read_outline(folder.path().string());
    PW_VERIFY(outline);
    QVERIFY(outline->from_headers && !outline->runs_here());
    QCOMPARE(outline->weight_bytes(), Bytes{4 * 8} * (10 + 10 + 4 + 6 + 4 + 3 + 1));
    QCOMPARE(outline->layer_bytes[0].mlp, Bytes{4 * 8 * 4});
    QCOMPARE(outline->layer_bytes[0].replicated, Bytes{4 * 8 * 6});
    QCOMPARE(outline->layer_bytes[1].experts, Bytes{4 * 8 * 4});
    QCOMPARE(outline->layer_bytes[1].attention, Bytes{4 * 8 * 3});
    QCOMPARE(outline->embedding_bytes, Bytes{4 * 8 * 10});
  }

  /// A whole description beside next to no tensors is a download that broke off, not a small model.
  void tensors_that_are_too_few() {
    const test::TemporaryFolder folder;
    std::ofstream(folder.path() / "config.json")
        << R"({"architectures": ["StableLmForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
      "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100, "max_position_embeddings": 128})";
    const std::vector<float> numbers(8, 0.0f);
    PW_VERIFY(write_safetensors(folder.path() / "model.safetensors",
                                {NamedMatrix{"model.norm.weight", 1, 8, std::span(numbers)}}));
    const auto outline = read_outline(folder.path().string());
    QVERIFY(!outline);
    QVERIFY2(outline.error().what.find("too few for") != std::string::npos, outline.error().what.c_str());
  }

  /// Reading a pipe waits for whoever writes into it.
  void pipes_are_not_read() {
    const test::TemporaryFolder folder;
    for (const char* name : {"config.json", "hf_quant_config.json"}) {
      const auto path = folder.path() / name;
      QCOMPARE(mkfifo(path.c_str(), 0600), 0);
      const auto outline = read_outline(folder.path().string());
      QVERIFY(!outline);
      QVERIFY2(outline.error().what.ends_with("is no regular file"), outline.error().what.c_str());
      std::filesystem::remove(path);
      std::ofstream(folder.path() / "config.json") << "{}";
    }
    const auto bare = folder.path() / "bare.json";
    QCOMPARE(mkfifo(bare.c_str(), 0600), 0);
    QVERIFY(!read_outline(bare.string()));
  }

  void unknown_files_are_no_numbers() {
    const test::TemporaryFolder folder;
    test::GgufWriter file = hybrid();
    file.remove("general.architecture");
    file.text("general.architecture", "foo");
    const auto unknown = read_outline(file.save(folder.path() / "foo.gguf").string());
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().kind, Error::Kind::unsupported);
    QVERIFY2(unknown.error().what.starts_with("Cannot estimate") &&
                 unknown.error().what.find("foo") != std::string::npos,
             unknown.error().what.c_str());
    for (const auto& [name, reason] : {std::pair{"t5", "attend to an encoder's output too"},
                                       std::pair{"kimi-linear", "keep a delta state beside latent rows"}}) {
      file.remove("general.architecture");
      file.text("general.architecture", name);
      const auto refused = read_outline(file.save(folder.path() / "foo.gguf").string());
      QVERIFY(!refused);
      QVERIFY2(refused.error().what.starts_with("Cannot estimate: layers of architecture") &&
                   refused.error().what.find(reason) != std::string::npos,
               refused.error().what.c_str());
    }
    test::GgufWriter broken = hybrid();
    broken.remove("qwen35.block_count");
    QVERIFY(!read_outline(broken.save(folder.path() / "broken.gguf").string()));
    std::ofstream(folder.path() / "not.gguf") << "GGUF?";
    const auto damaged = read_outline((folder.path() / "not.gguf").string());
    QVERIFY(!damaged);
    QVERIFY(damaged.error().what.find("Cannot estimate") == std::string::npos);
  }

  /// Types of weights that are not read here: sizes of their blocks are known, so the plan is.
  void weights_of_types_that_are_not_read() {
    const test::TemporaryFolder folder;
    test::GgufWriter file;
    file.text("general.architecture", "llama");
    add_numbers(file, "llama.",
                {{"block_count", 1u},
                 {"embedding_length", 256u},
                 {"context_length", 4096u},
                 {"attention.head_count", 4u},
                 {"attention.head_count_kv", 2u}});
    constexpr std::uint32_t kIq2Xxs = 16, kIq3S = 21;
    file.tensors.push_back({"token_embd.weight", {256, 64}, kIq2Xxs, std::string(64 * 66, '\0')});
    file.tensors.push_back({"blk.0.attn_q.weight", {256, 256}, kIq3S, std::string(256 * 110, '\0')});
    const auto outline = read_outline(file.save(folder.path() / "small.gguf").string());
    PW_VERIFY(outline);
    QVERIFY(!outline->runs_here());
    QCOMPARE(outline->embedding_bytes, Bytes{64 * 66});
    QCOMPARE(outline->layer_bytes[0].attention, Bytes{256 * 110});
    QCOMPARE(per_token(*outline), Bytes{2} * 2 * 64 * 2);
    QVERIFY(outline->remarks.back().find("IQ2_XXS") != std::string::npos);
    file.tensors.back().type = 4;  // retired
    const auto retired = read_outline(file.save(folder.path() / "retired.gguf").string());
    QVERIFY(!retired);
    QVERIFY(retired.error().what.find("unknown type 4") != std::string::npos);
  }

  /// What config.json and hf_quant_config.json say of quantisation goes along with the tensors.
  void what_a_folder_says_of_its_formats() {
    const test::TemporaryFolder folder;
    const auto copy = [&](const char* golden, const char* name) {
      std::filesystem::copy(test::data(std::string("golden/") + golden), folder.path() / name,
                            std::filesystem::copy_options::recursive);
      return folder.path() / name;
    };
    const auto awq = read_outline(test::data("golden/llama-awq-g64").string());
    PW_VERIFY(awq);
    QCOMPARE(awq->weight_group, 64);
    const auto path = copy("llama-gqa", "modelopt");
    std::ofstream(path / "hf_quant_config.json")
        << R"({"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}})";
    const auto refused = Model::open(path);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::unsupported);
    const auto outline = read_outline(path.string());
    PW_VERIFY(outline);
    QVERIFY(outline->from_headers);
    QCOMPARE(outline->kv_format, std::string("fp8_e4m3"));
    // KV alone: the weights are what they are.
    std::ofstream(path / "hf_quant_config.json")
        << R"({"quantization": {"quant_algo": null, "kv_cache_quant_algo": "FP8"}})";
    PW_VERIFY(Model::open(path));
  }

  /// What runs here, opened: bytes are the file's.
  void headers_of_what_runs_here() {
    for (const char* name : {"llama-gqa", "llama-awq-g64", "mixtral-moe", "gemma2-softcaps", "phi3-fused"}) {
      const auto model = Model::open(test::data(std::string("golden/") + name));
      PW_VERIFY(model);
      const ModelOutline outline = outline_of(**model);
      QCOMPARE(outline.weight_bytes(), (*model)->weight_bytes());
      QCOMPARE(outline.parameters(), (*model)->parameters());
      QVERIFY(outline.packed.bytes > 0);
    }
  }
};

QTEST_APPLESS_MAIN(PlanHeadersTest)
#include "plan_headers_test.moc"
