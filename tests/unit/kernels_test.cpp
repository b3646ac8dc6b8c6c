// SPDX-License-Identifier: GPL-3.0-or-later
// Every operation of the CPU back end against its slow twin, on random shapes and on each instruction set of
// this machine.
#include <QTest>
#include <atomic>
#include <cmath>

#include "engine/execute/reference_ops.h"
#include "kernels/backends.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/cpu_harness.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using Floats = std::vector<float>;

namespace {

constexpr TensorType kTypes[] = {
    TensorType::f32,   TensorType::f16,    TensorType::bf16, TensorType::q4_0,   TensorType::q4_1,
    TensorType::q5_0,  TensorType::q5_1,   TensorType::q8_0, TensorType::q2_k,   TensorType::q3_k,
    TensorType::q4_k,  TensorType::q5_k,   TensorType::q6_k, TensorType::iq4_nl, TensorType::iq4_xs,
    TensorType::mxfp4, TensorType::f8_e4m3};

bool quantised(TensorType type) {
  return tensor_type_info(type).block_elements > 1;
}

/// What the fast mode makes of activations: 16 bits per 32, the largest at ±127·256. The low of the two
/// digits stops at ±127, so that a value in the middle between two high digits moves by one step.
Floats rounded_to_16_bits(std::span<const float> x) {
  Floats rounded(x.size());
  for (std::size_t block = 0; block < x.size(); block += 32) {
    float largest = 0;
    for (std::size_t i = block; i < block + 32; ++i) largest = std::max(largest, std::abs(x[i]));
    for (std::size_t i = block; i < block + 32 && largest > 0; ++i) {
      const float scaled = x[i] * (127.0f / largest), high = std::nearbyint(scaled);
      const float low = std::clamp(std::nearbyint((scaled - high) * 256.0f), -127.0f, 127.0f);
      rounded[i] = (256.0f * high + low) * (largest / (127.0f * 256.0f));
    }
  }
  return rounded;
}

struct Shape {
  int rows, columns, batch;
};

Shape random_shape(TensorType type, std::mt19937& random) {
  const int rows = 1 + static_cast<int>(random() % 130), batch = 1 + static_cast<int>(random() % 90);
  const int block = tensor_type_info(type).block_elements, most = block == 1 ? 300 : 9 * 32 / block + 2;
  const int columns = block * (1 + static_cast<int>(random() % static_cast<unsigned>(most)));
  return {rows, columns, batch};
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT

  std::mt19937 random_;

  Floats random_floats(int count) { return random_tensor(TensorType::f32, 1, count, random_).values(); }

 private slots:
  void initTestCase_data() { add_isa_rows(); }

  void init() { seed_anew(random_); }

  void linear_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("automatic");
    for (TensorType type : kTypes) {
      for (bool automatic : {false, true}) {
        QTest::addRow("%s%s", tensor_type_info(type).name.data(), automatic ? " automatic" : " float32")
            << static_cast<int>(type) << automatic;
      }
    }
  }

  void linear() {
    QFETCH(int, type);
    QFETCH(bool, automatic);
    const auto weight_type = static_cast<TensorType>(type);
    for (int round = 0; round < 4; ++round) {
      const auto [rows, columns, batch] = random_shape(weight_type, random_);
      CpuHarness harness(isa_options(automatic), {});
      const OwnedTensor weight = random_tensor(weight_type, rows, columns, random_);
      const OwnedTensor input = random_tensor(TensorType::f32, batch, columns, random_);
      const OwnedTensor bias = random_tensor(TensorType::f32, 1, rows, random_);
      const OwnedTensor residual = random_tensor(TensorType::f32, batch, rows, random_);
      const bool with_bias = round % 2 == 1, with_residual = round >= 2;
      const Weight w = harness.upload(weight), x = harness.upload(input), r = harness.upload(residual);
      const Weight b = harness.upload_vector(bias);
      const Tensor in = harness.tensor(columns), out = harness.tensor(rows);
      const Floats got = harness.run_rows(batch, out, rows, [&] {
        harness.backend().embed(x, 1, in);
        harness.backend().embed(r, 1, out);
        const LinearOutput output{w, out, with_bias ? b : Weight{}, with_residual ? out : Tensor{}};
        harness.backend().linear(in, {}, {&output, 1});
      });

      Floats expected;
      const Floats weights = weight.values(), inputs = input.values(), residuals = residual.values();
      for (int i = 0; i < batch; ++i) {
        const auto given = row_of(inputs, i, columns);
        const Floats seen = automatic && quantised(weight_type) ? rounded_to_16_bits(given)
                                                                : Floats(given.begin(), given.end());
        Floats y = reference::linear(weights, seen, with_bias ? bias.values() : Floats());
        for (int k = 0; k < rows && with_residual; ++k)
          y[static_cast<std::size_t>(k)] += row_of(residuals, i, rows)[static_cast<std::size_t>(k)];
        expected.insert(expected.end(), y.begin(), y.end());
      }
      const double error = relative_l2(got, expected);
      QVERIFY2(error <= 2e-6,
               qPrintable(QString("%1 for %2×%3, batch %4").arg(error).arg(rows).arg(columns).arg(batch)));
    }
  }

