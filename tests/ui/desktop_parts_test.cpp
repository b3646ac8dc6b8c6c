// SPDX-License-Identifier: GPL-3.0-or-later
// What the shell has to do with the desktop and with other starts: notifications, paths that are dropped, and
// who is the first of several.
#include <QDBusConnection>
#include <QDBusServer>
#include <QFile>
#include <QSignalSpy>
#include <QSysInfo>
#include <QTest>
#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/test_support.h"
#include "ui/shell/desktop_notifier.h"
#include "ui/shell/errands.h"
#include "ui/shell/model_path.h"
#include "ui/shell/single_instance.h"
#include "ui/shell/start_wish.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

QString u8(const char* text) {
  return QString::fromUtf8(text);
}

QString text_of(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

}  // namespace

/// What a desktop does with a notification, as far as Pitwall sees it.
class FakeDesktop : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  QStringList shown;

 public Q_SLOTS:
  uint Notify(const QString& app, uint, const QString&, const QString& title, const QString& text,
              const QStringList&, const QVariantMap&, int) {
    shown << QStringLiteral("%1: %2: %3").arg(app, title, text);
    return static_cast<uint>(shown.size());
  }

 Q_SIGNALS:
  void ActionInvoked(uint id, const QString& action);
  void NotificationClosed(uint id, uint reason);
};

class DesktopPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void paths_are_told_apart();
  void wish_survives_the_way();
  void desktop_shows_what_it_is_told();
  void no_desktop_is_no_trouble();
  void first_listens_and_second_hands_over();
  void what_a_dead_process_left_is_taken_over();
  void of_two_at_once_one_is_first();
  void a_disk_that_never_answers_holds_nothing_up();
};

void DesktopPartsTest::paths_are_told_apart() {
  const test::TemporaryFolder folder;
  const auto touch = [&](const std::string& name) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    QFile file(text_of(folder.path() / name));
    QVERIFY(file.open(QIODevice::WriteOnly));
  };
  touch("m.GGUF");
  touch("whole/config.json");
  touch("whole/model.safetensors");
  touch("bare/config.json");
  touch("run.json");
  const auto at = [&](const char* name) { return text_of(folder.path() / name); };
  for (const char* name : {"m.GGUF", "whole", "whole/config.json"}) QVERIFY2(has_weights(at(name)), name);
  for (const char* name : {"bare", "bare/config.json", "run.json", "nowhere"})
    QVERIFY2(!has_weights(at(name)), name);
  for (const char* name : {"bare", "bare/config.json", "whole"}) QVERIFY2(has_config(at(name)), name);
  for (const char* name : {"m.GGUF", "run.json", "."}) QVERIFY2(!has_config(at(name)), name);
}

void DesktopPartsTest::wish_survives_the_way() {
  StartWish wish{u8("/models/小.gguf"), u8("8081"), true, {u8("/a b/run.json"), u8("/x\ny")}, u8("token-7")};
  const auto back = StartWish::from_message(wish.to_message());
  PW_VERIFY(back);
  QCOMPARE(back->model, wish.model);
  QCOMPARE(back->port, wish.port);
  QCOMPARE(back->serve, true);
  QCOMPARE(back->files, wish.files);
  QCOMPARE(back->activation_token, wish.activation_token);
  QVERIFY(!StartWish::from_message("[1]").ok());
  QVERIFY(!StartWish::from_message("not json").ok());
}

void DesktopPartsTest::desktop_shows_what_it_is_told() {
  FakeDesktop desktop;
  QDBusServer server;
  std::unique_ptr<QDBusConnection> other_end;
  connect(&server, &QDBusServer::newConnection, this, [&](QDBusConnection connection) {
    other_end = std::make_unique<QDBusConnection>(connection);
    other_end->registerObject(u8("/org/freedesktop/Notifications"), &desktop,
                              QDBusConnection::ExportAllContents);
  });
  const QDBusConnection bus = QDBusConnection::connectToPeer(server.address(), u8("peer"));
  QTRY_VERIFY(other_end != nullptr);
  DesktopNotifier notifier;
  notifier.set_bus(bus);
  QSignalSpy activated(&notifier, &DesktopNotifier::activated);
  notifier.notify(u8("Serve"), u8("Load chat: 41 tok/s & more"), u8("serve"));
  QTRY_COMPARE(desktop.shown, (QStringList{u8("Pitwall: Serve: Load chat: 41 tok/s &amp; more")}));
  notifier.notify(u8("Tune"), u8("4 of 4 decided"), u8("tune"));
  QTRY_COMPARE(desktop.shown.size(), 2);
  // The answer with the id may still be on its way: the desktop's user needs longer.
  QTRY_VERIFY((Q_EMIT desktop.ActionInvoked(2, u8("default")), QTest::qWait(1), activated.size() > 0));
  QCOMPARE(activated.front().front().toString(), u8("tune"));
  const auto before = activated.size();
  Q_EMIT desktop.ActionInvoked(77, u8("default"));  // somebody else's
  Q_EMIT desktop.NotificationClosed(1, 2);
  Q_EMIT desktop.ActionInvoked(1, u8("default"));
  notifier.notify(u8("Tune"), u8("again"), u8("tune"));
  QTRY_COMPARE(desktop.shown.size(), 3);
  QCOMPARE(activated.size(), before);
  QDBusConnection::disconnectFromPeer(u8("peer"));
}

