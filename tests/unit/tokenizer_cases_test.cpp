// SPDX-License-Identifier: GPL-3.0-or-later
// Where tokenizers of other engines went wrong: partial UTF-8, doubled BOS, spaces lost in streams, merges
// read wrongly, normalization left out, byte tokens typed by users, end tokens forgotten, two loaders that
// disagree.
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/text/detokenizer.h"
#include "engine/text/sentencepiece_file.h"
#include "engine/text/tokenizer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;
using Ids = std::vector<TokenId>;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

TokenizerPtr open(const fs::path& path) {
  const auto tokenizer = open_tokenizer(path);
  if (!tokenizer.ok()) qWarning("%s", tokenizer.error().text().c_str());
  return tokenizer.ok() ? *tokenizer : nullptr;
}

TokenizerPtr family(const std::string& name) {
  static std::map<std::string, TokenizerPtr> known;
  auto [entry, fresh] = known.try_emplace(name);
  if (fresh) entry->second = open(test::data("text/" + name + "/tokenizer.json"));
  return entry->second;
}

/// Llama 3's licence keeps it out of the repository.
TokenizerPtr llama3() {
  const fs::path own = test::data("text/llama3/tokenizer.json");
  if (fs::exists(own)) return open(own);
  const auto shared = test::shared("text/tokenizers/llama3/tokenizer.json");
  return shared ? open(*shared) : nullptr;
}

json read_json(const fs::path& path) {
  return json::parse(read_file(path).value());
}

std::vector<json> read_lines(const fs::path& path) {
  std::vector<json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

std::string round_trip(const TokenizerPtr& tokenizer, const std::string& text) {
  return decode(tokenizer, tokenizer->encode(text, false, false), true);
}

fs::path write_json(const test::TemporaryFolder& folder, const char* name, const json& content) {
  const fs::path path = folder.path() / name;
  std::ofstream(path) << content.dump();
  return path;
}

// ---- The same vocabularies as GGUF states them ----

enum Type : std::int32_t { kNormal = 1, kControl = 3, kUserDefined = 4 };

/// tokenizer.json → the metadata of a GGUF file.
VocabularyData as_gguf(const json& file, const std::string& pre) {
  VocabularyData data;
  data.source = VocabularyData::Source::gguf;
  data.model = "gpt2";
  data.pre = pre;
  const auto place = [&](std::size_t id, const std::string& text, std::int32_t type) {
    if (data.tokens.size() <= id) data.tokens.resize(id + 1);
    if (data.token_types.size() <= id) data.token_types.resize(id + 1, kNormal);
    data.tokens[id] = text;
    data.token_types[id] = type;
  };
  for (const auto& [text, id] : file.at("model").at("vocab").items()) place(id, text, kNormal);
  for (const json& token : file.at("added_tokens"))
    place(token.at("id"), token.at("content"), token.at("special") ? kControl : kUserDefined);
  for (const json& merge : file.at("model").at("merges")) {
    data.merges.push_back(merge.is_string()
                              ? merge.get<std::string>()
                              : merge.at(0).get<std::string>() + ' ' + merge.at(1).get<std::string>());
  }
  return data;
}

VocabularyData as_gguf(const SentencePieceModel& model, const std::string& kind) {
  VocabularyData data;
  data.source = VocabularyData::Source::gguf;
  data.model = kind;
  for (const SentencePiece& piece : model.pieces) {
    data.tokens.push_back(piece.text);
    data.scores.push_back(piece.score);
    data.token_types.push_back(static_cast<std::int32_t>(piece.type));
  }
  data.charsmap = model.charsmap;
  data.unknown = model.unknown;
  data.bos = model.bos;
  data.eos = model.eos;
  data.add_space_prefix = model.dummy_prefix;
  data.remove_extra_spaces = model.remove_extra_spaces;
  return data;
}

}  // namespace

class TokenizerCasesTest : public QObject {
  Q_OBJECT
 private slots:

