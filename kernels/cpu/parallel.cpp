// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/parallel.h"

#include <string>

#include "engine/base/threads.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pitwall {

namespace {

constexpr int kSpins = 2000;  // tens of microseconds: longer than the gap between two regions of a step

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int parts_of(std::uint64_t ticket) {
  return static_cast<int>((ticket >> 16) & 0xFFFF);
}
int next_of(std::uint64_t ticket) {
  return static_cast<int>(ticket & 0xFFFF);
}
bool has_work(std::uint64_t ticket) {
  return next_of(ticket) < parts_of(ticket);
}

}  // namespace

ThreadTeam::ThreadTeam(int threads) {
  for (int thread = 1; thread < threads; ++thread) {
    workers_.emplace_back([this, thread] {
      set_thread_name(("cpu-worker-" + std::to_string(thread)).c_str());
      work(thread);
    });
  }
}

ThreadTeam::~ThreadTeam() {
  stopping_.store(true);
  wake_.fetch_add(1);
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::dispatch(Part part, const void* region, int parts) {
  part_.store(part, std::memory_order_relaxed);
  region_.store(region, std::memory_order_relaxed);
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t generation = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
  ticket_.store(generation << 32 | static_cast<std::uint64_t>(parts) << 16);
  if (sleepers_.load() > 0) {
    wake_.fetch_add(1);
    wake_.notify_all();
  }
  while (run_one_part(0)) {
  }

  const auto all = static_cast<std::uint32_t>(parts);
  for (int spin = 0; spin < kSpins && done_.load(std::memory_order_acquire) != all; ++spin) pause_briefly();
  if (done_.load(std::memory_order_acquire) == all) return;
  caller_waits_.store(true);
  for (std::uint32_t seen = done_.load(); seen != all; seen = done_.load()) done_.wait(seen);
  caller_waits_.store(false);
}

bool ThreadTeam::run_one_part(int thread) {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (has_work(ticket)) {
    const Part part = part_.load(std::memory_order_relaxed);
    const void* region = region_.load(std::memory_order_relaxed);
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    if (!abandoned()) part(region, next_of(ticket), thread);
    done_.fetch_add(1);
    if (caller_waits_.load()) done_.notify_one();
    return true;
  }
  return false;
}

void ThreadTeam::work(int thread) {
  int idle = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (run_one_part(thread)) {
      idle = 0;
    } else if (++idle < kSpins) {
      pause_briefly();
    } else {
      sleep();
      idle = 0;
    }
  }
}

/// The order matters: a sleeper announces itself before it looks once more, and dispatch() publishes before
/// it counts sleepers.
void ThreadTeam::sleep() {
  const std::uint32_t seen = wake_.load();
  sleepers_.fetch_add(1);
  if (!has_work(ticket_.load()) && !stopping_.load()) wake_.wait(seen);
  sleepers_.fetch_sub(1);
}

}  // namespace pitwall
