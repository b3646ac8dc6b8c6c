// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/header_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include "engine/base/file.h"
#include "engine/library/models_folder.h"
#include "engine/model/gguf_reader.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kLargestConfig = 8u << 20;

QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString value_text(const GgufMetadata& metadata, std::string_view key) {
  if (const auto text = metadata.text(key)) return qs(*text).left(200);
  if (const auto integer = metadata.integer(key)) return QString::number(*integer);
  if (const auto real = metadata.real(key)) return QString::number(*real);
  if (const auto flag = metadata.flag(key)) return *flag ? QStringLiteral("true") : QStringLiteral("false");
  return QStringLiteral("[…]");
}

}  // namespace

QString header_text(const QString& model) {
  std::filesystem::path path = model.toStdString();
  if (const auto resolved = resolve_model(model.toStdString())) path = *resolved;
  if (std::filesystem::is_directory(path)) path /= "config.json";
  if (path.extension() != ".gguf") {
    const auto text = read_file(path, kLargestConfig);
    return text ? qs(*text) : QString::fromStdString(text.error().text());
  }
  const auto file = GgufFile::open(path);
  if (!file) return QString::fromStdString(file.error().text());
  QStringList lines;
  for (const std::string_view key : file->metadata().keys_from(""))
    lines << QStringLiteral("%1 = %2").arg(qs(key), value_text(file->metadata(), key));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace pitwall::ui
