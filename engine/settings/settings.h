// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of settings. It yields the CLI flags, the window's form, the JSON, the run record and the
// docs.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

enum class SettingType { flag, integer, real, size, text, choice };

/// One row of the table. Names are vLLM's where the meaning is the same.
struct SettingInfo {
  std::string_view name;  ///< "max-num-seqs": the CLI flag without dashes; JSON uses it as it is
  SettingType type;
  std::string_view
      default_text;        ///< parsed by the same parser as user input; "auto" allowed where `automatic`
  std::string_view unit;   ///< "tokens", "bytes", "ms", "" …
  std::string_view help;   ///< one sentence
  std::string_view group;  ///< "Model", "Compute", "Memory", "Scheduling", "Server"
  double minimum = 0, maximum = 0;  ///< inclusive; both 0 = unbounded (integer, real, size)
  std::string_view choices = {};    ///< "a|b|c" for choice, and for an integer with few legal values
  std::string_view aliases = {};    ///< "kv-cache-memory" …, separated by |
  bool secret = false;     ///< never in records, snapshots, metrics, exports, logs or the window's text
  bool live = false;       ///< can change while serving
  bool automatic = false;  ///< "auto" is a legal value; effective value chosen at start
  bool list = false;       ///< values parted by commas; the flag may be given several times
};

std::span<const SettingInfo> setting_table();
const SettingInfo* find_setting(std::string_view name_or_alias);  ///< nullptr when unknown

/// monostate is "auto" of integers, reals and sizes.
using SettingValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class SettingOrigin { preset, user, environment, tuner };

/// Where a secret may be given beside its flag: "PITWALL_API_KEY" for api-key.
std::string environment_name(const SettingInfo& info);
/// "a, b,," → a, b: the values of a `list`.
std::vector<std::string> split_list(std::string_view text);

/// Values for the whole table: default unless set. Plain value type; copy freely. Not thread-safe.
class Settings {
 public:
  Settings();

  /// Parses and checks against the table; the error names the setting, the value, the bounds and an example.
  Result<void> set(std::string_view name, std::string_view text, SettingOrigin origin = SettingOrigin::user);
  void reset(std::string_view name);

  // The name must exist with that type: a wrong one is a programming error (assert).
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;  ///< integer and size; 0 where is_auto
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;  ///< text and choice
  bool is_auto(std::string_view name) const;             ///< of any type: the engine chooses at its start

  bool changed(std::string_view name) const;  ///< differs from the default
  std::string display(
      std::string_view name) const;  ///< as set() reads it; sizes with unit; secrets as "(set)"

  struct Entry {
    std::string name, value, default_value, origin;
    bool changed = false;
  };
  std::vector<Entry> entries() const;  ///< table order, secrets left out: what a run record holds
  std::string to_json() const;         ///< {"max-num-seqs": 32, …} without secrets
  Result<void> load_json(
      std::string_view json);  ///< all or nothing; unknown keys are errors that name the key

 private:
  struct Value {
    SettingValue value;
    SettingOrigin origin = SettingOrigin::preset;
  };
  const Value& at(std::string_view name) const;
  std::vector<Value> values_;  // parallel to setting_table()
};

}  // namespace pitwall
