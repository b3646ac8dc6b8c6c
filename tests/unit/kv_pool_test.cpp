// SPDX-License-Identifier: GPL-3.0-or-later
// The KV pool of the CPU back end: its 8-bit numbers code by code, where bytes lie, and blocks that move.
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/execute/reference_ops.h"
#include "tests/support/cpu_harness.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using Floats = std::vector<float>;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The 127 numbers from 0 to 448, row by row of the exponent: what the format's definition amounts to.
Floats fp8_magnitudes() {
  Floats magnitudes;
  for (int m = 0; m < 8; ++m) magnitudes.push_back(static_cast<float>(m) / 512);
  for (float step = 1.0f / 512; step <= 32; step *= 2) {
    for (int m = 8; m < 16 && magnitudes.size() < 127; ++m)
      magnitudes.push_back(static_cast<float>(m) * step);
  }
  return magnitudes;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

KvLayout layout_of(KvDtype dtype, int block_size, std::vector<KvLayout::Layer> layers) {
  KvLayout layout;
  layout.dtype = dtype;
  layout.block_size = block_size;
  layout.layers = std::move(layers);
  return layout;
}

/// One layer of embeddings, append and attention over a back end of its own: `last` gives the bits of
/// attention at a position.
class OneLayer {
 public:
  static constexpr int kHeads = 4, kKvHeads = 2, kHeadDim = 24, kVocabulary = 60, kBlockSize = 16;
  static constexpr int kBlocks = 12, kSwapBlocks = 5;

  OneLayer(const CpuBackendOptions& options, KvDtype dtype, std::mt19937& random)
      : harness_(options, {64, 4, 6, 1 << 16}, layout_of(dtype, kBlockSize, {{1, 8}, {kKvHeads, kHeadDim}}),
                 kBlocks) {
    CpuBackend& backend = harness_.backend();
    take(backend.allocate_swap(kSwapBlocks));
    spec_.heads = kHeads;
    spec_.kv_heads = kKvHeads;
    spec_.head_dim = kHeadDim;
    spec_.rope = RopeSpec{10000.0, kHeadDim, RopeSpec::Pairing::halves};
    spec_.scale = 0.2f;
    const auto table = [&](int width) {
      return harness_.upload(random_tensor(TensorType::f32, kVocabulary, width, random));
    };
    q_table_ = table(kHeads * kHeadDim);
    k_table_ = table(kKvHeads * kHeadDim);
    v_table_ = table(kKvHeads * kHeadDim);
    rope_ = take(backend.upload_rope(*spec_.rope, 96));
    q_ = harness_.tensor(kHeads * kHeadDim);
    k_ = harness_.tensor(kKvHeads * kHeadDim);
    v_ = harness_.tensor(kKvHeads * kHeadDim);
    out_ = harness_.tensor(kHeads * kHeadDim);
    logits_ = take(backend.allocate(Category::logits, RowSet::logits, kHeads * kHeadDim));
  }

  CpuBackend& backend() { return harness_.backend(); }
  int forwards() const { return forwards_; }

  StepResult run(const StepPlan& plan) {
    return harness_.run(plan, [this] { forward(); });
  }
  /// The attended rows of the plan's slices that ask for them.
  std::vector<Floats> rows(const StepPlan& plan) {
    const StepResult result = run(plan);
    if (result.error) throw std::runtime_error(result.error->text());
    std::vector<Floats> all;
    for (const SliceLogits& slice : result.logits) all.push_back(slice.values);
    return all;
  }

 private:
  void forward() {
    ++forwards_;
    CpuBackend& backend = harness_.backend();
    backend.embed(q_table_, 1, q_);
    backend.embed(k_table_, 1, k_);
    backend.embed(v_table_, 1, v_);
    backend.rope_append({1, rope_, {}, {}}, spec_, q_, k_, v_);
    backend.attention({1, kHeads, kKvHeads, kHeadDim, spec_.scale, 0}, q_, out_);
    backend.gather_logit_rows(out_, logits_);
    backend.sample(logits_);
  }

  CpuHarness harness_;
  AttentionSpec spec_;
  Weight q_table_, k_table_, v_table_;
  RopeTable rope_;
  Tensor q_, k_, v_, out_, logits_;
  int forwards_ = 0;
};

/// What a pool holds, as ids of appended rows: the obvious twin of moves. 0 = nothing written.
using Content = std::vector<std::vector<int>>;

}  // namespace

