// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of kernels/cuda/row_ops.h.
#include <cmath>
#include <optional>

#include "kernels/cuda/row_ops.h"
#include "kernels/cuda/rows_case.h"

namespace pitwall::cuda {

namespace {

constexpr double kFloatTolerance = 1e-5;
constexpr double kExact = 1e-12;

struct Shape {
  int rows, columns;
  Lying lying;
  bool half = false;  ///< 16-bit rows are float16
};

/// Whole tensors, and slices that begin and lie anywhere.
std::vector<Shape> shapes(CaseScale scale) {
  if (scale == CaseScale::small) return {{2, 28, {32, 0}}, {3, 141, {147, 1}}, {1, 2100, {2104, 0}}};
  return {{1, 1, {8, 0}},         {5, 28, {32, 0}},       {7, 140, {144, 0}},     {33, 576, {576, 0}},
          {9, 577, {600, 3}},     {4, 1024, {3072, 512}}, {3, 1032, {1032, 0}},   {17, 2048, {2048, 0}},
          {5, 2309, {2312, 0}},   {100, 4096, {4096, 0}}, {3, 4100, {4104, 0}},   {2, 5120, {5120, 0}},
          {3, 8192, {8192, 0}},   {2, 8200, {8200, 0}},   {2, 14336, {14337, 0}}, {2, 16384, {16384, 0}},
          {3, 16392, {16392, 0}}, {1, 20001, {20008, 0}}};
}

std::string text(const Shape& shape) {
  std::string result = std::to_string(shape.rows) + " × " + std::to_string(shape.columns);
  if (shape.lying.stride % 8 != 0 || shape.lying.first != 0) result += ", a slice";
  return result + (shape.half ? ", float16" : "");
}

double numbers_of(const Shape& shape) {
  return double{1} * shape.rows * shape.columns;
}

/// Rounding to bf16 has an error of 1.7e-3 on the whole, and up to 3.9e-3 where there are few numbers; to
/// float16 an eighth.
double narrow_tolerance(const Shape& shape) {
  return (numbers_of(shape) < 1000 ? 4e-3 : 2e-3) / (shape.half ? 8 : 1);
}

std::vector<double> normed(const float* x, const std::vector<float>& weight, int columns, NormSpec::Kind kind,
                           float epsilon) {
  std::vector<double> y(x, x + columns);
  if (weight.empty()) return y;
  double mean = 0, squares = 0;
  if (kind == NormSpec::Kind::layer) {
    for (const double number : y) mean += number / columns;
  }
  for (const double number : y) squares += (number - mean) * (number - mean);
  const double factor = 1 / std::sqrt(squares / columns + static_cast<double>(epsilon));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = (y[i] - mean) * factor * static_cast<double>(weight[i]);
  return y;
}

double activated(double x, Activation activation) {
  if (activation == Activation::silu) return x / (1 + std::exp(-x));
  constexpr double kSqrt2OverPi = 0.7978845608028654;
  return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
}

/// Numbers of all compared rows, of(row, column) each.
template <class Of>
std::vector<double> each_number(const Shape& shape, const Of& of) {
  std::vector<double> result;
  for (const int row : compared_rows(shape.rows)) {
    for (int column = 0; column < shape.columns; ++column) result.push_back(of(row, column));
  }
  return result;
}

struct NormWish {
  bool weighted = true;
  NormSpec::Kind kind = NormSpec::Kind::rms;
  bool adds = false;  ///< norm_add
};

std::string text(const NormWish& wish) {
  return !wish.weighted ? "no norm" : wish.kind == NormSpec::Kind::layer ? "layer norm" : "rms norm";
}

/// A case whose 16-bit rows are as the shape says.
KernelCase narrow_case(const Shape& shape, const RowsCaseWords& words, std::function<void(RowsCase&)> build) {
  return rows_case(words, [shape, build = std::move(build)](RowsCase& made) {
    if (shape.half) made.use_half(made.memory.cut());
    build(made);
  });
}

KernelCase norm_case(const Shape& shape, const NormWish& wish, bool timed) {
  constexpr float kEpsilon = 1e-5f, kScale = 0.75f;
  const double bytes = numbers_of(shape) * (wish.adds ? 10 : 6);
  const RowsCaseWords words{wish.adds ? "norm_add" : "norm_rows",
                            text(shape) + ", " + text(wish),
                            bytes,
                            wish.adds ? kFloatTolerance : narrow_tolerance(shape),
                            timed,
                            timed ? sets_for(bytes) : 1};
  return narrow_case(shape, words, [=](RowsCase& made) {
    HostRows x = random_rows(1, shape.rows, shape.columns, 3);
    for (float& number : x.numbers) number += 0.5f;  // layer norm has a mean to take off
    if (wish.adds) x = made.rounded(std::move(x));
    std::vector<float> weight;
    if (wish.weighted) weight = random_numbers(2, static_cast<std::size_t>(shape.columns), 1);
    NormView norm{nullptr, wish.kind, kEpsilon};
    if (wish.weighted) norm.weight = made.memory.upload(weight);
    const HostRows before = random_rows(3, shape.rows, shape.columns, 2);
    if (wish.adds) {
      const Rows16 in = made.put16(x, shape.lying);
      const Rows32 residual = made.output32(shape.rows, shape.columns, shape.lying, &before);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        norm_add(made.at(in, turn), norm, kScale, made.at(residual, turn), shape.rows, stream);
      };
    } else {
      const Rows32 in = made.put32(x, shape.lying);
      const Rows16 out = made.output16(shape.rows, shape.columns, shape.lying);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        norm_rows(made.at(in, turn), norm, made.at(out, turn), shape.rows, stream);
      };
    }
    made.expected = [=] {
      std::vector<double> result;
      for (const int row : compared_rows(shape.rows)) {
        const std::vector<double> y = normed(x.row(row), weight, shape.columns, wish.kind, kEpsilon);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const double was = static_cast<double>(before.row(row)[i]);
          result.push_back(wish.adds ? was + static_cast<double>(kScale) * y[i] : y[i]);
        }
      }
      return result;
    };
  });
}

