// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that are not finite end the request that they belong to, with the dtypes in the error; nothing is
// ever sampled from them, and others go on.
#include <QTest>
#include <cstring>
#include <fstream>
#include <limits>

#include "engine/model/gguf_reader.h"
#include "tests/support/engine_runner.h"
#include "tests/support/test_support.h"
#include "tests/support/tiny_model.h"

using namespace pitwall;

namespace {

constexpr TokenId kPoisoned = 'x' + 3;

/// A tiny model whose embedding of one token is infinite, as a number that float16 could not hold.
std::filesystem::path poisoned_model(const std::filesystem::path& folder) {
  const auto path = test::write_tiny_model(folder);
  std::int64_t offset = 0, columns = 0;
  {
    const auto file = GgufFile::open(path);
    const auto views = file->tensor_views();
    const std::byte* start = file->header().data();
    for (const TensorView& view : *views) {
      if (view.name != "token_embd.weight") continue;
      columns = view.columns;
      offset = view.data - start + std::int64_t{kPoisoned} * view.columns * 4;
    }
  }
  const std::vector<float> row(static_cast<std::size_t>(columns), std::numeric_limits<float>::infinity());
  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(offset);
  stream.write(reinterpret_cast<const char*>(row.data()), columns * 4);
  return path;
}

}  // namespace

class NotFiniteTest : public QObject {
  Q_OBJECT

 private slots:
  void only_the_poisoned_request_ends() {
    test::TemporaryFolder folder;
    auto engine = test::start_engine(poisoned_model(folder.path()), {{"kv-cache-dtype", "float16"}});
    const std::vector<TokenId> sound{'a' + 3, 'b' + 3, 'c' + 3}, poisoned{'a' + 3, kPoisoned, 'c' + 3};
    const auto alone = test::run_requests(*engine, {test::greedy_request(sound, 20)});
    const auto replies =
        test::run_requests(*engine, {test::greedy_request(sound, 20), test::greedy_request(poisoned, 20)});
    QCOMPARE(replies[0].tokens, alone[0].tokens);
    QCOMPARE(replies[0].last.reason, FinishReason::length);
    QVERIFY(replies[1].tokens.empty());
    QCOMPARE(replies[1].last.reason, FinishReason::error);
    const std::string text = replies[1].last.error.text();
    QVERIFY2(text.find("not finite") != std::string::npos && text.find("float16") != std::string::npos,
             text.c_str());
    const auto failures = engine->recorder().sources().failures;
    QCOMPARE(failures[static_cast<std::size_t>(FailureCause::not_finite)], std::int64_t{1});
  }
};

QTEST_GUILESS_MAIN(NotFiniteTest)
#include "not_finite_test.moc"