class KvPoolTest : public QObject {
  Q_OBJECT

  std::mt19937 random_;

  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  CpuBackendOptions options() const {
    CpuBackendOptions options = isa_options(false);
    options.threads = 3;
    return options;
  }
  const KernelTable& kernels() const { return kernel_table(options().isa); }

  static void add_dtypes() {
    QTest::addColumn<int>("dtype");
    for (KvDtype dtype : kKvDtypes) QTest::newRow(kv_dtype_name(dtype).data()) << static_cast<int>(dtype);
  }

  /// Attention of one query over one position gives that position's values as they were stored.
  Floats read_back(KvDtype dtype, const std::vector<std::byte>& block, int head_dim,
                   float value_scale) const {
    Floats query(static_cast<std::size_t>(head_dim)), out(static_cast<std::size_t>(head_dim));
    Floats scratch(static_cast<std::size_t>(attention_scratch_floats(1, head_dim)));
    const std::int32_t table[] = {0};
    AttentionTask task;
    task.q = query.data();
    task.out = out.data();
    task.rows = task.heads = 1;
    task.head_dim = head_dim;
    task.scale = 1;
    task.dtype = dtype;
    task.block_size = 16;
    task.block_table = table;
    task.pool = block.data();
    task.block_bytes = std::ssize(block);
    task.value_offset = std::ssize(block) / 2;
    task.value_scale = value_scale;
    task.scratch = scratch.data();
    kernels().attention(task);
    return out;
  }

 private slots:
  void initTestCase_data() { add_isa_rows(); }

  void init() { seed_anew(random_); }

  void a_block_is_as_large_as_its_numbers_and_scales() {
    const auto bytes = [](KvDtype dtype) {
      return layout_of(dtype, 32, {{3, 64}, {2, 80}}).bytes_per_block();
    };
    const Bytes numbers = Bytes{2} * 32 * (3 * 64 + 2 * 80), scales = Bytes{2} * 32 * (3 + 2) * 4;
    QCOMPARE(bytes(KvDtype::float32), 4 * numbers);
    QCOMPARE(bytes(KvDtype::bfloat16), 2 * numbers);
    QCOMPARE(bytes(KvDtype::float16), 2 * numbers);
    QCOMPARE(bytes(KvDtype::fp8_e4m3), numbers);
    QCOMPARE(bytes(KvDtype::int8), numbers + scales);
    QCOMPARE(kv_dtype_name(KvDtype::fp8_e4m3), "fp8_e4m3");
    QCOMPARE(kv_dtype_name(KvDtype::int8), "int8");
  }

  void every_fp8_code_is_read_exactly() {
    const Floats magnitudes = fp8_magnitudes();
    QCOMPARE(magnitudes.size(), 127u);
    QCOMPARE(magnitudes.back(), 448.0f);
    QCOMPARE(magnitudes[8], 1.0f / 64);  // the smallest normal number
    for (int head_dim : {256, 4}) {      // whole vectors; the part of one at a row's end
      for (int first = 0; first < 256; first += head_dim) {
        std::vector<std::byte> block(static_cast<std::size_t>(2 * 16 * head_dim));
        for (int i = 0; i < head_dim; ++i)
          block[static_cast<std::size_t>(16 * head_dim + i)] = static_cast<std::byte>(first + i);
        const Floats got = read_back(KvDtype::fp8_e4m3, block, head_dim, 0.5f);
        for (int i = 0; i < head_dim; ++i) {
          const int code = first + i;
          const float read = got[static_cast<std::size_t>(i)];
          if ((code & 0x7F) == 0x7F) {
            QVERIFY(std::isnan(read));
            continue;
          }
          const float expected = 0.5f * magnitudes[static_cast<std::size_t>(code & 0x7F)];
          QVERIFY2(read == (code < 0x80 ? expected : -expected),
                   qPrintable(QString("code %1 reads as %2").arg(code).arg(read)));
          QCOMPARE(reference::fp8_e4m3(static_cast<std::uint8_t>(code)) * 0.5, static_cast<double>(read));
        }
      }
    }
  }

