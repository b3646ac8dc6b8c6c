// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/step_table.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "engine/telemetry/fields.h"

namespace pitwall {

namespace {

/// Takes the text up to `end` off the front.
std::string_view take(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return part;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (!line.empty()) fields.push_back(take(line, ','));
  return fields;
}

template <class Value>
bool read_number(std::string_view text, Value& value) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  value = static_cast<Value>(number);
  return failed == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string steps_text(std::span<const StepRecord> steps) {
  std::string text;
  if (steps.empty()) return text;
  const auto end_line = [&text] { text.back() = '\n'; };
  for_each_field(steps.front(), [&](const char* name, const auto&) { text.append(name) += ','; });
  end_line();
  for (const StepRecord& step : steps) {
    for_each_field(step, [&](const char*, const auto& value) {
      text.append(std::to_string(static_cast<std::int64_t>(value))) += ',';
    });
    end_line();
  }
  return text;
}

Result<std::vector<StepRecord>> parse_steps(std::string_view text) {
  const std::vector<std::string_view> names = fields_of(take(text, '\n'));
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places[names[i]] = i;
  std::vector<StepRecord> steps;
  for (std::size_t line = 2; !text.empty(); ++line) {
    const std::vector<std::string_view> fields = fields_of(take(text, '\n'));
    bool sound = fields.size() == names.size();
    for_each_field(steps.emplace_back(), [&](const char* name, auto& value) {
      const auto place = places.find(name);
      if (sound && place != places.end()) sound = read_number(fields[place->second], value);
    });
    if (!sound)
      return Error{Error::Kind::invalid_input,
                   "Line " + std::to_string(line) + " of the steps is not one number for each name", "", "",
                   "steps"};
  }
  return steps;
}

}  // namespace pitwall
