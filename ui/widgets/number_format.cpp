// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_format.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace pitwall::ui {

namespace {

constexpr QChar kMinus(0x2212);
constexpr double kCountable = 1e15;  // beyond it a double is no count, and its digits fill a chart

/// QLocale writes a hyphen in the C and English locales; a figure has a real minus.
QString with_minus(QString text) {
  if (text.startsWith(QLatin1Char('-'))) text[0] = kMinus;
  return text;
}

}  // namespace

QString no_value() {
  return QString(QChar(0x2013));
}

QString count_text(qint64 count) {
  return with_minus(QLocale().toString(count));
}

QString real_text(double value, int decimals) {
  if (!std::isfinite(value)) return no_value();
  if (std::abs(value) >= kCountable) return with_minus(QLocale().toString(value, 'g', 3));
  return with_minus(QLocale().toString(value, 'f', decimals));
}

QString three_digits(double value) {
  if (!std::isfinite(value)) return no_value();
  const double size = std::abs(value);
  // 9.995 has three digits as 10.0, not as 9.99: the steps are where rounding carries over.
  return real_text(value, size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

QString bytes_text(Bytes bytes) {
  const double value = static_cast<double>(bytes), size = std::abs(value);
  if (size >= 0.1 * static_cast<double>(kGiB))
    return real_text(value / static_cast<double>(kGiB), 2) + QStringLiteral(" GiB");
  if (size >= static_cast<double>(kMiB))
    return three_digits(value / static_cast<double>(kMiB)) + QStringLiteral(" MiB");
  if (size >= static_cast<double>(kKiB))
    return three_digits(value / static_cast<double>(kKiB)) + QStringLiteral(" KiB");
  return count_text(bytes) + QStringLiteral(" B");
}

QString signed_bytes_text(Bytes bytes) {
  if (bytes == 0) return QStringLiteral("0");
  return bytes > 0 ? QLatin1Char('+') + bytes_text(bytes) : bytes_text(bytes);
}

QString gib_number(Bytes bytes) {
  const QString text = real_text(static_cast<double>(bytes) / static_cast<double>(kGiB), 2);
  return text == kMinus + real_text(0, 2) ? real_text(0, 2) : text;
}

QString signed_gib_number(Bytes bytes) {
  const QString text = gib_number(bytes);
  return bytes > 0 && text != real_text(0, 2) ? QLatin1Char('+') + text : text;
}

QString ms_text(double ms) {
  if (!std::isfinite(ms)) return no_value();
  if (ms >= 999.5) return three_digits(ms / 1000) + QStringLiteral(" s");
  return three_digits(ms) + QStringLiteral(" ms");
}

QString ms_number(double ms) {
  return three_digits(ms);
}

QString rate_number(double per_second) {
  if (!std::isfinite(per_second)) return no_value();
  if (per_second >= 999.5) return count_text(10 * std::llround(per_second / 10));
  return per_second == 0 ? QStringLiteral("0") : three_digits(per_second);
}

QString percent_text(double share) {
  return std::isfinite(share) ? real_text(100 * share, 1) + QStringLiteral(" %") : no_value();
}

QString time_text(Nanos utc) {
  return QDateTime::fromMSecsSinceEpoch(utc / kNanosPerMs).toString(QStringLiteral("HH:mm:ss"));
}

QString elapsed_text(Nanos duration) {
  const qint64 seconds = duration / kNanosPerSecond;
  return QStringLiteral("%1:%2:%3")
      .arg(seconds / 3600, 2, 10, QLatin1Char('0'))
      .arg(seconds / 60 % 60, 2, 10, QLatin1Char('0'))
      .arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

QString parameters_text(qint64 count) {
  const double value = static_cast<double>(count);
  if (value >= 1e9) return three_digits(value / 1e9) + QStringLiteral(" B");
  if (value >= 1e6) return three_digits(value / 1e6) + QStringLiteral(" M");
  return count_text(count);
}

QString run_name(qint64 run) {
  return QStringLiteral("R-%1").arg(run, 4, 10, QLatin1Char('0'));
}

}  // namespace pitwall::ui
