// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/attention_fixture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/execute/reference_ops.h"
#include "engine/model/tensor_type.h"

namespace pitwall::cuda {

namespace {

constexpr float kFp8Spread = 16;  // stored numbers of a unit normal head

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// A permutation that is the same on every machine.
std::vector<std::int32_t> shuffled(int count) {
  std::vector<std::int32_t> order(size(count));
  std::iota(order.begin(), order.end(), 0);
  const std::vector<float> dice = random_numbers(7, order.size());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return dice[size(a)] < dice[size(b)]; });
  return order;
}

/// Lines of a pool that hold a visible token.
std::vector<bool> written_lines(const CaseStep& step, const KvView& kv) {
  std::vector<bool> written(size(std::int64_t{2} * step.blocks * kv.kv_heads * kv.block_size));
  std::vector<int> lengths(step.tables.size() / size(step.max_blocks));
  for (int row = 0; row < step.rows(); ++row) {
    if (const int slot = step.slots[size(row)]; slot >= 0)
      lengths[size(slot)] = std::max(lengths[size(slot)], step.positions[size(row)] + 1);
  }
  for (std::size_t slot = 0; slot < lengths.size(); ++slot) {
    for (int position = 0; position < lengths[slot]; ++position) {
      const int block = step.block_of(static_cast<int>(slot), position, kv.block_size);
      for (int head = 0; head < kv.kv_heads; ++head) {
        written[size(kv_line(kv, block, false, head, position))] = true;
        written[size(kv_line(kv, block, true, head, position))] = true;
      }
    }
  }
  return written;
}

}  // namespace

CaseStep::CaseStep(CaseMemory& memory, std::span<const CaseSequence> sequences, int block_size) {
  const int count = static_cast<int>(sequences.size());
  for (const CaseSequence& sequence : sequences) {
    const int needed = (sequence.length + block_size - 1) / block_size;
    max_blocks = std::max(max_blocks, needed + 1);
    blocks += needed;
  }
  ++blocks;  // block 0 belongs to nobody
  const std::vector<std::int32_t> order = shuffled(blocks - 1);
  tables.assign(size(count) * size(max_blocks), 0);
  std::size_t taken = 0;
  for (int i = 0; i < count; ++i) {
    const CaseSequence& sequence = sequences[size(i)];
    const int slot = count - 1 - i;
    const int first_row = rows(), first_position = sequence.length - sequence.rows;
    const bool is_blank = sequence.length == 0;
    for (int b = 0; b * block_size < sequence.length; ++b)
      tables[size(slot) * size(max_blocks) + size(b)] = order[taken++] + 1;
    for (int r = 0; r < sequence.rows; ++r) {
      positions.push_back(is_blank ? -1 : first_position + r);
      slots.push_back(is_blank ? -1 : slot);
    }
    if (sequence.rows == 1) decode_rows.push_back(first_row);
    if (sequence.rows > 1) segments.push_back({first_row, sequence.rows, first_position, slot});
  }
  const StepCounts counts{rows(), 0, 0, static_cast<std::int32_t>(decode_rows.size()),
                          static_cast<std::int32_t>(segments.size())};
  positions.insert(positions.end(), kPaddingRows, -1);
  slots.insert(slots.end(), kPaddingRows, -1);
  view.counts = memory.upload(std::vector<StepCounts>{counts});
  view.positions = memory.upload(positions);
  view.slots = memory.upload(slots);
  view.block_tables = memory.upload(tables);
  view.max_blocks = max_blocks;
  // Behind the live entries stand rows that nothing may touch.
  std::vector<std::int32_t> listed = decode_rows;
  listed.insert(listed.end(), kPaddingRows, rows() - 1);
  view.decode_rows = memory.upload(listed);
  std::vector<Segment> listed_segments = segments;
  listed_segments.push_back({rows() - 1, 2, 0, -1});
  view.segments = memory.upload(listed_segments);
  std::vector<std::uint8_t> long_rope;
  for (int slot = 0; slot < count; ++slot) long_rope.push_back(slot % 2 == 1);
  view.long_rope = memory.upload(long_rope);
}

