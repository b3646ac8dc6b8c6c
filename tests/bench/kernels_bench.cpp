// SPDX-License-Identifier: GPL-3.0-or-later
// Times the CPU back end's operations in the shapes of SmolLM2-135M (Q4_1, output Q8_0) against the floors of
// this machine, measured in the same run. Layers rotate, so that weights and KV come from memory as in a real
// step. `pitwallctl bench-kernels` has every kernel on its own. Usage: kernels_bench [threads]
// [portable|avx2]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "engine/base/threads.h"
#include "kernels/cpu/floors.h"
#include "tests/support/cpu_harness.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

constexpr int kLayers = 30, kHidden = 576, kHeads = 9, kKvHeads = 3, kHeadDim = 64, kIntermediate = 1536;
constexpr int kVocabulary = 49152, kContext = 512, kBlockSize = 32, kMostRows = 256, kMostSequences = 8,
              kSteps = 12;
constexpr int kQ = kHeads * kHeadDim, kKv = kKvHeads * kHeadDim;

struct Layer {
  Weight norm, q, k, v, o, gate, up, down;
};

struct Operation {
  const char* name;
  double bytes;          ///< of weights or KV that a call must read
  double multiply_adds;  ///< of a call
  std::function<void(int layer)> run;
};

/// Nanoseconds that the fastest quarter of the calls stays within.
double typical(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

KvLayout layout() {
  KvLayout layout;
  layout.block_size = kBlockSize;
  layout.layers.assign(kLayers, {kKvHeads, kHeadDim});
  return layout;
}

AttentionSpec attention_spec() {
  AttentionSpec spec;
  spec.heads = kHeads;
  spec.kv_heads = kKvHeads;
  spec.head_dim = kHeadDim;
  spec.rope = RopeSpec{10000.0, kHeadDim, RopeSpec::Pairing::neighbours};
  return spec;
}

/// Decode of one token for each of `rows` sequences at the end of their contexts, or a prefill chunk of one.
StepPlan plan_of(int rows, int sequences) {
  StepPlan plan;
  for (int s = 0; s < sequences; ++s) {
    plan.joins.push_back({SlotId{s}, RequestId{static_cast<std::uint64_t>(s) + 1}, {}});
    for (int b = 0; b < kContext / kBlockSize; ++b) {
      plan.appends.push_back({SlotId{s}, b, BlockId{s * kContext / kBlockSize + b}});
    }
    const int count = rows / sequences;
    add_slice(plan, s, kContext - count, std::vector<TokenId>(static_cast<std::size_t>(count), 7 + s));
    plan.slices.back().all_logits = false;
    plan.slices.back().samples = true;
  }
  return plan;
}

/// Writes all of the pool: pages that nobody wrote are one page of zeros, which the cache holds.
void fill_kv(CpuHarness& harness, const std::function<void()>& append) {
  for (int s = 0; s < kMostSequences; ++s) {
    StepPlan plan = plan_of(kMostSequences, kMostSequences);
    plan.slices.clear();
    plan.tokens.clear();
    for (int first = 0; first < kContext; first += kMostRows) {
      add_slice(plan, s, first, std::vector<TokenId>(kMostRows, 7 + s));
      const StepResult result = harness.run(std::exchange(plan, {}), append);
      if (result.error) throw std::runtime_error(result.error->text());
    }
  }
}

class Bench {
 public:
  explicit Bench(const CpuBackendOptions& options)
      : harness_(options, {kMostRows, kMostSequences, kContext / kBlockSize, kVocabulary}, layout(),
                 kMostSequences * kContext / kBlockSize),
        backend_(harness_.backend()),
        spec_(attention_spec()) {
    std::mt19937 random(1);
    const auto q4 = [&](int rows, int columns) {
      return harness_.upload(random_tensor(TensorType::q4_1, rows, columns, random));
    };
    for (int i = 0; i < kLayers; ++i) {
      const Weight norm = harness_.upload_vector(random_tensor(TensorType::f32, 1, kHidden, random));
      layers_.push_back({norm, q4(kQ, kHidden), q4(kKv, kHidden), q4(kKv, kHidden), q4(kHidden, kQ),
                         q4(kIntermediate, kHidden), q4(kIntermediate, kHidden), q4(kHidden, kIntermediate)});
    }
    embedding_ = harness_.upload(random_tensor(TensorType::q8_0, kVocabulary, kHidden, random));
    rope_ = take(backend_.upload_rope(*spec_.rope, kContext));
    hidden_ = harness_.tensor(kHidden);
    q_ = harness_.tensor(kQ);
    k_ = harness_.tensor(kKv);
    v_ = harness_.tensor(kKv);
    gated_ = harness_.tensor(kIntermediate);
    last_ = take(backend_.allocate(Category::activations, RowSet::logits, kHidden));
    logits_ = take(backend_.allocate(Category::logits, RowSet::logits, kVocabulary));
    fill_kv(harness_, [this] {
      for (int layer = 0; layer < kLayers; ++layer)
        backend_.rope_append({layer, rope_, {}, {}}, spec_, q_, k_, v_);
    });
  }

  void run(int rows, const CpuFloors& floors) {
    const int sequences = rows <= kMostSequences ? rows : 1;
    const std::vector<Operation> all = operations(rows, sequences);
    std::vector<std::vector<double>> times(all.size());
    const auto time_call = [&](std::size_t operation, int layer) {
      const auto start = std::chrono::steady_clock::now();
      all[operation].run(layer);
      const auto end = std::chrono::steady_clock::now();
      times[operation].push_back(std::chrono::duration<double, std::nano>(end - start).count());
    };
    harness_.run(plan_of(rows, sequences), [&] {
      backend_.embed(embedding_, 1, hidden_);
      for (int step = 0; step < kSteps; ++step) {
        for (int layer = 0; layer < kLayers; ++layer) {
          for (std::size_t i = 0; i + 1 < all.size(); ++i) time_call(i, layer);
        }
        time_call(all.size() - 1, 0);  // the output projection
      }
    });
    double step = 0, step_bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Operation& operation = all[i];
      const double time = typical(times[i]);
      const int calls = i + 1 < all.size() ? kLayers : 1;
      step += time * calls;
      step_bytes += operation.bytes * calls;
      std::printf("%4d  %-12s %9.1f us %7.1f GB/s %4.0f %% %8.1f GMAC/s %4.0f %%\n", rows, operation.name,
                  time / 1e3, operation.bytes / time, 100 * operation.bytes / time / floors.read_gbps,
                  operation.multiply_adds / time,
                  100 * operation.multiply_adds / time / (floors.int8_tops * 500));
    }
    std::printf("%4d  %-12s %9.1f us %7.1f GB/s %4.0f %%  -> %.0f tokens/s without the sampler\n\n", rows,
                "whole step", step / 1e3, step_bytes / step, 100 * step_bytes / step / floors.read_gbps,
                rows * 1e9 / step);
  }

 private:
  std::vector<Operation> operations(int rows, int sequences) {
    const auto q4_bytes = [](double weights) { return weights * 20 / 32; };
    const auto layer = [this](int i) -> const Layer& { return layers_[static_cast<std::size_t>(i)]; };
    const double qkv = double{kHidden} * (kQ + 2 * kKv), o = double{kHidden} * kQ;
    const double gate_up = 2.0 * kHidden * kIntermediate, down = double{kHidden} * kIntermediate;
    const double output = double{kHidden} * kVocabulary;
    const double seen =
        sequences == rows ? kContext : kContext - rows / 2.0;  // positions that a row attends to
    return {
        {"qkv", q4_bytes(qkv), qkv * rows,
         [=, this](int i) {
           const LinearOutput outputs[] = {
               {layer(i).q, q_, {}, {}}, {layer(i).k, k_, {}, {}}, {layer(i).v, v_, {}, {}}};
           backend_.linear(hidden_, {layer(i).norm, 1e-5f}, outputs);
         }},
        {"rope, append", 0, 0,
         [=, this](int i) {
           backend_.rope_append({i, rope_, {}, {}}, spec_, q_, k_, v_);
         }},
        {"attention", sequences * 4.0 * kKv * kContext, 2.0 * rows * kQ * seen,
         [=, this](int i) {
           backend_.attention({i, kHeads, kKvHeads, kHeadDim, 0.125f, 0}, q_, q_);
         }},
        {"o", q4_bytes(o), o * rows,
         [=, this](int i) {
           const LinearOutput projected{layer(i).o, hidden_, {}, hidden_};
           backend_.linear(q_, {}, {&projected, 1});
         }},
        {"gate, up", q4_bytes(gate_up), gate_up * rows,
         [=, this](int i) {
           backend_.gated_linear(hidden_, {layer(i).norm, 1e-5f},
                                 {layer(i).gate, layer(i).up, {}, {}, Activation::silu}, gated_);
         }},
        {"down", q4_bytes(down), down * rows,
         [=, this](int i) {
           const LinearOutput down_output{layer(i).down, hidden_, {}, hidden_};
           backend_.linear(gated_, {}, {&down_output, 1});
         }},
        {"output", output * 34 / 32, output * sequences,
         [=, this](int) {
           const LinearOutput logits{embedding_, logits_, {}, {}};
           backend_.gather_logit_rows(hidden_, last_);
           backend_.linear(last_, {layer(0).norm, 1e-5f}, {&logits, 1});
         }},
    };
  }

  CpuHarness harness_;
  CpuBackend& backend_;
  AttentionSpec spec_;
  std::vector<Layer> layers_;
  Weight embedding_;
  RopeTable rope_;
  Tensor hidden_, q_, k_, v_, gated_, last_, logits_;
};

}  // namespace

int main(int argc, char** argv) {
  CpuBackendOptions options;
  if (argc > 1) options.threads = std::atoi(argv[1]);
  if (options.threads < 1) options.threads = usable_cores();
  if (argc > 2)
    options.isa = std::min(options.isa, std::string(argv[2]) == "avx2" ? Isa::avx2 : Isa::portable);
  const CpuFloors floors = take(measure_cpu_floors(options.isa, options.threads, 0));
  Bench bench(options);
  std::printf("%s\nread %.1f GB/s, float32 %.3f Tflop/s, int8 %.2f Top/s\n",
              CpuBackend(options).device().name.c_str(), floors.read_gbps, floors.float32_tflops,
              floors.int8_tops);
  std::printf("rows  operation    fastest quarter  weights or KV, of read    multiply-adds, of int8\n");
  for (int rows : {1, 8, 64, 256}) bench.run(rows, floors);
}
