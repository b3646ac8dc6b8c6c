// SPDX-License-Identifier: GPL-3.0-or-later
// Weights repacked for a GPU, read back bit by bit as kernels/cuda/matrix_layout.h describes them, against
// the checkpoint's own numbers. No GPU is needed.
#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "engine/model/quantized_linear.h"
#include "kernels/cuda/matrix_layout.h"
#include "tests/support/cpu_harness.h"

using namespace pitwall;
using namespace pitwall::test;
using cuda::DeviceMatrix;

namespace {

/// What the header says, one number at a time.
class Reader {
 public:
  explicit Reader(const DeviceMatrix& matrix) : m_(matrix) {}

  float number(int row, int stored) const {
    if (m_.is_plain()) {
      const std::uint16_t word = word16(m_.values, std::int64_t{row} * m_.stride + stored);
      return m_.type == TensorType::f16 ? half_to_float(word) : bfloat_to_float(word);
    }
    const BlockFormat block = block_format(m_.type);
    const int bits = is_block_type(m_.type) ? block.bits : m_.type == TensorType::i4 ? 4 : 8;
    const std::uint32_t code = code_at(bits, row, stored);
    if (is_block_type(m_.type)) return block_number(block, row, stored, code);
    return linear_number(row, stored, code);
  }

 private:
  static std::uint16_t word16(const std::byte* from, std::int64_t index) {
    std::uint16_t word;
    std::memcpy(&word, from + 2 * index, sizeof word);
    return word;
  }
  static float float_at(const std::byte* from, std::int64_t index) {
    float number;
    std::memcpy(&number, from + 4 * index, sizeof number);
    return number;
  }

  std::uint32_t code_at(int bits, int row, int stored) const {
    const std::int64_t cell = std::int64_t{row / 16} * (m_.stride / 64) + stored / 64;
    const std::byte* at = m_.values + cell * 128 * bits;
    const int r = row % 16, c = stored % 64, step = c / 16, half = c % 2;
    const int lane = r % 8 * 4 + c % 16 / 4, i = r / 8 + c % 4 / 2 * 2;
    const auto plane = [&](int words, int word, int shift, int width) {
      std::uint32_t value;
      std::memcpy(&value, at + (lane * words + word) * 4, sizeof value);
      at += 32 * words * 4;
      return value >> shift & ((1u << width) - 1);
    };
    std::uint32_t code = 0;
    int done = 0;
    const auto add = [&](std::uint32_t part, int width) {
      code |= part << done;
      done += width;
    };
    const int byte = 8 * (i / 2) + 16 * half;
    if (bits == 8) {
      at += i % 2 * 32 * 4 * 4;
      return plane(4, step, byte, 8);
    }
    if (bits >= 4) add(plane(4, step, 4 * i + 16 * half, 4), 4);
    if (bits == 2 || bits == 3 || bits == 6)
      add(plane(2, step / 2, byte + 4 * (step % 2) + 2 * (i % 2), 2), 2);
    if (bits == 3 || bits == 5) add(plane(1, 0, byte + 2 * step + i % 2, 1), 1);
    return code;
  }

  float block_number(const BlockFormat& block, int row, int stored, std::uint32_t code) const {
    using Scale = BlockFormat::Scale;
    const bool minimum = block.scale == Scale::half_minimum || block.scale == Scale::sub_minimum;
    const bool subs_there = block.scale == Scale::sub || block.scale == Scale::sub_minimum;
    const bool shared = block.scale == Scale::sub_minimum && block.bits == 2;
    const int subs = block.columns / block.sub_columns;
    int bytes = minimum ? 64 : 32;
    if (subs_there) bytes += 16 * subs * (minimum && !shared ? 2 : 1);
    const std::int64_t per_row = (m_.stride + block.columns - 1) / block.columns;
    const std::byte* record = m_.scales + (row / 16 * per_row + stored / block.columns) * bytes;
    const int place = row % 8 * 2 + row % 16 / 8;
    const std::uint16_t d_bits = word16(record, place);
    float d = block.scale == Scale::bfloat ? bfloat_to_float(d_bits) : half_to_float(d_bits), m = 0;
    if (minimum) m = half_to_float(word16(record + 32, place));
    if (subs_there) {
      const int sub = stored % block.columns / block.sub_columns;
      const std::byte* scales = record + (minimum ? 64 : 32);
      const auto byte = [&](int run) { return static_cast<std::int8_t>(scales[run * 16 + place]); };
      if (shared) {
        m *= static_cast<float>(-(byte(sub) >> 4 & 15));
        d *= static_cast<float>(byte(sub) & 15);
      } else {
        if (minimum) m *= static_cast<float>(-byte(subs + sub));
        d *= byte(sub);
      }
    }
    const int zero = block.is_signed ? 128 : block.zero;
    const int number = block.table ? block.table[code] : static_cast<int>(code) - zero;
    return d * static_cast<float>(number) + m;
  }

