// SPDX-License-Identifier: GPL-3.0-or-later
// Reports in a real browser without network: no word on its console, nothing asked for, figures and charts in
// the page and on paper.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QtTest>
#include <fstream>

#include "engine/base/file.h"
#include "engine/bench/checklist_template.h"
#include "engine/report/checklist_report.h"
#include "engine/report/comparison_report.h"
#include "engine/report/report.h"
#include "engine/report/report_content.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

constexpr int kPatienceMs = 120'000;

QString browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (const QString found = QStandardPaths::findExecutable(QLatin1String(name)); !found.isEmpty())
      return found;
  return {};
}

struct Seen {
  QString dom, paper;      ///< paper: text of the printed page; empty without pdftotext
  QStringList complaints;  ///< lines of the console
  QStringList asked_for;   ///< addresses, without what the browser wants for itself
};

/// Its proxy leads nowhere.
QByteArray run_browser(const QString& folder, const QStringList& arguments) {
  QProcess process;
  process.start(browser(),
                QStringList{"--headless=new", "--no-sandbox", "--disable-gpu",
                            "--user-data-dir=" + folder + "/profile", "--proxy-server=127.0.0.1:9",
                            "--disable-background-networking", "--disable-component-update", "--disable-sync",
                            "--no-first-run", "--enable-logging=stderr", "--v=0"} +
                    arguments);
  if (!process.waitForFinished(kPatienceMs) || process.exitCode() != 0) return {};
  std::ofstream(folder.toStdString() + "/console.txt") << process.readAllStandardError().toStdString();
  return process.readAllStandardOutput();
}

Seen look_at(const std::string& html) {
  const test::TemporaryFolder folder;
  const QString home = QString::fromStdString(folder.path().string());
  (void)write_file_atomic(folder.path() / "report.html", html);
  const QString address = "file://" + home + "/report.html";
  Seen seen;
  seen.dom =
      QString::fromUtf8(run_browser(home, {"--log-net-log=" + home + "/net.json", "--dump-dom", address}));
  const auto text_of = [&](const char* name) {
    const auto text = read_file(folder.path() / name);
    return text ? QString::fromStdString(*text) : QString();
  };
  for (const QString& line : text_of("console.txt").split('\n'))
    if (line.contains("CONSOLE")) seen.complaints << line;
  static const QRegularExpression url("\"url\":\"(https?:[^\"]*)\"");
  static const QRegularExpression own("^https?://[a-z0-9.]*google(apis)?\\.com/");
  for (auto found = url.globalMatch(text_of("net.json")); found.hasNext();)
    if (const QString one = found.next().captured(1); !own.match(one).hasMatch()) seen.asked_for << one;
  (void)run_browser(home, {"--no-pdf-header-footer", "--print-to-pdf=" + home + "/report.pdf", address});
  QProcess to_text;
  to_text.start("pdftotext", {"-layout", home + "/report.pdf", "-"});
  if (to_text.waitForFinished(kPatienceMs)) seen.paper = QString::fromUtf8(to_text.readAllStandardOutput());
  return seen;
}

QString plain(const QString& text) {
  return QString(text).replace(QChar(0xA0), ' ');
}

void check_quiet(const Seen& seen) {
  QVERIFY2(seen.complaints.isEmpty(), qPrintable(seen.complaints.join('\n')));
  QVERIFY2(seen.asked_for.isEmpty(), qPrintable(seen.asked_for.join('\n')));
  QVERIFY(seen.dom.contains("<svg") && seen.dom.contains("</svg>"));
}

Run strange_run() {
  Run run = test::made_up_run();
  run.id.value = 7;
  run.header.name = "<script>alert('x')</script>\n<img src=\"http://example.invalid/x.png\"> 🦭 שלום";
  run.note = "<iframe src=\"http://example.invalid/\"></iframe>";
  run.changes = {{run.header.start_utc + 4 * kNanosPerSecond, "max-num-seqs", "24", "32", ChangedBy::user},
                 {run.header.start_utc + 12 * kNanosPerSecond, "max-num-batched-tokens", "2048", "512",
                  ChangedBy::client}};
  return run;
}

}  // namespace

class ReportBrowserTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (browser().isEmpty()) QSKIP("No chromium is installed: `apt-get install chromium`");
  }

  void this_test_would_notice() {
    const Seen seen = look_at(
        "<!doctype html><title>x</title><img src=\"http://example.invalid/a.png\">"
        "<script>console.error('seen')</script>");
    QCOMPARE(seen.complaints.size(), 1);
    QVERIFY(seen.asked_for.contains("http://example.invalid/a.png"));
  }

  void a_run() {
    const Run run = strange_run();
    const Seen seen = look_at(run_html(run));
    check_quiet(seen);
    const ReportContent content = report_content(run);
    for (const Figure& figure : content.figures) {
      const QString value = QString::fromStdString(figure.value);
      QVERIFY2(seen.dom.contains(value), qPrintable(value));
      if (!seen.paper.isEmpty()) QVERIFY2(seen.paper.contains(value), qPrintable(value));
    }
    QVERIFY(seen.dom.contains("&lt;script&gt;") && !seen.dom.contains("<iframe"));
    for (const char* text : {">ITL<", ">TTFT<", ">Throughput<", "<title>Lap 2</title>", "HTTP client"})
      QVERIFY2(plain(seen.dom).contains(text), text);
  }

  void a_comparison() {
    Run before = test::made_up_run(), after = test::made_up_run({.ttft_ms = 30, .rate = 700});
    before.id.value = 1;
    after.id.value = 2;
    after.header.uuid = "other";
    const RunComparison comparison = compare_runs(std::vector<const Run*>{&before, &after});
    const Seen seen = look_at(comparison_html(comparison));
    check_quiet(seen);
    QVERIFY(seen.dom.contains("99.9 %"));
    if (!seen.paper.isEmpty()) QVERIFY(seen.paper.contains("Before and after"));
  }

  void a_checklist() {
    Checklist checklist = checklist_templates().front();
    KnownRuns known;
    double ttft = 60;
    std::int64_t id = 0;
    const auto measure = [&](const Result<Settings>& settings) {
      PW_VERIFY(settings);
      for (int repeat = 1; repeat <= checklist.repeats; ++repeat)
        known[measurement_key(checklist, *settings)].try_emplace(
            repeat,
            MeasuredRun{run_figures(test::made_up_run({.ttft_ms = ttft + repeat, .rate = 9000 / ttft}), {}),
                        ++id});
      ttft *= 0.8;
    };
    std::vector<ItemResult> results;
    measure(settings_before(checklist, 0));
    for (std::size_t i = 0; i < checklist.items.size(); ++i) {
      measure(settings_after(checklist, i));
      results.push_back(result_of(checklist, i, known));
      judge(checklist, checklist.items[i], results.back());
    }
    const Seen seen = look_at(checklist_html(checklist, results));
    check_quiet(seen);
    for (const Item& item : checklist.items) {
      const QString name = QString::fromStdString(item.name);
      QVERIFY2(seen.dom.contains(name.toHtmlEscaped()), qPrintable(name));
    }
    QVERIFY(seen.dom.contains("Recommended settings") && seen.dom.contains("pitwallctl serve"));
    if (!seen.paper.isEmpty()) QVERIFY(seen.paper.contains("Recommended settings"));
  }
};

QTEST_GUILESS_MAIN(ReportBrowserTest)
#include "report_browser_test.moc"
