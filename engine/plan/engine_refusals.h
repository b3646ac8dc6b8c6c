// SPDX-License-Identifier: GPL-3.0-or-later
// What a named engine has no word for, and what it would not start with.
#pragma once
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace pitwall {

struct Deployment;
struct EnginePlace;
struct EngineProfile;
struct ModelOutline;

struct EngineQuestion {
  const EngineProfile& engine;
  const Deployment& asked;
  const ModelOutline& model;
  std::string kv_format;  ///< name of a format that was asked for; empty = the engine's own
};

/// What the engine can be told. The error names the setting and what it takes instead.
Result<void> check_words(const EngineQuestion& question);

/// Settings that make sense each, and not together or not with the model.
struct EngineRefusal {
  std::string why;                ///< a sentence
  std::string setting, from, to;  ///< the change with which it starts; numbers with thousands marked
};
/// Why the engine would not start whatever its memory is; none where it does.
std::optional<EngineRefusal> find_refusal(const EngineQuestion& question, const EnginePlace& place);

}  // namespace pitwall
