// SPDX-License-Identifier: GPL-3.0-or-later
// Element formats against the compiler's own half precision and against formulas in double precision.
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "engine/model/tensor_type.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

__extension__ typedef _Float16 CompilerHalf;

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float compiler_float(std::uint16_t half) {
  return static_cast<float>(std::bit_cast<CompilerHalf>(half));
}
std::uint16_t compiler_half(float value) {
  return std::bit_cast<std::uint16_t>(static_cast<CompilerHalf>(value));
}

bool same_half(std::uint16_t a, std::uint16_t b) {
  const auto is_nan = [](std::uint16_t half) { return (half & 0x7FFF) > 0x7C00; };
  return a == b || (is_nan(a) && is_nan(b) && (a & 0x8000) == (b & 0x8000));
}

// The value of half bits straight from the definition of the format.
double half_by_formula(std::uint16_t half) {
  const int exponent = (half >> 10) & 31, mantissa = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t half_at(const std::vector<std::byte>& bytes, std::size_t at) {
  return static_cast<std::uint16_t>(std::to_integer<int>(bytes[at]) | std::to_integer<int>(bytes[at + 1])
                                                                          << 8);
}

// Element i of a block that starts at byte `at`, by the layout's definition, without the structs of the
// header.
double element_by_formula(TensorType type, const std::vector<std::byte>& bytes, std::size_t at, int i) {
  const double d = half_by_formula(half_at(bytes, at));
  const auto nibble = [&](std::size_t start) {
    const int packed = std::to_integer<int>(bytes[start + static_cast<std::size_t>(i % 16)]);
    return i < 16 ? packed % 16 : packed / 16;
  };
  switch (type) {
    case TensorType::q4_0:
      return d * (nibble(at + 2) - 8);
    case TensorType::q4_1:
      return d * nibble(at + 4) + half_by_formula(half_at(bytes, at + 2));
    case TensorType::q8_0: {
      const int raw = std::to_integer<int>(bytes[at + 2 + static_cast<std::size_t>(i)]);
      return d * (raw < 128 ? raw : raw - 256);
    }
    default:
      return 0;
  }
}

}  // namespace

class TensorTypeTest : public QObject {
  Q_OBJECT
 private slots:

