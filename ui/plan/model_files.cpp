// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/model_files.h"

#include <QDir>
#include <QFileInfo>

#include "ui/shell/model_path.h"

namespace pitwall::ui {

Result<Bytes> size_on_disk(const std::string& model) {
  const QFileInfo file(QString::fromStdString(model));
  Bytes bytes = file.isFile() ? file.size() : 0;
  if (file.isDir())
    for (const QFileInfo& part :
         QDir(QString::fromStdString(model)).entryInfoList({QStringLiteral("*.safetensors")}, QDir::Files))
      bytes += part.size();
  return bytes;
}

QString model_at(const QString& path) {
  const QFileInfo file(path);
  if (file.isDir() && !has_weights(path)) return QDir(path).filePath(QStringLiteral("config.json"));
  if (file.fileName() == QLatin1String("config.json") && has_weights(path)) return file.absolutePath();
  return path;
}

}  // namespace pitwall::ui
