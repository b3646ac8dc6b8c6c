// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/flag_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/text_escape.h"
#include "engine/base/units.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

namespace {

constexpr std::int64_t kMostGpus = 64;           // of a list with one value each
constexpr double kLargest = 4503599627370496.0;  // 2^52: exact as a double

double unit_bytes(std::string_view unit) {
  if (unit == "GiB") return static_cast<double>(kGiB);
  if (unit == "MiB") return static_cast<double>(kMiB);
  return unit == "GB" ? 1e9 : 1;
}

std::optional<double> real_of(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool closed(const EngineSettingInfo& info, const EngineFlag& flag) {
  if (flag.open || flag.values.empty()) return false;
  const bool number = info.type != EngineValue::text && info.type != EngineValue::boolean;
  return !number || std::any_of(flag.values.begin(), flag.values.end(),
                                [](const auto& value) { return value.first != "auto"; });
}

const std::string* listed_value(const EngineFlag& flag, std::string_view theirs) {
  for (const auto& [ours, spellings] : flag.values) {
    if (std::find(spellings.begin(), spellings.end(), theirs) != spellings.end()) return &ours;
  }
  return nullptr;
}

std::string legal_values(const EngineFlag& flag) {
  std::string text;
  for (const auto& [ours, spellings] : flag.values) text += (text.empty() ? "" : ", ") + spellings.front();
  return text;
}

bool takes_count(const EngineFlag& flag, std::int64_t count) {
  const bool power = count > 0 && (count & (count - 1)) == 0;
  return (flag.most == 0 || count <= flag.most) && count % flag.step == 0 && (power || !flag.powers);
}

Error not_a_number(std::string_view shown, std::string_view theirs, std::string_view legal) {
  return {Error::Kind::invalid_input, fmt::format("{} is {}", shown, quote_for_message(theirs)), "",
          std::string(legal), std::string(shown)};
}

/// parse_size's, of a flag.
Error named(Error error, std::string_view shown) {
  error.what = fmt::format("{}: {}", shown, error.what);
  error.param = shown;
  return error;
}

Result<std::string> size_of(const EngineFlag& flag, std::string_view theirs, std::string_view shown,
                            const FlagScale& scale) {
  const double factor = unit_bytes(flag.unit) * (flag.per_rank ? scale.ranks : 1);
  const auto number = flag.human ? human_number(theirs) : real_of(theirs);
  if (flag.unit.empty() && (!number || (!flag.human && *number < static_cast<double>(kMiB)))) {
    auto size = parse_size(theirs);
    if (size.ok()) return fmt::format("{}", *size);
    if (number) return named(std::move(size).error(), shown);
  }
  const double bytes = number.value_or(-1) * factor;
  if (bytes >= 0 && bytes <= kLargest) return fmt::format("{}", std::llround(bytes));
  return not_a_number(shown, theirs,
                      fmt::format("Give a number of {} from 0 on", flag.unit.empty() ? "bytes" : flag.unit));
}

Result<std::string> integer_of(const EngineSettingInfo& info, const EngineFlag& flag, std::string_view theirs,
                               std::string_view shown, const FlagScale& scale) {
  if (flag.one_each) {
    const auto gpus = std::count(theirs.begin(), theirs.end(), ',') + 1;
    return canonical_value(info, fmt::format("{}", gpus), shown);
  }
  std::string text(theirs);
  if (flag.human) {
    const auto number = human_number(theirs);
    if (number && std::abs(*number) <= kLargest) text = fmt::format("{}", std::llround(*number));
  }
  auto value = canonical_value(info, text, shown);
  if (!value.ok() || *value == "auto") return value;
  const std::int64_t count = std::stoll(*value);
  if (flag.shared_slots) return canonical_value(info, fmt::format("{}", count / scale.sequences), shown);
  if (!flag.all_replicas || scale.replicas == 1) return value;
  if (info.name == "tensor-parallel-size" && count % scale.replicas != 0) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} is {}, which {} replicas do not divide", shown, count, scale.replicas),
                 "Replicas that share the experts lie inside of it", "Give a multiple of the replicas",
                 std::string(shown)};
  }
  return fmt::format("{}", std::max<std::int64_t>(count / scale.replicas, 1));
}

