// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged model files: whatever the bytes, opening them and reading their numbers ends with a model or an
// error, in memory that the files' size bounds. PITWALL_FUZZ_SECONDS: for each kind of file (default 2);
// PITWALL_FUZZ_SEED: of a run to repeat.
#include <malloc.h>

#include <QTest>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "engine/base/file.h"
#include "engine/model/gguf_set.h"
#include "engine/model/hf_quantization.h"
#include "engine/model/json_text.h"
#include "engine/model/quantized_linear.h"
#include "engine/model/safetensors_reader.h"
#include "kernels/cpu/packed_weight.h"
#include "tests/support/gguf_converter.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_support.h"

namespace {

std::atomic<std::size_t> live_bytes{0}, most_bytes{0};

void* counted(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t live = live_bytes += malloc_usable_size(memory);
  std::size_t most = most_bytes;
  while (live > most && !most_bytes.compare_exchange_weak(most, live)) {
  }
  return memory;
}
void uncounted(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  uncounted(memory);
}

using namespace pitwall;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;  // name → bytes

/// Headers become JSON trees and lists of tensors, some 100 bytes for the shortest entry, copied a few times;
/// rows of numbers come on top.
constexpr std::size_t kMostPerByte = 64;
/// The largest number of layers that config.json may claim, described, and once more while they are copied.
constexpr std::size_t kMostBesides =
    2 * 10'000 * (sizeof(LayerSpec) + 4096 * sizeof(double)) + (std::size_t{8} << 20);

std::string bytes_of(const fs::path& file) {
  auto bytes = read_file(file);
  if (!bytes) throw std::runtime_error(bytes.error().text());
  return *std::move(bytes);
}

/// Reads the numbers as a load would: checked, the first and the last row, and packed.
void use(const TensorView& view) {
  if (!view.valid() || view.rows < 1 || view.columns < 1 || view.columns > 1 << 16) return;
  if (view.quantized && !view.quantized->check_numbers()) return;
  std::vector<float> row(static_cast<std::size_t>(view.columns));
  dequantize_rows(view, 0, 1, row.data());
  dequantize_rows(view, view.rows - 1, 1, row.data());
  if (!view.quantized && !is_weight_type(view.type)) return;
  const PackedLayout layout = packed_layout(view);
  if (layout.values + layout.scales > 1 << 20) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(layout.values + layout.scales));
  for (int tile = 0; tile < layout.matrix.tiles(); ++tile)
    pack_tile(view, layout, tile, memory.data(), memory.data() + layout.values);
}

void use(const Model& model) {
  const ModelWeights& weights = model.weights();
  use(weights.embedding);
  use(weights.output);
  for (const LayerWeights& layer : weights.layers) {
    for (const TensorView* view : {&layer.attention_norm, &layer.q, &layer.k, &layer.o, &layer.mlp.down})
      use(*view);
  }
}

