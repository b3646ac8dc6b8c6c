// SPDX-License-Identifier: GPL-3.0-or-later
// A sequence's logits do not change by a bit with its batch neighbours, the cut of its tokens into steps, the
// place of its blocks, the block size or the number of threads.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/support/cpu_harness.h"

using namespace pitwall;
using namespace pitwall::test;
using Floats = std::vector<float>;

namespace {

constexpr int kHidden = 256, kHeads = 6, kKvHeads = 2, kHeadDim = 24, kIntermediate = 512, kVocabulary = 61;
constexpr int kLayers = 2, kSequences = 4, kLongest = 110, kWindow = 37;

/// Two layers with every weight format: the second one slides a window.
struct Network {
  struct Layer {
    OwnedTensor norm, q, k, v, o, q_bias, mlp_norm, gate, up, down;
  };
  OwnedTensor embedding;
  std::vector<Layer> layers;

  explicit Network(std::mt19937& random) {
    const auto matrix = [&](int rows, int columns) {
      constexpr int kWeightTypes = static_cast<int>(TensorType::f8_e4m3) + 1;
      return random_tensor(static_cast<TensorType>(random() % kWeightTypes), rows, columns, random);
    };
    const auto vector = [&](int columns) { return random_tensor(TensorType::f32, 1, columns, random); };
    const int q = kHeads * kHeadDim, kv = kKvHeads * kHeadDim;
    embedding = random_tensor(TensorType::q8_0, kVocabulary, kHidden, random);
    for (int i = 0; i < kLayers; ++i) {
      layers.push_back({vector(kHidden), matrix(q, kHidden), matrix(kv, kHidden), matrix(kv, kHidden),
                        random_tensor(TensorType::bf16, kHidden, q, random), vector(q), vector(kHidden),
                        matrix(kIntermediate, kHidden), matrix(kIntermediate, kHidden),
                        matrix(kHidden, kIntermediate)});
    }
  }
};

struct Way {  ///< of running the same sequences
  int threads = 1, block_size = 32;
  bool together = false, shuffled_blocks = false, random_chunks = false, token_by_token = false;
};

class Runner {
 public:
  Runner(const Network& network, CpuBackendOptions options, const Way& way, KvDtype dtype)
      : harness_(options, {kSequences * kLongest, kSequences, 8, kVocabulary}, layout(way, dtype),
                 blocks(way)),
        backend_(harness_.backend()) {
    spec_.heads = kHeads;
    spec_.kv_heads = kKvHeads;
    spec_.head_dim = kHeadDim;
    spec_.rope = RopeSpec{10000.0, kHeadDim, RopeSpec::Pairing::halves};
    spec_.scale = 1 / std::sqrt(static_cast<float>(kHeadDim));
    embedding_ = harness_.upload(network.embedding);
    rope_ = take(backend_.upload_rope(*spec_.rope, kLongest));
    for (const Network::Layer& layer : network.layers) {
      layers_.push_back({harness_.upload_vector(layer.norm), harness_.upload(layer.q),
                         harness_.upload(layer.k), harness_.upload(layer.v), harness_.upload(layer.o),
                         harness_.upload_vector(layer.q_bias), harness_.upload_vector(layer.mlp_norm),
                         harness_.upload(layer.gate), harness_.upload(layer.up),
                         harness_.upload(layer.down)});
    }
    hidden_ = harness_.tensor(kHidden);
    q_ = harness_.tensor(kHeads * kHeadDim);
    k_ = harness_.tensor(kKvHeads * kHeadDim);
    v_ = harness_.tensor(kKvHeads * kHeadDim);
    attended_ = harness_.tensor(kHeads * kHeadDim);
    gated_ = harness_.tensor(kIntermediate);
    last_ = take(backend_.allocate(Category::activations, RowSet::logits, kHidden));
    logits_ = take(backend_.allocate(Category::logits, RowSet::logits, kVocabulary));
  }

  /// Logits of every position, by sequence.
  std::vector<Floats> run(const std::vector<std::vector<TokenId>>& sequences, const Way& way,
                          std::mt19937& random) {
    std::vector<Floats> all(sequences.size());
    std::vector<std::size_t> done(sequences.size());
    StepPlan plan = first_plan(way, random);
    for (std::size_t turn = 0;; ++turn) {
      for (std::size_t s = 0; s < sequences.size(); ++s) {
        if (!way.together && s != first_unfinished(sequences, done)) continue;
        const std::size_t left = sequences[s].size() - done[s];
        if (left == 0) continue;
        const std::size_t count = way.token_by_token ? 1 : way.random_chunks ? 1 + random() % left : left;
        const auto begin = sequences[s].begin() + static_cast<std::ptrdiff_t>(done[s]);
        add_slice(plan, static_cast<int>(s), static_cast<int>(done[s]),
                  {begin, begin + static_cast<std::ptrdiff_t>(count)});
        done[s] += count;
      }
      if (plan.slices.empty()) return all;
      const StepResult result = harness_.run(std::exchange(plan, {}), [this] { forward(); });
      if (result.error) throw std::runtime_error(result.error->text());
      for (const SliceLogits& slice : result.logits) {
        Floats& logits = all[slice.request.value - 1];
        logits.insert(logits.end(), slice.values.begin(), slice.values.end());
      }
    }
  }

 private:
  struct Layer {
    Weight norm, q, k, v, o, q_bias, mlp_norm, gate, up, down;
  };

