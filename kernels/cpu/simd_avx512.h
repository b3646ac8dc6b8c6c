// SPDX-License-Identifier: GPL-3.0-or-later
// The vectors of simd_portable.h in AVX-512 with VNNI: 16 lanes, a whole tile.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pitwall {

struct SimdAvx512 {
  static constexpr int kLanes = 16;
  static constexpr int kRowsAtOnce = 8;  ///< activation rows against a tile that the registers hold
  using F = __m512;
  using I = __m512i;
  using B = __m512i;
  using Signed = __m512i;  ///< weight + kSignedBias, because dpbusd wants one unsigned side
  static constexpr std::int32_t kSignedBias = 128;

  static F zero() { return _mm512_setzero_ps(); }
  static F broadcast(float x) { return _mm512_set1_ps(x); }
  static F load(const float* x) { return _mm512_loadu_ps(x); }
  static F load_part(const float* x, int count) { return _mm512_maskz_loadu_ps(first_lanes(count), x); }
  static F load_half(const std::uint16_t* x) { return _mm512_cvtph_ps(load_words(x)); }
  static F load_bfloat(const std::uint16_t* x) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_words(x)), 16));
  }
  /// As halves, whose exponent is 8 smaller; the one NaN has no neighbour there and is put in.
  static constexpr float kFp8Unit = 256;
  static F load_fp8(const std::uint8_t* x) {
    const __m256i moved = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_sixteen(x)), 7);
    const __m256i half = _mm256_and_si256(moved, _mm256_set1_epi16(static_cast<short>(0xBF80)));
    const __m256i nan = _mm256_set1_epi16(0x3F80);
    return _mm512_cvtph_ps(_mm256_or_si256(half, _mm256_cmpeq_epi16(_mm256_and_si256(half, nan), nan)));
  }
  static F load_int8(const std::int8_t* x) { return to_float(_mm512_cvtepi8_epi32(load_sixteen(x))); }
  static F load_low_nibbles(const std::uint8_t* x) {
    return to_float(_mm512_cvtepu8_epi32(_mm_and_si128(load_sixteen(x), _mm_set1_epi8(0x0F))));
  }
  static F load_high_nibbles(const std::uint8_t* x) {
    return to_float(
        _mm512_cvtepu8_epi32(_mm_and_si128(_mm_srli_epi16(load_sixteen(x), 4), _mm_set1_epi8(0x0F))));
  }
  static void store(float* x, F a) { _mm512_storeu_ps(x, a); }
  static void store_part(float* x, F a, int count) { _mm512_mask_storeu_ps(x, first_lanes(count), a); }
  static void store_half(std::uint16_t* x, F a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(x), _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }

  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F div(F a, F b) { return _mm512_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static F max(F a, F b) { return _mm512_max_ps(a, b); }
  static F min(F a, F b) { return _mm512_min_ps(a, b); }
  static F abs(F a) { return _mm512_abs_ps(a); }
  static F zero_where_below(F value, F a, float bound) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, _mm512_set1_ps(bound), _CMP_NLT_UQ), value);
  }
  static float sum(F a) { return _mm512_reduce_add_ps(a); }
  static float max_across(F a) { return _mm512_reduce_max_ps(a); }

  static I round_to_int(F a) { return _mm512_cvtps_epi32(a); }
  static F to_float(I a) { return _mm512_cvtepi32_ps(a); }
  static F power_of_two(I exponent) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(exponent, _mm512_set1_epi32(127)), 23));
  }
  static std::int32_t sum(I a) { return _mm512_reduce_add_epi32(a); }
  static void store_bytes(std::int8_t* x, I a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(x), _mm512_cvtsepi32_epi8(a));
  }

  static B load_bytes(const std::byte* x) { return _mm512_loadu_si512(x); }
  template <int kShift, int kMask>
  static B bits(B a) {
    if constexpr (kShift < 0) a = _mm512_slli_epi16(a, -kShift);
    if constexpr (kShift > 0) a = _mm512_srli_epi16(a, kShift);
    return _mm512_and_si512(a, _mm512_set1_epi8(static_cast<char>(kMask)));
  }
  static B either(B a, B b) { return _mm512_or_si512(a, b); }
  static B look_up(const std::int8_t* table, B a) {
    const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(row), a);
  }
  static Signed to_signed(B a) { return _mm512_xor_si512(a, _mm512_set1_epi8(static_cast<char>(0x80))); }
  static F column(B a, int j) {
    return to_float(
        _mm512_and_si512(_mm512_srli_epi32(a, static_cast<unsigned>(8 * j)), _mm512_set1_epi32(0xFF)));
  }
  static F signed_column(B a, int j) {
    return to_float(_mm512_srai_epi32(_mm512_slli_epi32(a, static_cast<unsigned>(24 - 8 * j)), 24));
  }

  template <int kMost, int kVectors>
  static I dot_codes(const B* w, const std::int8_t* x) {
    I total = _mm512_setzero_si512();
    for (int v = 0; v < kVectors; ++v) total = _mm512_dpbusd_epi32(total, w[v], four_columns(x + 4 * v));
    return total;
  }
  static I dot_signed(const Signed* w, const std::int8_t* x) { return dot_codes<255, 8>(w, x); }
  static I join_digits(I high, I low) { return _mm512_add_epi32(_mm512_slli_epi32(high, 8), low); }
  static I subtract(I a, std::int32_t b) { return _mm512_sub_epi32(a, _mm512_set1_epi32(b)); }

 private:
  static __m256i load_words(const std::uint16_t* x) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  }
  static __m128i load_sixteen(const void* x) { return _mm_loadu_si128(static_cast<const __m128i*>(x)); }
  static __m512i four_columns(const std::int8_t* x) {
    std::int32_t bits;
    std::memcpy(&bits, x, sizeof bits);
    return _mm512_set1_epi32(bits);
  }
  static __mmask16 first_lanes(int count) {
    return static_cast<__mmask16>(count >= 16 ? 0xFFFF : (1 << count) - 1);
  }
};

}  // namespace pitwall
