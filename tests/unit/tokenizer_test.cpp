// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/tokenizer.h"

#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/text/detokenizer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

std::vector<json> read_lines(const std::filesystem::path& path) {
  std::vector<json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

std::shared_ptr<const Tokenizer> smollm2() {
  static const auto tokenizer = open_tokenizer(test::data("text/smollm2/tokenizer.json"));
  return tokenizer.ok() ? *tokenizer : nullptr;
}

/// Reference vectors: ids of each text, and the texts of those ids.
void compare_vectors(const std::shared_ptr<const Tokenizer>& tokenizer, const std::filesystem::path& folder) {
  const std::vector<json> rows = read_lines(folder / "vectors.jsonl");
  QVERIFY(rows.size() > 100);
  for (const json& row : rows) {
    const std::string text = row.at("text");
    const auto expected = row.at("ids").get<std::vector<TokenId>>();
    const auto ids = tokenizer->encode(text, row.at("add_special"), row.at("parse_special"));
    QVERIFY2(ids == expected, (row.dump() + "\ngot " + json(ids).dump()).c_str());
    if (!row.contains("decoded")) continue;
    const std::string decoded = row.at("decoded");
    QCOMPARE(decode(tokenizer, ids, false), decoded);
    QCOMPARE(decode(tokenizer, ids, true), row.value("decoded_skip_special", decoded));
  }
}

/// Reference streams: the text that each token completes, special tokens left out.
void compare_streams(const std::shared_ptr<const Tokenizer>& tokenizer, const std::filesystem::path& folder) {
  const std::vector<json> rows = read_lines(folder / "streams.jsonl");
  QVERIFY(rows.size() > 10);
  for (const json& row : rows) {
    Detokenizer detokenizer(tokenizer, true);
    std::vector<std::string> chunks;
    for (const TokenId id : row.at("ids")) chunks.push_back(detokenizer.push(id));
    QVERIFY2(json(chunks) == row.at("chunks"), row.dump().c_str());
    QCOMPARE(detokenizer.flush(), row.at("flush").get<std::string>());
  }
}

/// A tokenizer.json whose whole vocabulary is the letters a to c, "ab" and "abc", changed by `change`.
std::filesystem::path write_small_tokenizer(const test::TemporaryFolder& folder,
                                            const std::function<void(json&)>& change) {
  json file = json::parse(R"({"added_tokens": [], "normalizer": null, "post_processor": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "Ġ": 5},
              "merges": ["a b", "ab c"]}})");
  change(file);
  const auto path = folder.path() / "tokenizer.json";
  std::ofstream(path) << file.dump();
  return path;
}

}  // namespace

class TokenizerTest : public QObject {
  Q_OBJECT
 private slots:

  void smollm2_gguf_agrees_with_its_references() {
    const auto model = test::starter_model();
    if (!model) QSKIP("the starter model has not been fetched");
    const auto tokenizer = open_tokenizer(*model);
    PW_VERIFY(tokenizer);
    compare_vectors(*tokenizer, test::data("text/smollm2"));
    compare_streams(*tokenizer, test::data("text/smollm2"));
    QCOMPARE((*tokenizer)->size(), 49152);
    QCOMPARE((*tokenizer)->eos(), std::optional<TokenId>(2));
    QCOMPARE((*tokenizer)->bos(), std::optional<TokenId>(1));
    QCOMPARE((*tokenizer)->end_tokens(), (std::vector<TokenId>{2, 0}));
  }

  void ids_outside_the_vocabulary_have_no_bytes() {
    QVERIFY(smollm2());
    QCOMPARE(smollm2()->bytes_of(-1).size(), std::size_t{0});
    QCOMPARE(smollm2()->bytes_of(smollm2()->size()).size(), std::size_t{0});
    QVERIFY(!smollm2()->is_special(-1));
    QVERIFY(!smollm2()->is_special(smollm2()->size()));
    QVERIFY(smollm2()->is_special(2));
  }

  void invalid_utf8_is_encoded_by_itself() {
    QVERIFY(smollm2());
    const auto ids = smollm2()->encode("é\xC3 \xA9\xE2\x82", false, false);
    std::string bytes;
    for (const TokenId id : ids) bytes += smollm2()->bytes_of(id);
    QCOMPARE(bytes, std::string("é\xC3 \xA9\xE2\x82"));
  }

  void long_hostile_texts_take_linear_time() {
    QVERIFY(smollm2());
    const std::string unit = "<|im_start";
    for (const std::string& pattern :
         {std::string("a"), std::string(" "), std::string("\n"), std::string("<"), unit,
          std::string("\xF0\x9F\x98\x80"), std::string("\xFF"), std::string("1"), std::string("'")}) {
      std::string text;
      while (text.size() < std::size_t{1} << 20) text += pattern;
      const auto ids = smollm2()->encode(text, false, true);
      std::string bytes;
      for (const TokenId id : ids) bytes += smollm2()->bytes_of(id);
      if (pattern != "\xFF") QVERIFY(bytes == text);  // the vocabulary has no token for that byte
    }
  }

