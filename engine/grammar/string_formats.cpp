// SPDX-License-Identifier: GPL-3.0-or-later
// Formats of JSON Schema (2020-12, §7.3) as patterns. Each takes some of what its RFC allows and nothing
// else; dates know the months' lengths and leap years.
#include <array>
#include <utility>

#include "engine/grammar/schema_facts.h"

namespace pitwall {

namespace {

const std::string kYear = "[0-9]{4}";
const std::string kLeapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const std::string kDate = "(?:" + kYear + "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|" +
                          "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|" + kLeapYear +
                          "-02-29)";
const std::string kTime =
    "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const std::string kLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const std::string kHost = kLabel + "(?:\\." + kLabel + "){0,7}";
const std::string kByte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const std::string kIpv4 = kByte + "(?:\\." + kByte + "){3}";
const std::string kAtom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}";

/// Eight groups, or fewer around one "::" (RFC 4291 §2.2 without an IPv4 tail).
std::string ipv6() {
  const std::string group = "[0-9A-Fa-f]{1,4}";
  std::string out = "(?:" + group + ":){7}" + group;
  for (int before = 0; before <= 7; ++before) {
    const int behind = 7 - before;
    out += "|";
    if (before > 0) out += group + "(?::" + group + "){" + std::to_string(before - 1) + "}";
    out += "::";
    if (behind > 0) out += "(?:" + group + "(?::" + group + "){0," + std::to_string(behind - 1) + "})?";
  }
  return out;
}

const std::array<std::pair<std::string, std::string>, 10>& formats() {
  static const std::string kHex = "[0-9A-Fa-f]";
  static const std::string kDuration =
      "P(?:[0-9]{1,9}W|(?:[0-9]{1,9}Y(?:[0-9]{1,9}M(?:[0-9]{1,9}D)?)?|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}"
      "D)"
      "(?:T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S))?|"
      "T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S))";
  static const std::string kUriText = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%" + kHex + "{2})*";
  static const std::array<std::pair<std::string, std::string>, 10> kFormats = {{
      {"date", kDate},
      {"date-time", kDate + "T" + kTime},
      {"duration", kDuration},
      {"email", kAtom + "(?:\\." + kAtom + "){0,3}@" + kHost},
      {"hostname", kHost},
      {"ipv4", kIpv4},
      {"ipv6", ipv6()},
      {"time", kTime},
      {"uri", "[A-Za-z][A-Za-z0-9+.-]{0,31}:" + kUriText + "(?:\\?" + kUriText + ")?(?:#" + kUriText + ")?"},
      {"uuid", kHex + "{8}-" + kHex + "{4}-" + kHex + "{4}-" + kHex + "{4}-" + kHex + "{12}"},
  }};
  return kFormats;
}

}  // namespace

std::optional<std::string> format_pattern(const std::string& format) {
  for (const auto& [name, pattern] : formats()) {
    if (name == format) return "^(?:" + pattern + ")$";
  }
  return std::nullopt;
}

std::string known_formats() {
  std::string out;
  for (const auto& format : formats()) out += (out.empty() ? "" : ", ") + format.first;
  return out;
}

}  // namespace pitwall
