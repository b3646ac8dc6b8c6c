// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines of engines, as tests read them.
#pragma once
#include <QtGlobal>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/command_line.h"
#include "engine/plan/flag_reader.h"

namespace pitwall::test {

/// What an engine's command says; a text that cannot be read ends the test.
inline EngineReading read_pasted(const std::string& text, const EngineProfile* engine = nullptr) {
  const auto command = read_command(text, engine);
  if (!command.ok()) qFatal("%s", command.error().text().c_str());
  auto reading = read_engine_settings(*command);
  if (!reading.ok()) qFatal("%s", reading.error().text().c_str());
  return std::move(*reading);
}

/// A line each.
inline std::string joined(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

}  // namespace pitwall::test
