// SPDX-License-Identifier: GPL-3.0-or-later
// The two trace formats. A line's reader says what is wrong with it; read_trace adds file and line number.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/bench/trace.h"

namespace pitwall {

namespace {

using nlohmann::json;

/// Why a line cannot be read.
struct BadLine {
  std::string why;
};

void check_length(const char* name, std::int64_t length) {
  if (length < 1) throw BadLine{fmt::format("{} is {}; a request has at least 1", name, length)};
  if (length > kMaxTraceTokens)
    throw BadLine{fmt::format("{} is {}; at most {} are taken", name, length, format_count(kMaxTraceTokens))};
}

// ---- CSV

constexpr std::string_view kCsvHeader = "TIMESTAMP,ContextTokens,GeneratedTokens";

std::int64_t number(std::string_view text, const char* name) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size())
    throw BadLine{fmt::format("{} is {}, expected a whole number", name, quote_for_message(text))};
  return value;
}

/// Takes `digits` digits and the separator after them off the front.
int date_part(std::string_view& rest, std::size_t digits, char separator) {
  int value = -1;
  if (rest.size() > digits && (rest[digits] == separator || (separator == ' ' && rest[digits] == 'T'))) {
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + digits, value);
    if (code != std::errc{} || end != rest.data() + digits) value = -1;
    rest.remove_prefix(digits + 1);
  }
  return value;
}

constexpr int kLastYear = 2255;  // Nanos end in 2262

