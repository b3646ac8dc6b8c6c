// SPDX-License-Identifier: GPL-3.0-or-later
// Prints, asserts nothing: how fast the reports page lists 10,000 runs, searches them, opens a run with a
// million requests and compares two. Usage: reports_bench [runs] [requests].
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <functional>

#include "app/common/backend_factory.h"
#include "engine/store/store.h"
#include "tests/support/made_up_run.h"
#include "tests/support/test_support.h"
#include "ui/reports/reports_page.h"
#include "ui/shell/engine_controller.h"
#include "ui/widgets/data_table.h"

using namespace pitwall;
using namespace pitwall::ui;

namespace {

/// Turns the event loop until `done`, and says how long that took.
double ms_until(const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  while (!done()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void row(const char* what, double ms, const char* goal) {
  fmt::print("{:<58}{:>10.1f} ms   goal {}\n", what, ms, goal);
}

void fill(Store& store, int runs, int requests) {
  Run small = test::made_up_run({.requests = 3, .steps = 0});
  small.seconds.clear();
  for (int i = 0; i < runs; ++i) {
    small.header.uuid = "small " + std::to_string(i);
    small.header.name =
        fmt::format("Four steps, item {}: max-num-seqs {}, repeat {}", i % 4, 6 + i % 50, i % 3);
    (void)store.import_run(small);
  }
  Run large = test::made_up_run({.requests = requests});
  large.seconds.resize(std::min<std::size_t>(large.seconds.size(), 3600));
  for (int i = 0; i < 2; ++i) {
    large.header.uuid = "large " + std::to_string(i);
    large.header.start_utc += kNanosPerSecond;
    (void)store.import_run(large);
  }
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QApplication app(argc, argv);
  const int runs = argc > 1 ? std::atoi(argv[1]) : 10'000,
            requests = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
  const test::TemporaryFolder folder;
  auto store = Store::open(folder.path() / "pitwall.db").value();
  fill(*store, runs, requests);
  fmt::print("{} runs of 3 requests, two runs of {}\n\n", runs, requests);

  const RunId large{runs + 1};
  QElapsedTimer clock;
  clock.start();
  (void)store->runs();
  row("store: the list", static_cast<double>(clock.nsecsElapsed()) / 1e6, "–");
  clock.restart();
  (void)store->run_picture(large, 20'000);
  row("store: the large run, sampled", static_cast<double>(clock.nsecsElapsed()) / 1e6, "–");
  clock.restart();
  (void)store->worst_requests(large, 0, 500);
  row("store: its 500 worst requests", static_cast<double>(clock.nsecsElapsed()) / 1e6, "–");

  EngineController engine(backend_factory(), store.get());
  clock.restart();
  ReportsPage page(engine, *store);
  page.resize(1440, 860);
  page.show();
  row("the page itself", static_cast<double>(clock.nsecsElapsed()) / 1e6, "–");
  auto* list = page.findChild<DataTable*>(QStringLiteral("report.list"));
  auto* search = page.findChild<QLineEdit*>(QStringLiteral("report.search"));
  auto* headline = page.findChild<QLabel*>(QStringLiteral("report.headline"));
  auto* compared = page.findChild<QLabel*>(QStringLiteral("report.comparedHeadline"));
  auto* first_run = page.findChild<DataTable*>(QStringLiteral("report.requests"));
  row("then until the list stands", ms_until([&] { return list->model()->rowCount() > runs; }), "200");
  row("then until the newest run (the million) is drawn",
      ms_until([&] { return !headline->text().isEmpty(); }), "1000");
  row("then until its requests are in the table",
      ms_until([&] { return first_run->model()->rowCount() > 0; }), "–");
  (void)ms_until([clock = QElapsedTimer()]() mutable {
    if (!clock.isValid()) clock.start();
    return clock.elapsed() > 3000;  // what comes later: files, plan
  });
  for (const char* words : {"seqs 2", "seqs 27, repeat 1", "nothing like it", ""}) {
    QElapsedTimer clock;
    clock.start();
    search->setText(QLatin1String(words));
    QCoreApplication::processEvents();
    row(fmt::format("search “{}”: {} rows", words, list->model()->rowCount()).c_str(),
        static_cast<double>(clock.nsecsElapsed()) / 1e6, "50");
  }
  page.open_run(1);
  row("open a small run", ms_until([&] { return headline->text().startsWith(QLatin1String("3 ")); }), "1000");
  page.open_run(runs + 1);
  row("open a run of a million requests",
      ms_until([&] { return !headline->text().startsWith(QLatin1String("3 ")); }), "1000");
  page.compare_runs({runs + 1, runs + 2});
  row("compare the two", ms_until([&] { return !compared->text().isEmpty(); }), "–");
  return 0;
}
