// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/block_codes.h"

#include <cstring>

namespace pitwall {

namespace {

std::uint8_t byte_of(int value) {
  return static_cast<std::uint8_t>(value);
}

std::uint16_t word_at(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

/// Codes 0 … 15 are the low nibbles of 16 bytes, 16 … 31 the high ones.
void split_nibbles(const std::uint8_t* bytes, std::uint8_t* codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = bytes[i] & 15;
    codes[i + 16] = bytes[i] >> 4;
  }
}

/// The fifth bits of 32 codes: bit i of a little-endian word.
void add_fifth_bits(const std::uint8_t* bits, std::uint8_t* codes) {
  for (int i = 0; i < 32; ++i) codes[i] = byte_of(codes[i] | (bits[i / 8] >> (i % 8) & 1) << 4);
}

/// 32 bytes hold two runs of 32 codes: the low nibbles, then the high ones.
void split_nibble_runs(const std::uint8_t* bytes, std::uint8_t* codes) {
  for (int run = 0; run < 4; ++run, bytes += 32, codes += 64) {
    for (int i = 0; i < 32; ++i) {
      codes[i] = bytes[i] & 15;
      codes[i + 32] = bytes[i] >> 4;
    }
  }
}

/// 32 bytes hold four runs of 32 codes of two bits, the lowest first.
void split_pair_runs(const std::uint8_t* bytes, std::uint8_t* codes) {
  for (int half = 0; half < 2; ++half, bytes += 32) {
    for (int run = 0; run < 4; ++run, codes += 32) {
      for (int i = 0; i < 32; ++i) codes[i] = bytes[i] >> (2 * run) & 3;
    }
  }
}

/// Bit `run` of byte i belongs to code 32·run + i.
void add_bit_runs(const std::uint8_t* bytes, int shift, std::uint8_t* codes) {
  for (int run = 0; run < 8; ++run, codes += 32) {
    for (int i = 0; i < 32; ++i) codes[i] = byte_of(codes[i] | (bytes[i] >> run & 1) << shift);
  }
}

/// Eight scales and eight minima of six bits in 12 bytes: four of each lie low in a byte, the other four take
/// a nibble and the two bits that those left free.
void split_six_bits(const std::uint8_t* bytes, BlockCodes& out) {
  for (int i = 0; i < 4; ++i) {
    const int scale = bytes[i], minimum = bytes[i + 4], rest = bytes[i + 8];
    out.scales[i] = static_cast<std::int8_t>(scale & 63);
    out.minima[i] = byte_of(minimum & 63);
    out.scales[i + 4] = static_cast<std::int8_t>((rest & 15) | (scale >> 6) << 4);
    out.minima[i + 4] = byte_of(rest >> 4 | (minimum >> 6) << 4);
  }
}

void split_q2_k(const std::uint8_t* b, BlockCodes& out) {
  for (int i = 0; i < 16; ++i) {
    out.scales[i] = static_cast<std::int8_t>(b[i] & 15);
    out.minima[i] = b[i] >> 4;
  }
  split_pair_runs(b + 16, out.codes);
  out.d = word_at(b + 80);
  out.m = word_at(b + 82);
}

void split_q3_k(const std::uint8_t* b, BlockCodes& out) {
  split_pair_runs(b + 32, out.codes);
  add_bit_runs(b, 2, out.codes);
  const std::uint8_t* s = b + 96;
  for (int i = 0; i < 16; ++i) {
    const int low = i < 8 ? s[i] & 15 : s[i - 8] >> 4, high = s[8 + i % 4] >> (2 * (i / 4)) & 3;
    out.scales[i] = static_cast<std::int8_t>((low | high << 4) - 32);
  }
  out.d = word_at(b + 108);
}

void split_q6_k(const std::uint8_t* b, BlockCodes& out) {
  // Each half of the block: 64 bytes of nibbles are runs 0, 1 (low) and 2, 3 (high); 32 bytes of pairs follow
  // the same runs.
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t *nibbles = b + 64 * half, *pairs = b + 128 + 32 * half;
    std::uint8_t* codes = out.codes + 128 * half;
    for (int i = 0; i < 32; ++i) {
      codes[i] = byte_of((nibbles[i] & 15) | (pairs[i] & 3) << 4);
      codes[i + 32] = byte_of((nibbles[i + 32] & 15) | (pairs[i] >> 2 & 3) << 4);
      codes[i + 64] = byte_of(nibbles[i] >> 4 | (pairs[i] >> 4 & 3) << 4);
      codes[i + 96] = byte_of(nibbles[i + 32] >> 4 | (pairs[i] >> 6) << 4);
    }
  }
  std::memcpy(out.scales, b + 192, 16);
  out.d = word_at(b + 208);
}

void split_iq4_xs(const std::uint8_t* b, BlockCodes& out) {
  out.d = word_at(b);
  const int high = word_at(b + 2);
  for (int i = 0; i < 8; ++i) {
    const int low = b[4 + i / 2] >> (4 * (i % 2)) & 15;
    out.scales[i] = static_cast<std::int8_t>((low | (high >> (2 * i) & 3) << 4) - 32);
    split_nibbles(b + 8 + 16 * i, out.codes + 32 * i);
  }
}

}  // namespace

void split_block(TensorType type, const std::byte* block, BlockCodes& out) {
  const auto* b = reinterpret_cast<const std::uint8_t*>(block);
  switch (type) {
    case TensorType::q4_0:
    case TensorType::iq4_nl:
      out.d = word_at(b);
      return split_nibbles(b + 2, out.codes);
    case TensorType::q4_1:
      out.d = word_at(b);
      out.m = word_at(b + 2);
      return split_nibbles(b + 4, out.codes);
    case TensorType::q5_0:
      out.d = word_at(b);
      split_nibbles(b + 6, out.codes);
      return add_fifth_bits(b + 2, out.codes);
    case TensorType::q5_1:
      out.d = word_at(b);
      out.m = word_at(b + 2);
      split_nibbles(b + 8, out.codes);
      return add_fifth_bits(b + 4, out.codes);
    case TensorType::q8_0:
      out.d = word_at(b);
      std::memcpy(out.codes, b + 2, 32);
      return;
    case TensorType::q2_k:
      return split_q2_k(b, out);
    case TensorType::q3_k:
      return split_q3_k(b, out);
    case TensorType::q4_k:
    case TensorType::q5_k: {
      const bool five = type == TensorType::q5_k;
      out.d = word_at(b);
      out.m = word_at(b + 2);
      split_six_bits(b + 4, out);
      split_nibble_runs(b + (five ? 48 : 16), out.codes);
      if (five) add_bit_runs(b + 16, 4, out.codes);
      return;
    }
    case TensorType::q6_k:
      return split_q6_k(b, out);
    case TensorType::iq4_xs:
      return split_iq4_xs(b, out);
    case TensorType::mxfp4:
      // Half of 2^(e − 127), since the table holds doubled numbers: 2^(e − 128) in bfloat16.
      out.d = static_cast<std::uint16_t>(b[0] < 2 ? 0x20 << b[0] : (b[0] - 1) << 7);
      return split_nibbles(b + 1, out.codes);
    default:
      return;
  }
}

}  // namespace pitwall