  float linear_number(int row, int stored, std::uint32_t code) const {
    const bool wide = m_.scale_type == TensorType::f32;
    const int zero_bytes = m_.type == TensorType::i4 ? 1 : m_.type == TensorType::i8 ? 2 : 0;
    const int bytes = 16 * ((wide ? 4 : 2) + zero_bytes), place = row % 8 * 2 + row % 16 / 8;
    const std::int64_t per_row =
        m_.group_columns >= m_.stride ? 1 : (m_.stride + m_.group_columns - 1) / m_.group_columns;
    const std::byte* record = m_.scales + (row / 16 * per_row + stored / m_.group_columns) * bytes;
    const float scale = wide                               ? float_at(record, place)
                        : m_.scale_type == TensorType::f16 ? half_to_float(word16(record, place))
                                                           : bfloat_to_float(word16(record, place));
    if (m_.type == TensorType::f8_e4m3) return scale * fp8_e4m3_to_float(static_cast<std::uint8_t>(code));
    const std::byte* zeros = record + (wide ? 64 : 32);
    const int zero = m_.type == TensorType::i4 ? std::to_integer<int>(zeros[place]) : word16(zeros, place);
    return scale * static_cast<float>(static_cast<int>(code) - zero);
  }

  DeviceMatrix m_;
};

struct Packed {
  cuda::MatrixLayout layout;
  std::vector<std::byte> values, scales;
  DeviceMatrix matrix;
  float beyond = 0;  ///< what pack_rows() says
};

/// Tile by tile over poison, as a loader does.
Packed pack(const TensorView& source, TensorType plain) {
  Packed packed{.layout = cuda::matrix_layout(source, plain), .values = {}, .scales = {}, .matrix = {}};
  packed.values.resize(static_cast<std::size_t>(packed.layout.value_bytes), std::byte{0xFF});
  packed.scales.resize(static_cast<std::size_t>(packed.layout.scale_bytes), std::byte{0xFF});
  const auto rows = static_cast<int>(source.rows);
  for (int first = 0; first < rows; first += cuda::kPackRows) {
    const cuda::PackPlace place = cuda::pack_place(packed.layout, first);
    const float beyond =
        cuda::pack_rows(source, packed.layout, first, std::min(cuda::kPackRows, rows - first),
                        packed.values.data() + place.values, packed.scales.data() + place.scales);
    packed.beyond = std::max(packed.beyond, beyond);
  }
  packed.matrix = packed.layout.matrix;
  packed.matrix.values = packed.values.data();
  packed.matrix.scales = packed.scales.data();
  if (!packed.layout.order.empty()) packed.matrix.order = packed.layout.order.data();
  return packed;
}

/// Every stored column stands once where it belongs, and padding is zero or has no place.
void compare(const TensorView& source, TensorType plain) {
  const Packed packed = pack(source, plain);
  const DeviceMatrix& matrix = packed.matrix;
  QCOMPARE(packed.beyond, 0.0f);
  if (matrix.is_plain()) QVERIFY(matrix.type == plain);
  QCOMPARE(packed.layout.value_bytes % 16, 0);
  QCOMPARE(packed.layout.scale_bytes % 16, 0);
  std::vector<float> expected(static_cast<std::size_t>(source.rows * source.columns));
  dequantize_rows(source, 0, source.rows, expected.data());
  const Reader reader(matrix);
  for (int row = 0; row < matrix.rows; ++row) {
    std::vector<int> seen(static_cast<std::size_t>(matrix.columns));
    for (int k = 0; k < matrix.stride; ++k) {
      const int column = matrix.order ? matrix.order[k] : k < matrix.columns ? k : -1;
      const float number = reader.number(row, k);
      if (column < 0) {
        QVERIFY(std::isfinite(number));
        continue;
      }
      ++seen[static_cast<std::size_t>(column)];
      float right = expected[static_cast<std::size_t>(std::int64_t{row} * matrix.columns + column)];
      if (matrix.is_plain())
        right = plain == TensorType::f16 ? half_to_float(float_to_half(right))
                                         : bfloat_to_float(float_to_bfloat(right));
      QVERIFY2(
          number == right,
          qPrintable(QString("row %1, column %2: %3 for %4").arg(row).arg(column).arg(number).arg(right)));
    }
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

/// A linear as GPTQ stores it, with random numbers.
struct Linear {
  std::vector<std::uint32_t> codes, zeros;
  std::vector<std::byte> bytes, scales;
  std::vector<std::int32_t> index;
  TensorView view;
};

struct LinearShape {
  TensorType type, scale_type;
  int rows, columns, group;
  bool act_order;
};

Linear random_linear(const LinearShape& shape, std::mt19937& random) {
  Linear linear;
  auto quantized = std::make_shared<QuantizedLinear>();
  quantized->type = shape.type;
  quantized->rows = shape.rows;
  quantized->columns = shape.columns;
  quantized->group_columns = shape.group;
  quantized->groups = (shape.columns + shape.group - 1) / shape.group;
  const auto words = [&](std::int64_t count) {
    std::vector<std::uint32_t> result(static_cast<std::size_t>(count));
    for (std::uint32_t& word : result) word = static_cast<std::uint32_t>(random());
    return result;
  };
  if (shape.type == TensorType::f8_e4m3) {
    quantized->layout = QuantizedLinear::Codes::fp8;
    linear.bytes.resize(static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.columns));
    for (std::byte& code : linear.bytes) code = static_cast<std::byte>(random() % 0x7F + random() % 2 * 0x80);
    quantized->codes = linear.bytes.data();
  } else {
    const int per_word = 32 / quantized->bits();
    quantized->layout = QuantizedLinear::Codes::input_words;
    linear.codes = words(std::int64_t{(shape.columns + per_word - 1) / per_word} * shape.rows);
    quantized->codes = reinterpret_cast<const std::byte*>(linear.codes.data());
    quantized->zero_layout = QuantizedLinear::Zeros::input_words;
    linear.zeros = words(quantized->groups * (shape.rows / per_word));
    quantized->zeros = reinterpret_cast<const std::byte*>(linear.zeros.data());
    quantized->zero_shift = 1;
  }
  quantized->scale_type = shape.scale_type;
  quantized->group_stride = 1;
  quantized->row_stride = quantized->groups;
  std::uniform_real_distribution<float> size(0.01f, 0.1f);
  for (std::int64_t i = 0; i < quantized->groups * shape.rows; ++i) {
    const float scale = size(random);
    const auto put = [&](const auto& number) {
      const auto* from = reinterpret_cast<const std::byte*>(&number);
      linear.scales.insert(linear.scales.end(), from, from + sizeof number);
    };
    if (shape.scale_type == TensorType::f32) put(scale);
    if (shape.scale_type == TensorType::f16) put(float_to_half(scale));
    if (shape.scale_type == TensorType::bf16) put(float_to_bfloat(scale));
  }
  quantized->scales = linear.scales.data();
  if (shape.act_order) {
    for (int k = 0; k < shape.columns; ++k) linear.index.push_back(k / shape.group);
    std::shuffle(linear.index.begin(), linear.index.end(), random);
    quantized->group_index = reinterpret_cast<const std::byte*>(linear.index.data());
  }
  linear.view = {.name = "linear", .type = shape.type, .rows = shape.rows, .columns = shape.columns};
  linear.view.quantized = quantized;
  return linear;
}

}  // namespace

class DeviceMatrixTest : public QObject {
  Q_OBJECT

