// SPDX-License-Identifier: GPL-3.0-or-later
// What architectures add to the plain layer, each operation against its slow twin on every instruction set:
// norms, epilogues, experts, norms of q and k, caps, and rotary tables by sequence length.
#include <QTest>
#include <cmath>

#include "engine/execute/reference_ops.h"
#include "tests/support/compare_numbers.h"
#include "tests/support/cpu_harness.h"
#include "tests/support/test_support.h"

using namespace pitwall;
using namespace pitwall::test;
using Floats = std::vector<float>;

namespace {

constexpr NormSpec::Kind kNorms[] = {NormSpec::Kind::rms, NormSpec::Kind::layer};
constexpr float kEpsilon = 1e-5f;

Floats normed(NormSpec::Kind kind, std::span<const float> x, std::span<const float> weight) {
  return kind == NormSpec::Kind::rms ? reference::rms_norm(x, weight, kEpsilon)
                                     : reference::layer_norm(x, weight, kEpsilon);
}

/// Each head of `x` normed, with weights of one head or of all.
Floats normed_heads(NormSpec::Kind kind, std::span<const float> x, std::span<const float> weight,
                    int head_dim) {
  Floats all;
  const auto dim = static_cast<std::size_t>(head_dim);
  for (std::size_t at = 0; at < x.size(); at += dim) {
    const Floats head =
        normed(kind, x.subspan(at, dim), weight.size() > dim ? weight.subspan(at, dim) : weight);
    all.insert(all.end(), head.begin(), head.end());
  }
  return all;
}

}  // namespace

class LayerOpsTest : public QObject {
  Q_OBJECT

  std::mt19937 random_;

  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  OwnedTensor floats(int rows, int columns) { return random_tensor(TensorType::f32, rows, columns, random_); }

 private slots:
  void initTestCase_data() { add_isa_rows(); }

  void init() { seed_anew(random_); }

  void a_linear_reads_either_norm_and_ends_in_scale_cap_gate_and_residual() {
    for (const NormSpec::Kind kind : kNorms) {
      for (int round = 0; round < 8; ++round) {
        const int rows = pick(1, 70), columns = pick(2, 120), batch = pick(1, 40);
        const bool capped = round % 2 == 1, gated = round % 4 >= 2, added = round >= 4;
        CpuHarness harness(isa_options(false), {});
        const OwnedTensor input = floats(batch, columns), weight = floats(rows, columns),
                          norm = floats(1, columns), gate = floats(batch, 1), residual = floats(batch, rows);
        const Weight x = harness.upload(input), w = harness.upload(weight), n = harness.upload_vector(norm),
                     g = harness.upload(gate), r = harness.upload(residual);
        const Tensor in = harness.tensor(columns), out = harness.tensor(rows), open = harness.tensor(1);
        const float scale = 0.25f, cap = 0.7f;
        const Floats got = harness.run_rows(batch, out, rows, [&] {
          harness.backend().embed(x, 1, in);
          harness.backend().embed(g, 1, open);
          harness.backend().embed(r, 1, out);
          const LinearOutput output{
              w, out, {}, added ? out : Tensor{}, scale, capped ? cap : 0, gated ? open : Tensor{}};
          harness.backend().linear(in, {n, kEpsilon, kind}, {&output, 1});
        });
        Floats expected;
        for (int i = 0; i < batch; ++i) {
          for (float y : reference::linear(weight.values(),
                                           normed(kind, row_of(input.values(), i, columns), norm.values()))) {
            y *= scale;
            if (capped) y = cap * std::tanh(y / cap);
            if (gated) y /= 1 + std::exp(-gate.values()[static_cast<std::size_t>(i)]);
            if (added) y += residual.values()[expected.size()];
            expected.push_back(y);
          }
        }
        const double error = relative_l2(got, expected);
        QVERIFY2(error <= 3e-6, qPrintable(QString::number(error)));
      }
    }
  }

