// SPDX-License-Identifier: GPL-3.0-or-later
// Element formats against the compiler's own half precision and against formulas in double precision.
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "engine/model/safetensors_reader.h"
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

  void blocks_equal_the_gguf_package_data() {
    QTest::addColumn<int>("type");
    for (int i = 0; i < kTensorTypes; ++i) {
      const auto type = static_cast<TensorType>(i);
      if (tensor_type_info(type).block_elements >= 32) QTest::newRow(tensor_type_info(type).name.data()) << i;
    }
  }
  /// tests/data/quantised/make_blocks.py
  void blocks_equal_the_gguf_package() {
    QFETCH(int, type);
    const auto tensor_type = static_cast<TensorType>(type);
    const TensorTypeInfo& info = tensor_type_info(tensor_type);
    const auto file = SafetensorsFile::open(test::data("quantised/blocks.safetensors"));
    PW_VERIFY(file);
    const TensorView* blocks = file->find(std::string(info.name) + ".blocks");
    const TensorView* values = file->find(std::string(info.name) + ".values");
    QVERIFY(blocks != nullptr && values != nullptr);
    QCOMPARE(blocks->columns, info.block_bytes);
    QCOMPARE(values->columns, info.block_elements);
    const auto count = static_cast<std::size_t>(values->rows * values->columns);
    std::vector<float> ours(count), expected(count);
    dequantize(tensor_type, blocks->data, ours.data(), static_cast<std::int64_t>(count));
    std::memcpy(expected.data(), values->data, count * sizeof(float));
    for (std::size_t i = 0; i < count; ++i) {
      QVERIFY2(ours[i] == expected[i],
               qPrintable(QString("element %1: %2 for %3").arg(i).arg(ours[i]).arg(expected[i])));
    }
  }

  /// By the definition of the format: sign, exponent, mantissa.
  void every_small_float_equals_the_formula() {
    const auto by_formula = [](int code, int mantissa_bits) {
      const int unit = 1 << mantissa_bits, mantissa = code % unit, exponent = code % 128 / unit;
      const int bias = mantissa_bits == 3 ? 7 : 15;
      const double magnitude = exponent == 0
                                   ? std::ldexp(static_cast<double>(mantissa) / unit, 1 - bias)
                                   : std::ldexp(1 + static_cast<double>(mantissa) / unit, exponent - bias);
      return code < 128 ? magnitude : -magnitude;
    };
    for (int code = 0; code < 256; ++code) {
      const float four = fp8_e4m3_to_float(static_cast<std::uint8_t>(code));
      const float five = fp8_e5m2_to_float(static_cast<std::uint8_t>(code));
      if (code % 128 == 127) {
        QVERIFY(std::isnan(four));
      } else {
        QCOMPARE(static_cast<double>(four), by_formula(code, 3));
      }
      if (code % 128 > 124) {
        QVERIFY(std::isnan(five));
      } else if (code % 128 == 124) {
        QCOMPARE(five, code < 128 ? INFINITY : -INFINITY);
      } else {
        QCOMPARE(static_cast<double>(five), by_formula(code, 2));
      }
    }
  }

  /// 1.0, −3.140625 and 65536 in each of the float types: the half of 65536 is infinity.
  void floats_of_files_are_read_bit_for_bit() {
    const std::uint16_t bfloats[] = {0x3F80, 0xC049, 0x4780}, halves[] = {0x3C00, 0xC248, 0x7C00};
    float read[3];
    dequantize(TensorType::bf16, reinterpret_cast<const std::byte*>(bfloats), read, 3);
    QVERIFY(read[0] == 1.0f && read[1] == -3.140625f && read[2] == 65536.0f);
    dequantize(TensorType::f16, reinterpret_cast<const std::byte*>(halves), read, 3);
    QVERIFY(read[0] == 1.0f && read[1] == -3.140625f && std::isinf(read[2]));
  }

  void whole_numbers_are_read_as_they_are() {
    const std::int64_t wide[] = {-5, 1 << 24};
    const std::int32_t words[] = {-7, 1 << 20};
    const std::int16_t shorts[] = {-300, 300};
    const std::int8_t bytes[] = {-128, 127};
    const double doubles[] = {0.5, -1e10};
    float read[2];
    const auto check = [&](TensorType type, const auto& source) {
      dequantize(type, reinterpret_cast<const std::byte*>(source), read, 2);
      return read[0] == static_cast<float>(source[0]) && read[1] == static_cast<float>(source[1]);
    };
    QVERIFY(check(TensorType::i64, wide) && check(TensorType::i32, words) && check(TensorType::i16, shorts));
    QVERIFY(check(TensorType::i8, bytes) && check(TensorType::f64, doubles));
    const std::uint8_t unsigned_bytes[] = {200, 1};
    QVERIFY(check(TensorType::u8, unsigned_bytes) && check(TensorType::boolean, unsigned_bytes));
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
