// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF files that are broken, cut off, hostile or not understood: each gives an Error that says what, none a
// crash.
#include <QtTest>
#include <fstream>
#include <functional>
#include <random>

#include "engine/model/model.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using test::GgufWriter;

namespace {

struct Case {
  const char* name;
  std::function<void(GgufWriter&)> damage;
  Error::Kind kind;
  std::vector<std::string> says;  // all of these in the error's text
  const char* param = "";
};

GgufWriter::Tensor& tensor(GgufWriter& writer, const std::string& name) {
  for (auto& tensor : writer.tensors) {
    if (tensor.name == name) return tensor;
  }
  qFatal("no tensor %s", name.c_str());
}

void drop(GgufWriter& writer, const std::string& name) {
  std::erase_if(writer.tensors, [&](const GgufWriter::Tensor& tensor) { return tensor.name == name; });
}

void set_u32(GgufWriter& writer, std::string_view key, std::uint32_t value) {
  writer.remove(key);
  writer.u32(key, value);
}

void set_text(GgufWriter& writer, std::string_view key, std::string_view value) {
  writer.remove(key);
  writer.text(key, value);
}

constexpr auto kBad = Error::Kind::invalid_input;
constexpr auto kUnsupported = Error::Kind::unsupported;

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"magic",
       [](GgufWriter& w) { w.magic = "PK\3\4"; },
       kBad,
       {"50 4b 03 04", "starts with \"GGUF\" (47 47 55 46)"}},
      {"version 1",
       [](GgufWriter& w) { w.version = 1; },
       kUnsupported,
       {"GGUF version 1", "versions 2 and 3"}},
      {"version 99", [](GgufWriter& w) { w.version = 99; }, kUnsupported, {"GGUF version 99"}},
      {"big-endian", [](GgufWriter& w) { w.version = 3u << 24; }, kUnsupported, {"big-endian"}},
      {"more keys than bytes",
       [](GgufWriter& w) { w.extra_entries = std::int64_t{1} << 60; },
       kBad,
       {"truncated", "metadata keys"}},
      {"more tensors than bytes",
       [](GgufWriter& w) { w.extra_tensors = -1000; },
       kBad,
       {"truncated", "number of tensors"}},
      {"architecture missing",
       [](GgufWriter& w) { w.remove("general.architecture"); },
       kBad,
       {"general.architecture", "missing"},
       "general.architecture"},
      {"architecture unknown",
       [](GgufWriter& w) { set_text(w, "general.architecture", "mamba"); },
       kUnsupported,
       {"\"mamba\"", "llama, qwen2"},
       "general.architecture"},
      {"architecture of another type",
       [](GgufWriter& w) { set_u32(w, "general.architecture", 7); },
       kBad,
       {"type u32", "expected a string"},
       "general.architecture"},
      {"key missing",
       [](GgufWriter& w) { w.remove("llama.embedding_length"); },
       kBad,
       {"llama.embedding_length", "missing"},
       "llama.embedding_length"},
      {"key of wrong type",
       [](GgufWriter& w) { set_text(w, "llama.block_count", "two"); },
       kBad,
       {"llama.block_count", "type string", "expected an integer"},
       "llama.block_count"},
      {"key as array",
       [](GgufWriter& w) {
         w.remove("llama.context_length");
         w.i32s("llama.context_length", {1, 2});
       },
       kBad,
       {"array of 2 i32"},
       "llama.context_length"},
      {"real as integer",
       [](GgufWriter& w) { set_u32(w, "llama.rope.freq_base", 1); },
       kBad,
       {"expected a real number"},
       "llama.rope.freq_base"},
      {"value type unknown",
       [](GgufWriter& w) { w.raw("odd", 13, "12345678"); },
       kBad,
       {"\"odd\"", "value type 13"},
       "odd"},
      {"nested arrays",
       [](GgufWriter& w) { w.raw("odd", 9, GgufWriter::pack(9u) + GgufWriter::pack(std::uint64_t{0})); },
       kBad,
       {"array of arrays"},
       "odd"},
      {"array longer than file",
       [](GgufWriter& w) {
         w.raw("odd", 9, GgufWriter::pack(10u) + GgufWriter::pack(std::uint64_t{1} << 61));
       },
       kBad,
       {"truncated", "\"odd\""}},
      {"strings longer than file",
       [](GgufWriter& w) {
         w.raw("odd", 9, GgufWriter::pack(8u) + GgufWriter::pack(std::uint64_t{1} << 61));
       },
       kBad,
       {"truncated", "\"odd\""}},
      {"string of 2^64 - 1 bytes",
       [](GgufWriter& w) { w.raw("odd", 8, GgufWriter::pack(~std::uint64_t{0})); },
       kBad,
       {"truncated", "18446744073709551615 bytes"}},
      {"key twice",
       [](GgufWriter& w) { w.u32("llama.block_count", 2); },
       kBad,
       {"appears twice"},
       "llama.block_count"},
      {"tensor twice",
       [](GgufWriter& w) { w.tensors.push_back(w.tensors.back()); },
       kBad,
       {"output.weight", "appears twice"}},
      {"alignment 0",
       [](GgufWriter& w) { w.u32("general.alignment", 0); },
       kBad,
       {"general.alignment is 0"},
       "general.alignment"},
      {"alignment 12",
       [](GgufWriter& w) { w.u32("general.alignment", 12); },
       kBad,
       {"multiple of 8"},
       "general.alignment"},
      {"no layers", [](GgufWriter& w) { set_u32(w, "llama.block_count", 0); }, kBad, {"0 layers"}},
      {"too many layers",
       [](GgufWriter& w) { set_u32(w, "llama.block_count", 4'000'000'000u); },
       kBad,
       {"4000000000"},
       "llama.block_count"},
      {"more layers than tensors",
       [](GgufWriter& w) { set_u32(w, "llama.block_count", 1000); },
       kBad,
       {"1000", "21 tensors"},
       "llama.block_count"},
      {"one layer more",
       [](GgufWriter& w) { set_u32(w, "llama.block_count", 3); },
       kBad,
       {"blk.2.attn_norm.weight", "missing"},
       "blk.2.attn_norm.weight"},
      {"one layer less",
       [](GgufWriter& w) { set_u32(w, "llama.block_count", 1); },
       kUnsupported,
       {"9 tensors have no place", "blk.1.attn_k.weight"}},
      {"context 0", [](GgufWriter& w) { set_u32(w, "llama.context_length", 0); }, kBad, {"context length 0"}},
      {"heads 0", [](GgufWriter& w) { set_u32(w, "llama.attention.head_count", 0); }, kBad, {"0 heads"}},
      {"heads 3 of 8",
       [](GgufWriter& w) { set_u32(w, "llama.attention.head_count", 3); },
       kBad,
       {"8", "3 heads"}},
      {"kv heads 0",
       [](GgufWriter& w) { set_u32(w, "llama.attention.head_count_kv", 0); },
       kBad,
       {"0 KV heads"}},
      {"kv heads uneven",
       [](GgufWriter& w) {
         set_u32(w, "llama.attention.head_count", 4);
         set_u32(w, "llama.attention.head_count_kv", 3);
         set_u32(w, "llama.rope.dimension_count", 2);
       },
       kBad,
       {"4 attention heads", "3 KV heads"}},
      {"kv heads array of wrong length",
       [](GgufWriter& w) {
         w.remove("llama.attention.head_count_kv");
         w.i32s("llama.attention.head_count_kv", {1, 1, 1});
       },
       kBad,
       {"array of 3 i32", "array of 2 integers"}},
      {"kv heads negative",
       [](GgufWriter& w) {
         w.remove("llama.attention.head_count_kv");
         w.i32s("llama.attention.head_count_kv", {1, -1});
       },
       kBad,
       {"-1"}},
      {"kv heads zero in one layer",
       [](GgufWriter& w) {
         w.remove("llama.attention.head_count_kv");
         w.i32s("llama.attention.head_count_kv", {1, 0});
       },
       kBad,
       {"Layer 1", "0 KV heads"}},
      {"head width",
       [](GgufWriter& w) {
         w.u32("llama.attention.key_length", 0x7FFFFFFF);
         set_u32(w, "llama.rope.dimension_count", 4);
       },
       kUnsupported,
       {"Heads of 2147483647 numbers", "4096"},
       "llama.attention.key_length"},
      {"values of another width",
       [](GgufWriter& w) {
         w.u32("llama.attention.key_length", 4);
         w.u32("llama.attention.value_length", 8);
       },
       kUnsupported,
       {"4", "8"},
       "llama.attention.value_length"},
      {"rotary 0",
       [](GgufWriter& w) { set_u32(w, "llama.rope.dimension_count", 0); },
       kBad,
       {"rotary dimension is 0"}},
      {"rotary odd",
       [](GgufWriter& w) { set_u32(w, "llama.rope.dimension_count", 3); },
       kBad,
       {"rotary dimension is 3"}},
      {"rotary above the head",
       [](GgufWriter& w) { set_u32(w, "llama.rope.dimension_count", 6); },
       kBad,
       {"rotary dimension is 6", "4"}},
      {"rope base 0",
       [](GgufWriter& w) {
         w.remove("llama.rope.freq_base");
         w.f32("llama.rope.freq_base", 0);
       },
       kBad,
       {"rotary base is 0"}},
      {"epsilon not a number",
       [](GgufWriter& w) {
         w.remove("llama.attention.layer_norm_rms_epsilon");
         w.f32("llama.attention.layer_norm_rms_epsilon", std::nanf(""));
       },
       kBad,
       {"epsilon is nan"}},
      {"feed-forward 0",
       [](GgufWriter& w) { set_u32(w, "llama.feed_forward_length", 0); },
       kBad,
       {"feed-forward width is 0"}},
      {"rope scaling",
       [](GgufWriter& w) { w.text("llama.rope.scaling.type", "foo"); },
       kUnsupported,
       {"\"foo\""},
       "llama.rope.scaling.type"},
      {"experts without how many are used",
       [](GgufWriter& w) { w.u32("llama.expert_count", 8); },
       kBad,
       {"llama.expert_used_count"},
       "llama.expert_used_count"},
      {"experts without tensors",
       [](GgufWriter& w) {
         w.u32("llama.expert_count", 8);
         w.u32("llama.expert_used_count", 2);
       },
       kBad,
       {"blk.0.ffn_gate_inp.weight", "missing"}},
      {"a feature that is not honoured",
       [](GgufWriter& w) { w.f32("llama.attention.clamp_kqv", 8); },
       kUnsupported,
       {"clamped q, k and v", "llama.attention.clamp_kqv = 8"},
       "llama.attention.clamp_kqv"},
      {"part of a set under another name",
       [](GgufWriter& w) { w.u32("split.count", 2); },
       kBad,
       {"part 1 of 2", "-00001-of-00002.gguf"},
       "split.no"},
      {"part beyond the set",
       [](GgufWriter& w) { w.u32("split.count", 2), w.u32("split.no", 2); },
       kBad,
       {"part 2", "of 2"},
       "split.no"},
      {"rope factors",
       [](GgufWriter& w) {
         w.tensors.push_back({"rope_freqs.weight", {2}, 0, std::string(8, '\0')});
       },
       kBad,
       {"stored rope factor is 0"}},
      {"output bias of one layer",
       [](GgufWriter& w) {
         w.tensors.push_back({"blk.0.attn_output.bias", {8}, 0, std::string(32, '\0')});
       },
       kBad,
       {"blk.1.attn_output.bias", "missing"}},
      {"one bias of three",
       [](GgufWriter& w) {
         w.tensors.push_back({"blk.0.attn_q.bias", {8}, 0, std::string(32, '\0')});
       },
       kBad,
       {"blk.0.attn_k.bias", "missing"}},
      {"embedding missing",
       [](GgufWriter& w) { drop(w, "token_embd.weight"); },
       kBad,
       {"token_embd.weight", "missing"},
       "token_embd.weight"},
      {"norm missing",
       [](GgufWriter& w) { drop(w, "output_norm.weight"); },
       kBad,
       {"output_norm.weight", "missing"},
       "output_norm.weight"},
      {"matrix missing",
       [](GgufWriter& w) { drop(w, "blk.1.ffn_up.weight"); },
       kBad,
       {"blk.1.ffn_up.weight", "missing"},
       "blk.1.ffn_up.weight"},
      {"wrong shape",
       [](GgufWriter& w) {
         tensor(w, "blk.1.attn_k.weight").shape = {4, 8};
       },
       kBad,
       {"blk.1.attn_k.weight", "8 × 4", "expected 4 × 8"},
       "blk.1.attn_k.weight"},
      {"wrong vocabulary",
       [](GgufWriter& w) { w.u32("llama.vocab_size", 7); },
       kBad,
       {"token_embd.weight", "6 × 8", "expected 7 × 8"},
       "token_embd.weight"},
      {"shape of none",
       [](GgufWriter& w) { tensor(w, "output_norm.weight").shape = {}; },
       kBad,
       {"output_norm.weight", "no dimensions"}},
      {"shape of three, beyond 64 bits",
       [](GgufWriter& w) {
         const std::uint64_t side = std::uint64_t{1} << 22;
         tensor(w, "output.weight").shape = {side, side, side};
       },
       kBad,
       {"output.weight", "[4194304, 4194304, 4194304]"}},
      {"shape of five",
       [](GgufWriter& w) {
         tensor(w, "output.weight").shape = {8, 3, 2, 1, 1};
       },
       kBad,
       {"5 dimensions"}},
      {"shape with 0",
       [](GgufWriter& w) {
         tensor(w, "output.weight").shape = {8, 0};
       },
       kBad,
       {"[8, 0]"}},
      {"shape beyond 64 bits",
       [](GgufWriter& w) {
         tensor(w, "output.weight").shape = {std::uint64_t{1} << 33, std::uint64_t{1} << 33};
       },
       kBad,
       {"8589934592"}},
      {"shape beyond the file",
       [](GgufWriter& w) {
         tensor(w, "output.weight").shape = {8, std::uint64_t{1} << 30};
       },
       kBad,
       {"truncated", "missing"}},
      {"type IQ2_XS",
       [](GgufWriter& w) { tensor(w, "output.weight").type = 17; },
       kUnsupported,
       {"output.weight", "IQ2_XS (type 17)", "Q8_0"},
       "output.weight"},
      {"type 99",
       [](GgufWriter& w) { tensor(w, "output.weight").type = 99; },
       kUnsupported,
       {"unknown type 99"},
       "output.weight"},
      {"rows of half a block",
       [](GgufWriter& w) { tensor(w, "output.weight").type = 8; },
       kBad,
       {"rows of 8 numbers", "32", "Q8_0"},
       "output.weight"},
      {"offset unaligned",
       [](GgufWriter& w) { tensor(w, "output.weight").offset_shift = 4; },
       kBad,
       {"output.weight", "no multiple of 32"},
       "output.weight"},
      {"offset beyond the file",
       [](GgufWriter& w) { tensor(w, "output.weight").offset_shift = std::int64_t{1} << 40; },
       kBad,
       {"truncated"}},
      {"offset beyond 63 bits",
       [](GgufWriter& w) {
         tensor(w, "output.weight").offset_shift = std::numeric_limits<std::int64_t>::min();
       },
       kBad,
       {"output.weight"}},
      {"tensor name of 2000",
       [](GgufWriter& w) { tensor(w, "output.weight").name = std::string(2000, 'x'); },
       kBad,
       {"2000 bytes"}},
      {"more tokens than rows",
       [](GgufWriter& w) {
         w.remove("tokenizer.ggml.tokens");
         w.remove("tokenizer.ggml.token_type");
         w.texts("tokenizer.ggml.tokens", std::vector<std::string>(7, "t"));
       },
       kBad,
       {"7 tokens", "6 rows"},
       "tokenizer.ggml.tokens"},
      {"types of another length",
       [](GgufWriter& w) {
         w.remove("tokenizer.ggml.token_type");
         w.i32s("tokenizer.ggml.token_type", {1});
       },
       kBad,
       {"array of 1 i32", "array of 6"},
       "tokenizer.ggml.token_type"},
      {"token type 9",
       [](GgufWriter& w) {
         w.remove("tokenizer.ggml.token_type");
         w.i32s("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 9});
       },
       kBad,
       {"type 9"},
       "tokenizer.ggml.token_type"},
      {"scores of integers",
       [](GgufWriter& w) {
         w.i32s("tokenizer.ggml.scores", {1, 1, 1, 1, 1, 1});
       },
       kBad,
       {"array of 6 reals"},
       "tokenizer.ggml.scores"},
      {"tokens missing",
       [](GgufWriter& w) { w.remove("tokenizer.ggml.tokens"); },
       kBad,
       {"tokenizer.ggml.tokens", "missing"}},
      {"bos outside",
       [](GgufWriter& w) { set_u32(w, "tokenizer.ggml.bos_token_id", 6); },
       kBad,
       {"is 6", "6 tokens"},
       "tokenizer.ggml.bos_token_id"},
      {"template of another type",
       [](GgufWriter& w) { set_u32(w, "tokenizer.chat_template", 1); },
       kBad,
       {"expected a string"},
       "tokenizer.chat_template"},
  };
  return all;
}

}  // namespace