 private slots:
  void every_type_keeps_its_numbers_data() {
    QTest::addColumn<int>("type");
    for (int t = 0; t < kTensorTypes; ++t) {
      const auto type = static_cast<TensorType>(t);
      if (!is_weight_type(type)) continue;
      QTest::newRow(std::string(tensor_type_info(type).name).c_str()) << t;
    }
  }
  void every_type_keeps_its_numbers() {
    QFETCH(int, type);
    std::mt19937 random(7);
    const auto wanted = static_cast<TensorType>(type);
    const int block = tensor_type_info(wanted).block_elements;
    for (const int rows : {1, 16, 83}) {
      for (const int blocks : {1, 3, 4}) {
        // A view never aligned, and its rows from the second on.
        const OwnedTensor tensor = random_tensor(wanted, rows + 1, blocks * block, random);
        compare(slice_rows(tensor.view, 1, rows), TensorType::bf16);
        compare(slice_rows(tensor.view, 1, rows), TensorType::f16);
      }
    }
  }

  void linears_keep_their_numbers_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("scale_type");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("group");
    QTest::addColumn<bool>("act_order");
    for (const auto type : {TensorType::i4, TensorType::i8, TensorType::f8_e4m3}) {
      for (const auto scale_type : {TensorType::f16, TensorType::bf16, TensorType::f32}) {
        const auto add = [&](int columns, int group, bool act_order) {
          const QString name = QString("%1, scales %2, %3 columns in groups of %4%5")
                                   .arg(tensor_type_info(type).name.data())
                                   .arg(tensor_type_info(scale_type).name.data())
                                   .arg(columns)
                                   .arg(group)
                                   .arg(act_order ? ", in any order" : "");
          QTest::newRow(qPrintable(name))
              << static_cast<int>(type) << static_cast<int>(scale_type) << columns << group << act_order;
        };
        add(256, 128, false), add(96, 32, false), add(200, 64, false), add(192, 96, false);
        add(120, 40, false), add(136, 136, false), add(256, 64, true), add(120, 24, true);
      }
    }
  }
  void linears_keep_their_numbers() {
    QFETCH(int, type);
    QFETCH(int, scale_type);
    QFETCH(int, columns);
    QFETCH(int, group);
    QFETCH(bool, act_order);
    std::mt19937 random(11);
    for (const int rows : {8, 72}) {
      const Linear linear = random_linear({static_cast<TensorType>(type), static_cast<TensorType>(scale_type),
                                           rows, columns, group, act_order},
                                          random);
      compare(linear.view, TensorType::bf16);
      compare(slice_rows(linear.view, 3, rows - 4), TensorType::f16);
    }
  }