/// "2023-11-16 18:17:03.9799600", UTC; a "Z" or "+00:00" at the end changes nothing.
std::optional<Nanos> time_of(std::string_view text) {
  for (const std::string_view zone : {"Z", "+00:00"}) {
    if (text.ends_with(zone)) text.remove_suffix(zone.size());
  }
  std::string padded(text);  // so that the seconds, too, end with a separator
  if (padded.find('.') == std::string::npos) padded += '.';
  std::string_view rest = padded;
  const int year = date_part(rest, 4, '-'), month = date_part(rest, 2, '-'), day = date_part(rest, 2, ' ');
  const int hour = date_part(rest, 2, ':'), minute = date_part(rest, 2, ':'),
            second = date_part(rest, 2, '.');
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const bool sound = year >= 1970 && year <= kLastYear && date.ok() && hour >= 0 && hour < 24 &&
                     minute >= 0 && minute < 60 && second >= 0 && second < 61 && rest.size() <= 9 &&
                     rest.find_first_not_of("0123456789") == std::string_view::npos;
  if (!sound) return std::nullopt;
  Nanos fraction = 0;
  for (std::size_t digit = 0; digit < 9; ++digit) {
    fraction = fraction * 10 + (digit < rest.size() ? rest[digit] - '0' : 0);
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((Nanos{days} * 24 + hour) * 60 + minute) * 60 * kNanosPerSecond + second * kNanosPerSecond +
         fraction;
}

/// Seconds from any start, as other tools write them.
std::optional<Nanos> seconds_of(std::string_view text) {
  constexpr double kMost = 9e9;  // Nanos end a little later
  double seconds = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (code != std::errc{} || end != text.data() + text.size() || !(seconds >= 0 && seconds <= kMost))
    return std::nullopt;
  return static_cast<Nanos>(std::llround(seconds * static_cast<double>(kNanosPerSecond)));
}

class CsvLines {
 public:
  std::optional<TraceRequest> read(std::string_view line) {
    if (!header_seen_) {
      if (line != kCsvHeader)
        throw BadLine{fmt::format("the header is {}, expected {}", quote_for_message(line), kCsvHeader)};
      header_seen_ = true;
      return std::nullopt;
    }
    const std::size_t first = line.find(','), second = line.find(',', std::min(first, line.size() - 1) + 1);
    if (second == std::string_view::npos || line.find(',', second + 1) != std::string_view::npos)
      throw BadLine{
          fmt::format("it has {} fields, expected 3", 1 + std::count(line.begin(), line.end(), ','))};
    const std::string_view stamp = line.substr(0, first);
    auto arrival = time_of(stamp);
    if (!arrival) arrival = seconds_of(stamp);
    if (!arrival) {
      throw BadLine{
          fmt::format("TIMESTAMP is {}, expected a time such as 2023-11-16 18:17:03.9799600, or seconds",
                      quote_for_message(stamp))};
    }
    const std::int64_t prompt = number(line.substr(first + 1, second - first - 1), "ContextTokens");
    const std::int64_t output = number(line.substr(second + 1), "GeneratedTokens");
    check_length("ContextTokens", prompt);
    check_length("GeneratedTokens", output);
    return TraceRequest{*arrival, static_cast<std::int32_t>(prompt), static_cast<std::int32_t>(output), {}};
  }

 private:
  bool header_seen_ = false;
};

// ---- JSON lines

std::string shown(const json& value) {
  return quote_for_message(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

const json& field(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw BadLine{fmt::format("\"{}\" is missing", name)};
  return *found;
}

std::int32_t length_field(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_number_integer())
    throw BadLine{fmt::format("\"{}\" is {}, expected a whole number", name, shown(value))};
  const auto length = value.is_number_unsigned() ? static_cast<std::int64_t>(std::min<std::uint64_t>(
                                                       value.get<std::uint64_t>(), kMaxTraceTokens + 1LL))
                                                 : value.get<std::int64_t>();
  check_length(name, length);
  return static_cast<std::int32_t>(length);
}

class JsonLines {
 public:
  std::optional<TraceRequest> read(std::string_view line) {
    const json object = json::parse(line.begin(), line.end(), nullptr, false);
    if (!object.is_object()) throw BadLine{"it is not a JSON object"};
    TraceRequest request;
    const json& timestamp = field(object, "timestamp");
    constexpr double kLatestMs = 9e12;  // nearly where Nanos end; as Unix time, the year 2255
    const double ms = timestamp.is_number() ? timestamp.get<double>() : -1;
    if (!(ms >= 0 && ms < kLatestMs))
      throw BadLine{fmt::format("\"timestamp\" is {}, expected milliseconds", shown(timestamp))};
    request.arrival = std::llround(ms * static_cast<double>(kNanosPerMs));
    request.prompt_tokens = length_field(object, "input_length");
    request.output_tokens = length_field(object, "output_length");
    if (object.contains("hash_ids")) read_blocks(object.at("hash_ids"), request);
    return request;
  }

 private:
  void read_blocks(const json& ids, TraceRequest& request) {
    if (!ids.is_array()) throw BadLine{fmt::format("\"hash_ids\" is {}, expected a list", shown(ids))};
    const std::int32_t most = (request.prompt_tokens + kTraceBlockTokens - 1) / kTraceBlockTokens;
    if (ids.size() > static_cast<std::size_t>(most)) {
      throw BadLine{
          fmt::format("\"hash_ids\" has {} blocks of {} tokens; an input_length of {} fills at most {}",
                      ids.size(), kTraceBlockTokens, request.prompt_tokens, most)};
    }
    for (const json& id : ids) {
      if (!id.is_number_integer())
        throw BadLine{fmt::format("\"hash_ids\" holds {}, expected whole numbers", shown(id))};
      const auto next = static_cast<std::int32_t>(numbers_.size());
      const auto [known, fresh] = numbers_.emplace(id.get<std::int64_t>(), next);
      if (fresh && next == kMaxTraceBlocks)
        throw BadLine{fmt::format("it has more than {} different hash_ids", format_count(kMaxTraceBlocks))};
      request.blocks.push_back(known->second);
    }
  }

  std::unordered_map<std::int64_t, std::int32_t> numbers_;  // hash id → order of appearance
};

// ----

Error broken(const std::filesystem::path& file, int line, const std::string& why) {
  return {Error::Kind::invalid_input, fmt::format("{} line {}: {}", file.string(), line, why), "",
          "Correct the line or remove it", "trace"};
}

template <class Lines>
Result<Trace> read_lines(const std::filesystem::path& file, std::string_view rest) {
  Trace trace{file.filename().string(), {}};
  Lines lines;
  int empty_line = 0;  // the first of those that may be the file's end
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      if (empty_line == 0) empty_line = number;
      continue;
    }
    if (empty_line > 0) return broken(file, empty_line, "it is empty, and requests follow it");
    try {
      if (auto request = lines.read(line)) trace.requests.push_back(*std::move(request));
    } catch (const BadLine& bad) {
      return broken(file, number, bad.why);
    }
  }
  if (trace.requests.empty()) {
    return Error{Error::Kind::invalid_input, file.string() + " holds no requests", "",
                 "Give a CSV file with the header " + std::string(kCsvHeader) + ", or a file of JSON lines",
                 "trace"};
  }
  const auto earlier = [](const TraceRequest& a, const TraceRequest& b) { return a.arrival < b.arrival; };
  std::stable_sort(trace.requests.begin(), trace.requests.end(), earlier);
  const Nanos first = trace.requests.front().arrival;
  for (TraceRequest& request : trace.requests) request.arrival -= first;
  return trace;
}

}  // namespace

Result<Trace> read_trace(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text.ok()) return text.error();
  std::string_view rest = *text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  return file.extension() == ".csv" ? read_lines<CsvLines>(file, rest) : read_lines<JsonLines>(file, rest);
}

}  // namespace pitwall