  void parts_of_characters_merge() {
    QVERIFY(family("qwen3"));
    for (const std::string bytes : {"\xE6\xAD", "\xE6", "\xF0\x9F\x98", "a\xC3 b", "\xFF\xFE"}) {
      std::string joined;
      for (const TokenId id : family("qwen3")->encode(bytes, false, false))
        joined += family("qwen3")->bytes_of(id);
      QCOMPARE(joined, bytes);
    }
    const auto tokenizer = llama3();
    if (!tokenizer) QSKIP("Llama 3's tokenizer is not beside the checkout");
    QCOMPARE(tokenizer->encode("歪", false, false), (Ids{15722, 103}));
    QCOMPARE(tokenizer->encode("\xE6\xAD", false, false), (Ids{15722}));
  }

  void a_rendered_prompt_has_one_bos() {
    const auto tokenizer = family("mistral-v3");
    QVERIFY(tokenizer && tokenizer->bos() == 1);
    // What a template writes is encoded without special tokens of our own; a bare prompt gets one.
    const Ids rendered = tokenizer->encode("<s>[INST] hi[/INST]", false, true);
    QCOMPARE(std::count(rendered.begin(), rendered.end(), 1), 1);
    QCOMPARE(rendered.front(), 1);
    const Ids bare = tokenizer->encode("hi", true, true);
    QCOMPARE(std::count(bare.begin(), bare.end(), 1), 1);
  }

  void bos_comes_from_the_configuration_where_the_file_has_no_post_processor() {
    const test::TemporaryFolder folder;
    json file = read_json(test::data("text/smollm2/tokenizer.json"));
    const fs::path path = write_json(folder, "tokenizer.json", file);
    write_json(folder, "tokenizer_config.json",
               {{"add_bos_token", true}, {"bos_token", {{"content", "<|im_start|>"}}}});
    const auto tokenizer = open(path);
    QVERIFY(tokenizer);
    QCOMPARE(tokenizer->encode("", true, false), (Ids{1}));
    QCOMPARE(tokenizer->encode("", false, false), Ids());
  }

  void decoding_cleans_nothing_up() {
    for (const std::string text : {"! ! !", "hello !", "x != y and a.b == c", "do n't , 's ."}) {
      for (const char* name : {"gpt2", "qwen3", "smollm2", "mistral-v3"})
        QCOMPARE(round_trip(family(name), text), text);
    }
    const auto tokenizer = llama3();
    if (!tokenizer) QSKIP("Llama 3's tokenizer is not beside the checkout");
    QCOMPARE(tokenizer->encode("! ! !", true, true), (Ids{128000, 0, 758, 758}));
    QCOMPARE(tokenizer->encode("hello !", true, true), (Ids{128000, 15339, 758}));
  }