  void merges_follow_their_ranks() {
    const test::TemporaryFolder folder;
    const auto tokenizer = open_tokenizer(write_small_tokenizer(folder, [](json&) {}));
    PW_VERIFY(tokenizer);
    QCOMPARE((*tokenizer)->encode("abcab abb", false, false), (std::vector<TokenId>{4, 3, 5, 3, 1}));
  }

  void added_tokens_take_space_and_words_as_they_say() {
    const test::TemporaryFolder folder;
    const auto tokenizer = open_tokenizer(write_small_tokenizer(folder, [](json& file) {
      const auto added = [](int id, const char* content, bool special, bool left, bool right, bool word) {
        return json{{"id", id},       {"content", content}, {"special", special},
                    {"lstrip", left}, {"rstrip", right},    {"single_word", word}};
      };
      file["added_tokens"] = {
          added(6, "<l>", true, true, false, false), added(7, "<r>", true, false, true, false),
          added(8, "ca", false, false, false, true), added(9, "<l>b", true, false, false, false)};
    }));
    PW_VERIFY(tokenizer);
    const auto encode = [&](const char* text) { return (*tokenizer)->encode(text, false, true); };
    QCOMPARE(encode("a  <l> b"), (std::vector<TokenId>{0, 6, 5, 1}));
    QCOMPARE(encode("a <r>  b"), (std::vector<TokenId>{0, 5, 7, 1}));
    QCOMPARE(encode("a<l>bb"), (std::vector<TokenId>{0, 9, 1}));
    QCOMPARE(encode("ca bca"), (std::vector<TokenId>{8, 5, 1, 2, 0}));
  }

  void what_is_not_known_is_refused_by_name_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const char* patch) { QTest::newRow(name) << patch << name; };
    row("Character", R"({"model": {"type": "Character"}})");
    row("Caesar", R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Caesar"}]}})");
    row("UnicodeScripts", R"({"pre_tokenizer": {"type": "UnicodeScripts"}})");
    row("PairProcessing", R"({"post_processor": {"type": "PairProcessing"}})");
    row("BPEDecoder", R"({"decoder": {"type": "BPEDecoder", "suffix": "</w>"}})");
    row("SplitInHalf",
        R"({"pre_tokenizer": {"type": "Split", "behavior": "SplitInHalf", "pattern": {"String": " "}}})");
    row("last",
        R"({"pre_tokenizer": {"type": "Metaspace", "add_prefix_space": null, "prepend_scheme": "last"}})");
  }
  void what_is_not_known_is_refused_by_name() {
    QFETCH(QString, patch);
    QFETCH(QString, named);
    const test::TemporaryFolder folder;
    const auto path = write_small_tokenizer(
        folder, [&](json& file) { file.merge_patch(json::parse(patch.toStdString())); });
    const auto tokenizer = open_tokenizer(path);
    QVERIFY(!tokenizer.ok());
    QCOMPARE(tokenizer.error().kind, Error::Kind::unsupported);
    QVERIFY2(tokenizer.error().what.find(named.toStdString()) != std::string::npos,
             tokenizer.error().what.c_str());
  }

  void damaged_files_give_errors_data() {
    QTest::addColumn<QString>("patch");
    QTest::newRow("merge of no tokens") << R"({"model": {"merges": ["a x"]}})";
    QTest::newRow("merge line of three") << R"({"model": {"merges": ["a b c"]}})";
    QTest::newRow("id too large") << R"({"model": {"vocab": {"z": 2000000000}}})";
    QTest::newRow("negative id") << R"({"model": {"vocab": {"z": -5}}})";
    QTest::newRow("vocab of another type") << R"({"model": {"vocab": 3}})";
    QTest::newRow("no merges") << R"({"model": {"merges": null}})";
    QTest::newRow("id is text") << R"({"added_tokens": [{"id": "x", "content": "y"}]})";
  }
  void damaged_files_give_errors() {
    QFETCH(QString, patch);
    const test::TemporaryFolder folder;
    const auto path = write_small_tokenizer(
        folder, [&](json& file) { file.merge_patch(json::parse(patch.toStdString())); });
    QVERIFY(!open_tokenizer(path).ok());
  }

  void gguf_names_that_are_not_known_are_refused() {
    VocabularyData data;
    data.source = VocabularyData::Source::gguf;
    data.model = "gpt2";
    data.pre = "no-such-pre";
    auto tokenizer = make_tokenizer(data);
    QVERIFY(!tokenizer.ok());
    QCOMPARE(tokenizer.error().kind, Error::Kind::unsupported);
    QVERIFY(tokenizer.error().what.find("no-such-pre") != std::string::npos);
    data.model = "rwkv";
    tokenizer = make_tokenizer(data);
    QVERIFY(!tokenizer.ok());
    QVERIFY(tokenizer.error().what.find("rwkv") != std::string::npos);
    QVERIFY(!make_tokenizer(VocabularyData{}).ok());
  }

  void many_threads_share_one_tokenizer() {
    QVERIFY(smollm2());
    const auto rows = read_lines(test::data("text/smollm2/vectors.jsonl"));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (const json& row : rows) {
          const auto ids = smollm2()->encode(row.at("text").get<std::string>(), row.at("add_special"),
                                             row.at("parse_special"));
          if (json(ids) != row.at("ids")) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
  }
};

QTEST_GUILESS_MAIN(TokenizerTest)
#include "tokenizer_test.moc"
