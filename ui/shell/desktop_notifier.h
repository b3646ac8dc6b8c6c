// SPDX-License-Identifier: GPL-3.0-or-later
// Notifications by the desktop (org.freedesktop.Notifications). Silent where there is no bus, or nobody on it
// who shows them: the window's banner says the same.
#pragma once
#include <QDBusConnection>
#include <QHash>
#include <QObject>

namespace pitwall::ui {

/// UI thread only; never waits for the desktop.
class DesktopNotifier : public QObject {
  Q_OBJECT

 public:
  explicit DesktopNotifier(QObject* parent = nullptr);  ///< on the session's bus, looked for at the first use
  void set_bus(const QDBusConnection& bus);             ///< another one
  /// `about` comes back with activated().
  void notify(const QString& title, const QString& text, const QString& about);

 Q_SIGNALS:
  void activated(const QString& about);  ///< the user chose the notification

 private Q_SLOTS:
  void take_token(uint id, const QString& token);
  void take_action(uint id, const QString& action);
  void take_end(uint id, uint reason);

 private:
  bool connect_bus();
  QDBusConnection bus_;
  bool given_ = false, listening_ = false;
  QHash<uint, QString> shown_;
};

}  // namespace pitwall::ui
