// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/model_path.h"

#include <QDir>
#include <QFileInfo>

namespace pitwall::ui {

namespace {

/// It turns the letters around it, so that a name reads as another one.
bool turns_letters(QChar letter) {
  switch (letter.direction()) {
    case QChar::DirLRE:
    case QChar::DirRLE:
    case QChar::DirLRO:
    case QChar::DirRLO:
    case QChar::DirPDF:
    case QChar::DirLRI:
    case QChar::DirRLI:
    case QChar::DirFSI:
    case QChar::DirPDI:
      return true;
    default:
      return letter == u'\u200e' || letter == u'\u200f' || letter == u'\u061c';
  }
}

}  // namespace

QString one_line(const QString& text) {
  QString line = text;
  for (QChar& letter : line)
    if (letter.category() == QChar::Other_Control || letter == QChar::LineSeparator ||
        letter == QChar::ParagraphSeparator)
      letter = u'␤';
    else if (turns_letters(letter))
      letter = QChar::ReplacementCharacter;
  return line;
}

QString model_name(const QString& path) {
  return one_line(QFileInfo(path).completeBaseName());
}

bool is_web_address(const QString& path) {
  return path.startsWith(QLatin1String("https://")) || path.startsWith(QLatin1String("http://"));
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
