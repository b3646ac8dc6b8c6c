// SPDX-License-Identifier: GPL-3.0-or-later
// From the start of `pitwall` to the first paint of its window, on a display in memory and a fresh home:
// nothing of the user's is read. Usage: first_paint_bench PITWALL [starts]
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kStarts = 10, kPatienceMs = 60'000;
constexpr double kGoalMs = 500;

/// Milliseconds, or a negative number.
double time_start(const QString& program, const QString& home) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("PITWALL_HOME"), home);
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  QProcess process;
  process.setProcessEnvironment(environment);
  process.setReadChannel(QProcess::StandardError);
  QElapsedTimer clock;
  clock.start();
  process.start(program, {QStringLiteral("--report-first-paint")});
  while (process.waitForReadyRead(kPatienceMs))
    while (process.canReadLine())
      if (process.readLine() == "painted\n") {
        const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        process.waitForFinished(kPatienceMs);
        return ms;
      }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication app(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: first_paint_bench PITWALL [starts]\n");
    return 2;
  }
  const int starts = argc > 2 ? std::max(1, std::atoi(argv[2])) : kStarts;
  const QTemporaryDir home;
  std::vector<double> times;
  for (int i = 0; i < starts; ++i) {
    const double ms = time_start(QString::fromLocal8Bit(argv[1]), home.path());
    if (ms < 0) {
      std::fprintf(stderr, "error: %s painted nothing within %d s\n", argv[1], kPatienceMs / 1000);
      return 1;
    }
    times.push_back(ms);
  }
  std::printf("first start %.0f ms", times.front());
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf(", of %d: least %.0f ms, median %.0f ms, most %.0f ms; goal %.0f ms: %s\n", starts,
              times.front(), median, times.back(), kGoalMs, median < kGoalMs ? "met" : "missed");
  return median < kGoalMs ? 0 : 1;
}
