// SPDX-License-Identifier: GPL-3.0-or-later
// The vectors of simd_portable.h in AVX2 + FMA + F16C: 8 lanes, half a tile.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pitwall {

struct SimdAvx2 {
  static constexpr int kLanes = 8;
  static constexpr int kRowsAtOnce = 4;  ///< activation rows against a tile that the registers hold
  using F = __m256;
  using I = __m256i;
  using B = __m256i;
  using Signed = __m256i;
  static constexpr std::int32_t kSignedBias = 0;

  static F zero() { return _mm256_setzero_ps(); }
  static F broadcast(float x) { return _mm256_set1_ps(x); }
  static F load(const float* x) { return _mm256_loadu_ps(x); }
  static F load_part(const float* x, int count) { return _mm256_maskload_ps(x, first_lanes(count)); }
  static F load_half(const std::uint16_t* x) { return _mm256_cvtph_ps(load_words(x)); }
  static F load_bfloat(const std::uint16_t* x) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_words(x)), 16));
  }
  /// As halves, whose exponent is 8 smaller; the one NaN has no neighbour there and is put in.
  static constexpr float kFp8Unit = 256;
  static F load_fp8(const std::uint8_t* x) {
    const __m128i moved = _mm_slli_epi16(_mm_cvtepi8_epi16(load_eight(x)), 7);
    const __m128i half = _mm_and_si128(moved, _mm_set1_epi16(static_cast<short>(0xBF80)));
    const __m128i nan = _mm_set1_epi16(0x3F80);
    return _mm256_cvtph_ps(_mm_or_si128(half, _mm_cmpeq_epi16(_mm_and_si128(half, nan), nan)));
  }
  static F load_int8(const std::int8_t* x) { return to_float(_mm256_cvtepi8_epi32(load_eight(x))); }
  static F load_low_nibbles(const std::uint8_t* x) {
    return to_float(_mm256_cvtepu8_epi32(_mm_and_si128(load_eight(x), _mm_set1_epi8(0x0F))));
  }
  static F load_high_nibbles(const std::uint8_t* x) {
    return to_float(
        _mm256_cvtepu8_epi32(_mm_and_si128(_mm_srli_epi16(load_eight(x), 4), _mm_set1_epi8(0x0F))));
  }
  static void store(float* x, F a) { _mm256_storeu_ps(x, a); }
  static void store_part(float* x, F a, int count) { _mm256_maskstore_ps(x, first_lanes(count), a); }
  static void store_half(std::uint16_t* x, F a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(x), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }

  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static F div(F a, F b) { return _mm256_div_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F max(F a, F b) { return _mm256_max_ps(a, b); }
  static F min(F a, F b) { return _mm256_min_ps(a, b); }
  static F abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static F zero_where_below(F value, F a, float bound) {
    return _mm256_andnot_ps(_mm256_cmp_ps(a, _mm256_set1_ps(bound), _CMP_LT_OQ), value);
  }
  static float sum(F a) {
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
  static float max_across(F a) {
    __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_max_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
  }

  static I round_to_int(F a) { return _mm256_cvtps_epi32(a); }
  static F to_float(I a) { return _mm256_cvtepi32_ps(a); }
  static F power_of_two(I exponent) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
  }
  static std::int32_t sum(I a) {
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_add_epi32(x, _mm_unpackhi_epi64(x, x));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
  }
  static void store_bytes(std::int8_t* x, I a) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(x), _mm_packs_epi16(words, words));
  }

  static B load_bytes(const std::byte* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
  template <int kShift, int kMask>
  static B bits(B a) {
    if constexpr (kShift < 0) a = _mm256_slli_epi16(a, -kShift);
    if constexpr (kShift > 0) a = _mm256_srli_epi16(a, kShift);
    return _mm256_and_si256(a, _mm256_set1_epi8(static_cast<char>(kMask)));
  }
  static B either(B a, B b) { return _mm256_or_si256(a, b); }
  static B look_up(const std::int8_t* table, B a) {
    const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(row), a);
  }
  static Signed to_signed(B a) { return a; }
  static F column(B a, int j) {
    return to_float(_mm256_and_si256(_mm256_srli_epi32(a, 8 * j), _mm256_set1_epi32(0xFF)));
  }
  static F signed_column(B a, int j) {
    return to_float(_mm256_srai_epi32(_mm256_slli_epi32(a, 24 - 8 * j), 24));
  }

  /// As many products of two columns (≤ 2·kMost·127) as fit 16 bits are added up before one widening sum.
  template <int kMost, int kVectors>
  static I dot_codes(const B* w, const std::int8_t* x) {
    constexpr int kFit = 32767 / (2 * kMost * 127);
    __m256i total = _mm256_setzero_si256();
    for (int first = 0; first < kVectors; first += kFit) {
      __m256i pairs = _mm256_maddubs_epi16(w[first], four_columns(x + 4 * first));
      for (int v = first + 1; v < kVectors && v < first + kFit; ++v)
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(w[v], four_columns(x + 4 * v)));
      total = _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    return total;
  }
  /// maddubs wants one unsigned side: |w|·(x with w's sign), at most 2·128·127 a pair.
  static I dot_signed(const Signed* w, const std::int8_t* x) {
    __m256i total = _mm256_setzero_si256();
    for (int v = 0; v < 8; ++v) {
      const __m256i pairs =
          _mm256_maddubs_epi16(_mm256_abs_epi8(w[v]), _mm256_sign_epi8(four_columns(x + 4 * v), w[v]));
      total = _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    return total;
  }
  static I join_digits(I high, I low) { return _mm256_add_epi32(_mm256_slli_epi32(high, 8), low); }
  static I subtract(I a, std::int32_t b) { return _mm256_sub_epi32(a, _mm256_set1_epi32(b)); }

 private:
  static __m128i load_words(const std::uint16_t* x) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  }
  static __m128i load_eight(const void* x) { return _mm_loadl_epi64(static_cast<const __m128i*>(x)); }
  static __m256i four_columns(const std::int8_t* x) {
    std::int32_t bits;
    std::memcpy(&bits, x, sizeof bits);
    return _mm256_set1_epi32(bits);
  }
  static __m256i first_lanes(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

}  // namespace pitwall
