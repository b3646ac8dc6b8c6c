// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged tokenizer files and random texts: whatever comes, a tokenizer or an error, soon and within bounds.
// PITWALL_FUZZ_SECONDS sets the time for each target (2 by default), PITWALL_FUZZ_SEED the seed.
#include <malloc.h>

#include <QtTest>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/file.h"
#include "engine/text/detokenizer.h"
#include "engine/text/tokenizer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// What opening a file may hold at its end, for each byte of it: the merge and piece tables are larger than
/// the text they come from.
constexpr std::size_t kBytesPerFileByte = 512;
constexpr std::size_t kFixedBytes = std::size_t{16} << 20;

double seconds_for_each() {
  const char* given = std::getenv("PITWALL_FUZZ_SECONDS");
  return given == nullptr ? 2.0 : std::atof(given);
}

unsigned seed() {
  const char* given = std::getenv("PITWALL_FUZZ_SEED");
  static const unsigned kSeed =
      given == nullptr ? std::random_device{}() : static_cast<unsigned>(std::atoll(given));
  return kSeed;
}

class Mutator {
 public:
  Mutator() : random_(seed()) { qInfo("seed %u", seed()); }

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  const std::string& one_of(const std::vector<std::string>& list) { return list[below(list.size())]; }

  std::string damaged_bytes(std::string bytes) {
    for (std::size_t i = 1 + below(6); i > 0 && !bytes.empty(); --i) {
      const std::size_t at = below(bytes.size());
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(64)));
          break;
        case 3:
          bytes.erase(at, 1 + below(16));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      }
    }
    return bytes;
  }

  /// Valid JSON whose values are not what the format has there.
  json damaged_json(json file) {
    for (std::size_t i = 1 + below(4); i > 0; --i) {
      json* at = &file;
      while (at->is_structured() && !at->empty() && below(8) != 0) {
        auto entry = at->begin();
        std::advance(entry, static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(at->size(), 400))));
        at = &*entry;
      }
      *at = odd_value();
    }
    return file;
  }

  std::string text() {
    static const std::vector<std::string> kParts = {
        "a",   "the",  " ",      "  ",       "\n",           "é",        "e\xCC\x81",          "世界",
        "😀",   "1234", "<s>",    "<0x41>",   "\xFF",         "\xE6\xAD", "\xF0\x9F\x98",       "▁",
        "<a>", "fox",  "\t\r\n", "\xC2\xA0", "\xED\xA0\x80", "ﬁ",        std::string(1, '\0'), "Ａ"};
    std::string out;
    for (std::size_t i = below(12); i > 0; --i) out += one_of(kParts);
    return out;
  }

 private:
  json odd_value() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return -1;
      case 2:
        return 4'000'000'000u;
      case 3:
        return 16'777'215;
      case 4:
        return 1e308;
      case 5:
        return "";
      case 6:
        return "(((((";
      case 7:
        return json::array();
      case 8:
        return json::object();
      case 9:
        return json::array({"a", "b", "c"});
      case 10:
        return true;
      default:
        return "Sequence";
    }
  }
  std::mt19937 random_;
};

void use(const std::shared_ptr<const Tokenizer>& tokenizer, Mutator& mutator) {
  for (int i = 0; i < 4; ++i) {
    const auto ids = tokenizer->encode(mutator.text(), true, i % 2 == 0);
    for (const TokenId id : ids) QVERIFY(id >= 0 && id < tokenizer->size());
    decode(tokenizer, ids, i < 2);
  }
  decode(tokenizer, {-1, tokenizer->size(), 0, tokenizer->size() - 1}, true);
}

struct Counts {
  int files = 0, opened = 0;
};

/// Writes what `make` gives to `path` and opens it until the time is up.
template <class Make>
void run(const fs::path& path, Mutator& mutator, Make make) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds_for_each());
  Counts counts;
  do {
    const std::string bytes = make();
    std::ofstream(path, std::ios::binary) << bytes;
    const std::size_t before = mallinfo2().uordblks;
    const auto tokenizer = open_tokenizer(path);
    const std::size_t held = mallinfo2().uordblks - std::min(before, mallinfo2().uordblks);
    ++counts.files;
    if (tokenizer.ok()) {
      ++counts.opened;
      QVERIFY2(held <= kFixedBytes + bytes.size() * kBytesPerFileByte, std::to_string(held).c_str());
      use(*tokenizer, mutator);
      if (QTest::currentTestFailed()) return;
    } else {
      QVERIFY(!tokenizer.error().what.empty());
    }
  } while (Clock::now() < end);
  qInfo("%d files, %d of them still tokenizers", counts.files, counts.opened);
}

std::vector<std::string> material(const std::string& extension, std::size_t largest) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(test::data("text/synthetic"))) {
    if (entry.path().extension() == extension && entry.file_size() <= largest)
      files.push_back(read_file(entry.path()).value());
  }
  return files;
}

}  // namespace

class TokenizerFuzzTest : public QObject {
  Q_OBJECT
 private slots:

  void damaged_tokenizer_json() {
    const test::TemporaryFolder folder;
    Mutator mutator;
    const auto files = material(".json", 40'000);
    QVERIFY(files.size() > 20);
    run(folder.path() / "tokenizer.json", mutator,
        [&] { return mutator.damaged_bytes(mutator.one_of(files)); });
  }

  void tokenizer_json_of_other_values() {
    const test::TemporaryFolder folder;
    Mutator mutator;
    std::vector<json> files;
    for (const std::string& text : material(".json", 40'000)) files.push_back(json::parse(text));
    run(folder.path() / "tokenizer.json", mutator,
        [&] { return mutator.damaged_json(files[mutator.below(files.size())]).dump(); });
  }

  void damaged_character_maps() {
    const test::TemporaryFolder folder;
    Mutator mutator;
    const json file = json::parse(read_file(test::data("text/synthetic/precompiled.json")).value());
    const std::string map = file.at("normalizer").at("precompiled_charsmap");
    run(folder.path() / "tokenizer.json", mutator, [&] {
      json changed = file;
      std::string& text = changed.at("normalizer").at("precompiled_charsmap").get_ref<std::string&>();
      for (int i = 0; i < 200; ++i) text[mutator.below(text.size())] = map[mutator.below(map.size())];
      return changed.dump();
    });
  }

  void damaged_sentencepiece() {
    const test::TemporaryFolder folder;
    Mutator mutator;
    const auto files = material(".model", 400'000);
    QVERIFY(files.size() > 3);
    run(folder.path() / "tokenizer.model", mutator,
        [&] { return mutator.damaged_bytes(mutator.one_of(files)); });
  }

  void random_bytes_are_no_tokenizer() {
    const test::TemporaryFolder folder;
    Mutator mutator;
    for (const char* name : {"tokenizer.json", "tokenizer.model", "model.gguf"}) {
      for (int i = 0; i < 200; ++i) {
        std::string bytes(mutator.below(300), '\0');
        for (char& c : bytes) c = static_cast<char>(mutator.below(256));
        std::ofstream(folder.path() / name, std::ios::binary) << bytes;
        const auto tokenizer = open_tokenizer(folder.path() / name);
        if (tokenizer.ok()) use(*tokenizer, mutator);
      }
    }
  }
};

QTEST_GUILESS_MAIN(TokenizerFuzzTest)
#include "tokenizer_fuzz_test.moc"
