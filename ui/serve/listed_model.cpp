// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/listed_model.h"

#include <QFileInfo>
#include <algorithm>

#include "ui/shell/model_path.h"

namespace pitwall::ui {

std::vector<ListedModel> find_models(const QStringList& recent, const QStringList& folders) {
  std::vector<std::filesystem::path> places{default_models_folder()};
  for (const QString& folder : folders) places.emplace_back(folder.toStdString());
  std::vector<ModelEntry> found = scan_models(places);
  std::vector<ListedModel> listed;
  for (const QString& path : recent) {
    const QFileInfo file(path);
    const auto known = std::find_if(found.begin(), found.end(), [&](const ModelEntry& model) {
      return QString::fromStdString(model.path.string()) == path;
    });
    ModelEntry model{
        model_name(path).toStdString(), path.toStdString(), file.isFile() ? file.size() : 0, {}, {}};
    if (known != found.end()) {
      model = *known;
      found.erase(known);
    }
    listed.push_back({std::move(model), true, !file.exists()});
  }
  for (ModelEntry& model : found) listed.push_back({std::move(model)});
  return listed;
}

}  // namespace pitwall::ui