/// Rows and what their rounding left out, whose sum is the norm almost as float32 has it.
class RestCase final : public PreparedCase {
 public:
  explicit RestCase(const Shape& shape) : shape_(shape) {
    x_ = random_rows(1, shape.rows, shape.columns, 3);
    weight_ = random_numbers(2, static_cast<std::size_t>(shape.columns), 1);
    norm_ = {memory_.upload(weight_), NormSpec::Kind::rms, kEpsilon};
    in_ = {memory_.upload(x_.numbers), shape.columns, shape.columns};
    out_ = {static_cast<bf16*>(memory_.take(2 * count() * sizeof(bf16))), shape.columns, shape.columns,
            shape.half ? memory_.cut() : nullptr};
  }
  Result<CaseCheck> check(cudaStream_t stream) override {
    const std::vector<float> first = run(stream), second = run(stream);
    if (!memory_.state()) return memory_.state().error();
    std::vector<double> expected;
    for (int row = 0; row < shape_.rows; ++row) {
      const auto y = normed(x_.row(row), weight_, shape_.columns, NormSpec::Kind::rms, kEpsilon);
      expected.insert(expected.end(), y.begin(), y.end());
    }
    return CaseCheck{relative_l2(first, expected), first == second};
  }
  void launch(int, cudaStream_t stream) override { norm_rows(in_, norm_, out_, shape_.rows, stream, true); }

 private:
  static constexpr float kEpsilon = 1e-5f;
  std::size_t count() const {
    return static_cast<std::size_t>(shape_.rows) * static_cast<std::size_t>(shape_.columns);
  }
  std::vector<float> run(cudaStream_t stream) {
    memory_.fill(out_.data, 0xFF, 2 * count() * sizeof(bf16));
    launch(0, stream);
    const auto* bits = reinterpret_cast<const std::uint16_t*>(out_.data);
    std::vector<float> sums = to_float(memory_.download(bits, count()), shape_.half);
    const std::vector<float> rests = to_float(memory_.download(bits + count(), count()), shape_.half);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rests[i];
    return sums;
  }

  Shape shape_;
  CaseMemory memory_;
  HostRows x_;
  std::vector<float> weight_;
  NormView norm_;
  Rows32 in_;
  Rows16 out_;
};