KvPattern::KvPattern(KvDtype dtype) {
  const std::vector<float> random = random_numbers(11, kPeriod);
  bytes_.reserve(size(kPeriod) * 2);
  for (const float x : random) {
    float stored = 0;
    if (dtype == KvDtype::fp8_e4m3) {
      bytes_.push_back(reference::fp8_e4m3_code(x * kFp8Spread));
      stored = static_cast<float>(reference::fp8_e4m3(bytes_.back()));
    } else if (dtype == KvDtype::int8) {
      const float rounded = std::clamp(std::nearbyint(x * 40), -127.0f, 127.0f);
      bytes_.push_back(static_cast<std::uint8_t>(static_cast<std::int8_t>(rounded)));
      stored = rounded;
    } else {
      const bool is_half = dtype == KvDtype::float16;
      const std::uint16_t code = is_half ? float_to_half(x) : float_to_bfloat(x);
      bytes_.push_back(static_cast<std::uint8_t>(code & 0xFF));
      bytes_.push_back(static_cast<std::uint8_t>(code >> 8));
      stored = is_half ? half_to_float(code) : bfloat_to_float(code);
    }
    numbers_.push_back(stored);
  }
  for (int i = 0; i < kMostDim; ++i) numbers_.push_back(numbers_[size(i)]);
}

float KvPattern::token_scale(std::int64_t line) const {
  return 0.01f + 0.0005f * static_cast<float>(line % 61);
}

std::int64_t kv_line(const KvView& kv, int block, bool values, int head, int position) {
  return ((std::int64_t{2} * block + values) * kv.kv_heads + head) * kv.block_size + position % kv.block_size;
}

int kv_number_bytes(KvDtype dtype) {
  return dtype == KvDtype::bfloat16 || dtype == KvDtype::float16 ? 2 : 1;
}

int padded_dim(int head_dim) {
  return (head_dim + 15) / 16 * 16;
}

float key_scale(int head) {
  return (1 + 0.25f * static_cast<float>(head % 3)) / kFp8Spread;
}

float value_scale(int head) {
  return (1 + 0.5f * static_cast<float>(head % 2)) / kFp8Spread;
}

KvView make_pool(CaseMemory& memory, const CaseStep& step, KvView shape, const KvPattern& pattern,
                 KvRest rest) {
  KvView kv = shape;
  const std::size_t number_bytes = size(kv_number_bytes(kv.dtype));
  const std::size_t bytes = size(kv.block_numbers() * step.blocks) * number_bytes;
  const std::size_t period = pattern.bytes().size();
  const std::int64_t lines = std::int64_t{2} * step.blocks * kv.kv_heads * kv.block_size;
  std::vector<float> token_scales;
  for (std::int64_t line = 0; kv.dtype == KvDtype::int8 && line < lines; ++line)
    token_scales.push_back(pattern.token_scale(line));
  if (rest == KvRest::poison) {
    std::vector<std::uint8_t> pool(bytes, 0xFF);
    const std::vector<bool> written = written_lines(step, kv);
    const std::size_t line_bytes = size(kv.padded_dim) * number_bytes;
    const std::size_t used_bytes = size(kv.head_dim) * number_bytes;
    for (std::int64_t line = 0; line < lines; ++line) {
      if (!written[size(line)]) {
        if (!token_scales.empty()) token_scales[size(line)] = std::nanf("");
        continue;
      }
      std::uint8_t* to = pool.data() + size(line) * line_bytes;
      std::memset(to, 0, line_bytes);
      for (std::size_t i = 0; i < used_bytes; ++i)
        to[i] = pattern.bytes()[(size(line) * line_bytes + i) % period];
    }
    kv.numbers = reinterpret_cast<std::byte*>(memory.upload(pool));
  } else {
    auto* pool = static_cast<std::uint8_t*>(memory.take(bytes));
    if (pool) {
      std::size_t filled = std::min(period, bytes);
      cudaMemcpy(pool, pattern.bytes().data(), filled, cudaMemcpyHostToDevice);
      while (filled < bytes) {
        // whole periods are copied, so that the pattern goes on
        const std::size_t next = std::min(filled, bytes - filled);
        cudaMemcpy(pool + filled, pool, next, cudaMemcpyDeviceToDevice);
        filled += next;
      }
    }
    kv.numbers = reinterpret_cast<std::byte*>(pool);
  }
  if (kv.dtype == KvDtype::int8) kv.token_scales = memory.upload(token_scales);
  if (kv.dtype == KvDtype::fp8_e4m3) {
    std::vector<float> k_scales, v_scales;
    for (int head = 0; head < kv.kv_heads; ++head) {
      k_scales.push_back(key_scale(head));
      v_scales.push_back(value_scale(head));
    }
    kv.k_scales = memory.upload(k_scales);
    kv.v_scales = memory.upload(v_scales);
  }
  return kv;
}

}  // namespace pitwall::cuda