void DesktopPartsTest::no_desktop_is_no_trouble() {
  DesktopNotifier notifier;
  notifier.set_bus(QDBusConnection(u8("nobody")));
  notifier.notify(u8("Serve"), u8("a load has ended"), u8("serve"));
}

void DesktopPartsTest::first_listens_and_second_hands_over() {
  const test::TemporaryFolder folder;
  const QString place = text_of(folder.path());
  SingleInstance first(place, u8("home"));
  QCOMPARE(first.claim("first"), SingleInstance::Role::first);
  QSignalSpy wishes(&first, &SingleInstance::wish_received);
  SingleInstance::Role role = SingleInstance::Role::alone;
  const QByteArray wish(200'000, 'w');  // more than one packet
  std::thread later([&] { role = SingleInstance(place, u8("home")).claim(wish); });
  QTRY_COMPARE_WITH_TIMEOUT(wishes.size(), 1, 20'000);
  later.join();
  QCOMPARE(role, SingleInstance::Role::second);
  QCOMPARE(wishes.front().front().toByteArray(), wish);
  SingleInstance other(place, u8("another home"));
  QCOMPARE(other.claim({}), SingleInstance::Role::first);
  QCOMPARE(SingleInstance(QString(), u8("home")).claim({}), SingleInstance::Role::alone);
  QCOMPARE(SingleInstance(place + u8("/nowhere"), u8("home")).claim({}), SingleInstance::Role::alone);
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    if (file.is_socket())
      QCOMPARE(file.status().permissions() & std::filesystem::perms::others_all,
               std::filesystem::perms::none);
}

void DesktopPartsTest::what_a_dead_process_left_is_taken_over() {
  const test::TemporaryFolder folder;
  const QString place = text_of(folder.path());
  QString socket;
  {
    SingleInstance first(place, u8("home"));
    QCOMPARE(first.claim({}), SingleInstance::Role::first);
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      if (file.is_socket()) socket = text_of(file.path());
  }
  QVERIFY(!socket.isEmpty());
  QFile left_lock(socket + u8(".lock"));  // of a process that is not there
  QVERIFY(left_lock.open(QIODevice::WriteOnly));
  left_lock.write("2147483646\npitwall\n" + QSysInfo::machineHostName().toUtf8() + "\n");
  left_lock.close();
  QFile left_socket(socket);  // nobody listens
  QVERIFY(left_socket.open(QIODevice::WriteOnly));
  left_socket.close();
  SingleInstance next(place, u8("home"));
  QCOMPARE(next.claim({}), SingleInstance::Role::first);
}

void DesktopPartsTest::of_two_at_once_one_is_first() {
  const test::TemporaryFolder folder;
  const QString place = text_of(folder.path());
  constexpr int kStarts = 4;
  std::atomic<int> firsts = 0, seconds = 0, done = 0;
  std::vector<std::thread> starts;
  for (int i = 0; i < kStarts; ++i)
    starts.emplace_back([&] {
      QEventLoop loop;  // the first serves the others
      SingleInstance instance(place, u8("home"));
      const auto role = instance.claim("wish");
      firsts += role == SingleInstance::Role::first ? 1 : 0;
      seconds += role == SingleInstance::Role::second ? 1 : 0;
      ++done;
      while (done < kStarts) loop.processEvents(QEventLoop::AllEvents, 10);
    });
  for (std::thread& start : starts) start.join();
  QCOMPARE(firsts.load(), 1);
  QCOMPARE(seconds.load(), kStarts - 1);
}

/// What waits for ever is asked first; others come back, and the end does not wait.
void DesktopPartsTest::a_disk_that_never_answers_holds_nothing_up() {
  const auto answers = std::make_shared<std::promise<void>>();
  const auto left = std::make_shared<std::promise<void>>();
  std::future<void> has_left = left->get_future();
  QStringList told;
  {
    Errands errands;
    errands.send([&told, left, answered = answers->get_future().share()] {
      answered.wait();
      left->set_value();
      return [&told] { told << u8("late"); };
    });
    for (const char* name : {"one", "two"}) {
      errands.send([&told, name] { return [&told, name] { told << u8(name); }; });
      QTRY_COMPARE(told.size(), name == std::string("one") ? 1 : 2);
    }
  }
  answers->set_value();
  has_left.wait();
  QCoreApplication::processEvents();
  QCOMPARE(told, QStringList({u8("one"), u8("two")}));
}

QTEST_MAIN(DesktopPartsTest)
#include "desktop_parts_test.moc"
