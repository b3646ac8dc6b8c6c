// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/load.h"

#include <time.h>

namespace pitwall {

Nanos thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Nanos{time.tv_sec} * kNanosPerSecond + time.tv_nsec;
}

}  // namespace pitwall