  static int blocks_each(const Way& way) { return (kLongest + way.block_size - 1) / way.block_size; }
  static int blocks(const Way& way) { return kSequences * blocks_each(way) + 3; }
  static KvLayout layout(const Way& way, KvDtype dtype) {
    KvLayout layout;
    layout.dtype = dtype;
    layout.block_size = way.block_size;
    layout.layers.assign(kLayers, {kKvHeads, kHeadDim, {0.01f, 0.03f}, {0.02f, 0.05f}});
    return layout;
  }

  static std::size_t first_unfinished(const std::vector<std::vector<TokenId>>& sequences,
                                      const std::vector<std::size_t>& done) {
    std::size_t s = 0;
    while (s + 1 < sequences.size() && done[s] == sequences[s].size()) ++s;
    return s;
  }

  static StepPlan first_plan(const Way& way, std::mt19937& random) {
    std::vector<int> ids(static_cast<std::size_t>(blocks(way)));
    std::iota(ids.begin(), ids.end(), 0);
    if (way.shuffled_blocks) std::shuffle(ids.begin(), ids.end(), random);
    StepPlan plan;
    for (int s = 0; s < kSequences; ++s) {
      plan.joins.push_back({SlotId{s}, RequestId{static_cast<std::uint64_t>(s) + 1}, {}});
      for (int b = 0; b < blocks_each(way); ++b) {
        plan.appends.push_back(
            {SlotId{s}, b, BlockId{ids[static_cast<std::size_t>(s * blocks_each(way) + b)]}});
      }
    }
    return plan;
  }

  void forward() {
    backend_.embed(embedding_, 1, hidden_);
    for (int i = 0; i < kLayers; ++i) {
      const Layer& layer = layers_[static_cast<std::size_t>(i)];
      const LinearOutput qkv[] = {
          {layer.q, q_, layer.q_bias, {}}, {layer.k, k_, {}, {}}, {layer.v, v_, {}, {}}};
      backend_.linear(hidden_, {layer.norm, 1e-5f}, qkv);
      backend_.rope_append({i, rope_, {}, {}}, spec_, q_, k_, v_);
      backend_.attention({i, kHeads, kKvHeads, kHeadDim, spec_.scale, i == 1 ? kWindow : 0}, q_, attended_);
      const LinearOutput projected{layer.o, hidden_, {}, hidden_};
      backend_.linear(attended_, {}, {&projected, 1});
      backend_.gated_linear(hidden_, {layer.mlp_norm, 1e-5f},
                            {layer.gate, layer.up, {}, {}, Activation::silu}, gated_);
      const LinearOutput down{layer.down, hidden_, {}, hidden_};
      backend_.linear(gated_, {}, {&down, 1});
    }
    backend_.gather_logit_rows(hidden_, last_);
    const LinearOutput output{embedding_, logits_, {}, {}};
    backend_.linear(last_, {layers_[0].norm, 1e-5f}, {&output, 1});
    backend_.sample(logits_);
  }

  CpuHarness harness_;
  CpuBackend& backend_;
  AttentionSpec spec_;
  Weight embedding_;
  std::vector<Layer> layers_;
  RopeTable rope_;
  Tensor hidden_, q_, k_, v_, attended_, gated_, last_, logits_;
};

}  // namespace

class InvarianceTest : public QObject {
  Q_OBJECT

 private slots:
  void logits_are_equal_bit_by_bit_data() {
    QTest::addColumn<int>("isa");
    QTest::addColumn<bool>("automatic");
    QTest::addColumn<int>("dtype");
    for (Isa isa : usable_isas()) {
      for (KvDtype dtype : kKvDtypes) {
        for (bool automatic : {false, true}) {
          QTest::addRow("%s, %s, KV in %s", isa_name(isa).data(), automatic ? "automatic" : "float32",
                        kv_dtype_name(dtype).data())
              << static_cast<int>(isa) << automatic << static_cast<int>(dtype);
        }
      }
    }
  }

  void logits_are_equal_bit_by_bit() {
    QFETCH(int, isa);
    QFETCH(bool, automatic);
    QFETCH(int, dtype);
    const unsigned seed = std::random_device()();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    const Network network(random);
    std::vector<std::vector<TokenId>> sequences(kSequences);
    for (auto& sequence : sequences) {
      sequence.resize(40 + random() % (kLongest - 40));
      for (TokenId& token : sequence) token = static_cast<TokenId>(random() % kVocabulary);
    }
    const auto run = [&](const Way& way) {
      CpuBackendOptions options;
      options.isa = static_cast<Isa>(isa);
      options.quantized_activations = automatic;
      options.threads = way.threads;
      return Runner(network, options, way, static_cast<KvDtype>(dtype)).run(sequences, way, random);
    };

    const std::vector<Floats> alone = run({});
    for (const Floats& logits : alone) {
      QVERIFY(std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); }));
    }
    const Way ways[] = {
        {.threads = 2},
        {.threads = 3, .together = true},
        {.shuffled_blocks = true},
        {.block_size = 16, .random_chunks = true},
        {.threads = 2, .token_by_token = true},
        {.threads = 2, .block_size = 64, .together = true, .token_by_token = true},
        {.threads = 3, .block_size = 16, .together = true, .shuffled_blocks = true, .random_chunks = true}};
    for (const Way& way : ways) {
      const std::vector<Floats> other = run(way);
      for (std::size_t s = 0; s < alone.size(); ++s) {
        QCOMPARE(other[s].size(), alone[s].size());
        const auto bytes = alone[s].size() * sizeof(float);
        QVERIFY2(std::memcmp(other[s].data(), alone[s].data(), bytes) == 0,
                 qPrintable(QString("way %1, sequence %2").arg(&way - ways).arg(s)));
      }
    }
  }
};

QTEST_APPLESS_MAIN(InvarianceTest)
#include "invariance_test.moc"
