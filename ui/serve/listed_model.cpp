// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/listed_model.h"

#include <QFileInfo>
#include <algorithm>
#include <fstream>

#include "ui/shell/model_path.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

namespace fs = std::filesystem;

bool begins_as_gguf(const fs::path& path) {
  char mark[4] = {};
  std::ifstream(path, std::ios::binary).read(mark, sizeof mark);
  return std::string_view(mark, sizeof mark) == "GGUF";
}

QString flaw_of(const ModelEntry& model) {
  std::error_code failed;
  const fs::file_status status = fs::status(model.path, failed);
  if (fs::is_other(status)) return tr("It is not a file.");
  if (!model.problem.empty()) return QString::fromStdString(model.problem);
  const std::string path = model.path.string();
  if (QString::fromStdString(path).toStdString() != path)
    return tr("Its name is not UTF-8. Rename it, then open it.");
  if (fs::is_directory(status)) return {};
  if (fs::file_size(model.path, failed) == 0) return tr("It is empty.");
  return begins_as_gguf(model.path) ? QString() : tr("It does not begin as a GGUF file does.");
}

}  // namespace

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
  for (ListedModel& one : listed)
    if (!one.missing) one.flaw = flaw_of(one.model);
  return listed;
}

}  // namespace pitwall::ui