KernelCase rest_case(const Shape& shape, bool timed) {
  KernelCase made;
  made.name = "norm_rows";
  made.shape = text(Shape{shape.rows, shape.columns, {8, 0}, shape.half}) + ", with rests";
  made.bytes = numbers_of(shape) * 8;
  made.tolerance = kFloatTolerance;
  made.timed = timed;
  made.prepare = [shape]() -> Result<std::unique_ptr<PreparedCase>> {
    return std::unique_ptr<PreparedCase>(std::make_unique<RestCase>(shape));
  };
  return made;
}

/// What float16 cannot hold is held at its end, and counted.
KernelCase held_case() {
  constexpr int kRows = 5, kColumns = 144;
  constexpr float kWeight = 5e4f, kMost = 65504;
  const RowsCaseWords words{"norm_rows", "5 × 144, beyond float16", 0, 5e-4, false, 1};
  return rows_case(words, [=](RowsCase& made) {
    const HostRows x = random_rows(1, kRows, kColumns, 3);
    const std::vector<float> weight(kColumns, kWeight);
    const NormView norm{made.memory.upload(weight), NormSpec::Kind::rms, 0};
    made.use_half(reinterpret_cast<unsigned long long*>(made.output_ints(2)));  // begins at −1
    const Rows32 in = made.put32(x, {kColumns, 0});
    const Rows16 out = made.output16(kRows, kColumns, {kColumns, 0});
    made.run = [=, &made](int turn, cudaStream_t stream) {
      norm_rows(made.at(in, turn), norm, made.at(out, turn), kRows, stream);
    };
    made.expected = [=] {
      std::vector<double> result{-1, 0};
      for (int row = 0; row < kRows; ++row) {
        for (const double y : normed(x.row(row), weight, kColumns, NormSpec::Kind::rms, 0)) {
          const bool beyond = std::fabs(y) > static_cast<double>(kMost);
          result[0] += beyond ? 1 : 0;
          result.push_back(beyond ? std::copysign(static_cast<double>(kMost), y) : y);
        }
      }
      return result;
    };
  });
}

KernelCase embed_case(const Shape& shape, bool timed) {
  constexpr int kVocabulary = 1000;
  constexpr float kScale = 12.5f;
  const double bytes = numbers_of(shape) * 6;
  const RowsCaseWords words{"embed_rows", text(shape), bytes, kExact, timed, timed ? sets_for(bytes) : 1};
  return narrow_case(shape, words, [=](RowsCase& made) {
    const HostRows table = made.rounded(random_rows(1, kVocabulary, shape.columns));
    std::vector<std::int32_t> tokens;
    for (int row = 0; row < shape.rows; ++row)
      tokens.push_back(row % 5 == 4 ? -1 : (row * 7919 + 13) % kVocabulary);
    const int stride = (shape.columns + 7) / 8 * 8;
    const Rows16 place = made.put16(table, {stride, 0});
    DeviceMatrix matrix;
    if (shape.half) matrix.type = TensorType::f16;
    matrix.rows = kVocabulary;
    matrix.columns = shape.columns;
    matrix.stride = stride;
    matrix.values = reinterpret_cast<const std::byte*>(place.data);
    StepView step{};
    step.tokens = made.memory.upload(tokens);
    const Rows32 out = made.output32(shape.rows, shape.columns, shape.lying);
    made.run = [=, &made](int turn, cudaStream_t stream) {
      embed_rows(step, matrix, kScale, made.at(out, turn), shape.rows, stream);
    };
    made.expected = [=] {
      return each_number(shape, [&](int row, int column) {
        const std::int32_t token = tokens[static_cast<std::size_t>(row)];
        return token < 0 ? 0.0 : static_cast<double>(kScale * table.row(token)[column]);
      });
    };
  });
}