  void fp8_codes_are_the_nearest_ones() {
    const Floats magnitudes = fp8_magnitudes();
    Floats given = {0.0f, -0.0f, 448, 449, 463.9f, 464, 465, 1e30f, kInfinity, kNan, 1e-45f, 1e-39f};
    for (std::size_t i = 0; i + 1 < magnitudes.size(); ++i) {  // ties between neighbours, and beside them
      const float middle = (magnitudes[i] + magnitudes[i + 1]) / 2;
      for (float x : {magnitudes[i], middle, std::nextafter(middle, 0.0f), std::nextafter(middle, kInfinity)})
        given.push_back(x);
    }
    std::uniform_real_distribution<float> exponent(-14, 10);
    for (int i = 0; i < 4000; ++i) given.push_back(std::exp2(exponent(random_)));
    for (std::size_t i = given.size(); i-- > 0;) given.push_back(-given[i]);

    std::vector<std::uint8_t> codes(given.size());
    for (float scale : {1.0f, 0.02f, 3.0f}) {
      Floats scaled;
      for (float x : given) scaled.push_back(scale == 1 ? x : x * scale);
      const int counted =
          kernels().to_fp8(scaled.data(), static_cast<int>(scaled.size()), scale, codes.data());
      int saturated = 0;
      for (std::size_t i = 0; i < scaled.size(); ++i) {
        const float x = scaled[i] / scale;
        const double magnitude = std::fabs(static_cast<double>(x));
        saturated += magnitude > 448 ? 1 : 0;
        std::size_t nearest = std::isnan(x) ? 127 : 0;
        for (std::size_t code = 1; code < 127 && !std::isnan(x); ++code) {
          const double distance = std::fabs(magnitude - static_cast<double>(magnitudes[code]));
          const double best = std::fabs(magnitude - static_cast<double>(magnitudes[nearest]));
          if (std::isinf(x) || distance < best || (distance == best && code % 2 == 0)) nearest = code;
        }
        const auto expected = static_cast<std::uint8_t>(nearest | (std::signbit(x) ? 0x80 : 0));
        QVERIFY2(codes[i] == expected, qPrintable(QString("%1 / %2 became code %3 instead of %4")
                                                      .arg(scaled[i])
                                                      .arg(scale)
                                                      .arg(codes[i])
                                                      .arg(expected)));
      }
      QCOMPARE(counted, saturated);
      QVERIFY(counted > 0);
    }
  }

  void int8_rows_carry_their_scale() {
    for (int round = 0; round < 200; ++round) {
      const int count = 1 + below(130);
      Floats x = random_tensor(TensorType::f32, 1, count, random_).values();
      const float size = std::exp2(static_cast<float>(below(60) - 30));
      for (float& value : x) value *= size;
      std::vector<std::int8_t> codes(x.size());
      const float scale = kernels().to_int8(x.data(), count, codes.data());
      const Floats expected = reference::stored_kv(x, KvDtype::int8, 1);
      for (std::size_t i = 0; i < x.size(); ++i) QCOMPARE(static_cast<float>(codes[i]) * scale, expected[i]);
      QVERIFY(*std::max_element(codes.begin(), codes.end()) == 127 ||
              *std::min_element(codes.begin(), codes.end()) == -127);
    }
    std::int8_t codes[3];
    const float zeros[3] = {0.0f, -0.0f, 0.0f};
    QCOMPARE(kernels().to_int8(zeros, 3, codes), 0.0f);
    QVERIFY(codes[0] == 0 && codes[1] == 0 && codes[2] == 0);
    const float tiny[3] = {300e-45f, -300e-45f, 0};  // the scale is 3 of the smallest steps
    QVERIFY(kernels().to_int8(tiny, 3, codes) > 0);
    QVERIFY(codes[0] > 0 && codes[1] == -codes[0]);
    for (float bad : {kInfinity, -kInfinity, kNan}) {  // poisons what attends to it, as a float would
      const float row[3] = {1, bad, 2};
      QVERIFY(std::isnan(kernels().to_int8(row, 3, codes)));
    }
  }

