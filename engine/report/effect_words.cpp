// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/effect_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/report/report_text.h"

namespace pitwall {

namespace {

struct FigureWords {
  const char* name;
  const char* title;
  const char* unit;
};
constexpr std::array<FigureWords, 16> kWords{{{"output_throughput", "Output", "tok/s"},
                                              {"p50_ttft_ms", "TTFT p50", "ms"},
                                              {"p99_ttft_ms", "TTFT p99", "ms"},
                                              {"p50_tpot_ms", "TPOT p50", "ms"},
                                              {"p99_tpot_ms", "TPOT p99", "ms"},
                                              {"p99_itl_ms", "ITL p99 per token", "ms"},
                                              {"p99_itl_chunk_ms", "ITL p99 per chunk (vLLM)", "ms"},
                                              {"max_itl_ms", "Longest ITL", "ms"},
                                              {"p50_queue_ms", "Queue p50", "ms"},
                                              {"p50_e2el_ms", "E2E p50", "ms"},
                                              {"p99_e2el_ms", "E2E p99", "ms"},
                                              {"goodput_percent", "Goodput", "% of requests"},
                                              {"preemptions", "Preemptions", ""},
                                              {"failed_percent", "Not ended well", "% of requests"},
                                              {"prefix_hit_percent", "Prefix hits", "% of prompt tokens"},
                                              {"peak_kv_mib", "KV at the peak", "MiB"}}};

const FigureWords* words_of(const std::string& figure) {
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](const FigureWords& words) { return words.name == figure; });
  return found == kWords.end() ? nullptr : &*found;
}

}  // namespace

std::string figure_label(const std::string& figure) {
  const FigureWords* words = words_of(figure);
  if (words == nullptr) return figure;
  return *words->unit == '\0' ? words->title : fmt::format("{}, {}", words->title, words->unit);
}

std::string figure_text(const std::string& figure, double value) {
  if (figure == "output_throughput") return rate_text(value);
  return value == 0 ? "0" : ms_text(value);
}

std::string effect_label(const Effect& effect) {
  if (effect.reading == Reading::undefined) return kUndefined;
  const bool share = std::isfinite(effect.percent);
  const double value = share ? effect.percent : effect.difference.mean;
  const double half = share ? effect.percent_half : effect.difference.high - effect.difference.mean;
  std::string text = minus_text(fmt::format("{:+.1f}{}", value, share ? " %" : ""));
  if (effect.reading == Reading::one_pair) return text;
  return text + (half == 0 ? " exact" : fmt::format(" ± {:.1f}", half));
}

const char* reading_label(Reading reading) {
  switch (reading) {
    case Reading::better:
      return "better";
    case Reading::worse:
      return "worse";
    case Reading::moved:
      return "moved";
    case Reading::no_change:
      return "no change";
    case Reading::one_pair:
      return "no interval";
    case Reading::undefined:
      return kUndefined;
  }
  return "";
}

Tone effect_tone(const Effect& effect) {
  if (effect.reading == Reading::better) return Tone::good;
  return effect.reading == Reading::worse ? Tone::warn : Tone::plain;
}

}  // namespace pitwall
