// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes, durations and counts as text: the one place where units are spelled. C locale; the window localises
// on top.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/result.h"

namespace pitwall {

using Bytes = std::int64_t;
inline constexpr Bytes kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

/// "1.50 GiB", "64.0 MiB", "512 B". GiB with two decimals, MiB below 0.1 GiB, KiB below 1 MiB.
std::string format_bytes(Bytes bytes);

/// Size flag: "512MiB", "1.5 GiB", "64 KiB", "100 B", "8589934592". A bare number below 1 MiB other than 0 is
/// an error that names the unit; negative, fractional bytes ("1.5"), overflow, "G"/"GB" and trailing text are
/// errors. A fraction of a unit is cut to whole bytes.
Result<Bytes> parse_size(std::string_view text);

/// The shortest exact text that parse_size reads back as the same number: "8 GiB", "1536 MiB", "1000 B", "0".
std::string exact_size(Bytes bytes);

/// Three significant digits: "14.0 ms", "0.334 s" → ms below 1 s, s above ("5.20 ms", "318 ms", "1.25 s").
std::string format_duration(Nanos duration);

/// "6,030" / "1,234,567".
std::string format_count(std::int64_t count);

}  // namespace pitwall
