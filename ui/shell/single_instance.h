// SPDX-License-Identifier: GPL-3.0-or-later
// One window for one user and one configuration: a second start hands its wish to the first.
#pragma once
#include <QByteArray>
#include <QLocalServer>
#include <QLockFile>
#include <QObject>
#include <memory>
#include <optional>

namespace pitwall::ui {

/// A lock decides who is the first, so that of two starts at once exactly one is; the wishes go through a
/// socket beside it that only this user can reach. Both lie in `folder`; what a dead process left there is
/// taken over.
class SingleInstance : public QObject {
  Q_OBJECT

 public:
  enum class Role {
    first,   ///< listens from now on
    second,  ///< the first has taken the wish: end
    alone    ///< neither worked; start as if there were no other
  };

  /// `name` tells configurations apart. An empty folder means alone.
  SingleInstance(const QString& folder, const QString& name, QObject* parent = nullptr);
  ~SingleInstance() override;
  Role claim(const QByteArray& wish);  ///< waits for 10 s at most
  static QString runtime_folder();     ///< this user's own; empty where there is none

 Q_SIGNALS:
  void wish_received(const QByteArray& wish);  ///< in the first, from a later one

 private:
  bool listen();
  std::optional<bool> hand_over(const QByteArray& wish) const;
  void serve();
  QString socket_;
  std::unique_ptr<QLockFile> lock_;
  QLocalServer server_;
};

}  // namespace pitwall::ui