KernelCase gate_case(const Shape& shape, Activation activation, bool biased, bool timed) {
  const double bytes = numbers_of(shape) * 6;
  const std::string how = activation == Activation::silu ? ", silu" : ", gelu";
  const RowsCaseWords words{"gate_rows", text(shape) + how + (biased ? ", biases" : ""),
                            bytes,       narrow_tolerance(shape),
                            timed,       timed ? sets_for(bytes) : 1};
  return narrow_case(shape, words, [=](RowsCase& made) {
    // Gate and up are halves of one tensor.
    const HostRows both = made.rounded(random_rows(1, shape.rows, 2 * shape.columns, 3));
    const Rows16 merged = made.put16(both, {2 * shape.columns, 0});
    const auto columns = static_cast<std::size_t>(shape.columns);
    const std::vector<float> gate_bias = random_numbers(2, columns), up_bias = random_numbers(3, columns);
    const float* of_gate = biased ? made.memory.upload(gate_bias) : nullptr;
    const float* of_up = biased ? made.memory.upload(up_bias) : nullptr;
    const Rows16 out = made.output16(shape.rows, shape.columns, shape.lying);
    made.run = [=, &made](int turn, cudaStream_t stream) {
      const Rows16 in = made.at(merged, turn);
      gate_rows({in.data, in.stride, shape.columns, in.cut},
                {in.data + shape.columns, in.stride, shape.columns, in.cut}, of_gate, of_up, activation,
                made.at(out, turn), shape.rows, stream);
    };
    made.expected = [=] {
      return each_number(shape, [&](int row, int column) {
        const auto c = static_cast<std::size_t>(column);
        const double gate =
            static_cast<double>(both.row(row)[c]) + (biased ? static_cast<double>(gate_bias[c]) : 0.0);
        const double up = static_cast<double>(both.row(row)[c + columns]) +
                          (biased ? static_cast<double>(up_bias[c]) : 0.0);
        return activated(gate, activation) * up;
      });
    };
  });
}

struct FinishWish {
  bool bias, softcap, gate, residual;
};

std::string text(const FinishWish& wish) {
  return std::string(wish.bias ? ", bias" : "") + (wish.softcap ? ", cap" : "") +
         (wish.gate ? ", gate" : "") + (wish.residual ? ", residual" : "");
}

double finished(double y, const FinishWish& wish, float scale, float cap, double bias, double gate,
                double residual) {
  double result = static_cast<double>(scale) * (y + (wish.bias ? bias : 0.0));
  const auto limit = static_cast<double>(cap);
  if (wish.softcap) result = limit * std::tanh(result / limit);
  if (wish.gate) result /= 1 + std::exp(-gate);
  return result + (wish.residual ? residual : 0.0);
}

KernelCase finish_case(const Shape& shape, const FinishWish& wish, bool narrow, bool timed) {
  constexpr float kScale = 1.5f, kCap = 4;
  const double bytes = numbers_of(shape) * ((narrow ? 4 : 8) + (wish.residual ? 4 : 0));
  const RowsCaseWords words{"finish_rows", text(shape) + (narrow ? ", 16 bits" : ", float32") + text(wish),
                            bytes,         narrow ? narrow_tolerance(shape) : kFloatTolerance,
                            timed,         timed ? sets_for(bytes) : 1};
  return narrow_case(shape, words, [=](RowsCase& made) {
    HostRows y = random_rows(1, shape.rows, shape.columns, 3);
    if (narrow) y = made.rounded(std::move(y));
    const HostRows residual = random_rows(2, shape.rows, shape.columns);
    const HostRows gate = made.rounded(random_rows(3, shape.rows, 1, 2));
    const std::vector<float> bias = random_numbers(4, static_cast<std::size_t>(shape.columns));
    Epilogue epilogue;
    epilogue.scale = kScale;
    if (wish.softcap) epilogue.softcap = kCap;
    if (wish.bias) epilogue.bias = made.memory.upload(bias);
    if (wish.gate) epilogue.gate = made.put16(gate, {9, 0});
    if (narrow) {
      if (wish.residual) epilogue.residual = made.put32(residual, shape.lying);
      const Rows16 in = made.put16(y, shape.lying),
                   out = made.output16(shape.rows, shape.columns, shape.lying);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        finish_rows(made.at(in, turn), epilogue, made.at(out, turn), shape.rows, stream);
      };
    } else {  // the residual is the output
      const Rows32 in = made.put32(y, shape.lying);
      const Rows32 out =
          made.output32(shape.rows, shape.columns, shape.lying, wish.residual ? &residual : nullptr);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        Epilogue mine = epilogue;
        if (wish.residual) mine.residual = made.at(out, turn);
        finish_rows(made.at(in, turn), mine, made.at(out, turn), shape.rows, stream);
      };
    }
    made.expected = [=] {
      return each_number(shape, [&](int row, int column) {
        const auto c = static_cast<std::size_t>(column);
        return finished(static_cast<double>(y.row(row)[c]), wish, kScale, kCap, static_cast<double>(bias[c]),
                        static_cast<double>(gate.row(row)[0]), static_cast<double>(residual.row(row)[c]));
      });
    };
  });
}

