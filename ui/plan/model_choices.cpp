// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/model_choices.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/library/model_profile.h"
#include "ui/shell/model_path.h"
#include "ui/shell/preferences.h"
#include "ui/widgets/engine_words.h"

namespace pitwall::ui {

std::vector<std::filesystem::path> model_places(const Preferences& preferences) {
  std::vector<std::filesystem::path> folders{default_models_folder()};
  for (const QString& folder : preferences.model_folders()) folders.emplace_back(folder.toStdString());
  return folders;
}

std::vector<ModelChoice> model_choices(const Preferences& preferences, const std::vector<ModelEntry>& found) {
  std::vector<ModelChoice> models;
  const auto add = [&](const QString& title, const QString& model) {
    if (std::none_of(models.begin(), models.end(), [&](const auto& known) { return known.model == model; }))
      models.push_back({title, model});
  };
  for (const QString& path : preferences.recent_models()) add(model_title(path), path);
  for (const ModelEntry& model : found)
    add(one_line(QString::fromStdString(model.name)), QString::fromStdString(model.path.string()));
  for (const ModelProfile& profile : model_profiles())
    if (!profile.config.empty()) add(engine_words(profile.title), QString::fromStdString(profile.name));
  return models;
}

QString model_title(const QString& model) {
  if (const ModelProfile* profile = find_model_profile(model.toStdString()))
    return engine_words(profile->title);
  const QFileInfo file(model);  // its name alone: the disk may take a while
  if (file.fileName() == QLatin1String("config.json"))
    return one_line(file.absoluteDir().dirName()) + QStringLiteral("/config.json");
  const bool is_file = file.suffix().compare(QLatin1String("gguf"), Qt::CaseInsensitive) == 0;
  return is_file ? model_name(model) : one_line(file.fileName());
}

}  // namespace pitwall::ui