class GgufErrorsTest : public QObject {
  Q_OBJECT
 private slots:

  void the_undamaged_file_opens() {
    const auto model = Model::open(test::tiny_llama().save(file()));
    PW_VERIFY(model);
  }

  void damage_is_named_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].name) << static_cast<int>(i);
  }
  void damage_is_named() {
    QFETCH(int, index);
    const Case& damaged = cases()[static_cast<std::size_t>(index)];
    GgufWriter writer = test::tiny_llama();
    damaged.damage(writer);
    const auto model = Model::open(writer.save(file()));
    QVERIFY(!model.ok());
    const std::string text = model.error().text();
    qInfo() << text.c_str();
    QCOMPARE(model.error().kind, damaged.kind);
    QVERIFY2(text.find(file().string()) != std::string::npos, "the file is named");
    for (const std::string& part : damaged.says) {
      QVERIFY2(text.find(part) != std::string::npos,
               qPrintable("missing in the message: " + QString::fromStdString(part)));
    }
    if (*damaged.param != '\0') QCOMPARE(model.error().param, std::string(damaged.param));
  }

  // A download that stopped: wherever it stopped, the file is refused, and once the header is whole the
  // message has the bytes expected and found.
  void every_shorter_file_is_refused() {
    const GgufWriter writer = test::tiny_llama();
    const std::string whole = writer.bytes();
    const std::size_t header = writer.header().size();
    for (std::size_t size = 0; size < whole.size(); size += size < header + 64 ? 1 : 61) {
      write(whole.substr(0, size));
      const auto model = Model::open(file());
      QVERIFY2(!model.ok(), qPrintable(QString::number(size)));
      QCOMPARE(model.error().kind, Error::Kind::invalid_input);
      const std::string text = model.error().text();
      if (size >= 4) QVERIFY2(text.find("truncated") != std::string::npos, text.c_str());
      if (size >= header) {
        QVERIFY2(text.find(format_count(static_cast<std::int64_t>(whole.size()))) != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find(format_count(static_cast<std::int64_t>(size))) != std::string::npos, text.c_str());
      }
    }
  }

  // Any byte of the header may be anything: an answer must come, sound or not. Run under the sanitizers.
  void changed_header_bytes_never_crash() {
    const std::uint32_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    std::mt19937 random(seed);
    const GgufWriter writer = test::tiny_llama();
    const std::string whole = writer.bytes();
    const std::size_t header = writer.header().size();
    for (std::size_t at = 0; at < header; ++at) {
      for (const unsigned value : {0xFFu, static_cast<unsigned>(random() & 0xFF)}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(value);
        write(changed);
        const auto model = Model::open(file());
        if (!model.ok()) QVERIFY(!model.error().what.empty());
      }
    }
  }

  void what_is_no_model_is_said() {
    const auto nothing = Model::open(folder_.path() / "nowhere.gguf");
    QVERIFY(!nothing.ok());
    QCOMPARE(nothing.error().kind, Error::Kind::not_found);
    QVERIFY(nothing.error().text().find("nowhere.gguf") != std::string::npos);

    const auto bare_folder = Model::open(folder_.path());
    QVERIFY(!bare_folder.ok());
    QCOMPARE(bare_folder.error().kind, Error::Kind::not_found);
    QVERIFY(bare_folder.error().text().find("config.json") != std::string::npos);

    write("");
    QVERIFY(Model::open(file()).error().text().find("is empty") != std::string::npos);
    write("<!DOCTYPE html>");
    QVERIFY(Model::open(file()).error().text().find("3c 21 44 4f") != std::string::npos);
  }

 private:
  std::filesystem::path file() const { return folder_.path() / "model.gguf"; }
  // A new file each time: some file systems write through to the disk what replaces a file's content.
  void write(const std::string& content) const {
    std::filesystem::remove(file());
    std::ofstream(file(), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  test::TemporaryFolder folder_;
};

QTEST_APPLESS_MAIN(GgufErrorsTest)
#include "gguf_errors_test.moc"