  void several_outputs_of_mixed_types_share_a_normed_input() {
    for (bool automatic : {false, true}) {
      const int columns = 96, batch = 21;
      CpuHarness harness(isa_options(automatic), {});
      const OwnedTensor input = random_tensor(TensorType::f32, batch, columns, random_);
      const OwnedTensor norm = random_tensor(TensorType::bf16, 1, columns, random_);
      const OwnedTensor matrices[] = {random_tensor(TensorType::q4_1, 40, columns, random_),
                                      random_tensor(TensorType::bf16, 24, columns, random_),
                                      random_tensor(TensorType::q8_0, 7, columns, random_)};
      const Weight x = harness.upload(input), n = harness.upload_vector(norm);
      const Tensor in = harness.tensor(columns);
      std::vector<LinearOutput> outputs;
      for (const OwnedTensor& matrix : matrices) {
        outputs.push_back(
            {harness.upload(matrix), harness.tensor(static_cast<int>(matrix.view.rows)), {}, {}});
      }
      for (std::size_t m = 0; m < outputs.size(); ++m) {
        const int rows = static_cast<int>(matrices[m].view.rows);
        const Floats got = harness.run_rows(batch, outputs[m].output, rows, [&] {
          harness.backend().embed(x, 1, in);
          harness.backend().linear(in, {n, 1e-5f}, outputs);
        });
        Floats expected;
        const Floats weights = matrices[m].values(), inputs = input.values();
        for (int i = 0; i < batch; ++i) {
          const Floats normed = reference::rms_norm(row_of(inputs, i, columns), norm.values(), 1e-5f);
          const Floats y = reference::linear(weights, normed);
          expected.insert(expected.end(), y.begin(), y.end());
        }
        // 16-bit activations: half a step of 1/32512 of the largest of 32 values
        QVERIFY(relative_l2(got, expected) <= (automatic && quantised(matrices[m].view.type) ? 4e-5 : 2e-6));
      }
    }
  }

  void gated_linear() {
    for (Activation activation : {Activation::silu, Activation::gelu_tanh}) {
      const int rows = 72, columns = 64, batch = 70;
      CpuHarness harness(isa_options(false), {});
      const OwnedTensor input = random_tensor(TensorType::f32, batch, columns, random_);
      const OwnedTensor gate = random_tensor(TensorType::q4_1, rows, columns, random_);
      const OwnedTensor up = random_tensor(TensorType::f16, rows, columns, random_);
      const Weight x = harness.upload(input), g = harness.upload(gate), u = harness.upload(up);
      const Tensor in = harness.tensor(columns), out = harness.tensor(rows);
      const Floats got = harness.run_rows(batch, out, rows, [&] {
        harness.backend().embed(x, 1, in);
        harness.backend().gated_linear(in, {}, {g, u, {}, {}, activation}, out);
      });
      Floats expected;
      const Floats gates = gate.values(), ups = up.values(), inputs = input.values();
      for (int i = 0; i < batch; ++i) {
        const auto seen = row_of(inputs, i, columns);
        const Floats y =
            reference::gated(reference::linear(gates, seen), reference::linear(ups, seen), activation);
        expected.insert(expected.end(), y.begin(), y.end());
      }
      QVERIFY(relative_l2(got, expected) <= 5e-6);
    }
  }

