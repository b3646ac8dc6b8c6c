// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/floors.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "engine/base/clock.h"
#include "kernels/cpu/booked_memory.h"
#include "kernels/cpu/parallel.h"

namespace pitwall {

namespace {

constexpr Nanos kTimePerFloor = 400 * kNanosPerMs;
constexpr int kPieces = 64;  // of the buffer: enough that threads end together

/// The highest rate (work per nanosecond) that `round`, which does `work`, reaches within the time.
template <class Round>
double best_rate(double work, const Round& round) {
  const RealClock clock;
  const Nanos end = clock.now() + kTimePerFloor;
  double best = 0;
  for (Nanos now = clock.now(); now < end;) {
    const Nanos start = now;
    round();
    now = clock.now();
    best = std::max(best, work / static_cast<double>(std::max<Nanos>(1, now - start)));
  }
  return best;
}

/// Four times the last cache, 128 MiB to 1 GiB, never more than the limit.
Bytes buffer_bytes(Bytes memory_limit) {
  Bytes bytes = std::clamp<Bytes>(4 * last_level_cache_bytes(), 128 * kMiB, kGiB);
  if (memory_limit > 0) bytes = std::min(bytes, memory_limit);
  return bytes / (kPieces * kMiB) * (kPieces * kMiB);
}

}  // namespace

Result<CpuFloors> measure_cpu_floors(Isa isa, int threads, Bytes memory_limit) {
  const KernelTable& kernels = kernel_table(isa);
  ThreadTeam team(threads);
  Ledger ledger(memory_limit);
  const Bytes bytes = buffer_bytes(memory_limit);
  if (bytes == 0) {
    return Error{
        Error::Kind::invalid_input, "a memory limit of " + format_bytes(memory_limit) + " is too small",
        "measuring bandwidth takes a buffer that no cache holds", "allow 64 MiB at least", "memory-limit"};
  }
  auto buffer = BookedMemory::take(ledger, Category::context, bytes, "the buffer of floors");
  if (!buffer) return std::move(buffer).error();
  auto* data = buffer->as<std::byte>();
  std::fill_n(data, bytes, std::byte{1});  // pages of zeros could all be one
  std::atomic<float> sink{0};

  CpuFloors floors;
  const Bytes piece = bytes / kPieces;
  floors.read_gbps = best_rate(static_cast<double>(bytes), [&] {
    team.run(kPieces, 1, [&](int begin, int end, int) {
      sink = kernels.read_memory(data + begin * piece, (end - begin) * piece);
    });
  });
  const Bytes half = bytes / 2;
  floors.copy_gbps = best_rate(static_cast<double>(bytes), [&] {
    team.run(kPieces, 1, [&](int begin, int end, int) {
      const Bytes from = half / kPieces * begin, to = half / kPieces * end;
      std::memcpy(data + half + from, data + from, static_cast<std::size_t>(to - from));
    });
  });
  constexpr int kTasks = 16, kRounds = 2000;
  const auto rate = [&](float (*kernel)(int), std::int64_t work) {
    return best_rate(2.0 * kTasks * kRounds * static_cast<double>(work), [&] {
      team.run(kTasks, 1, [&](int begin, int end, int) { sink = kernel((end - begin) * kRounds); });
    });
  };
  floors.float32_tflops = rate(kernels.multiply_add_float, kFloatProbeWork) / 1000;
  floors.int8_tops = rate(kernels.multiply_add_int8, kInt8ProbeWork) / 1000;
  return floors;
}

}  // namespace pitwall
