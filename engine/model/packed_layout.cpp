// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/packed_layout.h"

#include <algorithm>
#include <numeric>

#include "engine/model/quantized_linear.h"

namespace pitwall {

namespace {

Bytes align(Bytes bytes) {
  return (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

/// Of a zero: a byte, or a float16 with codes of 8 bits, whose zeros take 9.
int zero_bytes(TensorType type) {
  return type == TensorType::i8 ? 2 : type == TensorType::i4 ? 1 : 0;
}

/// One record a group again, where all groups but the last are equally wide.
void join_records(PackedLayout& layout) {
  std::vector<std::int32_t>& blocks = layout.record_groups;
  const auto next =
      std::find_if(blocks.begin(), blocks.end(), [&](std::int32_t g) { return g != blocks[0]; });
  const auto wide = static_cast<std::size_t>(next - blocks.begin());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b] != blocks[b / wide * wide]) return;
  }
  std::vector<std::int32_t> joined;
  for (std::size_t b = 0; b < blocks.size(); b += wide) joined.push_back(blocks[b]);
  layout.matrix.group_columns = static_cast<int>(wide) * kQuantBlock;
  blocks = std::move(joined);
}

PackedLayout linear_layout(const TensorView& source) {
  const QuantizedLinear& linear = *source.quantized;
  PackedLayout layout;
  PackedMatrix& matrix = layout.matrix;
  matrix = {.type = linear.type,
            .rows = static_cast<int>(source.rows),
            .columns = static_cast<int>(source.columns)};
  matrix.scale_type = linear.type == TensorType::f8_e4m3 ? TensorType::f32 : linear.scale_type;
  const std::vector<std::int32_t> groups = linear.column_groups();
  const auto group_columns = static_cast<int>(std::min(linear.group_columns, linear.columns));
  bool in_order = linear.type == TensorType::f8_e4m3 ||
                  (group_columns % kQuantBlock == 0 && matrix.columns % kQuantBlock == 0);
  for (std::size_t k = 0; k < groups.size() && in_order; ++k)
    in_order = groups[k] == static_cast<std::int32_t>(k) / group_columns;
  if (in_order) {
    matrix.group_columns = group_columns;
    layout.record_groups.resize(static_cast<std::size_t>(packed_records(matrix)));
    std::iota(layout.record_groups.begin(), layout.record_groups.end(), 0);
    return layout;
  }
  matrix.group_columns = kQuantBlock;
  GroupedColumns grouped = columns_by_group(groups, kQuantBlock);
  layout.order = std::move(grouped.order);
  layout.record_groups = std::move(grouped.run_groups);
  matrix.columns = static_cast<int>(layout.order.size());
  join_records(layout);
  return layout;
}

}  // namespace

int packed_records(const PackedMatrix& matrix) {
  return (matrix.columns + matrix.group_columns - 1) / matrix.group_columns;
}
/// Of 16 rows: a scale and a zero each, or fp8's float alone.
int packed_record_bytes(const PackedMatrix& matrix) {
  return kTileRows * (tensor_type_info(matrix.scale_type).block_bytes + zero_bytes(matrix.type));
}

PackedLayout packed_layout(const TensorView& source) {
  PackedLayout layout;
  if (source.quantized) {
    layout = linear_layout(source);
  } else {
    layout.matrix = {.type = source.type,
                     .rows = static_cast<int>(source.rows),
                     .columns = static_cast<int>(source.columns),
                     .group_columns = static_cast<int>(source.columns)};
  }
  layout.matrix.inputs = static_cast<int>(source.columns);
  const PackedMatrix& matrix = layout.matrix;
  const std::int64_t padded = std::int64_t{matrix.tiles()} * kTileRows;
  if (is_block_type(matrix.type)) {
    const PackedFormat format = packed_format(matrix.type);
    layout.values = align(padded * matrix.columns / 8 * format.bits);
    layout.scales =
        align(matrix.tiles() * Bytes{matrix.columns / format.block.columns} * format.record_bytes);
  } else {
    layout.values = align(tensor_bytes(matrix.type, padded * matrix.columns));
    if (source.quantized || matrix.type == TensorType::f8_e4m3)
      layout.scales = align(Bytes{matrix.tiles()} * packed_records(matrix) * packed_record_bytes(matrix));
  }
  return layout;
}

}  // namespace pitwall
