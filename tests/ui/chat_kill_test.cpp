// SPDX-License-Identifier: GPL-3.0-or-later
// A window that is killed while it writes a reply. The program runs itself as that window.
#include <signal.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QProcess>
#include <QSpinBox>
#include <cstdio>

#include "tests/ui/chat_bench.h"
#include "ui/shell/theme.h"

using namespace pitwall;
using namespace pitwall::ui;
using namespace pitwall::test;

namespace {

constexpr char kPrompt[] = "Never end, 永远\nsecond line";
constexpr char kAsWindow[] = "--as-window";

/// The window that will be killed: asks for an endless reply, and after each piece of it says how much it
/// shows and when that was.
int be_a_window(const std::filesystem::path& folder) {
  auto store = Store::open(folder / "pitwall.db");
  if (!store) return 1;
  Preferences preferences(folder);
  EngineController engine(backend_factory(), store->get());
  ChatPage page(engine, **store, preferences);
  page.resize(1000, 700);
  page.show();
  TinyModel tiny;
  tiny.context_length = 200'000;
  Settings settings;
  if (!settings.set("port", "0") || !settings.set("max-num-seqs", "1")) return 1;
  engine.start(QString::fromStdString(write_tiny_model(folder, tiny).string()), settings);
  if (!QTest::qWaitFor([&] { return engine.state() == EngineState::serving; }, 60'000)) return 1;
  page.findChild<QSpinBox*>(QStringLiteral("chat.maxTokens"))->setValue(0);
  page.findChild<QDoubleSpinBox*>(QStringLiteral("chat.temperature"))->setValue(0);  // goes round in a circle
  page.findChild<QPlainTextEdit*>(QStringLiteral("chat.input"))->setPlainText(QString::fromUtf8(kPrompt));
  page.findChild<QPushButton*>(QStringLiteral("chat.send"))->click();
  QElapsedTimer clock;
  clock.start();
  std::size_t shown = 0;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, &page, [&] {
    const auto texts = page.findChildren<MarkdownView*>();
    if (texts.size() < 2 || texts.back()->source().size() == shown) return;
    shown = texts.back()->source().size();
    std::printf("%zu %lld\n", shown, static_cast<long long>(clock.elapsed()));
    std::fflush(stdout);
  });
  look.start(20);
  return QApplication::exec();
}

/// Of the last whole line that the window has said.
std::size_t last_shown(const QByteArray& said) {
  const qsizetype end = said.lastIndexOf('\n');
  if (end < 0) return 0;
  const qsizetype begin = said.lastIndexOf('\n', end - 1) + 1;
  return said.mid(begin, end - begin).split(' ').front().toULongLong();
}

}  // namespace

class ChatKillTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_killed_window_keeps_the_prompt_and_the_reply_so_far() {
    ChatBench bench;
    bench.page.reset();
    QProcess window;
    window.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    window.start(QCoreApplication::applicationFilePath(),
                 {QLatin1String(kAsWindow), QString::fromStdString(bench.folder.path().string())});
    QVERIFY(window.waitForStarted());
    // Saved twice, and then more was shown: between two saves.
    std::string saved;
    const auto saved_again = [&] {
      const auto stored = bench.stored();
      if (stored.size() < 2 || stored.back().content.empty() || stored.back().content == saved) return false;
      saved = stored.back().content;
      return true;
    };
    QVERIFY(QTest::qWaitFor(saved_again, 120'000));
    QVERIFY(QTest::qWaitFor(saved_again, 60'000));
    QByteArray said;
    const auto shown_more = [&] {
      said += window.readAllStandardOutput();
      return last_shown(said) > saved.size();
    };
    QVERIFY(QTest::qWaitFor(shown_more, 60'000));
    ::kill(static_cast<pid_t>(window.processId()), SIGKILL);
    QVERIFY(window.waitForFinished());
    QCOMPARE(window.exitStatus(), QProcess::CrashExit);

    bench.reopen_store();
    QVERIFY(!bench.store->damage());
    const auto stored = bench.stored();
    QCOMPARE(stored.size(), std::size_t{2});
    QCOMPARE(stored[0].content, std::string(kPrompt));
    QCOMPARE(stored[1].state, std::string(kStreaming));
    QVERIFY(stored[1].content.starts_with(saved));
    // What is lost was shown after the last save: how long before the end that was.
    std::size_t shown = 0;
    qint64 first_lost = 0, last = 0;
    said += window.readAllStandardOutput();
    for (const QByteArray& line : said.split('\n')) {
      const auto words = line.split(' ');
      if (words.size() != 2) continue;
      shown = words[0].toULongLong();
      last = words[1].toLongLong();
      if (first_lost == 0 && shown > stored[1].content.size()) first_lost = last;
    }
    qInfo("stored %zu of %zu bytes shown; the last %lld ms were lost", stored[1].content.size(), shown,
          first_lost == 0 ? 0LL : static_cast<long long>(last - first_lost));

    bench.open_page();
    bench.page->open_chat(1);
    QTRY_COMPARE(bench.texts().size(), 2);
    QCOMPARE(bench.texts()[0]->source(), std::string(kPrompt));
    QCOMPARE(bench.visible<QLabel>("chat.state")->text(), QStringLiteral("△ incomplete: cut off"));
  }
};

int main(int argc, char** argv) {
  TemporaryFolder home;
  qputenv("PITWALL_HOME", QByteArray::fromStdString(home.path().string()));
  QApplication application(argc, argv);
  Theme::current().set_mode(ThemeMode::light);
  if (argc == 3 && std::string_view(argv[1]) == kAsWindow) return be_a_window(argv[2]);
  ChatKillTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "chat_kill_test.moc"
