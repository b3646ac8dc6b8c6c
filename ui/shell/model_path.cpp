// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/model_path.h"

#include <QDir>
#include <QFileInfo>

namespace pitwall::ui {

QString one_line(const QString& text) {
  QString line = text;
  for (QChar& letter : line)
    if (letter.category() == QChar::Other_Control || letter == QChar::LineSeparator ||
        letter == QChar::ParagraphSeparator)
      letter = u'␤';
  return line;
}

QString model_name(const QString& path) {
  return one_line(QFileInfo(path).completeBaseName());
}

bool has_config(const QString& path) {
  const QFileInfo file(path);
  if (file.isDir()) return QFileInfo::exists(QDir(path).filePath(QStringLiteral("config.json")));
  return file.fileName() == QLatin1String("config.json");
}

bool has_weights(const QString& path) {
  const QFileInfo file(path);
  if (!file.isDir() && file.suffix().compare(QLatin1String("gguf"), Qt::CaseInsensitive) == 0) return true;
  const QDir folder = file.isDir() ? QDir(path) : file.absoluteDir();
  return has_config(path) && !folder.entryList({QStringLiteral("*.safetensors")}).isEmpty();
}

}  // namespace pitwall::ui
