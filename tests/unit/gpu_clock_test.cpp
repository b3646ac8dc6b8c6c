// SPDX-License-Identifier: GPL-3.0-or-later
// GPU times on the host's clock: the soonest sight of an end tells the difference of the clocks.
#include "kernels/cuda/gpu_clock.h"

#include <QTest>

using namespace pitwall;
using cuda::GpuClock;

namespace {

constexpr Nanos kAhead = 1'000'000'007;  // the host's clock before the GPU's
constexpr Nanos kSecond = kNanosPerSecond;

}  // namespace

class GpuClockTest : public QObject {
  Q_OBJECT

 private slots:
  void the_soonest_sight_decides() {
    GpuClock clock;
    clock.seen(5'000, 5'000 + kAhead + 900);
    clock.seen(6'000, 6'000 + kAhead + 40);
    clock.seen(7'000, 7'000 + kAhead + 70'000);  // the host slept
    QCOMPARE(clock.steady(6'000), 6'000 + kAhead + 40);
    QCOMPARE(clock.steady(4'000), 4'000 + kAhead + 40);
  }

  void durations_and_gaps_do_not_depend_on_when_the_host_looked() {
    GpuClock clock;
    clock.seen(1'000, 1'000 + kAhead + 500);
    const Nanos gap = clock.steady(3'000) - clock.steady(2'500);
    QCOMPARE(gap, Nanos{500});
  }

  void old_sights_are_forgotten_since_clocks_drift() {
    GpuClock clock;
    Nanos drift = 0;
    for (std::uint64_t second = 1; second < 100; ++second) {
      drift += 20'000;  // the host's clock gains 20 us a second
      const std::uint64_t gpu = second * static_cast<std::uint64_t>(kSecond);
      clock.seen(gpu, static_cast<Nanos>(gpu) + kAhead + drift + 100);
      const Nanos error = clock.steady(gpu) - (static_cast<Nanos>(gpu) + kAhead + drift);
      QVERIFY2(error <= 100 && error >= -3 * 20'000, qPrintable(QString::number(error)));
    }
  }
};

QTEST_GUILESS_MAIN(GpuClockTest)
#include "gpu_clock_test.moc"
