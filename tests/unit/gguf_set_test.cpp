// SPDX-License-Identifier: GPL-3.0-or-later
// Split GGUF models: any part opens the set, and what is missing, renamed or foreign is named.
#include <QTest>
#include <fstream>

#include "engine/model/gguf_set.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
namespace fs = std::filesystem;

namespace {

std::string u16(int value) {
  return {static_cast<char>(value & 0xFF), static_cast<char>(value >> 8)};
}

void set_place(GgufWriter& writer, int number, int count, int total) {
  constexpr std::uint32_t kU16 = 2, kI32 = 5;
  writer.raw("split.no", kU16, u16(number));
  writer.raw("split.count", kU16, u16(count));
  writer.raw("split.tensors.count", kI32, GgufWriter::pack(static_cast<std::uint32_t>(total)));
}

/// tiny_llama in parts of the given numbers of tensors; the first carries the metadata.
std::vector<fs::path> write_set(const fs::path& folder, const std::vector<std::size_t>& sizes,
                                int total = -1) {
  const GgufWriter whole = tiny_llama();
  std::vector<fs::path> paths;
  auto next = whole.tensors.begin();
  const auto count = static_cast<int>(sizes.size());
  for (int i = 0; i < count; ++i) {
    GgufWriter part = i == 0 ? whole : GgufWriter();
    const auto end = next + static_cast<std::ptrdiff_t>(sizes[static_cast<std::size_t>(i)]);
    part.tensors.assign(next, end);
    next = end;
    set_place(part, i, count, total < 0 ? static_cast<int>(whole.tensors.size()) : total);
    char name[64];
    std::snprintf(name, sizeof name, "tiny-%05d-of-%05d.gguf", i + 1, count);
    paths.push_back(part.save(folder / name));
  }
  return paths;
}

std::string error_of(const fs::path& path) {
  const auto model = Model::open(path);
  return model.ok() ? std::string() : model.error().text();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class GgufSetTest : public QObject {
  Q_OBJECT

 private slots:
  void any_part_opens_the_set() {
    TemporaryFolder folder;
    const std::size_t all = tiny_llama().tensors.size();
    const auto paths = write_set(folder.path(), {4, 0, all - 4});
    const auto one_file = Model::open(tiny_llama().save(folder.path() / "whole.gguf"));
    PW_VERIFY(one_file);
    std::string identity;
    for (const fs::path& path : paths) {
      const auto model = Model::open(path);
      PW_VERIFY(model);
      QCOMPARE((*model)->parameters(), (*one_file)->parameters());
      QCOMPARE((*model)->weight_bytes(), (*one_file)->weight_bytes());
      QVERIFY(identity.empty() || identity == (*model)->header_sha256());
      identity = (*model)->header_sha256();
      const TensorView &a = (*model)->weights().layers[1].mlp.down,
                       &b = (*one_file)->weights().layers[1].mlp.down;
      QVERIFY(std::equal(a.data, a.data + a.bytes, b.data));
    }
    const auto set = GgufSet::open(paths[2]);
    PW_VERIFY(set);
    QCOMPARE(set->tensor_count(), all);
    QCOMPARE(set->name(), std::string("tiny"));
  }

  void a_missing_part_is_named() {
    TemporaryFolder folder;
    const auto paths = write_set(folder.path(), {4, 3, tiny_llama().tensors.size() - 7});
    fs::remove(paths[1]);
    for (const fs::path& path : {paths[0], paths[2]}) {
      const std::string text = error_of(path);
      QVERIFY2(contains(text, "tiny-00002-of-00003.gguf is missing") && contains(text, "part 2 of 3"),
               text.c_str());
    }
  }

  void renamed_and_swapped_parts_are_named() {
    TemporaryFolder folder;
    const auto paths = write_set(folder.path(), {4, tiny_llama().tensors.size() - 4});
    fs::rename(paths[0], folder.path() / "first.gguf");
    std::string text = error_of(folder.path() / "first.gguf");
    QVERIFY2(contains(text, "part 1 of 2") && contains(text, "-00001-of-00002.gguf"), text.c_str());
    fs::rename(paths[1], paths[0]);
    text = error_of(paths[0]);
    QVERIFY2(contains(text, "part 2 of 2") && contains(text, "-00002-of-00002.gguf"), text.c_str());
    fs::rename(paths[0], paths[1]);
    fs::rename(folder.path() / "first.gguf", paths[0]);
    QCOMPARE(error_of(paths[0]), std::string());

    // A part of another set under the right name.
    TemporaryFolder other;
    const auto three = write_set(other.path(), {4, 3, tiny_llama().tensors.size() - 7});
    fs::copy_file(three[1], paths[1], fs::copy_options::overwrite_existing);
    text = error_of(paths[0]);
    QVERIFY2(contains(text, "says that it is part 2 of 3, its name part 2 of 2"), text.c_str());
  }

  void totals_and_doubles_are_checked() {
    TemporaryFolder folder;
    const std::size_t all = tiny_llama().tensors.size();
    std::string text = error_of(write_set(folder.path(), {4, all - 4}, static_cast<int>(all) + 1)[1]);
    QVERIFY2(contains(text, "split.tensors.count is " + std::to_string(all + 1)) &&
                 contains(text, "hold " + std::to_string(all)),
             text.c_str());

    auto paths = write_set(folder.path(), {all, 0});
    GgufWriter second;
    second.tensors = {tiny_llama().tensors.front()};
    set_place(second, 1, 2, static_cast<int>(all) + 1);
    second.save(paths[1]);
    text = error_of(paths[0]);
    QVERIFY2(contains(text, "is in another part too") && contains(text, tiny_llama().tensors.front().name),
             text.c_str());
  }

  void three_dimensions_are_rows_of_experts() {
    TemporaryFolder folder;
    GgufWriter writer;
    writer.tensors.push_back({"experts", {32, 3, 2}, 8, std::string(34 * 6, '\1')});
    const auto set = GgufSet::open(writer.save(folder.path() / "e.gguf"));
    PW_VERIFY(set);
    const auto views = set->tensor_views();
    PW_VERIFY(views);
    QCOMPARE(views->front().rows, 6);
    QCOMPARE(views->front().columns, 32);
    const TensorView second = slice_rows(views->front(), 3, 3);
    QCOMPARE(second.data - views->front().data, 3 * 34);
    QCOMPARE(second.bytes, 3 * 34);
  }
};

QTEST_APPLESS_MAIN(GgufSetTest)
#include "gguf_set_test.moc"