FlagText size_text(const EngineSettingInfo& info, const EngineFlag& flag, std::string_view ours,
                   const FlagScale& scale) {
  const double factor = unit_bytes(flag.unit) * (flag.per_rank ? scale.ranks : 1);
  const double number = real_of(ours).value_or(0) / factor;
  if (!flag.whole && !flag.unit.empty()) return {fmt::format("{}", number)};
  // Never more memory than was asked for.
  const double whole = info.name == "memory-margin" ? std::ceil(number) : std::floor(number);
  return {fmt::format("{}", static_cast<std::int64_t>(whole)), whole == number};
}

}  // namespace

bool flag_takes(const EngineSettingInfo& info, const EngineFlag& flag, std::string_view theirs) {
  return listed_value(flag, theirs) != nullptr || !closed(info, flag);
}

Result<std::string> ours_of(const EngineProfile& engine, const EngineSettingInfo& info,
                            const EngineFlag& flag, std::string_view theirs, std::string_view shown,
                            const FlagScale& scale) {
  if (const std::string* ours = listed_value(flag, theirs)) return *ours;
  if (closed(info, flag)) {
    return Error{Error::Kind::invalid_input, fmt::format("{} is {}", shown, quote_for_message(theirs)), "",
                 fmt::format("{} takes {}", engine.title, legal_values(flag)), std::string(shown)};
  }
  if (info.type == EngineValue::size) return size_of(flag, theirs, shown, scale);
  if (info.type == EngineValue::integer) return integer_of(info, flag, theirs, shown, scale);
  auto value = canonical_value(info, theirs, shown);
  if (!value.ok() || flag.factor == 1) return value;
  return fmt::format("{:.10g}", real_of(*value).value_or(0) * flag.factor);
}

std::optional<FlagText> theirs_of(const EngineSettingInfo& info, const EngineFlag& flag,
                                  std::string_view ours, const FlagScale& scale) {
  for (const auto& [each, spellings] : flag.values) {
    if (each == ours) return FlagText{spellings.front()};
  }
  if (closed(info, flag)) return std::nullopt;
  const bool number = info.type == EngineValue::integer || info.type == EngineValue::size;
  if (number && ours == "auto") return std::nullopt;
  if (info.type == EngineValue::size) return size_text(info, flag, ours, scale);
  if (flag.factor != 1) {
    const double share = real_of(ours).value_or(0) / flag.factor;
    if (share > 1 + 1e-9) return std::nullopt;
    return FlagText{fmt::format("{:.12g}", share)};  // exact to the digits that ours has
  }
  if (info.type != EngineValue::integer) return FlagText{std::string(ours)};
  const std::int64_t count = static_cast<std::int64_t>(real_of(ours).value_or(0));
  if (!takes_count(flag, count)) return std::nullopt;
  if (flag.one_each) {
    if (count > kMostGpus) return std::nullopt;
    std::string text = "1";
    for (std::int64_t i = 1; i < count; ++i) text += ",1";
    return FlagText{text};
  }
  const std::int64_t times = flag.shared_slots ? scale.sequences : flag.all_replicas ? scale.replicas : 1;
  return FlagText{fmt::format("{}", count * times)};
}

std::optional<double> human_number(std::string_view text) {
  static constexpr std::string_view kDecimal = "kmgt", kBinary = "KMGT";
  double factor = 1;
  if (!text.empty()) {
    const std::size_t decimal = kDecimal.find(text.back()), binary = kBinary.find(text.back());
    if (decimal != std::string_view::npos) factor = std::pow(1000.0, static_cast<double>(decimal + 1));
    if (binary != std::string_view::npos) factor = std::pow(1024.0, static_cast<double>(binary + 1));
    if (factor > 1) text.remove_suffix(1);
  }
  const auto number = real_of(text);
  if (!number) return std::nullopt;
  return *number * factor;
}

bool can_tell(const EngineProfile& engine, std::string_view setting, std::string_view ours) {
  const EngineSetting* found = engine.find(setting);
  return found != nullptr && theirs_of(*find_engine_setting(setting), found->flags.front(), ours).has_value();
}

std::string tellable_values(const EngineProfile& engine, std::string_view setting) {
  const EngineSetting* found = engine.find(setting);
  if (found == nullptr) return "";
  const EngineFlag& flag = found->flags.front();
  if (flag.powers && flag.step > 1 && flag.most > 0)
    return fmt::format("powers of two from {} to {}", flag.step, flag.most);
  if (flag.step > 1) return fmt::format("multiples of {}", flag.step);
  if (flag.powers) return "powers of two";
  if (flag.most > 0) return fmt::format("{} at most", flag.most);
  std::string text;
  for (const auto& [ours, spellings] : flag.values) text += (text.empty() ? "" : ", ") + ours;
  return text;
}

}  // namespace pitwall