  void every_half_becomes_the_compilers_float() {
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto half = static_cast<std::uint16_t>(i);
      const float ours = half_to_float(half), reference = compiler_float(half);
      if (std::isnan(reference)) {
        QVERIFY2(std::isnan(ours) && std::signbit(ours) == std::signbit(reference),
                 qPrintable(QString::number(i, 16)));
      } else {
        QVERIFY2(bits_of(ours) == bits_of(reference), qPrintable(QString::number(i, 16)));
      }
    }
  }

  void every_half_survives_the_round_trip() {
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const auto half = static_cast<std::uint16_t>(i);
      QVERIFY2(same_half(float_to_half(half_to_float(half)), half), qPrintable(QString::number(i, 16)));
    }
  }

  // Halfway points between neighbours and the floats right beside them are where rounding goes wrong.
  void floats_around_every_midpoint_round_as_the_compiler_does() {
    for (std::uint32_t i = 0; i < 0x7C00; ++i) {
      const double low = half_by_formula(static_cast<std::uint16_t>(i));
      const double high = i == 0x7BFF ? 65536.0 : half_by_formula(static_cast<std::uint16_t>(i + 1));
      const float middle = static_cast<float>((low + high) / 2);
      for (const float value : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)}) {
        QVERIFY2(float_to_half(value) == compiler_half(value), qPrintable(QString::number(value, 'g', 12)));
        QVERIFY2(float_to_half(-value) == compiler_half(-value),
                 qPrintable(QString::number(-value, 'g', 12)));
      }
    }
  }

  void random_float_bits_round_as_the_compiler_does() {
    const std::uint32_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    std::mt19937 random(seed);
    for (int i = 0; i < 1'000'000; ++i) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      QVERIFY2(same_half(float_to_half(value), compiler_half(value)),
               qPrintable(QString::number(bits_of(value), 16)));
    }
  }

  void bfloat_rounds_to_the_nearest_even() {
    const std::uint32_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    std::mt19937 random(seed);
    for (int i = 0; i < 200'000; ++i) {
      std::uint32_t bits = static_cast<std::uint32_t>(random());
      if (i % 4 == 0) bits = (bits & 0xFFFF0000u) | 0x8000u;  // exact ties
      const float value = std::bit_cast<float>(bits);
      const std::uint16_t rounded = float_to_bfloat(value);
      if (std::isnan(value)) {
        QVERIFY(std::isnan(bfloat_to_float(rounded)));
        continue;
      }
      const auto down = static_cast<std::uint16_t>(bits >> 16), up = static_cast<std::uint16_t>(down + 1);
      const std::uint32_t fraction = bits & 0xFFFFu;
      const bool to_up = fraction > 0x8000u || (fraction == 0x8000u && (down & 1u) == 1u);
      QCOMPARE(rounded, to_up ? up : down);
    }
    QVERIFY(std::isinf(bfloat_to_float(float_to_bfloat(std::numeric_limits<float>::max()))));
    QVERIFY(std::isnan(bfloat_to_float(float_to_bfloat(std::bit_cast<float>(0x7F800001u)))));
  }

  void blocks_equal_the_formula_data() {
    QTest::addColumn<int>("type");
    for (const TensorType type : {TensorType::q4_0, TensorType::q4_1, TensorType::q8_0}) {
      QTest::newRow(tensor_type_info(type).name.data()) << static_cast<int>(type);
    }
  }
  void blocks_equal_the_formula() {
    QFETCH(int, type);
    const auto tensor_type = static_cast<TensorType>(type);
    const TensorTypeInfo& info = tensor_type_info(tensor_type);
    const std::uint32_t seed = std::random_device{}();
    qInfo() << "seed" << seed;
    std::mt19937 random(seed);
    constexpr std::size_t kBlocks = 500, kShift = 1;  // an odd start: the source needs no alignment
    const auto block_bytes = static_cast<std::size_t>(info.block_bytes);
    std::vector<std::byte> bytes(kShift + kBlocks * block_bytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    for (std::size_t block = 0; block < kBlocks; ++block) {  // scales stay finite
      for (const std::size_t high_byte : {1u, 3u})
        bytes[kShift + block * block_bytes + high_byte] &= std::byte{0xBB};
    }
    std::vector<float> values(kBlocks * 32);
    dequantize(tensor_type, bytes.data() + kShift, values.data(), static_cast<std::int64_t>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected =
          element_by_formula(tensor_type, bytes, kShift + i / 32 * block_bytes, static_cast<int>(i % 32));
      // The product of 11 and at most 8 bits is exact in float: the sum rounds once.
      QVERIFY2(std::abs(values[i] - expected) <= 6e-8 * std::abs(expected),
               qPrintable(QString("element %1: %2 for %3").arg(i).arg(values[i]).arg(expected)));
    }
  }

  void plain_types_are_read_as_they_are() {
    const std::vector<float> source = {0.0f, -1.5f, 3.25f, 65504.0f};
    std::vector<std::uint16_t> halves, bfloats;
    for (const float value : source) {
      halves.push_back(compiler_half(value));
      bfloats.push_back(static_cast<std::uint16_t>(bits_of(value) >> 16));
    }
    std::vector<float> read(4);
    dequantize(TensorType::f32, reinterpret_cast<const std::byte*>(source.data()), read.data(), 4);
    QCOMPARE(read, source);
    dequantize(TensorType::f16, reinterpret_cast<const std::byte*>(halves.data()), read.data(), 4);
    QCOMPARE(read, source);
    dequantize(TensorType::bf16, reinterpret_cast<const std::byte*>(bfloats.data()), read.data(), 3);
    QCOMPARE(read[2], 3.25f);
  }

  void sizes_follow_the_blocks() {
    QCOMPARE(tensor_bytes(TensorType::f32, 10), 40);
    QCOMPARE(tensor_bytes(TensorType::bf16, 10), 20);
    QCOMPARE(tensor_bytes(TensorType::q4_0, 64), 36);
    QCOMPARE(tensor_bytes(TensorType::q4_1, 64), 40);
    QCOMPARE(tensor_bytes(TensorType::q8_0, 64), 68);
  }
};

QTEST_APPLESS_MAIN(TensorTypeTest)
#include "tensor_type_test.moc"
