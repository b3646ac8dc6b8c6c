// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/desktop_notifier.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>

#include "ui/shell/start_wish.h"

namespace pitwall::ui {

namespace {

QString service() {
  return QStringLiteral("org.freedesktop.Notifications");
}
QString path() {
  return QStringLiteral("/org/freedesktop/Notifications");
}

constexpr int kDesktopDecides = -1;  // how long it is shown

}  // namespace

DesktopNotifier::DesktopNotifier(QObject* parent) : QObject(parent), bus_(QString()) {}

void DesktopNotifier::set_bus(const QDBusConnection& bus) {
  bus_ = bus;
  given_ = true;
  listening_ = false;
}

bool DesktopNotifier::connect_bus() {
  if (!given_) {
    bus_ = QDBusConnection::sessionBus();
    given_ = true;
  }
  if (!bus_.isConnected()) return false;
  if (!listening_) {
    bus_.connect(QString(), path(), service(), QStringLiteral("ActivationToken"), this,
                 SLOT(take_token(uint, QString)));
    bus_.connect(QString(), path(), service(), QStringLiteral("ActionInvoked"), this,
                 SLOT(take_action(uint, QString)));
    bus_.connect(QString(), path(), service(), QStringLiteral("NotificationClosed"), this,
                 SLOT(take_end(uint, uint)));
    listening_ = true;
  }
  return true;
}

void DesktopNotifier::notify(const QString& title, const QString& text, const QString& about) {
  if (!connect_bus()) return;
  auto call = QDBusMessage::createMethodCall(service(), path(), service(), QStringLiteral("Notify"));
  call << QStringLiteral("Pitwall") << 0U << QStringLiteral("pitwall") << title << text.toHtmlEscaped()
       << QStringList{QStringLiteral("default"), tr("Show")}
       << QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("pitwall")}} << kDesktopDecides;
  auto* answer = new QDBusPendingCallWatcher(bus_.asyncCall(call), this);
  connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer, about] {
    const QDBusPendingReply<uint> id = *answer;
    if (!id.isError()) shown_[id.value()] = about;
    answer->deleteLater();
  });
}

/// Comes before the action: by it a Wayland desktop lets the window come to the front.
void DesktopNotifier::take_token(uint id, const QString& token) {
  if (shown_.contains(id)) qputenv(kActivationToken, token.toUtf8());
}

void DesktopNotifier::take_action(uint id, const QString&) {
  if (shown_.contains(id)) Q_EMIT activated(shown_.take(id));
}

void DesktopNotifier::take_end(uint id, uint) {
  shown_.remove(id);
}

}  // namespace pitwall::ui
