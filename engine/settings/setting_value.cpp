// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/settings/setting_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

bool is_bounded(const SettingInfo& info) {
  return info.minimum != 0 || info.maximum != 0;
}

std::string bound_text(const SettingInfo& info, double bound) {
  if (info.type == SettingType::real) return fmt::format("{}", bound);
  const auto whole = static_cast<std::int64_t>(bound);
  return info.type == SettingType::size ? exact_size(whole) : format_count(whole);
}

std::string joined_choices(std::string_view choices) {
  std::string out;
  for (const std::string_view choice : split_choices(choices))
    out += (out.empty() ? "" : ", ") + std::string(choice);
  return out;
}

/// "a whole number of sequences from 1 to 4,096, or auto"
std::string legal_values(const SettingInfo& info) {
  if (!info.choices.empty()) return "one of " + joined_choices(info.choices);
  std::string out;
  switch (info.type) {
    case SettingType::flag:
      return "true or false";
    case SettingType::integer:
      out = "a whole number";
      break;
    case SettingType::real:
      out = "a number";
      break;
    case SettingType::size:
      out = "a size";
      break;
    case SettingType::text:
    case SettingType::choice:
      return "text";
  }
  if (!info.unit.empty() && info.type != SettingType::size) out += fmt::format(" of {}", info.unit);
  if (is_bounded(info)) {
    out += fmt::format(" from {} to {}", bound_text(info, info.minimum), bound_text(info, info.maximum));
  }
  return info.automatic ? out + ", or auto" : out;
}

std::string example(const SettingInfo& info) {
  if (info.type == SettingType::size) return "512MiB";
  if (info.type == SettingType::choice) return std::string(split_choices(info.choices).front());
  if (info.default_text != "auto") return std::string(info.default_text);
  return info.name == "threads" ? "4" : "2048";
}

Error not_legal(const SettingInfo& info, std::string_view text) {
  return {Error::Kind::invalid_input, fmt::format("{} cannot be {}", info.name, quote_for_message(text)),
          fmt::format("It takes {}", legal_values(info)), fmt::format("Try {} {}", info.name, example(info)),
          std::string(info.name)};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool within_bounds(const SettingInfo& info, double number) {
  return std::isfinite(number) && (!is_bounded(info) || (number >= info.minimum && number <= info.maximum));
}

bool is_choice(const SettingInfo& info, std::string_view text) {
  const std::vector<std::string_view> choices = split_choices(info.choices);
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

Result<SettingValue> parse_size_setting(const SettingInfo& info, std::string_view text) {
  auto size = parse_size(text);
  if (!size) {
    Error error = std::move(size).error();
    error.what = fmt::format("{}: {}", info.name, error.what);
    error.param = info.name;
    return error;
  }
  if (!within_bounds(info, static_cast<double>(*size))) return not_legal(info, text);
  return SettingValue(*size);
}

}  // namespace

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> out;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    out.push_back(choices.substr(0, bar));
    choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
  }
  return out;
}

Result<SettingValue> parse_setting(const SettingInfo& info, std::string_view text) {
  if (info.automatic && text == "auto") return SettingValue();
  switch (info.type) {
    case SettingType::flag:
      if (text == "true") return SettingValue(true);
      if (text == "false") return SettingValue(false);
      return not_legal(info, text);
    case SettingType::integer: {
      const auto number = parse_number<std::int64_t>(text);
      if (!number || !within_bounds(info, static_cast<double>(*number))) return not_legal(info, text);
      if (!info.choices.empty() && !is_choice(info, text)) return not_legal(info, text);
      return SettingValue(*number);
    }
    case SettingType::real: {
      const auto number = parse_number<double>(text);
      if (!number || !within_bounds(info, *number)) return not_legal(info, text);
      return SettingValue(*number);
    }
    case SettingType::size:
      return parse_size_setting(info, text);
    case SettingType::choice:
      if (!is_choice(info, text)) return not_legal(info, text);
      return SettingValue(std::string(text));
    case SettingType::text:
      break;
  }
  if (!is_valid_utf8(text)) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} cannot be {}", info.name, quote_for_message(text)), "It is not valid UTF-8",
                 "Use a name in UTF-8", std::string(info.name)};
  }
  return SettingValue(std::string(text));
}

std::string setting_text(const SettingInfo& info, const SettingValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return "auto";
  switch (info.type) {
    case SettingType::flag:
      return std::get<bool>(value) ? "true" : "false";
    case SettingType::integer:
      return fmt::format("{}", std::get<std::int64_t>(value));
    case SettingType::real:
      return fmt::format("{}", std::get<double>(value));
    case SettingType::size:
      return exact_size(std::get<std::int64_t>(value));
    case SettingType::text:
    case SettingType::choice:
      break;
  }
  return std::get<std::string>(value);
}

}  // namespace pitwall