KernelCase gather_case(const Shape& shape, bool timed) {
  const double bytes = numbers_of(shape) * 8;
  const RowsCaseWords words{"gather_rows", text(shape), bytes, kExact, timed, timed ? sets_for(bytes) : 1};
  return rows_case(words, [=](RowsCase& made) {
    const int in_rows = shape.rows + 3, live = (shape.rows + 1) / 2;
    const HostRows x = random_rows(1, in_rows, shape.columns);
    std::vector<std::int32_t> logit_rows;
    for (int i = 0; i < live; ++i) logit_rows.push_back((i * 5 + 2) % in_rows);
    StepCounts counts{};
    counts.logit_rows = live;
    StepView step{};
    step.counts = made.memory.upload(std::vector<StepCounts>{counts});
    logit_rows.resize(static_cast<std::size_t>(shape.rows), 1 << 30);  // behind the live ones
    step.logit_rows = made.memory.upload(logit_rows);
    const Rows32 in = made.put32(x, shape.lying), out = made.output32(shape.rows, shape.columns, shape.lying);
    made.run = [=, &made](int turn, cudaStream_t stream) {
      gather_rows(step, made.at(in, turn), made.at(out, turn), shape.rows, stream);
    };
    made.expected = [=] {
      return each_number(shape, [&](int row, int column) {
        return row < live ? static_cast<double>(x.row(logit_rows[static_cast<std::size_t>(row)])[column])
                          : 0.0;
      });
    };
  });
}

void add_checks(const Shape& shape, std::vector<KernelCase>& cases) {
  using Kind = NormSpec::Kind;
  for (const NormWish& wish : {NormWish{true, Kind::rms, false}, NormWish{true, Kind::layer, false},
                               NormWish{false, Kind::rms, false}, NormWish{true, Kind::layer, true},
                               NormWish{false, Kind::rms, true}})
    cases.push_back(norm_case(shape, wish, false));
  cases.push_back(rest_case(shape, false));
  cases.push_back(embed_case(shape, false));
  cases.push_back(gate_case(shape, Activation::silu, false, false));
  cases.push_back(gate_case(shape, Activation::gelu_tanh, true, false));
  cases.push_back(finish_case(shape, {true, true, true, true}, false, false));
  cases.push_back(finish_case(shape, {true, true, true, true}, true, false));
  cases.push_back(finish_case(shape, {false, false, false, false}, false, false));
  cases.push_back(finish_case(shape, {false, true, false, false}, true, false));
  cases.push_back(gather_case(shape, false));
}

void add_timed(std::vector<KernelCase>& cases) {
  const Shape wide{4096, 4096, {4096, 0}}, one{1, 4096, {4096, 0}}, narrow{4096, 576, {576, 0}};
  for (const Shape& shape : {wide, one, narrow}) {
    cases.push_back(norm_case(shape, {}, true));
    cases.push_back(norm_case(shape, {.adds = true}, true));
    cases.push_back(embed_case(shape, true));
    cases.push_back(finish_case(shape, {true, false, false, true}, false, true));
  }
  cases.push_back(norm_case({512, 16384, {16384, 0}}, {}, true));
  cases.push_back(norm_case({1, 2048, {2048, 0}}, {}, true));
  cases.push_back(rest_case({1, 2048, {2048, 0}}, true));
  cases.push_back(gate_case({2048, 14336, {14336, 0}}, Activation::silu, false, true));
  cases.push_back(gate_case({1, 14336, {14336, 0}}, Activation::silu, false, true));
  cases.push_back(finish_case({64, 152064, {152064, 0}}, {false, true, false, false}, false, true));
  cases.push_back(gather_case({256, 4096, {4096, 0}}, true));
}

}  // namespace

std::vector<KernelCase> row_op_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  for (Shape shape : shapes(scale)) {
    add_checks(shape, cases);
    shape.half = true;
    add_checks(shape, cases);
  }
  cases.push_back(held_case());
  if (scale == CaseScale::full) add_timed(cases);
  return cases;
}

}  // namespace pitwall::cuda
