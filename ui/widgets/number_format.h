// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them in the window: QLocale's digits, units of engine/base/units. NaN is an en dash.
#pragma once
#include <QString>

#include "engine/base/clock.h"
#include "engine/base/units.h"

namespace pitwall::ui {

/// A percentile of fewer samples is not shown: it would be a single request's luck.
inline constexpr std::int64_t kSamplesForP90 = 20, kSamplesForP99 = 100;

QString no_value();                ///< "–": does not apply
QString count_text(qint64 count);  ///< "57,344"
QString real_text(double value, int decimals);
QString three_digits(double value);      ///< 0.334, 5.20, 14.0, 318, 6,030
QString bytes_text(Bytes bytes);         ///< "14.96 GiB", "64.0 MiB" below 0.1 GiB, "9 KiB"
QString signed_bytes_text(Bytes bytes);  ///< "+0.20 GiB", "−3.00 MiB", "0"
QString gib_number(Bytes bytes);         ///< "14.96" for columns headed GiB
QString signed_gib_number(Bytes bytes);  ///< "+0.04", "−0.03", "0.00"
QString ms_text(double ms);              ///< "5.20 ms", "318 ms", "1.25 s"
QString ms_number(double ms);            ///< "5.20" for columns headed ms
QString rate_number(double per_second);  ///< "141", to the ten above 1,000: "6,030"
QString percent_text(double share);      ///< 0.63 → "63.0 %"
QString time_text(Nanos utc);            ///< local "14:32:58"
QString elapsed_text(Nanos duration);    ///< "00:02:45"
QString parameters_text(qint64 count);   ///< "135 M", "8.03 B"
QString run_name(qint64 run);            ///< "R-0147"

}  // namespace pitwall::ui
