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
  return result;
}

double numbers_of(const Shape& shape) {
  return double{1} * shape.rows * shape.columns;
}

/// Rounding to bf16 has an error of 1.7e-3 on the whole, and up to 3.9e-3 where there are few numbers.
double bf16_tolerance(const Shape& shape) {
  return numbers_of(shape) < 1000 ? 4e-3 : 2e-3;
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
  bool half = false;  ///< rows of bf16
};

std::string text(const NormWish& wish) {
  return std::string(wish.half ? "bf16, " : "float32, ") + (!wish.weighted ? "no norm"
                                                            : wish.kind == NormSpec::Kind::layer
                                                                ? "layer norm"
                                                                : "rms norm");
}

KernelCase norm_case(const Shape& shape, const NormWish& wish, bool timed) {
  constexpr float kEpsilon = 1e-5f, kScale = 0.75f;
  const double bytes = numbers_of(shape) * ((wish.half ? 2 : 4) + (wish.adds ? 8 : 2));
  const RowsCaseWords words{wish.adds ? "norm_add" : "norm_rows",
                            text(shape) + ", " + text(wish),
                            bytes,
                            wish.adds ? kFloatTolerance : bf16_tolerance(shape),
                            timed,
                            timed ? sets_for(bytes) : 1};
  return rows_case(words, [=](RowsCase& made) {
    HostRows x = random_rows(1, shape.rows, shape.columns, 3);
    for (float& number : x.numbers) number += 0.5f;  // layer norm has a mean to take off
    if (wish.half) x = rounded_to_bf16(std::move(x));
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
    } else if (wish.half) {
      const Rows16 in = made.put16(x, shape.lying);
      const Rows16 out = made.output16(shape.rows, shape.columns, shape.lying);
      made.run = [=, &made](int turn, cudaStream_t stream) {
        norm_rows(made.at(in, turn), norm, made.at(out, turn), shape.rows, stream);
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

KernelCase embed_case(const Shape& shape, bool timed) {
  constexpr int kVocabulary = 1000;
  constexpr float kScale = 12.5f;
  const double bytes = numbers_of(shape) * 6;
  const RowsCaseWords words{"embed_rows", text(shape) + ", bf16",     bytes, kExact,
                            timed,        timed ? sets_for(bytes) : 1};
  return rows_case(words, [=](RowsCase& made) {
    const HostRows table = rounded_to_bf16(random_rows(1, kVocabulary, shape.columns));
    std::vector<std::int32_t> tokens;
    for (int row = 0; row < shape.rows; ++row)
      tokens.push_back(row % 5 == 4 ? -1 : (row * 7919 + 13) % kVocabulary);
    const int stride = (shape.columns + 7) / 8 * 8;
    const Rows16 place = made.put16(table, {stride, 0});
    DeviceMatrix matrix;
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
                            bytes,       bf16_tolerance(shape),
                            timed,       timed ? sets_for(bytes) : 1};
  return rows_case(words, [=](RowsCase& made) {
    // Gate and up are halves of one tensor.
    const HostRows both = rounded_to_bf16(random_rows(1, shape.rows, 2 * shape.columns, 3));
    const Rows16 merged = made.put16(both, {2 * shape.columns, 0});
    const auto columns = static_cast<std::size_t>(shape.columns);
    const std::vector<float> gate_bias = random_numbers(2, columns), up_bias = random_numbers(3, columns);
    const float* of_gate = biased ? made.memory.upload(gate_bias) : nullptr;
    const float* of_up = biased ? made.memory.upload(up_bias) : nullptr;
    const Rows16 out = made.output16(shape.rows, shape.columns, shape.lying);
    made.run = [=, &made](int turn, cudaStream_t stream) {
      const Rows16 in = made.at(merged, turn);
      gate_rows({in.data, in.stride, shape.columns}, {in.data + shape.columns, in.stride, shape.columns},
                of_gate, of_up, activation, made.at(out, turn), shape.rows, stream);
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

KernelCase finish_case(const Shape& shape, const FinishWish& wish, bool half, bool timed) {
  constexpr float kScale = 1.5f, kCap = 4;
  const double bytes = numbers_of(shape) * ((half ? 4 : 8) + (wish.residual ? 4 : 0));
  const RowsCaseWords words{"finish_rows", text(shape) + (half ? ", bf16" : ", float32") + text(wish),
                            bytes,         half ? bf16_tolerance(shape) : kFloatTolerance,
                            timed,         timed ? sets_for(bytes) : 1};
  return rows_case(words, [=](RowsCase& made) {
    HostRows y = random_rows(1, shape.rows, shape.columns, 3);
    if (half) y = rounded_to_bf16(std::move(y));
    const HostRows residual = random_rows(2, shape.rows, shape.columns);
    const HostRows gate = rounded_to_bf16(random_rows(3, shape.rows, 1, 2));
    const std::vector<float> bias = random_numbers(4, static_cast<std::size_t>(shape.columns));
    Epilogue epilogue;
    epilogue.scale = kScale;
    if (wish.softcap) epilogue.softcap = kCap;
    if (wish.bias) epilogue.bias = made.memory.upload(bias);
    if (wish.gate) epilogue.gate = made.put16(gate, {9, 0});
    if (half) {
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
  for (const NormWish& wish :
       {NormWish{true, Kind::rms, false, false}, NormWish{true, Kind::layer, false, false},
        NormWish{false, Kind::rms, false, false}, NormWish{true, Kind::rms, false, true},
        NormWish{true, Kind::layer, true, true}, NormWish{false, Kind::rms, true, true}})
    cases.push_back(norm_case(shape, wish, false));
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
    cases.push_back(norm_case(shape, {.adds = true, .half = true}, true));
    cases.push_back(embed_case(shape, true));
    cases.push_back(finish_case(shape, {true, false, false, true}, false, true));
  }
  cases.push_back(norm_case(wide, {.half = true}, true));
  cases.push_back(norm_case({512, 16384, {16384, 0}}, {}, true));
  cases.push_back(gate_case({2048, 14336, {14336, 0}}, Activation::silu, false, true));
  cases.push_back(gate_case({1, 14336, {14336, 0}}, Activation::silu, false, true));
  cases.push_back(finish_case({64, 152064, {152064, 0}}, {false, true, false, false}, false, true));
  cases.push_back(gather_case({256, 4096, {4096, 0}}, true));
}

}  // namespace

std::vector<KernelCase> row_op_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  for (const Shape& shape : shapes(scale)) add_checks(shape, cases);
  if (scale == CaseScale::full) add_timed(cases);
  return cases;
}

}  // namespace pitwall::cuda
