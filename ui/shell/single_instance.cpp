// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/single_instance.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QDir>
#include <QElapsedTimer>
#include <QLocalSocket>
#include <QStandardPaths>
#include <QThread>

namespace pitwall::ui {

namespace {

constexpr int kPatienceMs = 5000, kTryMs = 50;
constexpr qsizetype kLongestWish = 1 << 20;
const QByteArray kTaken = QByteArrayLiteral("taken");

}  // namespace

SingleInstance::SingleInstance(const QString& folder, const QString& name, QObject* parent)
    : QObject(parent) {
  if (folder.isEmpty()) return;
  // Short: a socket's path may have about 100 letters.
  const QString key = QString::fromLatin1(
      QCryptographicHash::hash(name.toUtf8(), QCryptographicHash::Sha256).toHex().left(12));
  socket_ = QDir(folder).filePath(QStringLiteral("pitwall-%1").arg(key));
  lock_ = std::make_unique<QLockFile>(socket_ + QStringLiteral(".lock"));
  lock_->setStaleLockTime(0);  // held for as long as its process lives, however long that is
  connect(&server_, &QLocalServer::newConnection, this, &SingleInstance::serve);
}

SingleInstance::~SingleInstance() = default;

QString SingleInstance::runtime_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
}

SingleInstance::Role SingleInstance::claim(const QByteArray& wish) {
  if (!lock_) return Role::alone;
  QElapsedTimer clock;
  clock.start();
  // The first may be between lock and socket, or be ending: then the lock comes free.
  do {
    if (lock_->tryLock(0)) return listen() ? Role::first : Role::alone;
    if (lock_->error() != QLockFile::LockFailedError) return Role::alone;
    if (const auto taken = hand_over(wish)) return *taken ? Role::second : Role::alone;
    QThread::msleep(kTryMs);
  } while (clock.elapsed() < kPatienceMs);
  return Role::alone;
}

bool SingleInstance::listen() {
  QLocalServer::removeServer(socket_);  // of a process that died
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  return server_.listen(socket_);
}

/// nullopt: nobody listens, or no longer; false: who listens does not answer.
std::optional<bool> SingleInstance::hand_over(const QByteArray& wish) const {
  QLocalSocket socket;
  socket.connectToServer(socket_);
  if (!socket.waitForConnected(kTryMs)) return std::nullopt;
  QDataStream stream(&socket);
  stream << wish;
  socket.flush();
  if (socket.waitForReadyRead(kPatienceMs) && socket.readAll() == kTaken) return true;
  return socket.state() == QLocalSocket::ConnectedState ? std::optional(false) : std::nullopt;
}

void SingleInstance::serve() {
  while (QLocalSocket* socket = server_.nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    const auto read = [this, socket] {
      if (socket->bytesAvailable() > kLongestWish) return socket->abort();
      QDataStream stream(socket);
      stream.startTransaction();
      QByteArray wish;
      stream >> wish;
      if (!stream.commitTransaction()) return;  // the rest is on its way
      socket->write(kTaken);
      socket->disconnectFromServer();
      Q_EMIT wish_received(wish);
    };
    connect(socket, &QLocalSocket::readyRead, this, read);
    read();
  }
}

}  // namespace pitwall::ui