  void only_the_first_token_of_a_text_loses_its_space() {
    const test::TemporaryFolder folder;
    const auto tokenizer = open(write_json(folder, "tokenizer.json", json::parse(R"({
      "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
      "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
      "model": {"type": "WordLevel", "vocab": {"▁in▁the": 0, "▁house": 1, "▁": 2, "▁leading": 3, "▁x": 4}}})")));
    QVERIFY(tokenizer);
    QCOMPARE(decode(tokenizer, {0, 1}, true),
             std::string("inthe house"));  // a first token loses all of its own
    QCOMPARE(decode(tokenizer, {1, 0}, true), std::string("house in the"));
    Detokenizer stream(tokenizer, true);
    QCOMPARE(stream.push(1), std::string("house"));
    QCOMPARE(stream.push(2) + stream.push(3) + stream.push(4), std::string("  leading x"));
    Detokenizer reply(tokenizer, true, true);
    QCOMPARE(reply.push(1), std::string(" house"));
  }

  void a_stream_is_what_the_whole_text_gains() {
    const auto tokenizer = family("phi3");
    const Ids ids = tokenizer->encode("<s>The  house is\n on 😀 fire  .", false, true);
    const std::string whole = decode(tokenizer, ids, true);
    for (std::size_t cut = 0; cut <= ids.size(); ++cut) {
      Detokenizer stream(tokenizer, true);
      std::string before, after;
      for (std::size_t i = 0; i < ids.size(); ++i) (i < cut ? before : after) += stream.push(ids[i]);
      QCOMPARE(before + after + stream.flush(), whole);
    }
  }

  void merges_go_by_rank() {
    const auto tokenizer = family("qwen3");
    std::vector<std::string> pieces;
    for (const TokenId id : tokenizer->encode("brutalist", false, false))
      pieces.emplace_back(tokenizer->bytes_of(id));
    QCOMPARE(pieces, (std::vector<std::string>{"br", "ut", "alist"}));
  }

  void merges_as_pairs_mean_the_same() {
    const test::TemporaryFolder folder;
    json file = read_json(test::data("text/gpt2/tokenizer.json"));
    json& merges = file.at("model").at("merges");
    const bool pairs = merges.at(0).is_array();
    for (json& merge : merges) {
      if (pairs) {
        merge = merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>();
      } else {
        const std::string line = merge;
        const std::size_t space = line.find(' ');
        merge = {line.substr(0, space), line.substr(space + 1)};
      }
    }
    const auto other = open(write_json(folder, "tokenizer.json", file));
    QVERIFY(other);
    std::size_t bytes = 0;
    for (const json& row : read_lines(test::data("text/gpt2/vectors.jsonl"))) {
      const std::string text = row.at("text");
      bytes += text.size();
      QCOMPARE(other->encode(text, false, false), family("gpt2")->encode(text, false, false));
    }
    QVERIFY(bytes > 10'000);
  }

  // Ids from Hugging Face tokenizers 0.22.2.
  void added_tokens_are_found_in_two_rounds_and_take_space_once() {
    const test::TemporaryFolder folder;
    json file = {
        {"added_tokens", json::array()},
        {"normalizer", nullptr},
        {"pre_tokenizer", nullptr},
        {"post_processor", nullptr},
        {"decoder", nullptr},
        {"model", {{"type", "WordLevel"}, {"vocab", {{"a", 0}, {"<unk>", 1}}}, {"unk_token", "<unk>"}}}};
    const auto added = [](int id, const char* content, bool lstrip, bool rstrip, bool normalized) {
      return json{{"id", id},         {"content", content}, {"single_word", false},    {"lstrip", lstrip},
                  {"rstrip", rstrip}, {"special", false},   {"normalized", normalized}};
    };
    file["added_tokens"] = {added(2, "  ", false, false, true), added(3, "[X]", true, false, false)};
    QCOMPARE(open(write_json(folder, "rounds.json", file))->encode("  [X]", false, false),
             (std::vector<TokenId>{3}));
    file["added_tokens"] = {added(2, "  ", true, true, false)};
    QCOMPARE(open(write_json(folder, "space.json", file))->encode("    ", false, false),
             (std::vector<TokenId>{2}));
  }

  void composed_and_decomposed_text_are_the_same_where_the_file_says_nfc() {
    for (const auto& [composed, apart] : {std::pair("é", "e\xCC\x81"), {"각", "\u1100\u1161\u11A8"}}) {
      QCOMPARE(family("qwen3")->encode(apart, false, false), family("qwen3")->encode(composed, false, false));
      QVERIFY(family("gpt2")->encode(apart, false, false) != family("gpt2")->encode(composed, false, false));
    }
  }

  void bytes_stand_in_for_unknown_characters_but_cannot_be_typed() {
    const auto tokenizer = family("phi3");  // Llama 2's vocabulary
    const TokenId first_byte = 3;
    QCOMPARE(tokenizer->encode("\n", false, false), (Ids{29871, 13}));
    const Ids emoji = tokenizer->encode("🫠", false, false);
    QCOMPARE(emoji, (Ids{29871, first_byte + 0xF0, first_byte + 0x9F, first_byte + 0xAB, first_byte + 0xA0}));
    for (const TokenId id : tokenizer->encode("<0x40>", false, false))
      QVERIFY(id < first_byte || id >= first_byte + 256);
    for (const std::string text : {"\n", "🫠", "<0x40>", "a🫠<0x0A>\n"})
      QCOMPARE(round_trip(tokenizer, text), text);
  }

  void every_end_token_is_kept() {
    const test::TemporaryFolder folder;
    write_json(folder, "tokenizer.json", read_json(test::data("text/smollm2/tokenizer.json")));
    write_json(folder, "tokenizer_config.json", {{"eos_token", "<|im_end|>"}});
    write_json(folder, "config.json", {{"eos_token_id", 5}});
    write_json(folder, "generation_config.json", {{"eos_token_id", {6, 7, 8}}});
    const auto tokenizer = open(folder.path());
    QVERIFY(tokenizer);
    QCOMPARE(tokenizer->eos(), std::optional<TokenId>(2));
    for (const TokenId id : {2, 5, 6, 7, 8}) {
      const auto& ends = tokenizer->end_tokens();
      QVERIFY2(std::find(ends.begin(), ends.end(), id) != ends.end(), std::to_string(id).c_str());
    }
  }

  void special_tokens_are_no_content() {
    const auto tokenizer = family("qwen3");
    const Ids ids = tokenizer->encode("ok<|im_end|><think>", false, true);
    QCOMPARE(decode(tokenizer, ids, true), std::string("ok<think>"));  // which is not special there
    QCOMPARE(decode(tokenizer, ids, false), std::string("ok<|im_end|><think>"));
  }

  void gguf_and_tokenizer_json_agree_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("pre");
    QTest::newRow("gpt2") << "gpt2"
                          << "gpt-2";
    QTest::newRow("smollm2") << "smollm2"
                             << "smollm";
    QTest::newRow("qwen3") << "qwen3"
                           << "qwen2";
  }
  void gguf_and_tokenizer_json_agree() {
    QFETCH(QString, name);
    QFETCH(QString, pre);
    const fs::path folder = test::data("text/" + name.toStdString());
    const auto gguf = make_tokenizer(as_gguf(read_json(folder / "tokenizer.json"), pre.toStdString()));
    PW_VERIFY(gguf);
    for (const json& row : read_lines(folder / "vectors.jsonl")) {
      const Ids ids =
          (*gguf)->encode(row.at("text").get<std::string>(), row.at("add_special"), row.at("parse_special"));
      QVERIFY2(json(ids) == row.at("ids"), row.dump().c_str());
    }
    if (name != "qwen3") return;
    for (const json& row : read_lines(folder / "disagreements.jsonl")) {
      const Ids ids =
          (*gguf)->encode(row.at("text").get<std::string>(), row.at("add_special"), row.at("parse_special"));
      QVERIFY2(json(ids) == row.at("by").at("llama.cpp"), row.dump().c_str());
    }
  }

  void sentencepiece_in_gguf_agrees() {
    const fs::path folder = test::data("text/mistral-v3");
    auto model = read_sentencepiece(folder / "tokenizer.model");
    PW_VERIFY(model);
    const auto gguf = make_tokenizer(as_gguf(*model, "llama"));
    PW_VERIFY(gguf);
    for (const char* file : {"vectors.jsonl", "disagreements.jsonl"}) {
      int wrong = 0, rows = 0;
      for (const json& row : read_lines(folder / file)) {
        const json& expected = row.contains("ids") ? row.at("ids") : row.at("by").at("llama.cpp");
        const Ids ids = (*gguf)->encode(row.at("text").get<std::string>(), row.at("add_special"),
                                        row.at("parse_special"));
        ++rows;
        if (json(ids) != expected && ++wrong == 1)
          qWarning("%s\ngot %s", row.dump().c_str(), json(ids).dump().c_str());
      }
      QVERIFY(rows > 50);
      QCOMPARE(wrong, 0);
    }
  }

  void unigram_in_gguf_agrees() {
    const fs::path file = test::data("text/synthetic/sp_unigram.model");
    auto model = read_sentencepiece(file);
    PW_VERIFY(model);
    VocabularyData data = as_gguf(*model, "t5");
    data.add_eos = false;
    const auto gguf = make_tokenizer(data);
    PW_VERIFY(gguf);
    for (const json& row : read_lines(test::data("text/synthetic/cases.jsonl"))) {
      if (row.at("file") != "sp_unigram.model") continue;
      QCOMPARE((*gguf)->encode(row.at("text").get<std::string>(), false, false), row.at("ids").get<Ids>());
    }
    data.scores.clear();
    QVERIFY(!make_tokenizer(data).ok());
  }

  void a_gguf_file_may_hold_a_vocabulary_alone() {
    const test::TemporaryFolder folder;
    test::GgufWriter writer;
    writer.text("general.architecture", "llama");
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x0A>", "▁", "a", "▁a", "<eot>"});
    writer.f32s("tokenizer.ggml.scores", {0, 0, 0, 0, -2, -3, -1, 0});
    writer.i32s("tokenizer.ggml.token_type", {2, 3, 3, 6, 1, 1, 1, 3});
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    writer.u32("tokenizer.ggml.eos_token_id", 2);
    writer.u32("tokenizer.ggml.eot_token_id", 7);
    const auto tokenizer = open(writer.save(folder.path() / "vocabulary.gguf"));
    QVERIFY(tokenizer);
    QCOMPARE(tokenizer->encode("a a\n<eot>xyz", true, true), (Ids{1, 6, 6, 3, 7, 4, 0}));
    QCOMPARE(decode(tokenizer, {1, 6, 6, 3}, true), std::string("a a\n"));
    QCOMPARE(tokenizer->end_tokens(), (Ids{2, 7}));
  }

  void tokens_of_phi3_take_the_space_behind_them_in_gguf_too() {
    VocabularyData data;
    data.source = VocabularyData::Source::gguf;
    data.model = "llama";
    data.name = "Phi-3 Mini";
    data.tokens = {"<unk>", "<s>", "<|end|>", "▁", "a", "▁a"};
    data.token_types = {2, kControl, kControl, kNormal, kNormal, kNormal};
    data.scores = {0, 0, 0, -2, -3, -1};
    const auto phi3 = make_tokenizer(data);
    PW_VERIFY(phi3);
    QCOMPARE((*phi3)->encode("<|end|> \na", false, true), (Ids{2, 5}));
    QCOMPARE((*phi3)->encode("<s> a", false, true), (Ids{1, 3, 5}));
    data.name = "Llama";
    const auto other = make_tokenizer(data);
    PW_VERIFY(other);
    QCOMPARE((*other)->encode("<|end|> a", false, true), (Ids{2, 3, 5}));
  }

  void every_named_pre_tokenizer_compiles_data() {
    QTest::addColumn<QString>("pre");
    for (const char* pre : {"",
                            "default",
                            "llama3",
                            "llama-v3",
                            "llama-bpe",
                            "deepseek-llm",
                            "deepseek-coder",
                            "deepseek-v3",
                            "falcon",
                            "starcoder",
                            "gpt-2",
                            "refact",
                            "command-r",
                            "qwen2",
                            "qwen35",
                            "stablelm2",
                            "olmo",
                            "dbrx",
                            "smaug-bpe",
                            "poro-chat",
                            "viking",
                            "tekken",
                            "smollm",
                            "codeshell",
                            "exaone",
                            "chameleon",
                            "minerva-7b",
                            "megrez",
                            "gpt-4o",
                            "superbpe",
                            "trillion",
                            "bailingmoe",
                            "llama4",
                            "hunyuan",
                            "kimi-k2",
                            "seed-coder",
                            "gemma4",
                            "mpt",
                            "bloom",
                            "jais-2",
                            "youtu",
                            "tiny_aya",
                            "minicpm5",
                            "exaone-moe",
                            "spark2_5",
                            "granite-embed-multi-97m"})
      QTest::newRow(*pre == '\0' ? "none" : pre) << pre;
  }
  void every_named_pre_tokenizer_compiles() {
    QFETCH(QString, pre);
    static const json kFile = read_json(test::data("text/gpt2/tokenizer.json"));
    static const VocabularyData kData = as_gguf(kFile, "");
    VocabularyData data = kData;
    data.pre = pre.toStdString();
    const auto tokenizer = make_tokenizer(data);
    PW_VERIFY(tokenizer);
    const std::string text = "Hello, World's 1234567 x_y\n\n  été 世界 (a+b) don't I'LL \t.";
    if (pre != "gemma4") QCOMPARE(round_trip(*tokenizer, text), text);
  }
};

QTEST_GUILESS_MAIN(TokenizerCasesTest)
#include "tokenizer_cases_test.moc"