  void activations_far_from_zero_stay_finite() {
    const int columns = 8;
    CpuHarness harness(isa_options(false), {});
    const Floats given = {-1e4f, -100, -88, -1, 0, 1, 100, 1e4f};
    Floats identity(64);
    for (std::size_t i = 0; i < 8; ++i) identity[9 * i] = 1;
    const Weight x = harness.upload(float_tensor(given, 1, columns));
    const Weight one = harness.upload(float_tensor(identity, columns, columns));
    const Tensor in = harness.tensor(columns), out = harness.tensor(columns);
    for (Activation activation : {Activation::silu, Activation::gelu_tanh}) {
      const Floats got = harness.run_rows(1, out, columns, [&] {
        harness.backend().embed(x, 1, in);
        harness.backend().gated_linear(in, {}, {one, one, {}, {}, activation}, out);
      });
      const Floats expected = reference::gated(given, given, activation);
      for (std::size_t i = 0; i < 8; ++i) {
        QVERIFY2(std::abs(got[i] - expected[i]) <= 1e-5f + 1e-5f * std::abs(expected[i]),
                 qPrintable(QString("%1: %2 for %3").arg(given[i]).arg(got[i]).arg(expected[i])));
      }
    }
  }

  void embed_reads_rows_of_any_type() {
    for (TensorType type : kTypes) {
      const int rows = 37, columns = 512;
      CpuHarness harness(isa_options(true), {});
      const OwnedTensor table = random_tensor(type, rows, columns, random_);
      const Weight weight = harness.upload(table);
      const Tensor out = harness.tensor(columns);
      const Floats got =
          harness.run_rows(rows, out, columns, [&] { harness.backend().embed(weight, 1, out); });
      QVERIFY(relative_l2(got, table.values()) <= 1e-7);
    }
  }