/// Changes files as damage and malice do.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void change(Files& files) {
    for (int changes = 1 + below(4); changes > 0; --changes) {
      auto file = files.begin();
      std::advance(file, below(static_cast<int>(files.size())));
      if (!file->second.empty()) change(file->second);
    }
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  void change(std::string& bytes) {
    // Most of what can go wrong is said in the first bytes.
    const auto size = static_cast<int>(bytes.size());
    const int at = below(below(4) == 0 ? size : std::min(size, 8192));
    static const std::string kNumbers[] = {"0",     "-1",   "4294967296", "9223372036854775807",
                                           "1e308", "null", "[]",         "{}",
                                           "\"\"",  "true", "16",         "65537"};
    static const std::string kWords[] = {std::string(8, '\xFF'),
                                         std::string(8, '\0'),
                                         {"\1\0\0\0\0\0\0\x80", 8},
                                         std::string("\xFF\xFF\xFF\x7F", 4),
                                         std::string(1, '\x22')};
    const auto place = static_cast<std::size_t>(at);
    switch (below(8)) {
      case 0:
      case 1:
        bytes[place] = static_cast<char>(random_());
        return;
      case 2:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        return;
      case 3:
        bytes.resize(place);
        return;
      case 4:
        bytes.insert(place, bytes.substr(place, static_cast<std::size_t>(below(64))));
        return;
      case 5: {
        const std::string& word = kWords[below(std::size(kWords))];
        bytes.replace(place, std::min(word.size(), bytes.size() - place), word);
        return;
      }
      default: {  // a number in text
        const std::size_t digit = bytes.find_first_of("0123456789", place);
        if (digit == std::string::npos) return;
        const std::size_t end = bytes.find_first_not_of("0123456789", digit);
        const std::size_t length = end == std::string::npos ? bytes.size() - digit : end - digit;
        std::string number = kNumbers[below(std::size(kNumbers))];
        if (below(2) == 0) number.resize(length, ' ');  // offsets behind it stay
        bytes.replace(digit, length, number);
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

class ModelFuzzTest : public QObject {
  Q_OBJECT

  std::uint64_t seed_ = 0;
  double seconds_ = 2;

  /// Damages one of `originals` at a time and hands the folder to `open` until the time is over.
  template <class Open>
  void run(const std::vector<Files>& originals, const Open& open) {
    test::TemporaryFolder folder;
    Mutator mutator(seed_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_);
    int rounds = 0, opened = 0;
    for (; std::chrono::steady_clock::now() < end; ++rounds) {
      Files files = originals[static_cast<std::size_t>(rounds) % originals.size()];
      if (static_cast<std::size_t>(rounds) >= originals.size()) mutator.change(files);
      std::size_t size = 0;
      for (const auto& [name, bytes] : files) {
        std::ofstream(folder.path() / name, std::ios::binary) << bytes;
        size += bytes.size();
      }
      const std::size_t before = live_bytes;
      most_bytes = before;
      const bool good = open(folder.path());
      opened += good;
      if (static_cast<std::size_t>(rounds) < originals.size()) QVERIFY(good);  // undamaged
      const std::size_t taken = most_bytes - before;
      QVERIFY2(taken <= kMostPerByte * size + kMostBesides,
               qPrintable(QString("round %1 took %2 bytes for %3").arg(rounds).arg(taken).arg(size)));
    }
    qInfo("%d rounds, %d opened", rounds, opened);
  }

 private slots:
  void init() {
    const QByteArray seed = qgetenv("PITWALL_FUZZ_SEED"), seconds = qgetenv("PITWALL_FUZZ_SECONDS");
    seed_ = seed.isEmpty() ? std::random_device{}() : seed.toULongLong();
    if (!seconds.isEmpty()) seconds_ = seconds.toDouble();
    qInfo("seed %llu", static_cast<unsigned long long>(seed_));
  }

  void gguf_models() {
    std::vector<Files> files = {{{"m.gguf", test::tiny_llama().bytes()}}};
    for (const char* name : {"phi3-longrope", "llama-yarn", "gemma1", "cohere-qk-norm", "cohere2-nope",
                             "granite-multipliers", "qwen3-moe"}) {
      const auto golden = Model::open(test::data(std::string("golden/") + name));
      PW_VERIFY(golden);
      files.push_back({{"m.gguf", test::to_gguf(**golden, test::GgufNumbers::q8_0).bytes()}});
    }
    run(files, [](const fs::path& folder) {
      const auto model = Model::open(folder / "m.gguf");
      if (model.ok()) use(**model);
      return model.ok();
    });
  }

  void gguf_tensors_of_every_type() {
    test::GgufWriter writer;
    for (std::uint32_t type : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 10u, 11u, 12u, 13u, 14u, 20u, 23u, 30u, 39u}) {
      constexpr std::size_t kBytes[] = {4 * 256, 2 * 256, 144, 160, 0, 0, 176, 192, 272, 0, 84, 110,
                                        144,     176,     210, 0,   0, 0, 0,   0,   144, 0, 0,  136};
      const std::size_t bytes = type == 30 ? 512 : type == 39 ? 136 : kBytes[type];
      writer.tensors.push_back(
          {std::to_string(type) + ".weight", {256, 2, 3}, type, std::string(6 * bytes, '\5')});
    }
    run({{{"m.gguf", writer.bytes()}}}, [](const fs::path& folder) {
      const auto set = GgufSet::open(folder / "m.gguf");
      if (!set.ok()) return false;
      const auto views = set->tensor_views();
      if (!views.ok()) return false;
      for (const TensorView& view : *views) use(view);
      return true;
    });
  }

  void checkpoint_folders() {
    std::vector<Files> folders;
    for (const char* name :
         {"llama-gptq-g64", "llama-awq-g64", "llama-gqa", "gemma2-softcaps", "gemma3-linear", "phi3-longrope",
          "qwen2-moe-shared", "cohere2-nope", "smollm3-nope", "llama-biases"}) {
      const fs::path golden = test::data(std::string("golden/") + name);
      folders.push_back({{"config.json", bytes_of(golden / "config.json")},
                         {"model.safetensors", bytes_of(golden / "model.safetensors")}});
    }
    run(folders, [](const fs::path& folder) {
      const auto model = Model::open(folder);
      if (model.ok()) use(**model);
      return model.ok();
    });
  }

  void quantised_linears() {
    const json all = json::parse(bytes_of(test::data("quantised/linears.json")));
    const auto whole = SafetensorsFile::open(test::data("quantised/linears.safetensors"));
    PW_VERIFY(whole);
    std::vector<Files> layers;
    for (const auto& [name, entry] : all.items()) {
      json header;
      std::string data;
      for (const TensorView& view : whole->tensors()) {
        if (!view.name.starts_with(name + ".") || view.name.ends_with(".expected")) continue;
        const std::size_t begin = data.size();
        data.append(reinterpret_cast<const char*>(view.data), static_cast<std::size_t>(view.bytes));
        json shape = {view.rows, view.columns};
        if (view.rows == 1) shape = {view.columns};
        header["layer" + view.name.substr(name.size())] = {{"dtype", tensor_type_info(view.type).name},
                                                           {"shape", shape},
                                                           {"data_offsets", {begin, data.size()}}};
      }
      const std::string text = header.dump();
      json config = {
          {"quantization_config", entry["config"]}, {"rows", entry["rows"]}, {"columns", entry["columns"]}};
      layers.push_back(
          {{"config.json", config.dump()},
           {"layer.safetensors", test::GgufWriter::pack(std::uint64_t{text.size()}) + text + data}});
    }
    run(layers, [](const fs::path& folder) {
      const auto config = read_json_object(folder / "config.json");
      auto file = SafetensorsFile::open(folder / "layer.safetensors");
      if (!config || !file) return false;
      const auto assembler = make_weight_assembler(*config, folder);
      if (!assembler) return false;
      const auto side = [&](const char* key) {
        const auto found = config->find(key);
        return found != config->end() && found->is_number_integer() ? found->get<std::int64_t>() : 8;
      };
      WeightBinder binder(file->tensors(), assembler->get());
      const TensorView view = binder.matrix("layer.weight", side("rows"), side("columns"));
      if (!binder.finish()) return false;
      use(view);
      return true;
    });
  }
};

QTEST_APPLESS_MAIN(ModelFuzzTest)
#include "model_fuzz_test.moc"
