// SPDX-License-Identifier: GPL-3.0-or-later
// What the processor under us offers, found at run time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pitwall {

/// The instruction sets that kernels are compiled for, from the one that runs anywhere up.
enum class Isa : std::uint8_t {
  portable,
  avx2,   ///< AVX2 + FMA + F16C
  avx512  ///< AVX-512 F/BW/DQ/VL + VNNI
};

Isa best_isa();                         ///< the best that processor and operating system support
std::string_view isa_name(Isa isa);     ///< "portable", "AVX2", "AVX-512 VNNI"
std::string processor_name();           ///< "AMD EPYC …", or the architecture where the system does not say
std::int64_t last_level_cache_bytes();  ///< 0 = unknown

}  // namespace pitwall
