// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "engine/report/report.h"

namespace pitwall {
namespace {

/// RFC 4180: quoted where a comma, quote or line end is inside.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

/// "2026-07-26T12:00:00.250Z"
std::string utc_with_ms(Nanos utc) {
  std::string text = format_utc(utc);
  text.back() = '.';
  return text + fmt::format("{:03}Z", utc % kNanosPerSecond / kNanosPerMs);
}

}  // namespace

std::string requests_csv(const Run& run) {
  std::string csv =
      "id,label,arrival_utc,queue_ms,ttft_ms,tpot_ms,e2e_ms,max_itl_ms,prompt_tokens,cached_tokens,"
      "output_tokens,preemptions,finish,error\r\n";
  for (const RequestRecord& r : run.requests) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", r.id.value, field(r.label),
                       utc_with_ms(r.arrival_utc), number(r.queue_ms()), number(r.ttft_ms()),
                       number(r.tpot_ms()), number(r.e2e_ms()), number(r.max_itl_ms()), r.prompt_tokens,
                       r.cached_tokens, r.output_tokens, r.preemptions, finish_reason_name(r.finish),
                       field(r.error));
  }
  return csv;
}

}  // namespace pitwall