  void saturation_is_counted_by_layer() {
    KvPool pool;
    Ledger ledger;
    PW_VERIFY(pool.allocate(
        ledger, layout_of(KvDtype::fp8_e4m3, 16, {{1, 8}, {2, 8, {0.5f, 1.0f}, {1.0f, 0.25f}}}), 1));
    const Floats k = {224, 225, 0, 0, 0, 0, 0, -1000, 448, 449, 0, 0, 0, 0, 0, 0};
    const Floats v = {448, -449, 0, 0, 0, 0, 0, 0, 112, -112, 113, 0, 0, 0, 0, kNan};
    Floats scratch(8);
    pool.append(kernels(), 1, 0, 3, k.data(), v.data(), scratch.data());
    pool.append(kernels(), 0, 0, 3, v.data() + 8, v.data() + 8, scratch.data());
    const auto counts = pool.saturation();
    QCOMPARE(counts.size(), 2u);
    QCOMPARE(counts[1].values, 32);
    QCOMPARE(counts[1].saturated, 5);
    QCOMPARE(counts[0].values, 16);
    QCOMPARE(counts[0].saturated, 0);
    PW_VERIFY(pool.allocate(ledger, layout_of(KvDtype::int8, 16, {{1, 8}}), 1));
    QVERIFY(pool.saturation().empty());
  }

  void values_keep_their_own_scale() {
    KvPool pool;
    Ledger ledger;
    PW_VERIFY(pool.allocate(ledger, layout_of(KvDtype::fp8_e4m3, 16, {{1, 8, {0.5f}, {}}}), 1));
    const Floats row(8, 100.0f);
    Floats scratch(8);
    pool.append(kernels(), 0, 0, 0, row.data(), row.data(), scratch.data());
    const auto* values =
        reinterpret_cast<const std::uint8_t*>(pool.data() + pool.layers()[0].value_offset(0));
    const auto* keys = reinterpret_cast<const std::uint8_t*>(pool.data() + pool.layers()[0].key_offset(0));
    QCOMPARE(reference::fp8_e4m3(keys[0]), 192.0);   // 100 / 0.5 lies between 192 and 208
    QCOMPARE(reference::fp8_e4m3(values[0]), 96.0);  // 100 between 96 and 104
    QCOMPARE(pool.layers()[0].v_scales, Floats({1}));
  }

  void unusable_scales_and_sizes_are_refused() {
    Ledger ledger;
    KvPool pool;
    for (float bad : {0.0f, -1.0f, kNan, kInfinity}) {
      const auto refused =
          pool.allocate(ledger, layout_of(KvDtype::fp8_e4m3, 16, {{1, 8}, {2, 8, {}, {1.0f, bad}}}), 2);
      QVERIFY(!refused);
      QVERIFY2(refused.error().what.find("layer 1") != std::string::npos, refused.error().what.c_str());
      QVERIFY2(refused.error().what.find(std::to_string(bad)) != std::string::npos,
               refused.error().what.c_str());
    }
    QVERIFY(!pool.allocate(ledger, layout_of(KvDtype::fp8_e4m3, 16, {{2, 8, {1.0f}, {}}}), 2));
    QVERIFY(!pool.allocate(ledger, layout_of(KvDtype::fp8_e4m3, 24, {{2, 8}}), 2));
    QVERIFY(!pool.allocate(ledger, layout_of(KvDtype::fp8_e4m3, 16, {{2, 8}}), 0));
    QVERIFY(!pool.allocate_swap(ledger, 1));  // no pool yet
    QCOMPARE(ledger.booked(), 0);
  }

