// SPDX-License-Identifier: GPL-3.0-or-later
// The models that can be planned by a click: what was served lately, the user's folders, the profiles.
#pragma once
#include <QString>
#include <filesystem>
#include <vector>

#include "engine/library/models_folder.h"

namespace pitwall::ui {

class Preferences;

struct ModelChoice {
  QString title;
  QString model;  ///< as Deployment::model
  bool operator==(const ModelChoice&) const = default;
};
/// `found`: what scan_models() says of model_places(), which may take a while.
std::vector<ModelChoice> model_choices(const Preferences& preferences, const std::vector<ModelEntry>& found);
std::vector<std::filesystem::path> model_places(const Preferences& preferences);
/// "SmolLM2-135M-Instruct" of a file, "Llama-3.1-8B/config.json", "Qwen2.5 72B Instruct, AWQ" of a profile.
QString model_title(const QString& model);

}  // namespace pitwall::ui
