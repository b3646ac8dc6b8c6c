// SPDX-License-Identifier: GPL-3.0-or-later
// A model file is cut off by another program while its header is read, or after: an error or the header, and
// the process goes on. Headers are of several pages, since what is cut in a page that stays reads as zeros.
#include <QtTest>
#include <atomic>
#include <fstream>
#include <thread>

#include "engine/base/file.h"
#include "engine/model/gguf_reader.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/safetensors_writer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

namespace fs = std::filesystem;

constexpr int kTensors = 500;    // their names alone fill several pages
constexpr int kCutsOfEach = 40;  // at least, while it is read

/// Cuts a file at one point after another and writes it whole again, until destroyed.
class Cutter {
 public:
  explicit Cutter(fs::path path) : path_(std::move(path)), whole_(*read_file(path_)) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  }
  int cuts() const { return cuts_; }

 private:
  void run(const std::stop_token& stop) {
    for (std::size_t at = 0; !stop.stop_requested(); at = (at + 1021) % whole_.size()) {
      fs::resize_file(path_, at);
      std::this_thread::yield();
      std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << whole_;
      ++cuts_;
    }
  }
  fs::path path_;
  std::string whole_;
  std::atomic<int> cuts_{0};
  std::jthread thread_;
};

std::string long_name(int tensor) {
  return "a.tensor.of.a.layer.with.a.long.name." + std::to_string(tensor);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

class CutFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    test::GgufWriter writer = test::tiny_llama();
    for (int i = 0; i < kTensors; ++i) writer.text(long_name(i), "value");
    std::ofstream(gguf(), std::ios::binary) << writer.bytes();
    const float number = 1;
    std::vector<NamedMatrix> tensors;
    for (int i = 0; i < kTensors; ++i) tensors.push_back({long_name(i), 1, 1, std::span(&number, 1)});
    PW_VERIFY(write_safetensors(safetensors(), tensors));
  }

  void a_header_that_was_read_stays() {
    auto whole_gguf = *read_file(gguf()), whole_safetensors = *read_file(safetensors());
    const auto read = GgufFile::open(gguf());
    PW_VERIFY(read);
    const auto weights = SafetensorsFile::open(safetensors());
    PW_VERIFY(weights);
    fs::resize_file(gguf(), 0);
    fs::resize_file(safetensors(), 0);
    QCOMPARE(*read->metadata().text(long_name(kTensors - 1)), std::string("value"));
    QVERIFY(whole_gguf.starts_with(text_of(read->header())));
    QVERIFY(whole_safetensors.starts_with(text_of(weights->header())));
    std::ofstream(gguf(), std::ios::binary) << whole_gguf;
    std::ofstream(safetensors(), std::ios::binary) << whole_safetensors;
  }

  void headers_are_read_while_their_files_are_cut() {
    const Cutter cut_gguf(gguf()), cut_safetensors(safetensors());
    int refused = 0;
    while (cut_gguf.cuts() < kCutsOfEach || cut_safetensors.cuts() < kCutsOfEach || refused == 0) {
      if (const auto read = GgufFile::open(gguf())) {
        (void)read->metadata().text(long_name(kTensors - 1));
      } else {
        QVERIFY(read.error().text().find(gguf().string()) != std::string::npos);
        ++refused;
      }
      if (const auto read = SafetensorsFile::open(safetensors()); !read) ++refused;
    }
  }

 private:
  fs::path gguf() const { return folder_.path() / "model.gguf"; }
  fs::path safetensors() const { return folder_.path() / "model.safetensors"; }
  test::TemporaryFolder folder_;
};

QTEST_GUILESS_MAIN(CutFileTest)
#include "cut_file_test.moc"