  void attention_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("block_size");
    for (KvDtype dtype : kKvDtypes) {
      for (int block_size : {16, 32, 64}) {
        QTest::addRow("%s, blocks of %d", kv_dtype_name(dtype).data(), block_size)
            << static_cast<int>(dtype) << block_size;
      }
    }
  }

  /// Three sequences take turns in chunks of random length, so that steps mix prefill and decode.
  void attention() {
    QFETCH(int, dtype);
    QFETCH(int, block_size);
    struct Case {
      int heads, kv_heads, head_dim, rotary_dim, window;
      RopeSpec::Pairing pairing;
    };
    for (const Case& c : {Case{9, 3, 64, 64, 0, RopeSpec::Pairing::neighbours},
                          Case{4, 4, 24, 16, 0, RopeSpec::Pairing::halves},
                          Case{10, 2, 80, 80, 19, RopeSpec::Pairing::halves}}) {
      KvLayout layout;
      layout.dtype = static_cast<KvDtype>(dtype);
      layout.block_size = block_size;
      layout.layers = {{1, 8}, {c.kv_heads, c.head_dim}};  // layer 1 is the one under test
      auto& [kv_heads, head_dim, k_scales, v_scales] = layout.layers[1];
      for (int head = 0; head < kv_heads; ++head) {
        k_scales.push_back(0.001f * static_cast<float>(1 + random_() % 50));
        v_scales.push_back(0.001f * static_cast<float>(1 + random_() % 50));
      }
      const int sequences = 3, blocks_each = (120 + block_size - 1) / block_size;
      CpuHarness harness(isa_options(true), {96, 4, 16, 1 << 16}, layout, sequences * blocks_each);
      CpuBackend& backend = harness.backend();

      AttentionSpec spec;
      spec.heads = c.heads;
      spec.kv_heads = c.kv_heads;
      spec.head_dim = c.head_dim;
      spec.rope = RopeSpec{10000.0, c.rotary_dim, c.pairing};
      spec.scale = 1 / std::sqrt(static_cast<float>(c.head_dim));
      const int vocabulary = 50, q_width = c.heads * c.head_dim, kv_width = c.kv_heads * c.head_dim;
      const OwnedTensor tables[] = {random_tensor(TensorType::f32, vocabulary, q_width, random_),
                                    random_tensor(TensorType::f32, vocabulary, kv_width, random_),
                                    random_tensor(TensorType::f32, vocabulary, kv_width, random_)};
      const Weight q_table = harness.upload(tables[0]), k_table = harness.upload(tables[1]),
                   v_table = harness.upload(tables[2]);
      const RopeTable rope = take(backend.upload_rope(*spec.rope, 200));
      const Tensor q = harness.tensor(q_width), k = harness.tensor(kv_width), v = harness.tensor(kv_width);
      const Tensor out = harness.tensor(q_width);
      const Tensor logits = take(backend.allocate(Category::logits, RowSet::logits, q_width));
      const auto forward = [&] {
        backend.embed(q_table, 1, q);
        backend.embed(k_table, 1, k);
        backend.embed(v_table, 1, v);
        backend.rope_append({1, rope, {}, {}}, spec, q, k, v);
        backend.attention({1, c.heads, c.kv_heads, c.head_dim, spec.scale, c.window}, q, out);
        backend.gather_logit_rows(out, logits);
        backend.sample(logits);
      };

      std::vector<std::vector<TokenId>> tokens(sequences);
      std::vector<int> lengths(sequences), done(sequences);
      std::vector<Floats> got(sequences);
      StepPlan first;
      for (int s = 0; s < sequences; ++s) {
        lengths[static_cast<std::size_t>(s)] = 60 + static_cast<int>(random_() % 60);
        for (int i = 0; i < 120; ++i)
          tokens[static_cast<std::size_t>(s)].push_back(static_cast<TokenId>(random_() % vocabulary));
        first.joins.push_back({SlotId{s}, RequestId{static_cast<std::uint64_t>(s) + 1}, {}});
        for (int b = 0; b < blocks_each; ++b) {  // blocks of the sequences interleave, from the pool's end
          first.appends.push_back({SlotId{s}, b, BlockId{sequences * blocks_each - 1 - (b * sequences + s)}});
        }
      }
      for (StepPlan plan = first;; plan = StepPlan()) {
        for (int s = 0; s < sequences; ++s) {
          const auto at = static_cast<std::size_t>(s);
          const int most = std::min(30, lengths[at] - done[at]);
          if (most == 0) continue;
          const int count =
              random_() % 2 == 0 ? 1 : 1 + static_cast<int>(random_() % static_cast<unsigned>(most));
          const auto begin = tokens[at].begin() + done[at];
          add_slice(plan, s, done[at], {begin, begin + count});
          done[at] += count;
        }
        if (plan.slices.empty()) break;
        const StepResult result = harness.run(plan, forward);
        QVERIFY2(!result.error, result.error ? result.error->text().c_str() : "");
        for (const SliceLogits& slice : result.logits) {
          Floats& all = got[slice.request.value - 1];
          all.insert(all.end(), slice.values.begin(), slice.values.end());
        }
      }

      const auto store = [&](std::span<const float> row, const Floats& scales, Floats& all) {
        for (int head = 0; head < c.kv_heads; ++head) {
          const Floats stored = reference::stored_kv(row_of(row, head, c.head_dim), layout.dtype,
                                                     scales[static_cast<std::size_t>(head)]);
          all.insert(all.end(), stored.begin(), stored.end());
        }
      };
      const Floats q_rows = tables[0].values(), k_rows = tables[1].values(), v_rows = tables[2].values();
      for (int s = 0; s < sequences; ++s) {
        const auto at = static_cast<std::size_t>(s);
        Floats keys, values, expected;
        for (int i = 0; i < lengths[at]; ++i) {
          const TokenId token = tokens[at][static_cast<std::size_t>(i)];
          const auto k_row = row_of(k_rows, token, kv_width), v_row = row_of(v_rows, token, kv_width),
                     q_row = row_of(q_rows, token, q_width);
          Floats key(k_row.begin(), k_row.end()), query(q_row.begin(), q_row.end());
          reference::rope(key, c.head_dim, *spec.rope, i);
          reference::rope(query, c.head_dim, *spec.rope, i);
          store(key, k_scales, keys);
          store(v_row, v_scales, values);
          const Floats y = reference::attention(query, keys, values, i + 1, c.heads, c.kv_heads, c.head_dim,
                                                spec.scale, c.window);
          expected.insert(expected.end(), y.begin(), y.end());
        }
        // A key on the edge between two stored numbers may round the other way than in double.
        const double error = relative_l2(got[at], expected);
        const double bounds[] = {0, 1e-3, 1e-4, 0, 5e-6};  // by bytes of a number
        QVERIFY2(error <= bounds[kv_dtype_bytes(layout.dtype)], qPrintable(QString::number(error)));
      }
    }
  }

  void a_step_can_take_the_token_that_the_step_before_sampled() {
    // Row t of the table holds a one in column t + 1: token t samples t + 1.
    const int vocabulary = 6;
    CpuHarness harness(isa_options(true), {8, 2, 1, vocabulary});
    Floats table(static_cast<std::size_t>(vocabulary * vocabulary));
    for (std::size_t t = 0; t < 6; ++t) table[t * 6 + (t + 1) % 6] = 1;
    const Weight weight = harness.upload(float_tensor(table, vocabulary, vocabulary));
    const Tensor hidden = harness.tensor(vocabulary);
    const Tensor logits = take(harness.backend().allocate(Category::logits, RowSet::logits, vocabulary));
    const auto forward = [&] {
      harness.backend().embed(weight, 1, hidden);
      harness.backend().gather_logit_rows(hidden, logits);
      harness.backend().sample(logits);
    };
    const SlotSampling greedy{.temperature = 0};
    StepPlan first;
    first.joins = {{SlotId{0}, RequestId{7}, greedy}, {SlotId{1}, RequestId{8}, greedy}};
    first.tokens = {0, 2, 3};
    first.slices = {{RequestId{8}, SlotId{1}, 0, 1, 0, true, false, false},
                    {RequestId{7}, SlotId{0}, 0, 2, 1, true, false, true}};
    StepResult result = harness.run(first, forward);
    QCOMPARE(result.sampled.size(), 2u);
    QCOMPARE(result.sampled[0].request, RequestId{8});  // in slice order
    QCOMPARE(result.sampled[0].token, 1);
    QCOMPARE(result.sampled[1].token, 4);
    QVERIFY(result.sampled[0].logprob < 0);
    QCOMPARE(result.finished, Nanos{0});  // when it ran is for the executor to say

    StepPlan second;
    second.tokens = {kPreviousToken, kPreviousToken};
    second.slices = {{RequestId{7}, SlotId{0}, 2, 1, 0, true, false, false},
                     {RequestId{8}, SlotId{1}, 1, 1, 1, true, true, false}};
    result = harness.run(second, forward);
    QCOMPARE(result.sampled[0].token, 5);
    QCOMPARE(result.sampled[1].token, 2);
    QCOMPARE(result.logits.size(), 1u);  // asked for by the second slice alone
    QCOMPARE(result.logits[0].first_position, 1);
    QCOMPARE(result.logits[0].values, Floats({0, 0, 1, 0, 0, 0}));
  }

  void a_plan_that_breaks_the_bounds_fails_alone_data() {
    QTest::addColumn<QString>("fault");
    for (const char* fault : {"slot", "join", "block", "index", "token", "rows", "offset", "position",
                              "uncovered", "rope", "count"}) {
      QTest::newRow(fault) << fault;
    }
  }

  void a_plan_that_breaks_the_bounds_fails_alone() {
    QFETCH(QString, fault);
    KvLayout layout;
    layout.layers = {{1, 16}};
    CpuHarness harness(isa_options(true), {4, 2, 2, 10}, layout, 3);
    take(harness.backend().upload_rope({10000, 16, RopeSpec::Pairing::halves}, 40));
    int calls = 0;
    StepPlan good;
    good.joins = {{SlotId{0}, RequestId{1}, {}}};
    good.appends = {{SlotId{0}, 0, BlockId{0}}, {SlotId{0}, 1, BlockId{1}}};
    good.tokens = {1, 2};
    good.slices = {{RequestId{1}, SlotId{0}, 0, 2, 0, false, false, true}};
    StepPlan bad = good;
    SequenceSlice& slice = bad.slices[0];
    if (fault == "slot") slice.slot = SlotId{2};
    if (fault == "join") bad.joins[0].slot = SlotId{-1};
    if (fault == "block") bad.appends[0].block = BlockId{3};
    if (fault == "index") bad.appends[1].index = 2;
    if (fault == "token") bad.tokens[1] = 10;
    if (fault == "rows") bad.slices.assign(3, SequenceSlice(slice));
    if (fault == "offset") slice.token_offset = 1;
    if (fault == "position") slice.first_position = -1;
    if (fault == "uncovered") bad.appends.pop_back(), slice.first_position = 31;
    if (fault == "rope") slice.first_position = 39;
    if (fault == "count") slice.count = 0;
    const StepResult failed = harness.run(bad, [&] { ++calls; });
    QVERIFY(failed.error.has_value());
    QCOMPARE(failed.error->kind, Error::Kind::internal);
    QVERIFY(failed.sampled.empty() && failed.logits.empty());
    QCOMPARE(calls, 0);
    QVERIFY(!harness.run(good, [&] { ++calls; }).error);
    QCOMPARE(calls, 1);
  }

  void every_byte_is_in_the_ledger_and_the_limit_holds() {
    CpuBackendOptions limited = isa_options(true);
    limited.memory_limit = kMiB;
    CpuHarness harness(limited, {16, 2, 4, 100});
    CpuBackend& backend = harness.backend();
    const Bytes before = backend.ledger().snapshot().of(Category::weights);
    const OwnedTensor small = random_tensor(TensorType::q4_1, 32, 64, random_);
    harness.upload(small);
    QCOMPARE(backend.ledger().snapshot().of(Category::weights) - before,
             Bytes{small.view.bytes});  // packed size kept

    const Bytes booked = backend.ledger().booked();
    const OwnedTensor large = random_tensor(TensorType::f32, 1024, 512, random_);
    const auto refused = backend.upload(large.view);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::out_of_memory);
    KvLayout layout;
    layout.layers = {{4, 64}};
    QCOMPARE(backend.allocate_kv(layout, 1000).error().kind, Error::Kind::out_of_memory);
    QCOMPARE(backend.allocate(Category::activations, RowSet::tokens, 1 << 20).error().kind,
             Error::Kind::out_of_memory);
    QCOMPARE(backend.ledger().booked(), booked);

    PW_VERIFY(backend.allocate_kv(layout, 2));
    QCOMPARE(backend.ledger().snapshot().of(Category::kv), 2 * layout.bytes_per_block());
  }

  void damaged_tensors_are_refused() {
    CpuHarness harness(isa_options(true), {});
    OwnedTensor tensor = random_tensor(TensorType::q4_1, 4, 32, random_);
    tensor.view.columns = 33;
    QCOMPARE(harness.backend().upload(tensor.view).error().kind, Error::Kind::invalid_input);
    tensor.view.columns = 0;
    QCOMPARE(harness.backend().upload(tensor.view).error().kind, Error::Kind::invalid_input);
    QCOMPARE(harness.backend().upload_vector({}, 0).error().kind, Error::Kind::invalid_input);
    QVERIFY(!harness.backend().upload_rope({10000, 7, RopeSpec::Pairing::halves}, 10));
    QVERIFY(!CpuBackend(isa_options(true))
                 .allocate(Category::activations, RowSet::tokens, 8));  // before prepare_steps
  }

  void the_factory_names_what_it_cannot_make() {
    BackendOptions wanted;
    wanted.device = "cuda";
    const auto cuda = make_backend(wanted);
    QVERIFY(!cuda);
    QCOMPARE(cuda.error().kind, Error::Kind::unsupported);
    QCOMPARE(cuda.error().param, std::string("device"));
    wanted.device = "abacus";
    QCOMPARE(make_backend(wanted).error().kind, Error::Kind::invalid_input);
    wanted = {};
    wanted.threads = -1;
    QCOMPARE(make_backend(wanted).error().param, std::string("threads"));
    wanted.threads = 3;
    wanted.portable_kernels = true;
    auto backend = make_backend(wanted);
    PW_VERIFY(backend);
    QCOMPARE((*backend)->device().threads, 3);
    QVERIFY((*backend)->device().name.ends_with("(3 threads, portable)"));
  }

  void an_abandoned_team_begins_no_range() {
    for (int threads : {1, 2, 3, 8}) {
      ThreadTeam team(threads);
      std::atomic<int> begun{0};
      team.run(1000, 1, [&](int, int, int) {
        ++begun;
        team.abandon();
      });
      QVERIFY(begun > 0 && begun <= threads);  // those that were under way
      const int before = begun;
      team.run(1000, 1, [&](int, int, int) { ++begun; });
      team.run(1, 1, [&](int, int, int) { ++begun; });
      QCOMPARE(begun.load(), before);
    }
  }

  void regions_cover_every_item_once() {
    for (int threads : {1, 2, 3, 8}) {
      ThreadTeam team(threads);
      for (int round = 0; round < 300; ++round) {
        const int items = static_cast<int>(random_() % 100);
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(items));
        team.run(items, 1 + static_cast<int>(random_() % 4), [&](int begin, int end, int thread) {
          QVERIFY(thread >= 0 && thread < threads);
          for (int i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        });
        for (const auto& count : seen) QCOMPARE(count.load(), 1);
      }
    }
  }
};

QTEST_APPLESS_MAIN(KernelsTest)
#include "kernels_test.moc"