  void an_embedding_is_scaled() {
    CpuHarness harness(isa_options(false), {});
    const OwnedTensor table = floats(9, 33);
    const Weight weight = harness.upload(table);
    const Tensor out = harness.tensor(33);
    const Floats got = harness.run_rows(9, out, 33, [&] { harness.backend().embed(weight, 11.5f, out); });
    Floats expected = table.values();
    for (float& x : expected) x *= 11.5f;
    QCOMPARE(got, expected);
  }

  void a_norms_result_is_added() {
    for (const NormSpec::Kind kind : kNorms) {
      const int columns = pick(2, 150), batch = pick(1, 60);
      CpuHarness harness(isa_options(false), {});
      const OwnedTensor branch = floats(batch, columns), norm = floats(1, columns),
                        hidden = floats(batch, columns);
      const Weight b = harness.upload(branch), n = harness.upload_vector(norm), h = harness.upload(hidden);
      const Tensor in = harness.tensor(columns), out = harness.tensor(columns);
      const Floats got = harness.run_rows(batch, out, columns, [&] {
        harness.backend().embed(b, 1, in);
        harness.backend().embed(h, 1, out);
        harness.backend().norm_add(in, {n, kEpsilon, kind}, 0.5f, out);
      });
      Floats expected;
      for (int i = 0; i < batch; ++i) {
        for (const float y : normed(kind, row_of(branch.values(), i, columns), norm.values()))
          expected.push_back(0.5f * y + hidden.values()[expected.size()]);
      }
      const double error = relative_l2(got, expected);
      QVERIFY2(error <= 2e-6, qPrintable(QString::number(error)));
    }
  }

  void a_vector_is_kept_with_its_offset_and_gate_and_up_have_biases() {
    const int rows = 37, columns = 20, batch = 5;
    CpuHarness harness(isa_options(false), {});
    const OwnedTensor input = floats(batch, columns), gate = floats(rows, columns),
                      up = floats(rows, columns), gate_bias = floats(1, rows), up_bias = floats(1, rows);
    GatedWeights weights{harness.upload(gate), harness.upload(up), harness.upload_vector(gate_bias),
                         take(harness.backend().upload_vector(up_bias.view, 1)), Activation::silu};
    const Weight x = harness.upload(input);
    const Tensor in = harness.tensor(columns), out = harness.tensor(rows);
    const Floats got = harness.run_rows(batch, out, rows, [&] {
      harness.backend().embed(x, 1, in);
      harness.backend().gated_linear(in, {}, weights, out);
    });
    const Floats inputs = input.values();
    Floats shifted = up_bias.values(), expected;
    for (float& b : shifted) b += 1;
    for (int i = 0; i < batch; ++i) {
      const auto seen = row_of(inputs, i, columns);
      const Floats y = reference::gated(reference::linear(gate.values(), seen, gate_bias.values()),
                                        reference::linear(up.values(), seen, shifted), Activation::silu);
      expected.insert(expected.end(), y.begin(), y.end());
    }
    const double error = relative_l2(got, expected);
    QVERIFY2(error <= 3e-6, qPrintable(QString::number(error)));
  }