  void float16_says_what_it_cannot_hold() {
    const auto largest_of = [](std::vector<float> numbers, TensorType plain) {
      TensorView view{.name = "w", .type = TensorType::f32, .rows = 70, .columns = 3};
      numbers.resize(70 * 3, 0.5f);
      view.data = reinterpret_cast<const std::byte*>(numbers.data());
      view.bytes = static_cast<std::int64_t>(numbers.size() * sizeof(float));
      return pack(view, plain).beyond;
    };
    QCOMPARE(largest_of({1, 65504, -65504, 6e-8f, 0}, TensorType::f16), 0.0f);
    QCOMPARE(largest_of({1, 65505, -70000, 66000}, TensorType::f16), 70000.0f);
    QCOMPARE(largest_of({1, 65505, -70000, 66000}, TensorType::bf16), 0.0f);
    QVERIFY(std::isinf(largest_of({std::numeric_limits<float>::infinity()}, TensorType::f16)));
  }

  void packed_sizes_are_those_of_the_file() {
    std::mt19937 random(13);
    for (const auto& [type, bytes] : {std::pair{TensorType::q4_0, 0.5625},
                                      {TensorType::q8_0, 1.0625},
                                      {TensorType::q4_k, 0.578125},
                                      {TensorType::q6_k, 0.8203125},
                                      {TensorType::bf16, 2.0}}) {
      const OwnedTensor tensor = random_tensor(type, 32, 512, random);
      const cuda::MatrixLayout layout = cuda::matrix_layout(tensor.view);
      QCOMPARE(static_cast<double>(layout.value_bytes + layout.scale_bytes), bytes * 32 * 512);
    }
    const Linear linear = random_linear({TensorType::i4, TensorType::f16, 32, 512, 128, false}, random);
    const cuda::MatrixLayout layout = cuda::matrix_layout(linear.view);
    QCOMPARE(layout.matrix.group_columns, 128);
    QCOMPARE(static_cast<double>(layout.value_bytes + layout.scale_bytes), (0.5 + 3 / 128.0) * 32 * 512);
  }
};

QTEST_GUILESS_MAIN(DeviceMatrixTest)
#include "device_matrix_test.moc"
