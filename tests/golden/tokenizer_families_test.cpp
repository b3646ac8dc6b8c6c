// SPDX-License-Identifier: GPL-3.0-or-later
// Reference vectors and streams of whole tokenizer families: HF tokenizers, llama.cpp, sentencepiece and
// tiktoken gave the same ids for every row.
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/text/detokenizer.h"
#include "engine/text/tokenizer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

std::vector<json> read_lines(const fs::path& path) {
  std::vector<json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

/// The family's folder: in the repository, or else beside the checkout.
std::optional<fs::path> family_folder(const std::string& family) {
  const fs::path own = test::data("text/" + family);
  if (fs::exists(own / "vectors.jsonl")) return own;
  return test::shared("text/tokenizers/" + family);
}

struct Tally {
  int passed = 0, total = 0;
  std::string first_failure;
  void count(bool good, const std::function<std::string()>& describe) {
    ++total;
    if (good) {
      ++passed;
    } else if (first_failure.empty()) {
      first_failure = describe();
    }
  }
};

std::string decoded(const TokenizerPtr& tokenizer, const json& row, bool skip_special) {
  return decode(tokenizer, row.at("ids").get<std::vector<TokenId>>(), skip_special);
}

bool has_special(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](TokenId id) { return tokenizer.is_special(id); });
}

Tally compare_vectors(const TokenizerPtr& tokenizer, const fs::path& folder) {
  Tally tally;
  for (const json& row : read_lines(folder / "vectors.jsonl")) {
    const auto ids =
        tokenizer->encode(row.at("text").get<std::string>(), row.at("add_special"), row.at("parse_special"));
    bool good = json(ids) == row.at("ids");
    std::string plain, skipped;
    if (row.contains("decoded")) {
      plain = decoded(tokenizer, row, false);
      skipped = decoded(tokenizer, row, true);
      good = good && plain == row.at("decoded").get<std::string>();
      // The field is also absent where a special token is left out and the references differ in which.
      if (row.contains("decoded_skip_special")) {
        good = good && skipped == row.at("decoded_skip_special").get<std::string>();
      } else if (!has_special(*tokenizer, ids)) {
        good = good && skipped == row.at("decoded").get<std::string>();
      }
    }
    tally.count(good,
                [&] { return row.dump() + "\ngot " + json(ids).dump() + " " + plain + " / " + skipped; });
  }
  return tally;
}

Tally compare_streams(const TokenizerPtr& tokenizer, const fs::path& folder) {
  Tally tally;
  for (const json& row : read_lines(folder / "streams.jsonl")) {
    Detokenizer stream(tokenizer, true);
    for (const TokenId id : row.value("prompt_ids", std::vector<TokenId>())) stream.push(id);
    std::vector<std::string> chunks;
    for (const TokenId id : row.at("ids")) chunks.push_back(stream.push(id));
    const std::string flush = stream.flush();
    tally.count(json(chunks) == row.at("chunks") && flush == row.at("flush").get<std::string>(),
                [&] { return row.dump() + "\ngot " + json(chunks).dump() + " " + flush; });
  }
  return tally;
}

/// Rows where the references differ: ours are those of `reference`.
Tally compare_disagreements(const TokenizerPtr& tokenizer, const fs::path& folder,
                            const std::string& reference) {
  Tally tally;
  for (const json& row : read_lines(folder / "disagreements.jsonl")) {
    if (!row.at("by").contains(reference)) continue;
    const auto ids =
        tokenizer->encode(row.at("text").get<std::string>(), row.at("add_special"), row.at("parse_special"));
    tally.count(json(ids) == row.at("by").at(reference),
                [&] { return row.dump() + "\ngot " + json(ids).dump(); });
  }
  return tally;
}

}  // namespace

class TokenizerFamiliesTest : public QObject {
  Q_OBJECT
 private slots:

  void families_agree_with_their_references_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("file");
    const auto row = [](const char* family, const char* file) {
      QTest::addRow("%s/%s", family, file) << family << file;
    };
    for (const char* family : {"smollm2", "qwen3", "llama2", "llama3", "gpt2", "mistral-v3", "phi3"})
      row(family, "tokenizer.json");
    row("mistral-v3", "tokenizer.model");
    row("llama2", "ggml-vocab-llama-spm.gguf");
    row("deepseek-coder", "ggml-vocab-deepseek-coder.gguf");
  }
  void families_agree_with_their_references() {
    QFETCH(QString, family);
    QFETCH(QString, file);
    const auto folder = family_folder(family.toStdString());
    if (!folder) QSKIP("the reference vectors of this family are not beside the checkout");
    const auto tokenizer = open_tokenizer(*folder / file.toStdString());
    PW_VERIFY(tokenizer);
    const Tally vectors = compare_vectors(*tokenizer, *folder);
    const Tally streams = compare_streams(*tokenizer, *folder);
    const Tally disputed =
        file == "tokenizer.json" ? compare_disagreements(*tokenizer, *folder, "tokenizers") : Tally{};
    qInfo("%s: %d of %d vectors, %d of %d streams, %d of %d disputed rows", qPrintable(family),
          vectors.passed, vectors.total, streams.passed, streams.total, disputed.passed, disputed.total);
    QVERIFY(vectors.total > 100 && streams.total > 10);
    for (const Tally& tally : {vectors, streams, disputed})
      QVERIFY2(tally.passed == tally.total, tally.first_failure.c_str());
  }

  /// One row a file: tests/data/text/synthetic/make_synthetic.py wrote them.
  void made_up_tokenizers_agree_with_their_references_data() {
    QTest::addColumn<QString>("file");
    for (const auto& entry : fs::directory_iterator(test::data("text/synthetic"))) {
      const fs::path path = entry.path();
      if (path.extension() != ".json" && path.extension() != ".model") continue;
      QTest::newRow(path.filename().c_str()) << QString::fromStdString(path.filename());
    }
  }
  void made_up_tokenizers_agree_with_their_references() {
    QFETCH(QString, file);
    static const std::vector<json> kRows = read_lines(test::data("text/synthetic/cases.jsonl"));
    const auto tokenizer = open_tokenizer(test::data("text/synthetic") / file.toStdString());
    PW_VERIFY(tokenizer);
    int rows = 0;
    for (const json& row : kRows) {
      if (row.at("file") != file.toStdString()) continue;
      ++rows;
      const auto ids =
          (*tokenizer)
              ->encode(row.at("text").get<std::string>(), row.at("add_special"), row.at("parse_special"));
      QVERIFY2(json(ids) == row.at("ids"), (row.dump() + "\ngot " + json(ids).dump()).c_str());
      if (!row.contains("decoded")) continue;
      QCOMPARE(decoded(*tokenizer, row, row.at("skip_special")), row.at("decoded").get<std::string>());
    }
    QVERIFY(rows > 20);
  }
};

QTEST_GUILESS_MAIN(TokenizerFamiliesTest)
#include "tokenizer_families_test.moc"