  void experts_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("automatic");
    for (TensorType type : {TensorType::f32, TensorType::bf16, TensorType::q8_0}) {
      for (bool automatic : {false, true}) {
        QTest::addRow("%s%s", tensor_type_info(type).name.data(), automatic ? " automatic" : " float32")
            << static_cast<int>(type) << automatic;
      }
    }
  }

  void experts() {
    QFETCH(int, type);
    QFETCH(bool, automatic);
    const auto weight_type = static_cast<TensorType>(type);
    for (int round = 0; round < 3; ++round) {
      const int hidden = 32 * pick(1, 3), batch = round == 0 ? kMoeRows + 70 : pick(1, 50);
      MoeSpec spec;
      spec.experts = pick(1, 20);
      spec.top_k = pick(1, std::min(4, spec.experts));
      spec.intermediate = 32 * pick(1, 2);
      spec.renormalise = round % 2 == 1;
      CpuHarness harness(isa_options(automatic), {kMoeRows + 80, 2, 16, 1 << 16});
      CpuBackend& backend = harness.backend();
      const OwnedTensor input = floats(batch, hidden), norm = floats(1, hidden),
                        router = floats(spec.experts, hidden);
      std::vector<OwnedTensor> gates, ups, downs;
      std::vector<ExpertWeights> handles;
      for (int e = 0; e < spec.experts; ++e) {
        gates.push_back(random_tensor(weight_type, spec.intermediate, hidden, random_));
        ups.push_back(random_tensor(weight_type, spec.intermediate, hidden, random_));
        downs.push_back(random_tensor(weight_type, hidden, spec.intermediate, random_));
        handles.push_back(
            {harness.upload(gates.back()), harness.upload(ups.back()), harness.upload(downs.back())});
      }
      const Weight x = harness.upload(input), n = harness.upload_vector(norm);
      const Experts experts = take(backend.group_experts(router.view, handles, spec, Activation::silu));
      const Tensor in = harness.tensor(hidden);
      const Floats got = harness.run_rows(batch, in, hidden, [&] {
        backend.embed(x, 1, in);
        backend.moe(in, {n, kEpsilon, NormSpec::Kind::rms}, experts, 0.5f, in, in);
      });

      Floats expected;
      for (int i = 0; i < batch; ++i) {
        const Floats given = reference::rms_norm(row_of(input.values(), i, hidden), norm.values(), kEpsilon);
        Floats row(static_cast<std::size_t>(hidden));
        for (const auto& [expert, weight] :
             reference::route(reference::linear(router.values(), given), spec)) {
          const auto e = static_cast<std::size_t>(expert);
          const Floats inner = reference::gated(reference::linear(gates[e].values(), given),
                                                reference::linear(ups[e].values(), given), Activation::silu);
          const Floats y = reference::linear(downs[e].values(), inner);
          for (std::size_t c = 0; c < row.size(); ++c) row[c] += 0.5f * weight * y[c];
        }
        for (std::size_t c = 0; c < row.size(); ++c) row[c] += row_of(input.values(), i, hidden)[c];
        expected.insert(expected.end(), row.begin(), row.end());
      }
      const double error = relative_l2(got, expected);
      QVERIFY2(error <= (automatic ? 1e-4 : 5e-6), qPrintable(QString::number(error)));
    }
  }

  /// A prefill of one sequence: norms of q and k, a cap on scores, no rotation or one by sequence length.
  void attention_with_norms_and_caps_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("qk_norm");
    QTest::addColumn<bool>("rotates");
    for (const NormSpec::Kind kind : kNorms) {
      for (const QkNorm qk_norm : {QkNorm::none, QkNorm::shared, QkNorm::per_head}) {
        for (const bool rotates : {true, false}) {
          QTest::addRow("%s, %d, %s", kind == NormSpec::Kind::rms ? "rms" : "layer",
                        static_cast<int>(qk_norm), rotates ? "rope" : "no rope")
              << static_cast<int>(kind) << static_cast<int>(qk_norm) << rotates;
        }
      }
    }
  }

  void attention_with_norms_and_caps() {
    QFETCH(int, kind);
    QFETCH(int, qk_norm);
    QFETCH(bool, rotates);
    const auto norm_kind = static_cast<NormSpec::Kind>(kind);
    const auto norms = static_cast<QkNorm>(qk_norm);
    const int heads = 6, kv_heads = 2, head_dim = 24, length = 45, positions = 64;
    const int q_width = heads * head_dim, kv_width = kv_heads * head_dim;
    AttentionSpec spec;
    spec.heads = heads;
    spec.kv_heads = kv_heads;
    spec.head_dim = head_dim;
    spec.scale = 0.3f;
    RopeSpec rope{10000.0, head_dim, RopeSpec::Pairing::halves};
    rope.scaling.kind = RopeSpec::Scaling::Kind::longrope;
    rope.scaling.original_context = 40;
    rope.scaling.short_factors.assign(head_dim / 2, 1.25);
    rope.scaling.long_factors.assign(head_dim / 2, 6.0);
    rope.attention_factor = 1.1;
    if (rotates) spec.rope = rope;
    const OwnedTensor tables[] = {floats(50, q_width), floats(50, kv_width), floats(50, kv_width)};
    const OwnedTensor q_norm = floats(norms == QkNorm::per_head ? heads : 1, head_dim),
                      k_norm = floats(norms == QkNorm::per_head ? kv_heads : 1, head_dim);
    for (const bool long_rope : {false, true}) {
      KvLayout layout;
      layout.dtype = KvDtype::float32;
      layout.block_size = 16;
      layout.layers = {{kv_heads, head_dim, {}, {}}};
      CpuHarness harness(isa_options(false), {}, layout, 4);
      CpuBackend& backend = harness.backend();
      const Weight weights[] = {harness.upload(tables[0]), harness.upload(tables[1]),
                                harness.upload(tables[2])};
      const RopeTable table = rotates ? take(backend.upload_rope(rope, positions)) : RopeTable{};
      RopeAppendOp op{0, table, {{}, kEpsilon, norm_kind}, {{}, kEpsilon, norm_kind}};
      if (norms != QkNorm::none) {
        op.q_norm.weight = harness.upload_vector(q_norm);
        op.k_norm.weight = harness.upload_vector(k_norm);
      }
      const Tensor q = harness.tensor(q_width), k = harness.tensor(kv_width), v = harness.tensor(kv_width),
                   out = harness.tensor(q_width);
      const Tensor logits = take(backend.allocate(Category::logits, RowSet::logits, q_width));
      StepPlan plan;
      plan.joins = {{SlotId{0}, RequestId{1}, {}, long_rope}};
      for (int b = 0; b < 3; ++b) plan.appends.push_back({SlotId{0}, b, BlockId{2 - b}});
      std::vector<TokenId> tokens;
      for (int i = 0; i < length; ++i) tokens.push_back(pick(0, 49));
      if (!long_rope && rotates) tokens.resize(40);  // no more have the short frequencies
      add_slice(plan, 0, 0, tokens);
      const StepResult result = harness.run(plan, [&] {
        backend.embed(weights[0], 1, q);
        backend.embed(weights[1], 1, k);
        backend.embed(weights[2], 1, v);
        backend.rope_append(op, spec, q, k, v);
        backend.attention({0, heads, kv_heads, head_dim, spec.scale, 0, 2.5f}, q, out);
        backend.gather_logit_rows(out, logits);
        backend.sample(logits);
      });
      QVERIFY2(!result.error, result.error ? result.error->text().c_str() : "");

      Floats keys, values, expected;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto of = [&](int part, int width) {
          const Floats all = tables[part].values();
          const auto row = row_of(all, tokens[i], width);
          return Floats(row.begin(), row.end());
        };
        Floats query = of(0, q_width), key = of(1, kv_width);
        if (norms != QkNorm::none) {
          query = normed_heads(norm_kind, query, q_norm.values(), head_dim);
          key = normed_heads(norm_kind, key, k_norm.values(), head_dim);
        }
        if (rotates) {
          const int served = long_rope ? positions : 40;
          reference::rope(query, head_dim, rope, static_cast<std::int64_t>(i), served);
          reference::rope(key, head_dim, rope, static_cast<std::int64_t>(i), served);
        }
        const Floats value = of(2, kv_width);
        keys.insert(keys.end(), key.begin(), key.end());
        values.insert(values.end(), value.begin(), value.end());
        const Floats y = reference::attention(query, keys, values, static_cast<int>(i) + 1, heads, kv_heads,
                                              head_dim, spec.scale, 0, 2.5f);
        expected.insert(expected.end(), y.begin(), y.end());
      }
      const double error = relative_l2(result.logits.at(0).values, expected);
      QVERIFY2(error <= 5e-6, qPrintable(QString::number(error)));
    }
  }
};

QTEST_GUILESS_MAIN(LayerOpsTest)
#include "layer_ops_test.moc"
