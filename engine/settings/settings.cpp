// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/settings/setting_value.h"

namespace pitwall {

using nlohmann::ordered_json;

namespace {

std::size_t index_of(const SettingInfo& info) {
  return static_cast<std::size_t>(&info - setting_table().data());
}

SettingValue default_value(const SettingInfo& info) {
  auto value = parse_setting(info, info.default_text);
  assert(value.ok() && "a default of the table breaks its own row");
  return std::move(value).value();
}

Error unknown_setting(std::string_view name) {
  return {Error::Kind::not_found, fmt::format("There is no setting {}", quote_for_message(name)), "",
          "Look up its name in the list of settings", std::string(name)};
}

const char* origin_name(SettingOrigin origin) {
  switch (origin) {
    case SettingOrigin::preset:
      return "default";
    case SettingOrigin::user:
      return "user";
    case SettingOrigin::environment:
      return "environment";
    case SettingOrigin::tuner:
      return "tuner";
  }
  return "";
}

ordered_json to_json_value(const SettingValue& value) {
  return std::visit(
      [](const auto& held) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return "auto";
        } else {
          return held;
        }
      },
      value);
}

/// The text that set() takes. In JSON a number of bytes is exact, whereas set() asks for the unit of a small
/// one.
std::string text_of_json(const SettingInfo* info, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (info != nullptr && info->type == SettingType::size && value.is_number_unsigned()) {
    const auto bytes = value.get<std::int64_t>();
    return bytes < 0 ? value.dump() : exact_size(bytes);  // negative: above what fits
  }
  return value.dump();
}

}  // namespace

const SettingInfo* find_setting(std::string_view name_or_alias) {
  for (const SettingInfo& info : setting_table()) {
    if (info.name == name_or_alias) return &info;
    for (const std::string_view alias : split_choices(info.aliases)) {
      if (alias == name_or_alias) return &info;
    }
  }
  return nullptr;
}

std::string environment_name(const SettingInfo& info) {
  std::string name = "PITWALL_";
  for (const char c : info.name)
    name += c == '-' ? '_' : static_cast<char>(c - ('a' <= c && c <= 'z' ? 32 : 0));
  return name;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

Settings::Settings() {
  for (const SettingInfo& info : setting_table()) values_.push_back({default_value(info)});
}

Result<void> Settings::set(std::string_view name, std::string_view text, SettingOrigin origin) {
  const SettingInfo* info = find_setting(name);
  if (info == nullptr) return unknown_setting(name);
  auto value = parse_setting(*info, text);
  if (!value) return std::move(value).error();
  values_[index_of(*info)] = {std::move(value).value(), origin};
  return {};
}

void Settings::reset(std::string_view name) {
  const SettingInfo* info = find_setting(name);
  assert(info != nullptr);
  values_[index_of(*info)] = {default_value(*info)};
}

const Settings::Value& Settings::at(std::string_view name) const {
  const SettingInfo* info = find_setting(name);
  assert(info != nullptr && "no such setting");
  return values_[index_of(*info)];
}

bool Settings::flag(std::string_view name) const {
  return std::get<bool>(at(name).value);
}

std::int64_t Settings::integer(std::string_view name) const {
  return is_auto(name) ? 0 : std::get<std::int64_t>(at(name).value);
}

double Settings::real(std::string_view name) const {
  return is_auto(name) ? 0 : std::get<double>(at(name).value);
}

const std::string& Settings::text(std::string_view name) const {
  return std::get<std::string>(at(name).value);
}

bool Settings::is_auto(std::string_view name) const {
  const SettingValue& value = at(name).value;
  if (find_setting(name)->type == SettingType::choice) return std::get<std::string>(value) == "auto";
  return std::holds_alternative<std::monostate>(value);
}

bool Settings::changed(std::string_view name) const {
  return at(name).value != default_value(*find_setting(name));
}

std::string Settings::display(std::string_view name) const {
  const SettingInfo& info = *find_setting(name);
  const std::string text = setting_text(info, at(name).value);
  return info.secret && !text.empty() ? "(set)" : text;
}

std::vector<Settings::Entry> Settings::entries() const {
  std::vector<Entry> out;
  for (const SettingInfo& info : setting_table()) {
    if (info.secret) continue;
    out.push_back({std::string(info.name), display(info.name), std::string(info.default_text),
                   origin_name(at(info.name).origin), changed(info.name)});
  }
  return out;
}

std::string Settings::to_json() const {
  ordered_json out = ordered_json::object();
  for (const SettingInfo& info : setting_table()) {
    if (!info.secret) out[std::string(info.name)] = to_json_value(at(info.name).value);
  }
  return out.dump();
}

Result<void> Settings::load_json(std::string_view json) {
  const ordered_json document = ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} is not a JSON object of settings", quote_for_message(json)), "",
                 R"(Write {"name": value, …}, for example {"max-num-seqs": 32})", ""};
  }
  Settings loaded = *this;
  for (const auto& [name, value] : document.items()) {
    if (auto set = loaded.set(name, text_of_json(find_setting(name), value)); !set) return set;
  }
  *this = std::move(loaded);
  return {};
}

}  // namespace pitwall
