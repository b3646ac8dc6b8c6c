// SPDX-License-Identifier: GPL-3.0-or-later
// Notifications over a session bus of their own: a real dbus-daemon, and a desktop that is another process.
#include <unistd.h>
#include <QCoreApplication>
#include <QDBusConnection>
#include <QProcess>
#include <QSignalSpy>
#include <QSocketNotifier>
#include <QStandardPaths>
#include <QTest>
#include <cstdio>

#include "ui/shell/desktop_notifier.h"
#include "ui/shell/start_wish.h"

using namespace pitwall::ui;

namespace {

constexpr int kPatienceMs = 20'000;
constexpr const char* kDesktopFlag = "--desktop";

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

}  // namespace

/// A notification daemon: writes what it shows to stdout, a line each, and clicks on the one whose number it
/// reads.
class Desktop : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  static int run() {
    Desktop desktop;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.registerObject(u8("/org/freedesktop/Notifications"), &desktop,
                            QDBusConnection::ExportAllContents) ||
        !bus.registerService(u8("org.freedesktop.Notifications")))
      return 1;
    QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
    connect(&input, &QSocketNotifier::activated, &desktop, &Desktop::click);
    desktop.say(u8("ready"));
    return QCoreApplication::exec();
  }

 public Q_SLOTS:
  uint Notify(const QString& app, uint, const QString&, const QString& title, const QString& text,
              const QStringList&, const QVariantMap&, int) {
    say(QStringLiteral("%1: %2: %3").arg(app, title, text));
    return ++shown_;
  }

 Q_SIGNALS:
  void ActivationToken(uint id, const QString& token);
  void ActionInvoked(uint id, const QString& action);
  void NotificationClosed(uint id, uint reason);

 private:
  void say(const QString& line) {
    std::puts(qPrintable(line));
    std::fflush(stdout);
  }
  void click() {
    char line[32];
    const ssize_t size = ::read(STDIN_FILENO, line, sizeof line);
    if (size <= 0) return QCoreApplication::quit();
    const uint id = QByteArray(line, size).trimmed().toUInt();
    Q_EMIT ActivationToken(id, QStringLiteral("token-%1").arg(id));
    Q_EMIT ActionInvoked(id, u8("default"));
    Q_EMIT NotificationClosed(id, 2);
  }
  uint shown_ = 0;
};

class NotificationBusTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void cleanupTestCase();
  void a_click_comes_back_with_the_page_and_a_token();
  void a_desktop_that_ends_and_returns_is_no_trouble();
  void a_bus_that_ends_is_no_trouble();

 private:
  void start_desktop() {
    desktop_.start(QCoreApplication::applicationFilePath(), {QLatin1String(kDesktopFlag)});
    QCOMPARE(next_line(), u8("ready"));
  }
  void stop_desktop() {
    desktop_.closeWriteChannel();
    QVERIFY(desktop_.waitForFinished(kPatienceMs));
  }
  QString next_line() {
    if (!QTest::qWaitFor([this] { return desktop_.canReadLine(); }, kPatienceMs)) return {};
    return QString::fromUtf8(desktop_.readLine()).trimmed();
  }
  /// The answer with the notification's number may still be on its way: whoever looks at it needs longer.
  bool click_until(const QSignalSpy& spy, const char* number) {
    return QTest::qWaitFor(
        [&] {
          desktop_.write(number);
          return spy.size() > 0;
        },
        kPatienceMs);
  }

  QProcess bus_, desktop_;
  std::unique_ptr<DesktopNotifier> notifier_;
};

void NotificationBusTest::initTestCase() {
  const QString daemon = QStandardPaths::findExecutable(u8("dbus-daemon"));
  if (daemon.isEmpty()) QSKIP("dbus-daemon is not installed");
  bus_.start(daemon, {u8("--session"), u8("--nofork"), u8("--print-address")});
  QVERIFY(QTest::qWaitFor([this] { return bus_.canReadLine(); }, kPatienceMs));
  qputenv("DBUS_SESSION_BUS_ADDRESS", bus_.readLine().trimmed());
  start_desktop();
  notifier_ = std::make_unique<DesktopNotifier>();
}

void NotificationBusTest::cleanupTestCase() {
  for (QProcess* process : {&desktop_, &bus_}) {
    process->kill();
    process->waitForFinished(kPatienceMs);
  }
}

void NotificationBusTest::a_click_comes_back_with_the_page_and_a_token() {
  QSignalSpy activated(notifier_.get(), &DesktopNotifier::activated);
  notifier_->notify(u8("Serve"), u8("Load chat: <b>41</b> tok/s & more"), u8("serve"));
  QCOMPARE(next_line(), u8("Pitwall: Serve: Load chat: &lt;b&gt;41&lt;/b&gt; tok/s &amp; more"));
  QVERIFY(click_until(activated, "1\n"));
  QCOMPARE(activated.front().front().toString(), u8("serve"));
  QCOMPARE(qgetenv(kActivationToken), QByteArray("token-1"));
}

void NotificationBusTest::a_desktop_that_ends_and_returns_is_no_trouble() {
  stop_desktop();
  notifier_->notify(u8("Serve"), u8("nobody shows this"), u8("serve"));
  start_desktop();
  QSignalSpy activated(notifier_.get(), &DesktopNotifier::activated);
  notifier_->notify(u8("Tune"), u8("4 of 4 decided"), u8("tune"));
  QCOMPARE(next_line(), u8("Pitwall: Tune: 4 of 4 decided"));
  QVERIFY(click_until(activated, "1\n"));
  QCOMPARE(activated.front().front().toString(), u8("tune"));
}

void NotificationBusTest::a_bus_that_ends_is_no_trouble() {
  bus_.kill();
  QVERIFY(bus_.waitForFinished(kPatienceMs));
  QTRY_VERIFY(!QDBusConnection::sessionBus().isConnected());
  notifier_->notify(u8("Serve"), u8("nobody hears this"), u8("serve"));
}

int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  if (argc > 1 && qstrcmp(argv[1], kDesktopFlag) == 0) return Desktop::run();
  NotificationBusTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "notification_bus_test.moc"