  void swap_space_stands_in_the_ledger() {
    CpuBackendOptions limited = options();
    limited.memory_limit = 64 * kMiB;
    CpuBackend backend(limited);
    const KvLayout layout = layout_of(KvDtype::int8, 32, {{4, 64}});
    PW_VERIFY(backend.allocate_kv(layout, 4));
    PW_VERIFY(backend.allocate_swap(10));
    QCOMPARE(backend.ledger().snapshot().of(Category::kv), 4 * layout.bytes_per_block());
    QCOMPARE(backend.ledger().snapshot().of(Category::swap), 10 * layout.bytes_per_block());
    const auto refused = backend.allocate_swap(1 << 20);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::out_of_memory);
    QCOMPARE(backend.ledger().snapshot().of(Category::swap), 10 * layout.bytes_per_block());
  }

  void moves_leave_what_appends_would_data() { add_dtypes(); }

  /// Random appends, swaps and copies; then a fresh pool gets by appends alone what the moves should have
  /// left.
  void moves_leave_what_appends_would() {
    QFETCH(int, dtype);
    struct Size {
      std::vector<KvLayout::Layer> layers;
      int block_size, rounds;
    };
    for (const Size& size : {Size{{{1, 8}, {2, 24}}, 16, 120},
                             Size{std::vector<KvLayout::Layer>(4, {4, 128}), 64, 12}}) {  // shared by threads
      constexpr int kBlocks = 7, kHosts = 4, kRows = 40;
      const KvLayout layout = layout_of(static_cast<KvDtype>(dtype), size.block_size, size.layers);
      const int width = 512;
      const Floats table = random_tensor(TensorType::f32, kRows, width, random_).values();
      const auto row = [&](int id) { return table.data() + std::ptrdiff_t{id} * width; };
      Floats scratch(128);
      Ledger ledger;
      KvPool pool, twin;
      PW_VERIFY(pool.allocate(ledger, layout, kBlocks));
      PW_VERIFY(pool.allocate_swap(ledger, kHosts));
      PW_VERIFY(twin.allocate(ledger, layout, kBlocks));
      ThreadTeam team(3);
      Content blocks(kBlocks, std::vector<int>(static_cast<std::size_t>(size.block_size)));
      Content hosts(kHosts, blocks[0]);
      const auto append = [&](KvPool& to, int block, int column, int id) {
        for (int layer = 0; layer < static_cast<int>(layout.layers.size()); ++layer)
          to.append(kernels(), layer, block, column, row(id), row(id - 1), scratch.data());
      };

      for (int round = 0; round < size.rounds; ++round) {
        for (int i = 0; i < size.block_size; ++i) {
          const int block = below(kBlocks), column = below(size.block_size), id = 1 + below(kRows - 1);
          append(pool, block, column, id);
          blocks[static_cast<std::size_t>(block)][static_cast<std::size_t>(column)] = id;
        }
        StepPlan plan;
        for (int host = 0; host < kHosts; ++host) {
          if (below(2) == 0) plan.swaps_out.push_back({BlockId{below(kBlocks)}, HostBlockId{host}});
        }
        const int sources = 3;  // blocks [0, sources) are copied from, the others copied to
        for (int block = 0; block < kBlocks; ++block) {
          if (below(4) == 0) plan.swaps_in.push_back({BlockId{block}, HostBlockId{below(kHosts)}});
          if (block >= sources && below(2) == 0)
            plan.copies.push_back({BlockId{below(sources)}, BlockId{block}, 1 + below(size.block_size)});
        }
        pool.move(plan, team);
        const auto at = [](Content& content, auto id) -> std::vector<int>& {
          return content[static_cast<std::size_t>(id.value)];
        };
        for (const BlockSwap& swap : plan.swaps_out) at(hosts, swap.host) = at(blocks, swap.block);
        for (const BlockSwap& swap : plan.swaps_in) at(blocks, swap.block) = at(hosts, swap.host);
        for (const BlockCopy& copy : plan.copies)
          std::copy_n(at(blocks, copy.from).begin(), copy.tokens, at(blocks, copy.to).begin());
      }
      for (int block = 0; block < kBlocks; ++block) {
        for (int column = 0; column < size.block_size; ++column) {
          const int id = blocks[static_cast<std::size_t>(block)][static_cast<std::size_t>(column)];
          if (id > 0) append(twin, block, column, id);
        }
      }
      const auto bytes = static_cast<std::size_t>(kBlocks * pool.block_bytes());
      QVERIFY(std::memcmp(pool.data(), twin.data(), bytes) == 0);
    }
  }

  void attention_over_moved_blocks_gives_the_same_bits_data() { add_dtypes(); }

  /// A sequence of three blocks goes out, comes back elsewhere, and its last block is copied: the entries of
  /// its table are replaced, and every position of the last block still attends to the same bits.
  void attention_over_moved_blocks_gives_the_same_bits() {
    QFETCH(int, dtype);
    OneLayer layer(options(), static_cast<KvDtype>(dtype), random_);
    std::vector<TokenId> tokens(43);
    for (TokenId& token : tokens) token = below(OneLayer::kVocabulary);
    StepPlan first;
    first.joins = {{SlotId{0}, RequestId{1}, {}}};
    first.appends = {{SlotId{0}, 0, BlockId{4}}, {SlotId{0}, 1, BlockId{0}}, {SlotId{0}, 2, BlockId{9}}};
    add_slice(first, 0, 0, tokens);
    const std::vector<Floats> before = layer.rows(first);

    StepPlan out;  // another sequence overwrites the blocks that went out
    out.swaps_out = {
        {BlockId{9}, HostBlockId{1}}, {BlockId{4}, HostBlockId{4}}, {BlockId{0}, HostBlockId{0}}};
    out.joins = {{SlotId{1}, RequestId{2}, {}}};
    out.appends = {{SlotId{1}, 0, BlockId{9}}, {SlotId{1}, 1, BlockId{4}}, {SlotId{1}, 2, BlockId{0}}};
    add_slice(out, 1, 0, std::vector<TokenId>(tokens.rbegin(), tokens.rend()));
    layer.rows(out);

    StepPlan in;  // back into other blocks; the tail is copied within the same plan
    in.swaps_in = {{BlockId{2}, HostBlockId{4}}, {BlockId{7}, HostBlockId{0}}, {BlockId{11}, HostBlockId{1}}};
    in.copies = {{BlockId{11}, BlockId{5}, 10}};
    in.appends = {{SlotId{0}, 0, BlockId{2}}, {SlotId{0}, 1, BlockId{7}}, {SlotId{0}, 2, BlockId{5}}};
    add_slice(in, 0, 42, {tokens[42]});
    const Floats last = layer.rows(in)[0];
    const auto width = static_cast<std::ptrdiff_t>(OneLayer::kHeads * OneLayer::kHeadDim);
    QVERIFY(same_bits(last, Floats(before[0].end() - width, before[0].end())));
  }

  void padding_changes_nothing_and_yields_nothing() {
    for (KvDtype dtype : kKvDtypes) {
      OneLayer layer(options(), dtype, random_);
      std::vector<TokenId> tokens(20);
      for (TokenId& token : tokens) token = below(OneLayer::kVocabulary);
      const auto steps = [&](int slot, int first_block, int padding) {
        std::vector<Floats> all;
        for (const auto& [begin, end] : {std::pair{0, 9}, std::pair{9, 10}, std::pair{10, 20}}) {
          StepPlan plan;
          if (begin == 0) {
            plan.joins = {{SlotId{slot}, RequestId{static_cast<std::uint64_t>(slot) + 1}, {}}};
            for (int i = 0; i < 3; ++i) plan.appends.push_back({SlotId{slot}, i, BlockId{first_block + i}});
          }
          add_slice(plan, slot, begin, {tokens.begin() + begin, tokens.begin() + end});
          plan.slices.back().samples = true;
          if (padding > 0) {
            add_slice(plan, slot, end, std::vector<TokenId>(static_cast<std::size_t>(padding), 3));
            plan.slices.back().all_logits = false;
            plan.slices.back().padding = true;
          }
          const StepResult result = layer.run(plan);
          if (result.error) throw std::runtime_error(result.error->text());
          all.push_back(
              {static_cast<float>(result.sampled.size()), static_cast<float>(result.logits.size())});
          for (const SliceLogits& slice : result.logits) all.push_back(slice.values);
        }
        return all;
      };
      const std::vector<Floats> alone = steps(0, 0, 0), padded = steps(1, 6, 11);
      QCOMPARE(padded.size(), alone.size());
      for (std::size_t i = 0; i < alone.size(); ++i) QVERIFY(same_bits(padded[i], alone[i]));
      QCOMPARE(alone[0], Floats({1, 1}));
    }
  }

  void a_plan_with_impossible_moves_runs_nothing_data() {
    QTest::addColumn<QString>("fault");
    for (const char* fault : {"out of a block", "out to a host block", "out twice", "in from a host block",
                              "in to a block", "in twice", "copy from", "copy to", "no tokens",
                              "too many tokens", "copied twice", "copied on", "a bad slice"}) {
      QTest::newRow(fault) << fault;
    }
  }

  void a_plan_with_impossible_moves_runs_nothing() {
    QFETCH(QString, fault);
    OneLayer layer(options(), KvDtype::int8, random_);
    StepPlan first;
    first.joins = {{SlotId{0}, RequestId{1}, {}}};
    first.appends = {{SlotId{0}, 0, BlockId{0}}};
    add_slice(first, 0, 0, {1, 2, 3, 4, 5});
    layer.rows(first);
    StepPlan again;
    add_slice(again, 0, 4, {5});
    const Floats before = layer.rows(again)[0];
    const int forwards = layer.forwards();

    const BlockId none{OneLayer::kBlocks};
    const HostBlockId no_host{OneLayer::kSwapBlocks};
    StepPlan bad = again;  // would spoil the sequence, were any part of it run
    bad.swaps_out = {{BlockId{5}, HostBlockId{0}}};
    bad.swaps_in = {{BlockId{0}, HostBlockId{0}}};
    bad.copies = {{BlockId{6}, BlockId{0}, 3}};
    if (fault == "out of a block") bad.swaps_out.push_back({none, HostBlockId{1}});
    if (fault == "out to a host block") bad.swaps_out.push_back({BlockId{1}, no_host});
    if (fault == "out twice") bad.swaps_out.push_back({BlockId{1}, HostBlockId{0}});
    if (fault == "in from a host block") bad.swaps_in.push_back({BlockId{1}, HostBlockId{-1}});
    if (fault == "in to a block") bad.swaps_in.push_back({BlockId{-1}, HostBlockId{1}});
    if (fault == "in twice") bad.swaps_in.push_back({BlockId{0}, HostBlockId{1}});
    if (fault == "copy from") bad.copies.push_back({none, BlockId{1}, 3});
    if (fault == "copy to") bad.copies.push_back({BlockId{1}, none, 3});
    if (fault == "no tokens") bad.copies.push_back({BlockId{1}, BlockId{2}, 0});
    if (fault == "too many tokens") bad.copies.push_back({BlockId{1}, BlockId{2}, OneLayer::kBlockSize + 1});
    if (fault == "copied twice") bad.copies.push_back({BlockId{1}, BlockId{0}, 3});
    if (fault == "copied on") bad.copies.push_back({BlockId{0}, BlockId{1}, 3});
    if (fault == "a bad slice") {
      bad.swaps_out.clear(), bad.swaps_in.clear(), bad.copies.clear();
      add_slice(bad, 0, 6, {1});  // does not follow
      bad.slices.back().padding = true;
    }
    const StepResult failed = layer.run(bad);
    QVERIFY(failed.error.has_value());
    QCOMPARE(failed.error->kind, Error::Kind::internal);
    QVERIFY(failed.sampled.empty() && failed.logits.empty());
    QCOMPARE(layer.forwards(), forwards);
    QVERIFY(same_bits(layer.rows(again)[0], before));
  }

  void padding_that_would_be_seen_is_refused() {
    OneLayer layer(options(), KvDtype::bfloat16, random_);
    StepPlan good;
    good.joins = {{SlotId{0}, RequestId{1}, {}}};
    good.appends = {{SlotId{0}, 0, BlockId{0}}};
    add_slice(good, 0, 0, {1, 2});
    add_slice(good, 0, 2, {3, 3});
    good.slices[1].all_logits = false;
    good.slices[1].padding = true;
    QVERIFY(!layer.run(good).error);
    StepPlan bad = good;
    bad.slices[1].samples = true;
    QVERIFY(layer.run(bad).error);
    bad = good;
    bad.slices[1].all_logits = true;
    QVERIFY(layer.run(bad).error);
    bad = good;
    bad.slices[1].padding = false;  // two slices of one slot
    QVERIFY(layer.run(bad).error);
    bad = good;
    bad.slices[1].first_position = 1;  // over the slice's own KV
    QVERIFY(layer.run(bad).error);
  }
};

QTEST_APPLESS_MAIN(KvPoolTest)
#include "kv_pool_test.moc"
