// SPDX-License-Identifier: GPL-3.0-or-later
// What the calculator must reproduce: figures that engines logged, papers printed and issues agreed on.
// Bytes, tokens and blocks exactly, GiB to the printed digit. Sources stand beside the rows.
#include <QTest>
#include <cmath>

#include "engine/model/model_spec.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/kv_demand.h"
#include "tests/support/model_outlines.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

constexpr double kGiBs = 1024.0 * 1024 * 1024;

using test::model_of;

KvFormat format_of(const char* name) {
  return find_kv_format(name).value();
}

struct Want {
  const char* format = "bfloat16";
  KvLaw law = KvLaw::needed;
  int ranks = 1, block = 16, step = 2048;
  bool drafts = false;
};

KvDemand demand(const ModelOutline& model, const Want& want = {}) {
  return KvDemand(model, {want.law, format_of(want.format), want.ranks, want.block, want.step, want.drafts},
                  0, model.layers.size());
}
KvDemand demand(const char* model, const Want& want = {}) {
  return demand(model_of(model), want);
}

/// As printed: to so many digits behind the point.
bool prints(Bytes bytes, double gib, int digits = 2) {
  return std::abs(static_cast<double>(bytes) / kGiBs - gib) <= 0.5 * std::pow(10.0, -digits) + 1e-9;
}

/// A decoder of equal layers.
ModelOutline decoder(int layers, int heads, int kv_heads, int head_dim) {
  ModelSpec spec;
  spec.architecture = "llama";
  spec.hidden = heads * head_dim;
  spec.vocabulary = 32000;
  spec.context_length = 1 << 20;
  LayerSpec layer;
  layer.attention.heads = heads;
  layer.attention.kv_heads = kv_heads;
  layer.attention.head_dim = head_dim;
  layer.mlp.intermediate = 4 * spec.hidden;
  spec.layers.assign(static_cast<std::size_t>(layers), layer);
  return outline_of(spec);
}

GpuProfile card(Bytes memory) {
  GpuProfile gpu;
  gpu.name = "card";
  gpu.memory = memory;
  return gpu;
}

/// vLLM's way with so many bytes for KV.
DeploymentPlan pool_of(const ModelOutline& model, Bytes bytes, std::int64_t longest) {
  Deployment asked;
  asked.engine = "vllm";
  asked.block_size = 16;
  asked.max_model_len = longest;
  asked.budget = {.meaning = MemoryBudget::Meaning::kv_bytes, .bytes = bytes};
  const auto plan = plan_memory(asked, model, card(400 * kGiB));
  if (!plan) qFatal("%s", plan.error().text().c_str());
  return *plan;
}

}  // namespace

class PlanReferenceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// NVIDIA/TensorRT-LLM#1400, vllm#2031, vllm#6623, OpenRLHF#336, arXiv 2505.09343 table 1, LMCache#1739,
  /// vllm#21348, unsloth#4757; where the row has none, the formula.
  void bytes_a_token_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("format");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<qint64>("bytes");
    const auto row = [](const char* model, int ranks, qint64 bytes, const char* format = "bfloat16") {
      QTest::addRow("%s TP%d %s", model, ranks, format) << model << format << ranks << bytes;
    };
    row("llama-2-7b", 1, 524'288);
    row("llama-2-70b", 4, 81'920);
    row("llama-3-8b", 1, 131'072);
    row("llama-3-70b", 1, 327'680);
    row("llama-3-70b", 8, 40'960);
    row("llama-3-70b", 16, 40'960);  // 8 KV heads: replicated beyond
    row("llama-3.1-405b", 1, 516'096);
    row("mixtral-8x7b", 1, 131'072);
    for (const int ranks : {1, 2, 4, 8}) row("deepseek-v2", ranks, 69'120);
    row("deepseek-v3.2", 1, 48'068, "fp8_ds_mla");
    row("deepseek-v3.2", 8, 48'068, "fp8_ds_mla");
    row("llama-4-scout", 8, 24'576);
    row("qwen3-0.6b", 1, 114'688);
    row("qwen3-14b", 1, 163'840);
    row("qwen3-8b", 1, 147'456);
    row("qwen3-235b-a22b", 4, 48'128);
    row("qwen3-235b-a22b", 8, 48'128);
    row("qwen3.5-27b", 1, 65'536);
    row("article-example", 1, 655'360, "float16");
    row("qwen2.5-72b-awq", 1, 163'840, "fp8_e4m3");
  }
  void bytes_a_token() {
    QFETCH(QString, model);
    QFETCH(QString, format);
    QFETCH(int, ranks);
    QFETCH(qint64, bytes);
    const std::string name = format.toStdString();
    QCOMPARE(demand(model.toStdString().c_str(), {.format = name.c_str(), .ranks = ranks}).per_token(),
             bytes);
  }

  void sequences_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<qint64>("tokens");
    QTest::addColumn<double>("gib");
    QTest::addColumn<int>("digits");
    QTest::addColumn<bool>("drafts");
    const auto row = [](const char* model, qint64 tokens, double gib, int digits = 2, bool drafts = false) {
      QTest::addRow("%s at %lld%s", model, tokens, drafts ? " with drafts" : "")
          << model << tokens << gib << digits << drafts;
    };
    row("llama-3-8b", 131'072, 16.0);
    row("llama-3.1-405b", 128'000, 61.52);
    row("kimi-k2.5", 262'144, 17.16);       // unsloth#4757
    row("glm-5", 202'752, 17.18, 2, true);  // with its MTP layer
    row("glm-5", 202'752, 16.97);
    row("gemma-3-27b", 131'072, 10.41);      // unsloth#4757, #5225
    row("gemma-3-27b", 131'072, 10.406, 3);  // case 003
    row("gemma-3-27b", 8192, 1.031, 3);
    row("gemma-3-27b", 1024, 0.484, 3);
    row("qwen3-0.6b", 40'960, 4.375, 3);
    row("qwen3-8b", 40'960, 5.625, 3);
    row("qwen3.5-27b", 262'144, 16.0);
  }
  void sequences() {
    QFETCH(QString, model);
    QFETCH(qint64, tokens);
    QFETCH(double, gib);
    QFETCH(int, digits);
    QFETCH(bool, drafts);
    const KvDemand kv = demand(model.toStdString().c_str(), {.drafts = drafts});
    QVERIFY2(prints(kv.tokens_part(tokens), gib, digits),
             qPrintable(QString::number(kv.tokens_part(tokens))));
  }

  /// Case 003: what the same layers take where all are held at full length.
  void windows_at_full_length() {
    const KvDemand full = demand("gemma-3-27b", {.law = KvLaw::full});
    QVERIFY(prints(full.sequence(1024), 0.484, 3));
    QVERIFY(prints(full.sequence(8192), 3.875, 3));
    QVERIFY(prints(full.sequence(131'072), 62.0, 3));
  }

  void exact_pools() {
    // NVIDIA/TensorRT-LLM#1400: 132,608 tokens. vllm#2031: 7,351 blocks of 16 on an A100-80G, 20,865 at TP 4.
    QCOMPARE(demand("llama-2-7b").tokens_part(132'608), Bytes{69'524'783'104});
    const KvDemand seven = demand("llama-2-7b");
    QCOMPARE(seven.unit(), 8 * kMiB);
    QVERIFY(prints(7351 * seven.unit(), 57.43));
    const KvDemand seventy = demand("llama-2-70b", {.ranks = 4});
    QVERIFY(prints(20'865 * seventy.unit(), 25.47));
    // Blocks of swap space, vllm#6623: floors.
    QCOMPARE(4 * kGiB / demand("llama-3-8b").unit(), Bytes{2048});
    QCOMPARE(4 * kGiB / demand("llama-3-70b", {.ranks = 8}).unit(), Bytes{6553});
    QCOMPARE(4 * kGiB / demand("llama-3-70b", {.ranks = 2}).unit(), Bytes{1638});
    QCOMPARE(pool_of(model_of("llama-3-70b"), 378 * demand("llama-3-70b").unit(), 8192).kv_tokens,
             std::int64_t{6048});  // OpenRLHF#336
    // Qwen3.6-35B-A3B in llama.cpp, janhq/jan#8181: 160 MiB where 640 were shown.
    QCOMPARE(demand("qwen3.6-35b-a3b").tokens_part(8192), 160 * kMiB);
  }

  /// 48 layers · 48 heads · 128² float32, and three columns of 10,240 in 16 bits: 146.8 MiB a sequence.
  void states_are_fixed() {
    const KvDemand hybrid = demand("qwen3.5-27b");
    QCOMPARE(hybrid.state(), 144 * kMiB + Bytes{48} * 3 * 10'240 * 2);
    QCOMPARE(hybrid.sequence(1024) - hybrid.tokens_part(1024), hybrid.state());
    QCOMPARE(hybrid.sequence(2048) - hybrid.sequence(1024), Bytes{1024} * 65'536);
    QVERIFY(!hybrid.uniform());
    const KvDemand halved = demand("qwen3.5-27b", {.ranks = 2});
    QCOMPARE(halved.state(), hybrid.state() / 2);
  }

  /// vllm#16118: every layer at full length.
  void scout_at_ten_million_tokens() {
    const KvDemand scout = demand("llama-4-scout", {.law = KvLaw::pitwall, .ranks = 8});
    QVERIFY(prints(scout.sequence(10'485'760), 240.00));
    QVERIFY(prints(scout.sequence(1'048'576), 24.00));
    const auto longest = scout.longest(static_cast<Bytes>(88.38 * kGiBs));
    QVERIFY2(std::abs(longest - 3'861'424) <= 220, qPrintable(QString::number(longest)));
    QVERIFY(demand("llama-4-scout", {.ranks = 8}).sequence(10'485'760) < scout.sequence(10'485'760) / 3);
  }

  /// unsloth#5225: 3 global layers and 15 with windows of 512.
  void windows_in_llama_cpp() {
    const auto pool = [](std::int64_t context, int parallel) {
      const KvDemand one = demand("gemma-3-270m", {.law = KvLaw::llama_cpp});
      return parallel * one.sequence(context / parallel);
    };
    QCOMPARE(pool(4096, 1), 27 * kMiB);
    QCOMPARE(pool(4096, 2), 42 * kMiB);
    QCOMPARE(pool(4096, 4), 72 * kMiB);
    QCOMPARE(pool(8192, 1), 39 * kMiB);
    QVERIFY(prints(demand("gemma-3-27b", {.law = KvLaw::llama_cpp}).sequence(131'072), 10.81));
  }

  /// LMCache#1739: 6.51 GiB hold 42,656 tokens in 2,666 blocks, 1.30 × 32,768.
  void tokens_of_a_pool() {
    const KvDemand kv = demand("qwen3-14b");
    const std::int64_t blocks = static_cast<Bytes>(6.51 * kGiBs) / kv.unit();
    QCOMPARE(blocks, std::int64_t{2666});
    QCOMPARE(blocks * 16, std::int64_t{42'656});
    QVERIFY(std::abs(static_cast<double>(blocks) / static_cast<double>(kv.units(32'768)) - 1.30) < 0.005);
    // "the estimated maximum model length is 32768" beside 4.50 GiB of 5.62 needed.
    const KvDemand eight = demand("qwen3-8b");
    QVERIFY(prints(eight.sequence(40'960), 5.62, 1));
    QCOMPARE(eight.longest(static_cast<Bytes>(4.50 * kGiBs)), std::int64_t{32'768});
    // vllm#21348: SGLang's K of 367,404 tokens; vLLM's blocks by an even split.
    const KvDemand moe = demand("qwen3-235b-a22b", {.ranks = 4});
    QVERIFY(prints(367'404 * moe.per_token() / 2, 8.23));
    QCOMPARE(static_cast<Bytes>(8.11 * kGiBs) / moe.unit() * 16, Bytes{180'928});
    QVERIFY(178'880 <= 180'928);  // logged: the rank with the fewest blocks ruled
  }

  /// vllm#11251: 15.77 GiB at 0.9 less 7.51, 0.39 and 2.53; 1 MiB a block.
  void budget_identity() {
    const double kv = 15.77 * 0.9 - 7.51 - 0.39 - 2.53;
    QVERIFY(std::abs(kv - 3.76) < 0.005);
    QVERIFY(prints(3852 * kMiB, 3.76));
    const DeploymentPlan issue = pool_of(decoder(32, 32, 4, 128), 3852 * kMiB, 40'000);
    QCOMPARE(issue.kv_block_bytes, kMiB);
    QCOMPARE(issue.kv_blocks, std::int64_t{3852});
    QVERIFY(std::abs(issue.full_length_requests - 1.54) < 0.005);
    // Case 014, vLLM's start-up lines: 1,952 blocks of 16 for 20,000 tokens.
    const DeploymentPlan logged = pool_of(decoder(32, 32, 4, 128), 1952 * kMiB, 20'000);
    QCOMPARE(logged.kv_tokens, std::int64_t{31'232});
    QVERIFY(std::abs(logged.full_length_requests - 1.56) < 0.005);
    // Fewer than one is no warning: nothing of that length can be served.
    QCOMPARE(pool_of(decoder(32, 32, 4, 128), 1952 * kMiB, 36'000).verdict, Verdict::fails);
  }

  /// Case 001: KV heads, not heads.
  void grouped_queries() {
    QCOMPARE(demand(decoder(32, 32, 8, 128)).per_token(), Bytes{131'072});
    QCOMPARE(demand(decoder(32, 32, 32, 128)).per_token(), Bytes{524'288});
    QCOMPARE(demand(decoder(80, 64, 8, 128)).per_token(), Bytes{327'680});
    QCOMPARE(demand(decoder(32, 32, 8, 128)).sequence(131'072), 16 * kGiB);
  }

  /// Case 011: replicas do not share KV.
  void replicas_divide_nothing() {
    Deployment asked;
    asked.gpus = 8;
    asked.tensor_parallel = 2;
    asked.engine = "needed";
    asked.max_model_len = 8192;
    const auto plan = plan_memory(asked, decoder(32, 32, 8, 128), card(80 * kGiB));
    PW_VERIFY(plan);
    QCOMPARE(plan->replicas, 4);
    QCOMPARE(plan->worst_rank().kv_bytes_per_token, Bytes{65'536});
  }

  /// 40 layers, 32 heads, 128 numbers, FP16: 327,680 numbers, 655,360 B a token.
  void the_articles_example() {
    Deployment asked;
    asked.kv_cache_dtype = "float16";
    asked.max_model_len = 4096;
    asked.max_num_seqs = asked.requests = 10;
    const auto plan = plan_memory(asked, model_of("article-example"), card(80 * kGiB));
    PW_VERIFY(plan);
    QCOMPARE(plan->kv_bytes_per_token, Bytes{655'360});
    QCOMPARE(plan->kv_bytes_per_token / 2, Bytes{327'680});
    QCOMPARE(plan->kv_bytes_per_sequence, Bytes{2'684'354'560});  // "about 2.6 GB"
    QCOMPARE(plan->worst_rank().kv_needed, Bytes{26'843'545'600});
    QCOMPARE(kv_formula(*plan),
             (std::vector<std::string>{"2 × 40 layers × 32 KV heads × 128 × 2 B = 655,360 B"}));
    const auto has = [&](std::string_view text) {
      return std::any_of(plan->notes.begin(), plan->notes.end(),
                         [&](const std::string& note) { return note.find(text) != std::string::npos; });
    };
    QVERIFY(has("8 KV heads would take 163,840 B"));
  }

  /// Published counts: model cards and index files.
  void parameters_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<qint64>("parameters");
    const std::pair<const char*, qint64> rows[] = {
        {"llama-3-8b", 8'030'261'248},        {"llama-3-70b", 70'553'706'496},
        {"llama-2-7b", 6'738'415'616},        {"qwen2.5-72b", 72'706'203'648},
        {"qwen2.5-7b", 7'615'616'512},        {"mixtral-8x7b", 46'702'792'704},
        {"deepseek-v3", 671'026'404'352},     {"deepseek-v2", 235'741'434'880},
        {"qwen3-235b-a22b", 235'093'634'560}, {"qwen3-30b-a3b", 30'532'122'624},
        {"gpt-oss-120b", 116'829'156'672},    {"gpt-oss-20b", 20'914'757'184},
        {"llama-3.1-405b", 405'853'388'800},  {"qwen3-0.6b", 596'049'920}};
    for (const auto& [model, parameters] : rows) QTest::newRow(model) << model << parameters;
  }
  void parameters() {
    QFETCH(QString, model);
    QFETCH(qint64, parameters);
    QCOMPARE(model_of(model.toStdString().c_str()).parameters(), parameters);
  }

  /// Qwen2.5-72B-Instruct-AWQ: 41.6 GB of files.
  void quantised_weights() {
    QVERIFY(prints(model_of("qwen2.5-72b-awq").weight_bytes(), 38.74));
    const ModelOutline plain = model_of("llama-3-8b");
    QCOMPARE(plain.weight_bytes(), 2 * plain.parameters());
    const auto four = with_weight_format(plain, "awq");
    PW_VERIFY(four);
    const std::int64_t kept = plain.embedding_parameters + plain.output_parameters;
    QVERIFY(four->weight_bytes() > 2 * kept + (plain.parameters() - kept) / 2);
    QVERIFY(four->weight_bytes() < plain.weight_bytes() / 2);
  }

  /// Case 058.
  void eight_bits_double_a_dense_pool() {
    const Bytes pool = 10 * kGiB;
    const KvDemand wide = demand("llama-3-8b"), narrow = demand("llama-3-8b", {.format = "fp8_e4m3"});
    QCOMPARE(narrow.longest(pool), 2 * wide.longest(pool));
    const KvDemand scaled = demand("llama-3-8b", {.format = "int8"});
    QCOMPARE(scaled.per_token(), narrow.per_token() + Bytes{32} * 2 * 8 * 4);
    const KvDemand hybrid = demand("qwen3.5-27b"), small = demand("qwen3.5-27b", {.format = "fp8_e4m3"});
    QVERIFY(small.most(pool, 4096, 0) < 2 * hybrid.most(pool, 4096, 0));
  }

  void formats() {
    QCOMPARE(format_of("nvfp4").head(128), Bytes{128 / 2 + 128 / 16});
    QCOMPARE(format_of("int4").head(128), Bytes{64 + 4});
    QCOMPARE(format_of("q8_0").head(128), Bytes{128 / 32 * 34});
    QCOMPARE(format_of("q4_0").head(128), Bytes{128 / 32 * 18});
    QCOMPARE(format_of("fp8").name, std::string_view("fp8_e4m3"));  // case 056
    QCOMPARE(index_key_bytes(128), Bytes{132});
    QVERIFY(!find_kv_format("fp7"));
  }

  /// vLLM cuts 8 full layers and 9 with windows into two groups of 9 (vllm/v1/core/kv_cache_utils.py).
  void padding_is_its_own_line() {
    ModelOutline model = decoder(17, 8, 8, 64);
    for (std::size_t i = 8; i < 17; ++i)
      model.layers[i].kind = LayerState::Kind::sliding, model.layers[i].window = 1024;
    const KvDemand kv = demand(model, {.law = KvLaw::vllm, .step = 512});
    const Bytes page = Bytes{16} * 2 * 8 * 64 * 2;
    QCOMPARE(kv.unit(), 9 * page);
    QCOMPARE(kv.groups()[0].padding, page / 16);
    QCOMPARE(kv.groups()[1].padding, Bytes{0});
    // Full: all blocks. Windows: those of 1,024 − 1 + 512 tokens and one more.
    QCOMPARE(kv.units(8192), std::int64_t{8192 / 16 + 96 + 1});
    QCOMPARE(kv.units(160), std::int64_t{10 + 10 + 1});
    QCOMPARE(demand("gemma-3-27b", {.law = KvLaw::vllm}).groups()[0].padding,
             Bytes{8} * 2 * 16 * 128 * 2);  // 52 in groups of 10
  }

  /// A prefix that all share is held once; windows share nothing.
  void shared_prefixes() {
    const KvDemand kv = demand("llama-3-8b");
    const Bytes pool = 64 * kGiB;
    const std::int64_t blocks = pool / kv.unit();
    QCOMPARE(kv.most(pool, 4096, 0), blocks / 256);
    QCOMPARE(kv.most(pool, 4096, 2048), (blocks - 128) / 128);
    QCOMPARE(kv.most(pool, 4096, 2055), (blocks - 128) / 128);
    QCOMPARE(kv.of_requests(10, 4096, 2048), kv.unit() * (128 + 10 * 128));
    const KvDemand null_block = demand("llama-3-8b", {.law = KvLaw::vllm});
    QCOMPARE(null_block.most(256 * kv.unit(), 4096, 0), std::int64_t{0});
    QCOMPARE(null_block.most(257 * kv.unit(), 4096, 0), std::int64_t{1});
  }
};

QTEST_APPLESS_MAIN(PlanReferenceTest)
#include "plan_reference_test.moc"
