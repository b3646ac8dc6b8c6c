// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/start_wish.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace pitwall::ui {

QByteArray StartWish::to_message() const {
  const QJsonObject message{{QStringLiteral("model"), model},
                            {QStringLiteral("port"), port},
                            {QStringLiteral("serve"), serve},
                            {QStringLiteral("files"), QJsonArray::fromStringList(files)},
                            {QStringLiteral("activationToken"), activation_token}};
  return QJsonDocument(message).toJson(QJsonDocument::Compact);
}

Result<StartWish> StartWish::from_message(const QByteArray& message) {
  const QJsonDocument document = QJsonDocument::fromJson(message);
  if (!document.isObject())
    return Error{Error::Kind::invalid_input, "Another start sent what is no wish", "",
                 "Start it with --new-instance if its version differs", ""};
  const QJsonObject object = document.object();
  StartWish wish;
  wish.model = object[QStringLiteral("model")].toString();
  wish.port = object[QStringLiteral("port")].toString();
  wish.serve = object[QStringLiteral("serve")].toBool();
  for (const auto& file : object[QStringLiteral("files")].toArray()) wish.files << file.toString();
  wish.activation_token = object[QStringLiteral("activationToken")].toString();
  return wish;
}

}  // namespace pitwall::ui
